//! Documents: their names, chunks and chunk sizes, search and deletion.

use proptest::prelude::*;

use crate::embed::normalize;
use crate::index::tests::Project;
use crate::ops::search::SearchType;
use crate::ops::{delete_document, index_markdown, list_documents, reindex_document, search_documents, undo};
use crate::ports::{Embedder, FixedClock, Source, TextKind};
use crate::{Caller, Context};

fn long(topic: &str) -> String {
    let sentence = |n: usize| format!("Sentence {n} of {topic} says one thing about {topic}. ");
    let paragraph = |p: usize| (0..5).map(|n| sentence(p * 5 + n)).collect::<String>();
    (0..6).map(|p| format!("{}\n\n", paragraph(p))).collect()
}

fn project() -> Project {
    let (auth, api) = (long("authentication"), long("interfaces"));
    let project = Project::with_pages([
        (
            "project.md",
            format!("---\ntitle: Project\n---\n# Project\n\n{auth}## Last\n\nzebra stripes\n").as_str(),
        ),
        ("sub/api.md", format!("# API\n\n{api}").as_str()),
        ("note1.md", "# Note\n\na short note\n"),
    ]);
    project.update();
    project
}

fn index(project: &Project, filepath: &str, chunk_size: Option<usize>) -> index_markdown::Output {
    index_markdown::run(&project.context(), index_markdown::Params { filepath: filepath.into(), chunk_size })
        .unwrap()
}

fn chunks(project: &Project, filename: &str) -> usize {
    let listed = list_documents::run(&project.context(), list_documents::Params {}).unwrap();
    listed.documents.iter().find(|document| document.filename == filename).unwrap().chunks
}

fn found(context: &Context<'_>, query: &str, top_k: usize) -> search_documents::Output {
    search_documents::run(context, search_documents::Params { query: query.into(), top_k: Some(top_k) })
        .unwrap()
}

#[test]
fn documents_are_listed_with_chunks_and_times() {
    let project = project();
    let listed = list_documents::run(&project.context(), list_documents::Params {}).unwrap().documents;
    let names: Vec<&str> = listed.iter().map(|document| document.filename.as_str()).collect();
    assert_eq!(names, ["note1.md", "project.md", "sub/api.md"]);
    assert_eq!(listed[0].chunks, 1);
    assert!(listed[1].chunks > 3, "{listed:?}");
    assert_eq!(listed[0].indexed_at, "1970-01-12T13:46:40Z");
    assert_eq!(listed[0].modified_at, "1970-01-01T00:00:00Z");
    let mut project = project;
    project.clock = FixedClock::at(jiff::Timestamp::from_second(2_000_000).unwrap());
    assert_eq!(index(&project, "note1.md", None).document.indexed_at, "1970-01-24T03:33:20Z");
    let listed = list_documents::run(&project.context(), list_documents::Params {}).unwrap().documents;
    assert_eq!(listed[1].indexed_at, "1970-01-12T13:46:40Z", "other documents were not indexed");
}

#[test]
fn edits_and_rebuilds_keep_the_chunk_size_of_a_document() {
    let project = project();
    let before = chunks(&project, "project.md");
    let small = index(&project, "project.md", Some(100));
    assert!(small.document.chunks > 2 * before && small.chunk_size == Some(100), "{small:?}");
    assert_eq!(small.index.pending, 0);
    assert_eq!(chunks(&project, "project.md"), small.document.chunks);
    assert_eq!(chunks(&project, "note1.md"), 1, "other documents are unchanged");

    let text = String::from_utf8(project.source.read("project.md").unwrap()).unwrap();
    project.put("project.md", &format!("{text}\n## More\n\n{}", long("sessions")));
    project.update();
    let edited = chunks(&project, "project.md");
    assert!(edited > small.document.chunks + before, "an edit keeps the chunk size");
    project.context().refresh(true).unwrap();
    project.embed();
    assert_eq!(chunks(&project, "project.md"), edited, "rebuilding the index keeps the chunk size");
    let params = reindex_document::Params { filename: "project.md".into() };
    let again = reindex_document::run(&project.context(), params).unwrap();
    assert_eq!((again.document.chunks, again.chunk_size), (edited, Some(100)));
    assert_eq!((again.embedded, again.reused), (edited, 0), "all of it went through the model again");

    let usual = index(&project, "project.md", None);
    assert!(usual.document.chunks < edited / 2 && usual.chunk_size.is_none(), "{usual:?}");
}

#[test]
fn the_chunk_size_in_the_settings_applies_to_other_documents() {
    let mut project = project();
    let own = index(&project, "sub/api.md", Some(300)).document.chunks;
    let before = chunks(&project, "project.md");
    project.manifest.documents.chunk_size = Some(80);
    project.context().refresh(false).unwrap();
    assert!(project.context().index_state().unwrap().pending > 0, "the old vectors are stale");
    project.embed();
    assert!(chunks(&project, "project.md") > 2 * before);
    assert_eq!(chunks(&project, "sub/api.md"), own);
    project.manifest.documents.chunk_size = None;
    project.context().refresh(false).unwrap();
    project.embed();
    assert_eq!(chunks(&project, "project.md"), before);
}

#[test]
fn results_have_the_position_of_their_text_in_the_file() {
    let project = project();
    index(&project, "project.md", Some(120));
    let output = found(&project.context(), "zebra stripes", 5);
    assert_eq!(output.search_type, SearchType::Vector);
    assert_eq!(output.note, None);
    let best = &output.results[0];
    assert_eq!((best.document.as_str(), best.chunk.as_str()), ("project.md", "## Last\n\nzebra stripes"));
    assert!(output.results.len() == 5);
    let mut last = 1.0;
    for result in &output.results {
        let similarity = result.similarity.unwrap();
        assert!((0.0..=last).contains(&similarity), "{similarity} after {last}");
        last = similarity;
        let text = String::from_utf8(project.source.read(&result.document).unwrap()).unwrap();
        let at: String = text.chars().skip(result.position).collect();
        assert!(at.starts_with(&result.chunk), "{} at {}", result.chunk, result.position);
        assert!(text.lines().nth(result.line - 1).unwrap().contains(result.chunk.lines().next().unwrap()));
    }
}

#[test]
fn without_vectors_documents_are_found_by_words_with_a_note() {
    let project = project();
    let context = Context { embedder: None, ..project.context() };
    let output = found(&context, "zebra stripes", 3);
    assert_eq!(output.search_type, SearchType::FulltextFallback);
    assert!(output.note.unwrap().contains("words alone"));
    assert_eq!(output.results[0].similarity, None);
    assert!(output.results[0].chunk.contains("zebra stripes"));
    project.manifest_of_chunks(150);
    let output = found(&context, "sentence 17 authentication", 1);
    assert!(output.results[0].chunk.contains("Sentence 17 "), "{:?}", output.results);
}

#[test]
fn documents_are_named_only_by_path() {
    let project = project();
    for name in ["project.md", "./project.md", "pages/project.md", "./pages/project.md", "sub/../project.md"]
    {
        let params = index_markdown::Params { filepath: name.into(), chunk_size: None };
        match index_markdown::run(&project.context(), params) {
            Ok(output) => assert_eq!(output.document.filename, "project.md"),
            // A path with `..` is refused, wherever it leads.
            Err(error) => {
                assert!(name.contains("..") && error.code() == "outside_project", "{name}: {error}")
            }
        }
    }
    for (name, code) in [
        ("../project.md", "outside_project"),
        ("pages/../../etc/passwd", "outside_project"),
        ("/etc/passwd", "outside_project"),
        ("/etc/passwd.md", "outside_project"),
        ("..\\secret.md", "outside_project"),
        ("C:\\secret.md", "outside_project"),
        ("project.md\0.txt", "outside_project"),
        ("../pages-evil/x.md", "outside_project"),
        ("Project", "invalid_params"),
        ("project", "invalid_params"),
        ("", "invalid_params"),
        ("sub", "invalid_params"),
        ("nothing.md", "invalid_params"),
        (".hidden/x.md", "invalid_params"),
    ] {
        let params = delete_document::Params { filename: name.into() };
        let error = delete_document::run(&project.context(), params).unwrap_err();
        assert_eq!(error.code(), code, "{name:?}: {error}");
    }
    assert_eq!(project.source.list().unwrap().pages.len(), 3, "nothing was deleted");
}

#[test]
fn a_deleted_document_can_be_restored() {
    let project = project();
    let context = Context { caller: Caller::Agent, agent: Some("test 1"), ..project.context() };
    let before = project.source.read("project.md").unwrap();
    let params = delete_document::Params { filename: "project.md".into() };
    let output = delete_document::run(&context, params.clone()).unwrap();
    assert!(output.deleted && output.trash.is_some());
    assert!(project.source.read("project.md").is_err());
    assert_eq!(list_documents::run(&context, list_documents::Params {}).unwrap().documents.len(), 2);
    assert!(
        found(&context, "zebra stripes", 20).results.iter().all(|result| result.document != "project.md")
    );
    assert_eq!(delete_document::run(&context, params).unwrap_err().code(), "invalid_params");
    let entry = output.audit_id.unwrap();
    undo::run(&project.context(), undo::Params { entry, ..undo::Params::default() }).unwrap();
    assert_eq!(project.source.read("project.md").unwrap(), before);
}

#[test]
fn an_agent_cannot_delete_a_read_only_document() {
    let project = project();
    project.put("kept.md", "---\nagents: read-only\n---\n# Kept\n");
    project.update();
    let context = Context { caller: Caller::Agent, ..project.context() };
    let params = delete_document::Params { filename: "kept.md".into() };
    assert_eq!(delete_document::run(&context, params).unwrap_err().code(), "read_only");
    assert!(project.source.read("kept.md").is_ok());
}

#[test]
fn sizes_out_of_range_are_refused() {
    let project = project();
    for size in [0, 49, 100_001, usize::MAX] {
        let params = index_markdown::Params { filepath: "note1.md".into(), chunk_size: Some(size) };
        assert_eq!(index_markdown::run(&project.context(), params).unwrap_err().code(), "invalid_params");
    }
    for top_k in [0, 101] {
        let params = search_documents::Params { query: "x".into(), top_k: Some(top_k) };
        assert_eq!(search_documents::run(&project.context(), params).unwrap_err().code(), "invalid_params");
    }
    let params = search_documents::Params { query: "  ".into(), top_k: None };
    assert_eq!(search_documents::run(&project.context(), params).unwrap_err().code(), "invalid_params");
}

impl Project {
    /// Sets the chunk size of the project.
    fn manifest_of_chunks(&self, size: usize) {
        crate::index::settle_chunk_size(&self.index, Some(size)).unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// The closest chunks equal those found by comparing the query with every chunk.
    #[test]
    fn the_closest_chunks_match_a_full_comparison(
        words in prop::collection::vec(prop::collection::vec("[a-e]{1,2}", 1..120), 1..6),
        size in 50_usize..200,
        top_k in 1_usize..8,
    ) {
        let pages: Vec<(String, String)> = words
            .iter()
            .enumerate()
            .map(|(n, words)| (format!("page-{n}.md"), format!("# Page\n\n{}\n", words.join(" "))))
            .collect();
        let project = Project::with_pages(pages.iter().map(|(path, text)| (path.as_str(), text.as_str())));
        project.manifest_of_chunks(size);
        project.embed();
        let query = project.embedder.embed(TextKind::Query, &["ab cd e"]).unwrap().pop().unwrap();
        let mut plain: Vec<f64> = project.index.read(|db| {
            let mut statement = db.prepare("SELECT data FROM section_vectors JOIN vectors USING (vector)")?;
            let rows = statement.query_map([], |row| row.get::<_, Vec<u8>>(0))?;
            let mut all = Vec::new();
            for data in rows {
                let data = data?;
                let mut vector: Vec<f32> = data.as_chunks::<4>().0.iter().map(|x| f32::from_le_bytes(*x)).collect();
                normalize(&mut vector);
                let dot: f32 = vector.iter().zip(&query).map(|(a, b)| a * b).sum();
                all.push(crate::search::rounded(f64::from(dot.clamp(0.0, 1.0))));
            }
            Ok(all)
        }).unwrap();
        plain.sort_by(|a, b| b.total_cmp(a));
        plain.truncate(top_k);
        let found: Vec<f64> =
            found(&project.context(), "ab cd e", top_k).results.iter().map(|found| found.similarity.unwrap()).collect();
        prop_assert_eq!(found.len(), plain.len());
        for (found, plain) in found.iter().zip(&plain) {
            prop_assert!((found - plain).abs() < 0.0002, "{} {}", found, plain);
        }
    }
}
