//! Open projects with real files and file system events.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod files;
#[cfg(target_os = "linux")]
mod memory;
mod settings;
mod sharing;
mod vectors;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::broadcast::Receiver;
use ubp_core::Caller;
use ubp_core::ops::named;
use ubp_core::progress::{Cancel, Silent};
use ubp_core::{Error, Result};

use super::*;

const MANIFEST: &str = r#"{"version": "1.0", "schema_version": 1, "pages_dir": "pages", "frontmatter": "preserved",
  "embedding_model": {"name": "no-such-model", "version": "1.0", "dimensions": 8}}
"#;

/// A project in a temporary folder.
struct Folder(TempDir);

impl Folder {
    fn new<const N: usize>(pages: [(&str, &str); N]) -> Self {
        let folder = Self(tempfile::Builder::new().prefix("ubp-live-").tempdir().unwrap());
        fs::create_dir_all(folder.path("pages")).unwrap();
        folder.write(".ubp/manifest.json", MANIFEST);
        for (path, text) in pages {
            folder.write(&format!("pages/{path}"), text);
        }
        folder
    }

    fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn serve(&self) -> Server {
        self.serve_with(Timing::default())
    }

    fn serve_with(&self, timing: Timing) -> Server {
        serve(self.0.path(), timing, Box::new(models::load))
    }
}

fn serve(folder: &Path, timing: Timing, find_model: Box<FindModel>) -> Server {
    let said: Arc<Mutex<Vec<Notice>>> = Arc::default();
    let hear = said.clone();
    let notices: Notices = Arc::new(move |notice| hear.lock().unwrap().push(notice));
    let project = Project::load(folder).unwrap();
    let live = Live::start_with(project, &Environment::default(), notices, timing, find_model).unwrap();
    Server { live, said }
}

/// An open project, and its notices.
struct Server {
    live: Arc<Live>,
    said: Arc<Mutex<Vec<Notice>>>,
}

impl Server {
    fn call(&self, name: &str, params: Value) -> Result<Value> {
        self.live.call(Caller::Agent, named(name)?, params, None, &Silent, &Cancel::default())
    }

    fn answer(&self, name: &str, params: Value) -> Value {
        self.call(name, params).unwrap()
    }

    /// Paths of the pages in the index; the answer must be fresh.
    #[track_caller]
    fn pages(&self) -> Vec<String> {
        let list = self.answer("list_pages", json!({"sort": "filepath"}));
        assert_eq!(list["index"]["fresh"], true, "{list}");
        let paths = list["pages"].as_array().unwrap().iter();
        paths.map(|page| page["filepath"].as_str().unwrap().to_owned()).collect()
    }

    /// Paths of the pages with this word; the answer must be fresh.
    #[track_caller]
    fn with_word(&self, word: &str) -> Vec<String> {
        let found = self.answer("fulltext_search", json!({"query": word}));
        assert_eq!(found["index"]["fresh"], true, "{found}");
        let mut paths: Vec<String> = found["results"]
            .as_array()
            .unwrap()
            .iter()
            .map(|hit| hit["filepath"].as_str().unwrap().to_owned())
            .collect();
        paths.dedup();
        paths
    }

    /// Waits until the pages in the index are these.
    #[track_caller]
    fn shows(&self, pages: &[&str]) {
        comes_to(pages, || self.pages());
    }

    /// Waits until the pages with this word are these.
    #[track_caller]
    fn finds(&self, word: &str, pages: &[&str]) {
        comes_to(pages, || self.with_word(word));
    }

    fn warnings(&self) -> Vec<String> {
        let said = self.said.lock().unwrap();
        // The model of the fixture does not exist.
        let other = said
            .iter()
            .filter(|notice| notice.is_warning && !notice.text.to_string().contains("no-such-model"));
        other.map(|notice| notice.text.to_string()).collect()
    }

    fn settle(&self) {
        eventually("settled", || self.live.shared.pulse.is_settled());
    }
}

/// Short intervals, so that unwanted events would also happen soon.
const QUICK: Timing = Timing {
    quiet: Duration::from_millis(10),
    longest_wait: Duration::from_millis(50),
    tick: Duration::from_millis(10),
    reconcile: Duration::from_secs(30),
    poll: Duration::from_millis(100),
    patience: Duration::from_secs(1),
    rest: Duration::from_secs(300),
};

/// Twenty times `quiet` and `tick` of [`QUICK`].
const A_WHILE: Duration = Duration::from_millis(200);

/// Waits until `look` returns `expected`: the system reports changes with a delay.
#[track_caller]
fn comes_to(expected: &[&str], look: impl Fn() -> Vec<String>) {
    let begun = Instant::now();
    let mut seen = look();
    while seen != expected && begun.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(5));
        seen = look();
    }
    assert_eq!(seen, expected);
}

/// Waits until the condition is true.
#[track_caller]
fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(20), "never {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The next change.
fn next(changes: &mut Receiver<Arc<Changed>>) -> Changed {
    let begun = Instant::now();
    loop {
        if let Ok(changed) = changes.try_recv() {
            return (*changed).clone();
        }
        assert!(begun.elapsed() < Duration::from_secs(20), "nothing changed");
        std::thread::sleep(Duration::from_millis(5));
    }
}
