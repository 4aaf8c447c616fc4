//! Tests of rendered pages.
#![allow(clippy::unwrap_used)]

mod bounds;
mod cases;
mod safety;

use jiff::Timestamp;

use super::{Rendered, Renderer};
use crate::index::tests::Project;

/// A project with `page` at `Folder/Page.md` and pages to which it may link.
fn project(page: &str) -> Project {
    let other = "# Other\n\nIntro. ^intro\n\n- item ^item\n- next\n\n## Part\n\nPart of it.[^a] ![[Folder/Page]]\n\n\
        ### Deeper\n\nDeep.\n\n[^a]: A note.\n";
    let project = Project::with_pages([
        ("Folder/Page.md", page),
        ("Other.md", other),
        ("日本/認証 #1.md", "---\naliases: [Login]\n---\n# 認証\n\n## 流れ\n"),
        ("index.md", "Home.\n"),
    ]);
    for file in
        ["pages/Folder/here.png", "pages/attachments/far.PNG", "pages/a b.pdf", "img/top.svg", "src/x.ts"]
    {
        project.source.put_source(file, b"x", Timestamp::UNIX_EPOCH);
    }
    project.refresh();
    project
}

fn rendered(project: &Project, path: &str) -> Rendered {
    let context = project.context();
    let page = context
        .index
        .read(|db| Ok(db.query_row("SELECT page FROM pages WHERE path = ?1", [path], |row| row.get(0))?))
        .unwrap();
    Renderer::new(&context).page(page, None).unwrap()
}
