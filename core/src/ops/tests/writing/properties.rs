//! For random names and links, renaming a page keeps the target of every link, and undoing restores every byte.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::json;

use super::{call, everything};
use crate::index::tests::Project;

/// Paths that conflict with each other.
const PATHS: [&str; 10] = [
    "a.md",
    "b.md",
    "x/a.md",
    "x/b.md",
    "y/a.md",
    "x/y/a.md",
    "x/c d.md",
    "y/é#1.md",
    "y/B.md",
    "deep/x/a.md",
];

const TARGETS: [&str; 22] = [
    "a", "b", "x/a", "y/a", "x/y/a", "A", "b.md", "c d", "x/c d", "é#1", "é#1#H", "a#H", "#H", "Title 0",
    "Title 3", "alias 1", "./a", "../b", "nowhere", "x/a.md", "/b", "y/b#^k",
];

const DESTINATIONS: [&str; 14] = [
    "a.md",
    "../a.md",
    "x/a.md#h",
    "../x/b.md",
    "/x/a.md",
    "x/c%20d.md",
    "<x/c d.md>",
    "../y/%C3%A9%231.md",
    "./b.md",
    "img.png",
    "../img.png",
    "none.md",
    "b.md?q#h",
    "../src/a.rs",
];

/// Where each link leads: from the linking page and the index of the link on it, to the path and anchor.
fn links(project: &Project, moved: (&str, &str)) -> BTreeMap<(String, usize), (i64, String, String)> {
    let name = |path: String| if path == moved.0 { moved.1.to_owned() } else { path };
    project
        .index
        .read(|db| {
            let mut statement = db.prepare(
                "SELECT pages.path, state, other.path, source, anchor, target FROM links JOIN pages USING (page)
                 LEFT JOIN pages AS other ON other.page = target_page ORDER BY pages.path, link",
            )?;
            let mut rows = statement.query([])?;
            let mut found = BTreeMap::new();
            let mut counts: BTreeMap<String, usize> = BTreeMap::new();
            while let Some(row) = rows.next()? {
                let page = name(row.get(0)?);
                let count = counts.entry(page.clone()).or_default();
                *count += 1;
                let target: Option<String> = row.get(2)?;
                let source: Option<String> = row.get(3)?;
                let anchor: Option<String> = row.get(4)?;
                let led = target.map(name).or(source).unwrap_or_default();
                found.insert((page, *count), (row.get(1)?, led, anchor.unwrap_or_default()));
            }
            Ok(found)
        })
        .unwrap()
}

fn page() -> impl Strategy<Value = String> {
    let wiki = (0..TARGETS.len(), 0..4_usize).prop_map(|(target, form)| {
        let target = TARGETS[target];
        match form {
            0 => format!("[[{target}]]"),
            1 => format!("![[{target}]]"),
            2 => format!("[[ {target} |depends_on| text]]"),
            _ => format!("[[{target}|*text*]]"),
        }
    });
    let markdown = (0..DESTINATIONS.len(), 0..2_usize).prop_map(|(destination, form)| {
        let destination = DESTINATIONS[destination];
        if form == 0 { format!("[t]({destination})") } else { format!("![t]({destination} \"x\")") }
    });
    let table = (0..TARGETS.len()).prop_map(|at| format!("\n\n| t |\n|--|\n| [[{}\\|x]] |\n\n", TARGETS[at]));
    let item = prop_oneof![4 => wiki, 3 => markdown, 1 => table];
    (proptest::collection::vec(item, 0..6), 0..TARGETS.len(), any::<bool>(), any::<bool>()).prop_map(
        |(items, front, has_front, crlf)| {
            let head = if has_front {
                format!("---\nextends: '[[{}]]'\n---\n", TARGETS[front])
            } else {
                String::new()
            };
            let text = format!("{head}{}\n\n## H\n\ntext ^k\n", items.join(" and "));
            if crlf { text.replace('\n', "\r\n") } else { text }
        },
    )
}

fn titled(text: &str, at: usize) -> String {
    match at % 4 {
        0 => format!("# Title {at}\n\n{text}").replace("# Title 0\n\n---", "---"),
        1 if !text.starts_with("---") => {
            format!("---\ntitle: Title {at}\naliases: [alias {at}]\n---\n{text}")
        }
        _ => text.to_owned(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 150,
        rng_seed: RngSeed::Fixed(20_261_122),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn links_keep_their_targets(
        texts in proptest::collection::vec(page(), PATHS.len()),
        present in proptest::collection::vec(any::<bool>(), PATHS.len()),
        which in 0..PATHS.len(),
        to in prop_oneof![
            (0..PATHS.len()).prop_map(|at| PATHS[at].to_owned()),
            Just("new/[n] (1).md".to_owned()), Just("x/new & 100%.md".to_owned()), Just("q's.md".to_owned()),
        ],
        retitle in any::<bool>(),
    ) {
        let all: Vec<(&str, String)> = PATHS
            .iter()
            .zip(&present)
            .enumerate()
            .filter(|(at, (_, present))| **present || *at == which)
            .map(|(at, (path, _))| (*path, titled(&texts[at], at)))
            .collect();
        let project = Project::with_pages(all.iter().map(|(path, text)| (*path, text.as_str())));
        for file in ["pages/img.png", "pages/x/img.png", "src/a.rs", "pages/src/a.rs"] {
            project.source.put_source(file, b"x", jiff::Timestamp::UNIX_EPOCH);
        }
        project.update();
        let from = PATHS[which];
        let before = everything(&project);
        let led = links(&project, (from, from));
        let params = if retitle {
            json!({ "page": from, "path": to, "title": "Quite Another" })
        } else {
            json!({ "page": from, "path": to })
        };
        let refused = |error: &crate::Error| {
            let message = error.to_string();
            message.contains("already exists") || message.contains("cannot be rewritten to keep its destination")
        };
        match call(&project, "rename_page", params) {
            Err(error) => {
                prop_assert!(refused(&error), "{error}");
                prop_assert_eq!(everything(&project), before);
            }
            Ok(moved) => {
                let now = links(&project, (&to, from));
                prop_assert_eq!(led.len(), now.len());
                for (place, was) in &led {
                    let is = &now[place];
                    // A name that was unused may now be used; and a broken link of the moved page may now lead to a
                    // page, if it cannot be written any other way.
                    let found = was.0 == 0 && is.0 == 1 && (is.1 == from || place.0 == from);
                    prop_assert!(was == is || found, "{:?}: {:?} became {:?}\n{}", place, was, is, moved["diff"]);
                }
                project.embed();
                prop_assert!(project.dump() == project.rebuilt());
                if !moved["audit_id"].is_null() {
                    call(&project, "undo", json!({ "entry": moved["audit_id"] })).unwrap();
                }
                prop_assert_eq!(everything(&project), before);
            }
        }
    }
}
