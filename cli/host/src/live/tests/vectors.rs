//! Vectors computed in the background, with an embedder that needs no model.

use std::sync::atomic::{AtomicBool, Ordering};

use ubp_core::message::Message;
use ubp_core::ports::{Embedder, ModelInfo, TextKind};
use ubp_testing::HashEmbedder;

use super::*;

/// An embedder with a delay, a counter and a failure mode.
struct Slow {
    hashes: HashEmbedder,
    pause: Duration,
    seen: Arc<AtomicUsize>,
    rests: Arc<AtomicUsize>,
    broken: Arc<AtomicBool>,
}

impl Embedder for Slow {
    fn model(&self) -> &ModelInfo {
        self.hashes.model()
    }

    fn embed(&self, kind: TextKind, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        std::thread::sleep(self.pause);
        if self.broken.load(Ordering::Relaxed) {
            return Err(Error::Model { model: "hash".into(), message: Message::verbatim("it broke") });
        }
        self.seen.fetch_add(texts.len(), Ordering::Relaxed);
        self.hashes.embed(kind, texts)
    }

    fn rest(&self) {
        self.rests.fetch_add(1, Ordering::Relaxed);
    }

    fn token_ranges(&self, text: &str) -> Result<Vec<std::ops::Range<usize>>> {
        self.hashes.token_ranges(text)
    }
}

#[derive(Clone, Default)]
struct Model {
    pause: Duration,
    seen: Arc<AtomicUsize>,
    rests: Arc<AtomicUsize>,
    broken: Arc<AtomicBool>,
}

impl Model {
    fn serve(&self, folder: &Folder) -> Server {
        self.serve_with(folder, Timing::default())
    }

    fn serve_with(&self, folder: &Folder, timing: Timing) -> Server {
        let model = self.clone();
        let find_model = Box::new(move |_: &Project, _: &Environment| {
            let Model { pause, seen, rests, broken } = model.clone();
            let hashes = HashEmbedder::default();
            Ok(Some(Arc::new(Slow { hashes, pause, seen, rests, broken }) as Arc<dyn Embedder>))
        });
        serve(folder.0.path(), timing, find_model)
    }

    fn seen(&self) -> usize {
        self.seen.load(Ordering::Relaxed)
    }
}

fn pending(server: &Server) -> u64 {
    server.answer("status", json!({}))["index"]["pending"].as_u64().unwrap()
}

#[test]
fn the_model_rests_after_a_time_without_calls() {
    let folder = Folder::new([("a.md", "zebra")]);
    let model = Model::default();
    let timing =
        Timing { tick: Duration::from_millis(20), rest: Duration::from_millis(300), ..Timing::default() };
    let server = model.serve_with(&folder, timing);
    for _ in 0..2 {
        let before = model.rests.load(Ordering::Relaxed);
        server.finds("zebra", &["a.md"]);
        eventually("rests", || model.rests.load(Ordering::Relaxed) > before);
    }
}

#[test]
fn while_another_process_computes_vectors_the_server_does_not() {
    let folder = Folder::new([("a.md", "zebra"), ("b.md", "lion")]);
    let held = Project::load(folder.0.path()).unwrap().lock_embedding(Duration::ZERO).unwrap();
    let model = Model::default();
    let server = model.serve(&folder);
    server.finds("zebra", &["a.md"]);
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(model.seen(), 0);
    drop(held);
    eventually("embedded", || pending(&server) == 0 && model.seen() == 2);
}

#[test]
fn vectors_are_computed_in_the_background_by_one_process() {
    let folder = Folder::new([("a.md", "zebra"), ("b.md", "lion")]);
    let (one, other) = (Model::default(), Model::default());
    let (first, second) = (one.serve(&folder), other.serve(&folder));
    eventually("embedded", || pending(&first) == 0);
    folder.write("pages/c.md", "giraffe");
    // The second server indexes the text.
    second.finds("giraffe", &["c.md"]);
    eventually("embedded", || pending(&second) == 0 && one.seen() == 3);
    assert_eq!(other.seen(), 0, "the first server computes the vector");
    drop(first);
    folder.write("pages/d.md", "okapi");
    eventually("taken over", || other.seen() == 1);
}

#[test]
fn calls_and_stop_do_not_wait_for_vectors() {
    let pages: Vec<(String, String)> =
        (0..200).map(|number| (format!("{number}.md"), format!("text number {number}"))).collect();
    let folder = Folder::new([]);
    for (path, text) in &pages {
        folder.write(&format!("pages/{path}"), text);
    }
    let model = Model { pause: Duration::from_millis(40), ..Model::default() };
    let server = model.serve(&folder);
    eventually("begun", || model.seen() > 0);
    let begun = Instant::now();
    for _ in 0..5 {
        let answer = server.answer("list_pages", json!({}));
        assert_eq!(answer["index"]["fresh"], true);
        assert!(answer["index"]["pending"].as_u64().unwrap() > 0);
    }
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
    let begun = Instant::now();
    server.live.stop();
    assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
    assert!(model.seen() < 200);
}

#[test]
fn a_failing_model_is_reported_once_and_full_text_search_still_works() {
    let folder = Folder::new([("a.md", "zebra")]);
    let model = Model::default();
    model.broken.store(true, Ordering::Relaxed);
    let server = model.serve(&folder);
    eventually("reported", || server.warnings().iter().any(|text| text.contains("it broke")));
    for number in 0..3 {
        folder.write(&format!("pages/{number}.md"), "lion");
        eventually("indexed", || server.with_word("lion").len() == number + 1);
        assert_eq!(server.with_word("zebra"), ["a.md"]);
    }
    server.settle();
    assert_eq!(server.warnings().len(), 1, "{:?}", server.warnings());
    // Repair the model and reopen the project.
    model.broken.store(false, Ordering::Relaxed);
    folder.write(".ubp/manifest.json", &MANIFEST.replace("\"1.0\", \"schema", "\"1.1\", \"schema"));
    eventually("embedded", || pending(&server) == 0);
}

#[test]
fn changing_the_model_in_the_settings_recomputes_vectors() {
    let folder = Folder::new([("a.md", "zebra"), ("b.md", "lion")]);
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let asked = seen.clone();
    let find_model: Box<FindModel> = Box::new(move |project, _| {
        asked.lock().unwrap().push(project.manifest.embedding_model.name.clone());
        Ok(Some(Arc::new(HashEmbedder::default())))
    });
    let server = serve(folder.0.path(), Timing::default(), find_model);
    eventually("embedded", || pending(&server) == 0);
    folder.write(".ubp/manifest.json", &MANIFEST.replace("no-such-model", "another-model"));
    let name = server.answer("status", json!({}))["model"]["name"].clone();
    assert_eq!(name, "another-model");
    assert_eq!(*seen.lock().unwrap(), ["no-such-model", "another-model"]);
}

#[test]
fn authors_who_see_the_same_share_an_index_that_takes_vectors_from_that_of_the_project() {
    let folder = Folder::new([("a.md", "zebra"), ("private/b.md", "lion")]);
    let rules = r#"{"rights": [{"author": "*", "path": "private/", "right": "hide"},
        {"author": "admin", "path": "private/", "right": "read"}],"#;
    folder.write(".ubp/manifest.json", &MANIFEST.replacen('{', rules, 1));
    let model = Model::default();
    let whole = model.serve(&folder);
    eventually("embedded", || pending(&whole) == 0 && model.seen() == 2);
    let views = Views::of(whole.live.clone());
    let seen_by = |author: &str| views.seen_by(Some(author), &[]).unwrap().live;
    assert!(Arc::ptr_eq(&seen_by("admin"), views.whole()));
    assert!(Arc::ptr_eq(&seen_by("one"), &seen_by("other")));
    let view = Server { live: seen_by("one"), said: Arc::default() };
    eventually("embedded", || pending(&view) == 0);
    assert_eq!(view.pages(), ["a.md"]);
    assert_eq!(model.seen(), 2, "no vector is computed again");
    folder.write("pages/c.md", "giraffe");
    folder.write("pages/private/d.md", "okapi");
    view.finds("giraffe", &["c.md"]);
    view.finds("okapi", &[]);
    whole.finds("okapi", &["private/d.md"]);
    views.stop();
}
