//! Which pages a change of a page or file reaches.
#![allow(clippy::unwrap_used)]

use jiff::Timestamp;

use super::*;
use crate::hint::Commands;
use crate::index::tests::Project;
use crate::ops::StepDirection;

fn project() -> Project {
    let project = Project::with_pages([
        (
            "db.md",
            "---\ntitle: Database\ntype: db-schema\nsource_refs: [src/db.rs, 'schema/**/*.sql']\n---\ntext",
        ),
        ("login.md", "---\ntype: spec\n---\n[[Database|depends_on]]"),
        ("flow.md", "---\ntype: api\n---\n[[login|implements]] [[src/db.rs]]"),
        ("guide.md", "---\ntype: guide\n---\n[[flow]]"),
        ("old.md", "[[Database|conflicts_with]]"),
        ("island.md", "nothing"),
    ]);
    project.source.put_source("src/db.rs", b"", Timestamp::UNIX_EPOCH);
    project.source.put_source("src/alone.rs", b"", Timestamp::UNIX_EPOCH);
    project.update();
    project
}

fn page(name: &str) -> Params {
    Params { page: Some(name.into()), ..Params::default() }
}

fn told(output: &Output) -> Vec<String> {
    let way = |found: &AffectedPage| -> String {
        let steps = found.path.iter().map(|step| {
            let arrow = if step.direction == StepDirection::Incoming { "<-" } else { "->" };
            format!("{} {arrow} {} ({})", step.from, step.to, step.link_type)
        });
        steps.collect::<Vec<_>>().join(", ")
    };
    let lines = output.affected.iter();
    lines
        .map(|found| format!("{:.3} {} {}: {}", found.score, found.distance, found.page.filepath, way(found)))
        .collect()
}

#[test]
fn a_change_of_a_page_affects_linking_pages_transitively() {
    let output = run(&project().context(), page("Database")).unwrap();
    assert_eq!(
        told(&output),
        [
            "1.000 1 login.md: db.md <- login.md (depends_on)",
            "0.700 1 old.md: db.md <- old.md (conflicts_with)",
            "0.450 2 flow.md: db.md <- login.md (depends_on), login.md <- flow.md (implements)",
            "0.125 3 guide.md: db.md <- login.md (depends_on), login.md <- flow.md (implements), \
             flow.md <- guide.md (references)",
        ]
    );
    assert_eq!((output.total_affected, output.changed_file), (4, None));
    assert_eq!(output.changed_page.unwrap().filepath, "db.md");
    assert_eq!(output.counts.by_distance, BTreeMap::from([(1, 2), (2, 1), (3, 1)]));
    assert_eq!(most_frequent(&output.counts.by_doc_type), [("spec", 2), ("api", 1), ("guide", 1)]);
}

#[test]
fn a_change_of_a_file_affects_first_the_pages_that_name_it() {
    let project = project();
    for params in [page("src/db.rs"), Params { file: Some("./src/db.rs".into()), ..Params::default() }] {
        let output = run(&project.context(), Params { depth: Some(2), ..params }).unwrap();
        assert_eq!(
            told(&output),
            [
                "1.000 1 db.md: src/db.rs <- db.md (source_refs)",
                "0.500 1 flow.md: src/db.rs <- flow.md (references)",
                "0.500 2 login.md: src/db.rs <- db.md (source_refs), db.md <- login.md (depends_on)",
                "0.350 2 old.md: src/db.rs <- db.md (source_refs), db.md <- old.md (conflicts_with)",
                "0.250 2 guide.md: src/db.rs <- flow.md (references), flow.md <- guide.md (references)",
            ]
        );
        assert_eq!(output.changed_file.as_deref(), Some("src/db.rs"));
    }
    let nearest = Params { depth: Some(1), ..page("schema/v1/users.sql") };
    assert_eq!(
        told(&run(&project.context(), nearest).unwrap()),
        ["1.000 1 db.md: schema/v1/users.sql <- db.md (source_refs)"],
        "a deleted file is found through the pages that name it"
    );
    assert_eq!(run(&project.context(), page("src/alone.rs")).unwrap().total_affected, 0);
    let as_file = Params { file: Some("pages/db.md".into()), ..Params::default() };
    assert_eq!(run(&project.context(), as_file).unwrap().changed_page.unwrap().title, "Database");
}

#[test]
fn types_and_limits_filter_the_result() {
    let project = project();
    let by_link = Params { link_types: vec!["depends_on".into()], ..page("Database") };
    assert_eq!(run(&project.context(), by_link).unwrap().total_affected, 1);
    let by_page = Params { doc_types: vec!["guide".into()], ..page("Database") };
    let output = run(&project.context(), by_page).unwrap();
    assert_eq!((output.affected.len(), output.affected[0].distance), (1, 3));
    let first = Params { limit: Some(1), ..page("Database") };
    let output = run(&project.context(), first).unwrap();
    assert_eq!((output.affected.len(), output.total_affected), (1, 4));
}

#[test]
fn an_unknown_page_or_file_is_an_error_that_says_what_to_do() {
    let project = project();
    let error = |params: Params| run(&project.context(), params).unwrap_err();
    assert_eq!(error(page("Databas")).code(), "page_not_found");
    assert!(error(page("Databas")).hint().unwrap().told(&Commands).contains("db.md"));
    assert_eq!(error(Params::default()).code(), "invalid_params");
    assert_eq!(error(Params { file: Some("x".into()), ..page("db") }).code(), "invalid_params");
    let file = |file: &str| Params { file: Some(file.into()), ..Params::default() };
    assert!(error(file("src/none.rs")).to_string().contains("no page names it"));
    assert_eq!(error(file("../x")).code(), "outside_project");
    assert!(error(Params { depth: Some(6), ..page("db") }).to_string().contains("from 1 to 5"));
}
