//! Destinations of links while pages and code files are added and removed.

use jiff::Timestamp;

use super::Project;

/// The links of a page as `line target -> destination`.
fn links(project: &Project, page: &str) -> Vec<String> {
    project
        .index
        .read(|db| {
            let mut statement = db.prepare(
                "SELECT line, target, coalesce(other.path, source, '?') FROM links JOIN pages USING (page)
                 LEFT JOIN pages AS other ON other.page = target_page WHERE pages.path = ?1 ORDER BY link",
            )?;
            let rows = statement.query_map([page], |row| {
                Ok(format!(
                    "{} {} -> {}",
                    row.get::<_, i64>(0)?,
                    row.get::<_, String>(1)?,
                    row.get::<_, String>(2)?
                ))
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
        .unwrap()
}

#[test]
fn links_to_a_deleted_page_are_broken_until_it_returns() {
    let project = Project::with_pages([("a.md", "[[b]]\n\n[[b#Part]]"), ("b.md", "# Part")]);
    assert_eq!(links(&project, "a.md"), ["1 b -> b.md", "3 b#Part -> b.md"]);
    project.source.remove("b.md");
    project.refresh();
    assert_eq!(links(&project, "a.md"), ["1 b -> ?", "3 b#Part -> ?"]);
    project.put("deep/b.md", "back, elsewhere");
    project.refresh();
    assert_eq!(links(&project, "a.md"), ["1 b -> deep/b.md", "3 b#Part -> deep/b.md"]);
}

#[test]
fn links_move_to_a_nearer_page_and_back_when_it_is_deleted() {
    let project = Project::with_pages([("x/a.md", "[[b]]"), ("y/b.md", "far")]);
    assert_eq!(links(&project, "x/a.md"), ["1 b -> y/b.md"]);
    project.put("x/b.md", "near");
    project.refresh();
    assert_eq!(links(&project, "x/a.md"), ["1 b -> x/b.md"]);
    project.source.remove("x/b.md");
    project.refresh();
    assert_eq!(links(&project, "x/a.md"), ["1 b -> y/b.md"]);
}

#[test]
fn a_new_title_or_alias_resolves_broken_links() {
    let project = Project::with_pages([("a.md", "[[User Database]] [[UserDB]]"), ("b.md", "text")]);
    assert_eq!(links(&project, "a.md"), ["1 User Database -> ?", "1 UserDB -> ?"]);
    project.put("b.md", "---\ntitle: User Database\naliases: [UserDB]\n---\ntext");
    project.refresh();
    assert_eq!(links(&project, "a.md"), ["1 User Database -> b.md", "1 UserDB -> b.md"]);
}

#[test]
fn links_to_code_resolve_only_while_the_file_exists() {
    let project = Project::with_pages([("a.md", "[[src/auth/login.ts]]")]);
    assert_eq!(links(&project, "a.md"), ["1 src/auth/login.ts -> ?"]);
    project.source.put_source("src/auth/login.ts", b"code", Timestamp::UNIX_EPOCH);
    assert!(project.refresh().is_empty());
    assert_eq!(links(&project, "a.md"), ["1 src/auth/login.ts -> src/auth/login.ts"]);
    project.source.remove_source("src/auth/login.ts");
    project.refresh();
    assert_eq!(links(&project, "a.md"), ["1 src/auth/login.ts -> ?"]);
}

#[test]
fn an_id_that_two_pages_claim_goes_to_the_first_path() {
    let id = "0198c1d2-0000-7000-8000-000000000001";
    let text = format!("---\nid: {id}\n---\ntext");
    let owners = |project: &Project| -> Vec<String> {
        project
            .index
            .read(|db| {
                let mut statement = db.prepare("SELECT path FROM pages WHERE doc_id = ?1")?;
                Ok(statement.query_map([id], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?)
            })
            .unwrap()
    };
    let project = Project::with_pages([("m.md", text.as_str())]);
    assert_eq!(owners(&project), ["m.md"]);
    project.put("b.md", &(text.clone() + " copied"));
    project.put("z.md", &(text.clone() + " copied too"));
    project.refresh();
    assert_eq!(owners(&project), ["b.md"]);
    project.source.remove("b.md");
    project.refresh();
    assert_eq!(owners(&project), ["m.md"]);
}

#[test]
fn backlinks_are_the_reverse_of_outlinks() {
    use crate::ops::get_page::{self, Params};
    let project = Project::with_pages([
        ("a.md", "[[b]] [[c|depends_on]] [[b]]\n\n[[nowhere]]"),
        ("b.md", "[[a]] [[c]] [[b]]"),
        ("c.md", "---\nimplements: \"[[a]]\"\n---\n![[b]]"),
    ]);
    let read = |path: &str| {
        get_page::run(&project.context(), Params { filepath: Some(path.into()), ..Params::default() })
            .unwrap()
    };
    let (mut out, mut back) = (Vec::new(), Vec::new());
    for path in ["a.md", "b.md", "c.md"] {
        let page = read(path);
        for link in page.outlinks.iter().filter(|link| link.filepath.is_some()) {
            out.push((
                path.to_owned(),
                link.filepath.clone().unwrap(),
                link.link_type.clone(),
                link.lines.clone(),
            ));
        }
        for link in &page.backlinks {
            back.push((
                link.filepath.clone().unwrap(),
                path.to_owned(),
                link.link_type.clone(),
                link.lines.clone(),
            ));
        }
    }
    out.sort();
    back.sort();
    assert_eq!(out, back);
    assert_eq!(out.len(), 6);
}
