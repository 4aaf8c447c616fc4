//! Whoever types a name finds what bears it.

use crate::index::tests::Project;
use crate::ops::search::{self, Params};
use crate::search::SearchMode;

const NOISE: &str = "sync sync sync of everything, a sync that syncs, sync";

fn project() -> Project {
    Project::with_pages([
        ("a.md", NOISE),
        ("b.md", NOISE),
        ("guides/engine.md", "---\ntitle: Sync\naliases: [Replication]\n---\nHow devices agree.\n"),
        ("guides/setup.md", "# Setup\n\nBefore the first start.\n\n## Sync settings\n\nWhere they are.\n"),
        ("c.md", "sync settings, sync settings and once more the settings of the sync"),
    ])
}

fn first(project: &Project, query: &str, mode: SearchMode) -> (String, String) {
    let params = Params { query: query.into(), mode: Some(mode), ..Default::default() };
    let found = search::run(&project.context(), params).unwrap();
    let best = &found.results[0];
    let section = best.sections.first().map(|section| section.section_id.clone());
    (best.page.filepath.clone(), section.unwrap_or_default())
}

#[test]
fn a_title_an_alias_and_a_path_lead_to_the_page() {
    let project = project();
    for query in
        ["Sync", "sync", "\"Sync\"", " SYNC ", "replication", "engine", "guides/engine.md", "guides/engine"]
    {
        for mode in [SearchMode::Hybrid, SearchMode::Fulltext] {
            assert_eq!(first(&project, query, mode).0, "guides/engine.md", "{query} {mode:?}");
        }
    }
}

#[test]
fn a_heading_leads_to_its_section() {
    let (page, section) = first(&project(), "sync settings", SearchMode::Hybrid);
    assert_eq!((page.as_str(), section.as_str()), ("guides/setup.md", "setup/sync-settings"));
}

#[test]
fn a_name_moves_nothing_past_a_filter() {
    let project = project();
    let params = Params { query: "Sync".into(), folder: Some("elsewhere".into()), ..Default::default() };
    assert!(search::run(&project.context(), params).unwrap().results.is_empty());
}
