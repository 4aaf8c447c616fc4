//! The text of answers: the requested amount, the most important first, and correct.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::hint::{Calls, Voice};
use crate::index::tests::Project;
use crate::message::Message;
use crate::ops::find;
use crate::ports::{MemoryHistory, SourceChange};
use crate::show::{Page, Reader, Span};
use crate::text::estimate_tokens;
use crate::{Context, Result};

/// Collects an answer as plain text.
#[derive(Default)]
pub(super) struct Words(pub String);

impl Words {
    fn put(&mut self, line: &[Span<'_>]) {
        for span in line {
            match span {
                Span::Text(text)
                | Span::Path(text)
                | Span::File(text)
                | Span::Code(text)
                | Span::Strong(text)
                | Span::Faint(text)
                | Span::Title(text)
                | Span::Words(text)
                | Span::Label(text)
                | Span::Alarm(text) => self.0.push_str(text),
                Span::Place(path, line) => self.0.push_str(&format!("{path}:{line}")),
                Span::Said(_, message) | Span::Quoted(message) => self.0.push_str(&message.told(&Calls)),
                Span::Trust(_) => {}
            }
        }
        self.0.push('\n');
    }
}

impl Page for Words {
    fn heading(&mut self, line: &[Span<'_>]) {
        self.put(line);
    }
    fn line(&mut self, line: &[Span<'_>]) {
        self.put(line);
    }
    fn item(&mut self, line: &[Span<'_>]) {
        self.put(line);
    }
    fn branch(&mut self, _depth: usize, line: &[Span<'_>]) {
        self.put(line);
    }
    fn detail(&mut self, line: &[Span<'_>]) {
        self.put(line);
    }
    fn text(&mut self, text: &str) {
        self.0.push_str(text);
    }
    fn quote(&mut self, text: &str, _highlights: &[[usize; 2]]) {
        self.0.push_str(text);
    }
    fn diff(&mut self, diff: &str) {
        self.0.push_str(diff);
    }
    fn table(&mut self, columns: &[Message], rows: &[Vec<String>]) {
        columns.iter().for_each(|name| self.0.push_str(&format!("{name} ")));
        rows.iter().for_each(|row| self.0.push_str(&row.join(" ")));
    }
    fn gap(&mut self) {}
    fn note(&mut self, line: &[Span<'_>]) {
        self.put(line);
    }
    fn warn(&mut self, line: &[Span<'_>]) {
        self.put(line);
    }
    fn hint(&mut self, line: &[Span<'_>]) {
        self.put(line);
    }
    fn handle(&mut self, name: &str, value: &str) {
        self.0.push_str(&format!("{name}: {value}\n"));
    }
    fn aside(&mut self, line: &[Span<'_>]) {
        self.put(line);
    }
    fn voice(&self) -> &dyn Voice {
        &Calls
    }
}

/// A reader of [`Words`].
pub(super) struct WordReader;

impl Reader for WordReader {
    fn tokens(&self, tell: &dyn Fn(&mut dyn Page)) -> usize {
        let mut words = Words::default();
        tell(&mut words);
        estimate_tokens(&words.0)
    }
}

/// Counts how often an answer is measured.
#[derive(Default)]
struct Measured(AtomicUsize);

impl Reader for Measured {
    fn tokens(&self, tell: &dyn Fn(&mut dyn Page)) -> usize {
        self.0.fetch_add(1, Ordering::Relaxed);
        WordReader.tokens(tell)
    }
}

/// The answer as JSON and as text.
fn told(context: &Context<'_>, name: &str, params: Value) -> Result<(Value, String)> {
    let mut words = Words::default();
    let context = Context { reader: Some(&WordReader), ..*context };
    let answer = (find(name).unwrap().call)(&context, params, Some(&mut words))?;
    Ok((answer, words.0))
}

fn count(list: &Value) -> usize {
    list.as_array().unwrap().len()
}

/// Pages that link to the next one, and all to `hub.md`.
fn chain(length: usize) -> Project {
    let names: Vec<String> = (0..length).map(|number| format!("chain/page-{number:04}.md")).collect();
    let text = |number: usize| format!("# Page {number}\n\n[[page-{:04}]] [[hub]]\n", (number + 1) % length);
    let mut pages: Vec<(String, String)> =
        names.iter().enumerate().map(|(number, name)| (name.clone(), text(number))).collect();
    pages.push(("hub.md".into(), "# Hub\n".into()));
    Project::with_pages(pages.iter().map(|(name, text)| (name.as_str(), text.as_str())))
}

#[test]
fn a_list_contains_the_paths_of_pages_that_do_not_fit() {
    let project = chain(600);
    let (answer, words) = told(&project.context(), "list_pages", json!({ "max_tokens": 8_000 })).unwrap();
    assert!(estimate_tokens(&words) <= 8_000 && estimate_tokens(&answer.to_string()) <= 16_000);
    let (described, named) = (count(&answer["pages"]), count(&answer["more_paths"]));
    assert!((40..601).contains(&described), "{described}");
    assert_eq!(described + named, 601, "every page is listed");
    assert_eq!(answer["omitted"]["pages"], named);
    assert!(words.contains(&format!("offset {described}")), "{}", &words[words.len() - 300..]);
    let next = json!({ "max_tokens": 8_000, "offset": described, "limit": 1 });
    let (next, _) = told(&project.context(), "list_pages", next).unwrap();
    assert_eq!(next["pages"][0]["filepath"], answer["more_paths"][0]);
}

#[test]
fn a_graph_without_a_center_shows_as_many_of_the_most_linked_pages_as_fit() {
    let project = chain(600);
    for max_tokens in [256, 1_000, 4_000] {
        let (answer, words) =
            told(&project.context(), "get_graph", json!({ "max_tokens": max_tokens })).unwrap();
        assert_eq!(answer["nodes"][0]["filepath"], "hub.md", "{max_tokens}");
        let size = estimate_tokens(&words).max(estimate_tokens(&answer.to_string()) / 2);
        assert!(size <= max_tokens && size >= max_tokens / 2, "{size} of {max_tokens}");
        assert!(words.contains("of 601 pages, the most linked first"), "{words}");
    }
    let (whole, _) = told(&project.context(), "get_graph", json!({})).unwrap();
    let node = whole["nodes"][0].as_object().unwrap();
    assert!(!node.contains_key("doc_id") && !node.contains_key("created_at"), "{node:?}");
}

#[test]
fn a_huge_title_or_many_tags_do_not_crowd_out_other_pages() {
    let title = "long ".repeat(40_000);
    let tags: Vec<String> = (0..20_000).map(|number| format!("tag-{number}")).collect();
    let pages = [
        ("title.md", format!("---\ntitle: \"{title}\"\ntype: {}\n---\n# A\n", "t".repeat(10_000))),
        ("tags.md", format!("---\ntags: [{}]\n---\n# B\n\n[[title]]\n", tags.join(", "))),
        ("heading.md", format!("# {title}\n\n[[{title}]] [[tags]]\n")),
        ("plain.md", "# C\n\n[[title]] [[tags]]\n".into()),
    ];
    let project = Project::with_pages(pages.iter().map(|(name, text)| (*name, text.as_str())));
    for (name, params) in [
        ("list_pages", json!({})),
        ("get_graph", json!({})),
        ("get_page", json!({ "page": "tags.md" })),
        ("get_page", json!({ "page": "title.md" })),
        ("get_page", json!({ "page": "plain.md" })),
        ("get_context", json!({ "page": "plain.md" })),
        ("search", json!({ "query": "long" })),
        ("doctor", json!({})),
    ] {
        let mut bounded = params.clone();
        bounded["max_tokens"] = 12_500.into();
        let (answer, words) = told(&project.context(), name, bounded).unwrap();
        assert!(estimate_tokens(&words) <= 12_500, "{name} {params}");
        let list = answer.get("pages").or(answer.get("nodes")).filter(|list| list.is_array());
        assert!(list.is_none_or(|list| count(list) == 4), "{name} {params}: {}", words.len());
    }
    let (list, _) = told(&project.context(), "list_pages", json!({})).unwrap();
    let titles: Vec<&str> =
        list["pages"].as_array().unwrap().iter().filter_map(|page| page["title"].as_str()).collect();
    assert!(titles.iter().any(|title| title.ends_with("characters)")), "a cut title is marked");
    assert!(titles.iter().all(|title| title.chars().count() < 250));
}

#[test]
fn a_summary_is_at_most_500_characters() {
    // The first line ends exactly at the limit.
    let text = format!("# Next\n\n{}\n{}\n", "a".repeat(500), "b".repeat(3_000));
    let project = Project::with_pages([("a.md", "[[next]]"), ("next.md", text.as_str())]);
    let (answer, _) = told(&project.context(), "get_context", json!({ "page": "a.md" })).unwrap();
    assert_eq!(answer["related"][0]["summary"], "a".repeat(500));
}

#[test]
fn a_large_page_leaves_space_for_its_neighbours() {
    let long =
        format!("# Centre\n\n{}\n{}\n", "[[zz|depends_on]] [[aa]] [[bb]] [[cc]]", "word ".repeat(20_000));
    let project = Project::with_pages([
        ("centre.md", long.as_str()),
        ("aa.md", "# A\n\nShort.\n"),
        ("bb.md", "# B\n\nShort.\n"),
        ("cc.md", "# C\n\nShort. [[aa]]\n"),
        ("zz.md", "# Z\n\nShort.\n"),
    ]);
    for max_tokens in [400, 1_000, 5_000] {
        let params = json!({ "page": "centre.md", "max_tokens": max_tokens });
        let (answer, words) = told(&project.context(), "get_context", params).unwrap();
        assert!(estimate_tokens(&words) <= max_tokens);
        assert!(count(&answer["related"]) >= 2, "{max_tokens}: {}", answer["related"]);
        // A page that it depends on comes before the first page by name.
        assert_eq!(answer["related"][0]["filepath"], "zz.md");
        assert!(!answer["center"]["content"].as_str().unwrap().is_empty());
        assert!(words.contains("left out to fit max_tokens") && words.contains("get_page"), "{words}");
    }
}

#[test]
fn a_section_has_only_its_own_links() {
    let project = Project::with_pages([
        ("a.md", "# A\n\n[[b]]\n\n## Two\n\n[[c]]\n"),
        ("b.md", "# B\n\n[[a]]\n"),
        ("c.md", "# C\n\n[[a]]\n"),
    ]);
    let (answer, words) =
        told(&project.context(), "get_page", json!({ "page": "a.md", "section": "a/two" })).unwrap();
    let outlinks: Vec<&str> =
        answer["outlinks"].as_array().unwrap().iter().filter_map(|link| link["filepath"].as_str()).collect();
    assert_eq!(outlinks, ["c.md"]);
    assert!(words.contains("2 links lead to this page") && !words.contains("Linked from"), "{words}");
}

#[test]
fn results_are_never_more_than_total_found() {
    let project = chain(8);
    project.update();
    for query in ["page", "hub", "page 3"] {
        let (answer, _) = told(&project.context(), "search", json!({ "query": query })).unwrap();
        assert!(count(&answer["results"]) <= answer["total_found"].as_u64().unwrap() as usize, "{query}");
    }
}

#[test]
fn the_reason_for_ranking_by_words_is_shown() {
    let project = Project::with_pages([("a.md", "# Login\n\nSessions.\n")]);
    let ask = |context: &Context<'_>| told(context, "search", json!({ "query": "login" })).unwrap();
    assert_eq!(ask(&project.context()).0["fallback"], Value::Null);
    let (missing, words) = ask(&Context { embedder: None, ..project.context() });
    assert_eq!(missing["fallback"], "model_missing");
    assert!(words.contains("not on this machine"), "{words}");
    let project = Project::over(crate::ports::MemorySource::with_pages([("a.md", "# Login\n")]));
    project.refresh();
    let (pending, words) = ask(&project.context());
    assert_eq!(pending["fallback"], "vectors_pending");
    assert!(words.contains("still being computed") && !words.contains("machine"), "{words}");
}

#[test]
fn pages_with_vectors_are_counted() {
    let project = Project::over(crate::ports::MemorySource::with_pages([
        ("a.md", "# Login\n\nSessions.\n"),
        ("b.md", "# Tokens\n"),
        ("empty.md", ""),
    ]));
    project.refresh();
    let asked = |name: &str| told(&project.context(), name, json!({})).unwrap().0;
    assert_eq!(asked("status")["vectorized_page_count"], 0);
    assert_eq!(asked("index_status")["indexed_count"], 0);
    // The files were indexed, but their vectors were not computed.
    assert_eq!(asked("index_refresh")["target_count"], 2);
    project.embed();
    assert_eq!(asked("status")["vectorized_page_count"], 2, "an empty page has no vector");
    assert_eq!(asked("index_status")["indexed_count"], 2);
    assert_eq!(asked("index_refresh")["target_count"], 0);
}

#[test]
fn pending_vectors_are_reported_where_vectors_are_used() {
    let project = Project::with_pages([("a.md", "# Login\n\nSessions.\n")]);
    project.put("b.md", "# More\n\nText.\n");
    project.refresh();
    let says =
        |name: &str, params: Value| told(&project.context(), name, params).unwrap().1.contains("no vector");
    assert!(says("search", json!({ "query": "login" })) && says("status", json!({})));
    assert!(!says("get_page", json!({ "page": "a.md" })) && !says("list_pages", json!({})));
    assert!(!says("fulltext_search", json!({ "query": "login" })));
}

#[test]
fn conditions_that_match_no_page_are_reported() {
    let project = Project::with_pages([
        ("guides/a.md", "---\ntype: guide\n---\n# Login\n\nfifteen long minutes\n"),
        ("b.md", "# Logout\n\nafter short hours\n"),
    ]);
    let unmatched = |name: &str, params: Value| {
        let (answer, words) = told(&project.context(), name, params).unwrap();
        let sentences: Vec<String> = answer["unmatched"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one.as_str().unwrap().to_owned())
            .collect();
        assert!(sentences.iter().all(|sentence| words.contains(sentence.as_str())), "{words}");
        let is_empty = answer["total_found"].as_u64().unwrap_or_default() == 0;
        assert!(is_empty || sentences.is_empty(), "{answer}");
        sentences
    };
    assert_eq!(
        unmatched("fulltext_search", json!({ "query": "\"fifteen minutes\" login" })),
        ["no page has the phrase \"fifteen minutes\"; without the quotes, pages with its words are found"]
    );
    assert_eq!(
        unmatched("search", json!({ "query": "\"東京大学\"" })),
        ["no page has the phrase \"東京大学\"; without the quotes, pages with its words are found"]
    );
    for name in ["search", "fulltext_search"] {
        assert_eq!(
            unmatched(name, json!({ "query": "\"long minutes\" \"short hours\"" })),
            ["no section has all of the phrases"]
        );
    }
    assert_eq!(
        unmatched("list_pages", json!({ "doc_type": "bogus", "tags": ["x"], "folder": "guide" })),
        [
            "no page has the type 'bogus'; the types are guide, spec",
            "no page has the tag 'x'",
            "no page is in a folder 'guide'; the folders are guides"
        ]
    );
    assert_eq!(
        unmatched("search", json!({ "query": "login", "fields": { "publish": "tru" } })),
        ["no page has publish=tru in its front matter"]
    );
    assert!(unmatched("search", json!({ "query": "\"long minutes\"", "doc_types": ["guide"] })).is_empty());
}

#[test]
fn all_findings_of_one_kind_can_be_requested() {
    let links: String = (0..40).map(|number| format!("[[nobody wrote {number}]]\n")).collect();
    let project = Project::with_pages([("a.md", links.as_str()), ("b.md", "# B\n")]);
    let (all, words) = told(&project.context(), "doctor", json!({ "max_tokens": 12_500 })).unwrap();
    assert_eq!(all["counts"]["unresolved_link"], 40);
    assert!(
        words.contains("(10 of 40)") && words.contains(r#"call("doctor", {"kind":"unresolved_link"})"#),
        "{words}"
    );
    assert_eq!(words.matches("broken link to").count(), 10);
    let (some, words) = told(&project.context(), "doctor", json!({ "kind": "unresolved_link" })).unwrap();
    assert_eq!((count(&some["findings"]), words.matches("broken link to").count()), (40, 40));
    let (none, words) = told(&project.context(), "doctor", json!({ "kind": "nonsense" })).unwrap();
    assert_eq!(count(&none["findings"]), 0);
    assert!(words.contains("the kinds found are") && words.contains("unresolved_link"), "{words}");
}

#[test]
fn a_page_has_the_date_of_its_commit_unless_front_matter_has_one() {
    let source = crate::ports::MemorySource::default();
    let cloned: jiff::Timestamp = "2026-11-23T03:11:32.882879056Z".parse().unwrap();
    for (path, text) in [
        ("a.md", "# A\n"),
        ("own.md", "---\nupdated_at: 2026-02-03\n---\n"),
        ("edited.md", "# E\n"),
        ("new.md", "# N\n"),
    ] {
        source.put(path, text.as_bytes(), cloned);
    }
    let project = Project::over(source);
    let history = MemoryHistory::default();
    let committed = "2026-09-01T10:00:00Z".parse().unwrap();
    for path in ["a.md", "own.md", "edited.md"] {
        history.commit(&format!("pages/{path}"), "c1", committed);
    }
    history.set("pages/edited.md", SourceChange::Uncommitted);
    let context = Context { history: &history, ..project.context() };
    context.refresh(false).unwrap();
    let (answer, _) = told(&context, "list_pages", json!({ "sort": "filepath" })).unwrap();
    let dates: Vec<[&str; 2]> = answer["pages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|page| ["filepath", "updated_at"].map(|key| page[key].as_str().unwrap()))
        .collect();
    assert_eq!(
        dates,
        [
            ["a.md", "2026-09-01T10:00:00Z"],
            ["edited.md", "2026-11-23T03:11:32Z"],
            ["new.md", "2026-11-23T03:11:32Z"],
            ["own.md", "2026-02-03T00:00:00Z"],
        ]
    );
}

#[test]
fn a_review_counts_pages_that_did_not_change_and_lists_a_few() {
    let reviewed = |count: usize| {
        let pages: Vec<String> = (0..count).map(|number| format!("page-{number}.md")).collect();
        let text = "---\nsource_refs: [src/a.rs]\n---\n# A page\n";
        let project = Project::with_pages(pages.iter().map(|page| (page.as_str(), text)));
        project.source.put_source("src/a.rs", b"fn a() {}", jiff::Timestamp::UNIX_EPOCH);
        project.update();
        let review = || told(&project.context(), "review_page", json!({ "all": true })).unwrap().1;
        (review(), review())
    };
    let (first, again) = reviewed(7);
    assert_eq!(first.matches("reviewed: page-").count(), 7, "{first}");
    assert!(again.contains("already reviewed: 7 pages\n") && !again.contains("page-"), "{again}");
    let (_, again) = reviewed(3);
    assert_eq!(again.matches("already reviewed: page-").count(), 3, "{again}");
}

#[test]
fn status_lists_ten_stale_pages_and_says_how_to_see_the_others() {
    let pages: Vec<String> = (0..12).map(|number| format!("page-{number:02}.md")).collect();
    let text = "---\nsource_refs: [src/a.rs, src/b.rs]\n---\n# A page\n";
    let project = Project::with_pages(pages.iter().map(|page| (page.as_str(), text)));
    let (answer, words) = told(&project.context(), "status", json!({})).unwrap();
    assert_eq!(count(&answer["stale_pages"]), 12);
    assert_eq!(words.matches(", and 1 more source\n").count(), 10, "{words}");
    assert!(words.contains("2 more pages; call(\"check_staleness\") lists all\n"), "{words}");
}

#[test]
fn a_page_with_many_neighbours_fills_its_answer_in_a_few_rounds() {
    let project = chain(600);
    for (operation, params) in [
        ("get_context", json!({ "page": "hub.md", "max_size": 5_000_000, "max_tokens": 2_000 })),
        ("get_impact", json!({ "page": "hub.md", "max_tokens": 2_000 })),
        ("get_page", json!({ "page": "hub.md", "max_tokens": 2_000 })),
        ("graph_traverse", json!({ "page": "hub.md", "limit": 600, "max_tokens": 2_000 })),
        ("list_pages", json!({ "max_tokens": 2_000 })),
    ] {
        let measured = Measured::default();
        let context = Context { reader: Some(&measured), ..project.context() };
        let mut words = Words::default();
        let answer = (find(operation).unwrap().call)(&context, params, Some(&mut words)).unwrap();
        let rounds = measured.0.load(Ordering::Relaxed);
        assert!((2..=20).contains(&rounds), "{operation}: {rounds} rounds");
        let tokens = estimate_tokens(&words.0).max(estimate_tokens(&answer.to_string()) / 2);
        assert!((1_500..=2_000).contains(&tokens), "{operation}: {tokens} tokens");
    }
}
