//! Findings about several pages at once.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::embed::Scripts;
use crate::index::tests::Project;
use crate::testing::HashEmbedder;

fn messages(project: &Project, code: &str) -> Vec<String> {
    let output = run(&project.context(), Params::default()).unwrap();
    assert!(output.findings.iter().all(|finding| finding.message.to_string().len() < 600));
    output
        .findings
        .into_iter()
        .filter(|finding| finding.code == code)
        .map(|finding| finding.message.to_string())
        .collect()
}

#[test]
fn an_unknown_setting_is_reported_with_its_line() {
    let mut project = Project::with_pages([("a.md", "")]);
    project.manifest = crate::manifest::Manifest::parse("{\n  \"serch\": {}\n}", "m").unwrap();
    let output = run(&project.context(), Params::default()).unwrap();
    let found = output.findings.iter().find(|finding| finding.code == "unknown_setting").unwrap();
    assert_eq!(found.message.to_string(), "unknown setting `serch`, ignored (.ubp/manifest.json:2)");
    assert_eq!((found.line, found.severity), (Some(2), Severity::Info));
}

#[test]
fn a_page_that_is_indexed_in_part_is_reported_with_its_size() {
    let line = format!("{}\n", "word ".repeat(20));
    let text = format!("# Big\n\nbeginning\n\n{}\nending [[small]]\n", line.repeat(30_000));
    let project =
        Project::over(crate::ports::MemorySource::with_pages([("big.md", &*text), ("small.md", "")]));
    project.refresh();
    assert_eq!(
        messages(&project, "page_in_part"),
        ["the page is 2.9 MB, but only the first 2 MB, up to this line, are indexed"]
    );
    let output = run(&project.context(), Params::default()).unwrap();
    let found = output.findings.iter().find(|finding| finding.code == "page_in_part").unwrap();
    assert_eq!((found.filepath.as_deref(), found.line), (Some("big.md"), Some(20_768)));
    let found = |words: &str| {
        let params = crate::ops::fulltext_search::Params { query: words.into(), ..Default::default() };
        crate::ops::fulltext_search::run(&project.context(), params).unwrap().results.len()
    };
    assert_eq!((found("beginning"), found("ending")), (1, 0));
}

#[test]
fn wanted_pages_with_and_without_extension_are_counted_as_one() {
    let project =
        Project::with_pages([("a.md", "[[Example]] [[Example.md#part]]"), ("b.md", "[[example.md]]")]);
    let wanted = run(&project.context(), Params::default()).unwrap().wanted_pages;
    let told: Vec<_> = wanted.iter().map(|page| (page.target.as_str(), page.links, page.pages)).collect();
    assert_eq!(told, [("Example", 3, 2)]);
}

#[test]
fn a_source_outside_the_project_is_reported_with_its_line() {
    let project = Project::with_pages([("a.md", "---\ntitle: A\nsource_refs:\n  - ../../out.rs\n---\n")]);
    let findings = run(&project.context(), Params::default()).unwrap().findings;
    let found = findings.iter().find(|finding| finding.code == "source_ref_outside_project").unwrap();
    assert_eq!(found.line, Some(4), "{found:?}");
}

#[test]
fn a_dependency_cycle_is_reported_as_a_path() {
    let project = Project::with_pages([
        ("a.md", "[[b|depends_on]]"),
        ("b.md", "[[c|implements]] [[d|depends_on]]"),
        ("c.md", "[[a|extends]]"),
        ("d.md", "[[b|depends_on]]"),
        ("e.md", "[[a|depends_on]]"),
    ]);
    assert_eq!(
        messages(&project, "dependency_cycle"),
        ["4 pages depend on each other; a short cycle: b.md -> d.md -> b.md"]
    );
}

#[test]
fn a_large_dependency_cycle_is_one_short_message() {
    let texts: Vec<(String, String)> = (0..300)
        .map(|n| (format!("p{n:03}.md"), format!("number {n} [[p{:03}|depends_on]]", (n + 1) % 300)))
        .collect();
    let project = Project::with_pages(texts.iter().map(|(path, text)| (path.as_str(), text.as_str())));
    assert_eq!(
        messages(&project, "dependency_cycle"),
        [
            "300 pages depend on each other: p000.md -> p001.md -> p002.md -> p003.md -> p004.md -> (295 more) -> p000.md"
        ]
    );
}

#[test]
fn duplicate_pages_are_named() {
    let project = Project::with_pages([
        ("a.md", "---\ntitle: Login\n---\nUsers sign in.\n"),
        ("b.md", "---\ntitle: LOGIN\n---\nUsers  sign\nin."),
        ("c.md", "---\ntitle: Other\n---\nUsers sign out.\n"),
        ("empty.md", ""),
        ("void.md", "---\ntitle: Void\n---\n"),
    ]);
    assert_eq!(messages(&project, "duplicate_title"), ["2 pages have the title 'Login': a.md, b.md"]);
    assert_eq!(messages(&project, "duplicate_text"), ["2 pages have the same text: a.md, b.md"]);
}

#[test]
fn wanted_pages_are_sorted_by_the_number_of_linking_pages() {
    let project = Project::with_pages([
        ("a.md", "[[rare]] [[rare]] [[rare]] [[Common]]"),
        ("b.md", "[[common#part]]"),
        ("c.md", "[[once]]"),
    ]);
    let output = run(&project.context(), Params::default()).unwrap();
    let wanted: Vec<(&str, usize, usize)> =
        output.wanted_pages.iter().map(|page| (page.target.as_str(), page.pages, page.links)).collect();
    assert_eq!(wanted, [("Common", 2, 2), ("rare", 1, 3), ("once", 1, 1)]);
}

#[test]
fn a_model_that_does_not_support_the_script_of_the_pages_is_reported() {
    let pages =
        [("ja.md", "# 認証\n\n認証フローの設計 with API\n"), ("en.md", "# Login\n\nWho may log in?\n")];
    let mut project = Project::with_pages(pages);
    assert_eq!(messages(&project, "model_script"), [""; 0], "a model for all scripts is fine");
    project.embedder = HashEmbedder::for_scripts(Scripts::only(["Latin"]));
    let told = ["the model 'hash-words' does not support the script of 1 page of 2: mostly Han"];
    assert_eq!(messages(&project, "model_script"), told);
}

#[test]
fn a_few_pages_in_another_script_are_not_reported() {
    let english: Vec<String> = (0..10).map(|number| format!("{number}.md")).collect();
    let english = english.iter().map(|path| (path.as_str(), "Who may log in?"));
    let mut project = Project::with_pages(english.chain([("ja.md", "認証フローの設計")]));
    project.embedder = HashEmbedder::for_scripts(Scripts::only(["Latin"]));
    assert_eq!(messages(&project, "model_script"), [""; 0]);
}
