//! Search in long sections finds and shows the matching passage.

use std::collections::BTreeMap;

use crate::index::tests::Project;
use crate::ops::{fulltext_search, get_page, search};
use crate::search::SearchMode;

/// A page with one section; the matching line is line 403.
fn long_page() -> String {
    let line = |n: usize| format!("Line {n} of the long page speaks about ordinary things.\n");
    let before: String = (0..400).map(line).collect();
    let after: String = (400..800).map(line).collect();
    format!("# Long\n\n{before}The quagga was a zebra of the plains.\n{after}")
}

fn project() -> Project {
    let long = long_page();
    let short =
        "# Short\n\nA quagga is mentioned, and much else that is ordinary: things, lines and pages.\n";
    Project::with_pages([("long.md", long.as_str()), ("short.md", short)])
}

fn find(project: &Project, params: search::Params) -> search::Output {
    search::run(&project.context(), params).unwrap()
}

fn asked(query: &str, mode: SearchMode) -> search::Params {
    search::Params { query: query.into(), mode: Some(mode), ..Default::default() }
}

#[test]
fn the_matching_passage_is_shown() {
    let project = project();
    for mode in [SearchMode::Fulltext, SearchMode::Hybrid, SearchMode::Vector] {
        let found = find(&project, asked("quagga zebra of the plains", mode));
        let best = &found.results[0];
        assert_eq!(best.page.filepath, "long.md", "{mode:?}");
        let section = &best.sections[0];
        assert_eq!(section.section_id, "long");
        assert!(section.lines[0] <= 403 && 403 <= section.lines[1], "{mode:?} {:?}", section.lines);
        assert!(section.lines[1] - section.lines[0] < 60, "{:?}", section.lines);
        assert_eq!(section.line, 403, "{mode:?}");
        assert!(section.content.contains("The quagga was a zebra"), "{}", section.content);
    }
}

#[test]
fn the_whole_section_is_returned_on_request() {
    let project = project();
    let params = search::Params { content: true, ..asked("zebra", SearchMode::Fulltext) };
    let section = &find(&project, params).results[0].sections[0];
    assert_eq!((section.lines, section.line), ([1, 803], 1));
    assert_eq!(section.content.trim_end(), long_page().trim_end());
}

#[test]
fn sections_count_once_and_filters_apply_to_passages() {
    let project = project();
    let context = project.context();
    let params = fulltext_search::Params { query: "ordinary things".into(), ..Default::default() };
    let found = fulltext_search::run(&context, params).unwrap();
    assert_eq!(found.total_found, 2, "one result per section");
    let params =
        fulltext_search::Params { query: "zebra".into(), folder: Some("no".into()), ..Default::default() };
    assert_eq!(fulltext_search::run(&context, params).unwrap().total_found, 0);
    let params = fulltext_search::Params {
        query: "zebra".into(),
        doc_type: Some("spec".into()),
        ..Default::default()
    };
    let found = fulltext_search::run(&context, params).unwrap();
    assert_eq!((found.results[0].line, found.total_found), (403, 1));
    let fields = BTreeMap::from([("no".to_owned(), "such".to_owned())]);
    let params = search::Params { fields, ..asked("zebra", SearchMode::Fulltext) };
    assert!(find(&project, params).results.is_empty());
}

#[test]
fn a_shortened_section_leaves_no_stale_passages() {
    let project = project();
    project.put("long.md", "# Long\n\nA gnu.\n");
    project.update();
    let found = find(&project, asked("zebra", SearchMode::Fulltext));
    assert!(found.results.is_empty());
    assert_eq!(project.dump(), project.rebuilt());
    project.put("long.md", &long_page());
    project.update();
    assert_eq!(project.dump(), project.rebuilt());
    let page = get_page::Params { page: Some("long".into()), ..Default::default() };
    assert!(get_page::run(&project.context(), page).is_ok());
}

#[test]
fn results_with_snippets_are_small_in_every_script() {
    let section = format!("## 認証の見出し\n\n{}\n\n", "認証とは利用者を確かめることである。".repeat(40));
    let text = format!("# {}\n\n{}", "長い題名".repeat(6), section.repeat(3));
    let project = Project::with_pages([("folder/認証.md", text.as_str())]);
    let params = |content| search::Params { query: "認証".into(), content, ..search::Params::default() };
    let size = |content| {
        let found = search::run(&project.context(), params(content)).unwrap();
        (serde_json::to_vec(&found.results[0]).unwrap().len(), found.results[0].sections.len())
    };
    let (bytes, sections) = size(false);
    assert!(bytes <= 2_000 && sections >= 1, "{bytes} bytes, {sections} sections");
    assert!(size(true).1 > sections);
}
