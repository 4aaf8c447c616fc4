//! Links resolve as in Obsidian.

use super::*;

const PAGES: [(&str, &str, &[&str]); 10] = [
    ("index.md", "Start here", &[]),
    ("guide/setup.md", "Setting up", &["Install"]),
    ("guide/Deploy.md", "Deploying", &[]),
    ("api/setup.md", "API setup", &[]),
    ("api/v1/tokens.md", "Tokens", &["認証トークン"]),
    ("C# notes.md", "C# notes", &[]),
    ("dendron.topic.links.md", "Links", &[]),
    ("Caf\u{e9}.md", "Café", &[]),
    ("twins/a.md", "Twin", &[]),
    ("twins/b.md", "Twin", &[]),
];

fn table() -> NameTable {
    let mut table = NameTable::default();
    for (number, (page_path, title, aliases)) in (0..).zip(PAGES) {
        let named = |kind| Named { page: number, path: page_path.into(), kind };
        table.insert(text::fold_key(path::page_name(page_path)), named(NameKind::File));
        table.insert(text::fold_key(title), named(NameKind::Title));
        for alias in aliases {
            table.insert(text::fold_key(alias), named(NameKind::Alias));
        }
    }
    table.insert_source("src/auth/login.ts");
    table.insert_source("docs/diagram.rs");
    table
}

/// The destination of `target` on the page `from`: path, `#anchor`, and `?` if ambiguous.
fn lead(kind: LinkKind, from: &str, target: &str) -> String {
    let page = PAGES.iter().position(|(path, ..)| *path == from).map_or(-1, |at| at as i64);
    let origin = Origin { page, path: from, pages_dir: "docs" };
    let Ok(destination) = resolve(kind, target, origin, &mut table());
    match destination {
        Destination::Page { page, anchor, ambiguous } => {
            let anchor = anchor.map(|anchor| format!("#{anchor}")).unwrap_or_default();
            format!("{}{anchor}{}", PAGES[page as usize].0, if ambiguous { "?" } else { "" })
        }
        Destination::Source(path) => format!("source {path}"),
        Destination::Attachment => "attachment".into(),
        Destination::Unresolved => "nowhere".into(),
    }
}

fn wiki(from: &str, target: &str) -> String {
    lead(LinkKind::Wiki, from, target)
}

#[test]
fn paths_come_before_names_and_names_before_titles_and_aliases() {
    assert_eq!(wiki("index.md", "guide/setup"), "guide/setup.md");
    assert_eq!(wiki("index.md", "guide/setup.md"), "guide/setup.md");
    assert_eq!(wiki("index.md", "/guide/setup"), "guide/setup.md");
    assert_eq!(wiki("index.md", "v1/tokens"), "api/v1/tokens.md");
    assert_eq!(wiki("index.md", "tokens"), "api/v1/tokens.md");
    assert_eq!(wiki("index.md", "Setting up"), "guide/setup.md");
    assert_eq!(wiki("index.md", "Install"), "guide/setup.md");
    assert_eq!(wiki("index.md", "認証トークン"), "api/v1/tokens.md");
    assert_eq!(wiki("index.md", "dendron.topic.links"), "dendron.topic.links.md");
}

#[test]
fn case_and_unicode_form_are_ignored() {
    assert_eq!(wiki("index.md", "deploy"), "guide/Deploy.md");
    assert_eq!(wiki("index.md", "GUIDE/DEPLOY"), "guide/Deploy.md");
    assert_eq!(wiki("index.md", "Cafe\u{301}"), "Caf\u{e9}.md");
}

#[test]
fn the_nearest_of_several_pages_wins_and_is_marked_ambiguous() {
    assert_eq!(wiki("guide/Deploy.md", "setup"), "guide/setup.md?");
    assert_eq!(wiki("api/v1/tokens.md", "setup"), "api/setup.md?");
    assert_eq!(wiki("index.md", "Twin"), "twins/a.md?");
    assert_eq!(wiki("twins/b.md", "b"), "twins/b.md");
}

#[test]
fn a_hash_belongs_to_the_name_if_a_page_has_that_name() {
    assert_eq!(wiki("index.md", "C# notes"), "C# notes.md");
    assert_eq!(wiki("index.md", "C# notes#Generics"), "C# notes.md#Generics");
    assert_eq!(wiki("index.md", "tokens#Scope#Read"), "api/v1/tokens.md#Scope#Read");
    assert_eq!(wiki("index.md", "tokens#^abc"), "api/v1/tokens.md#^abc");
    assert_eq!(wiki("guide/setup.md", "#Linux"), "guide/setup.md#Linux");
}

#[test]
fn relative_paths_start_in_the_folder_of_the_page() {
    assert_eq!(wiki("guide/setup.md", "../api/setup"), "api/setup.md");
    assert_eq!(wiki("guide/setup.md", "./Deploy"), "guide/Deploy.md");
    assert_eq!(wiki("index.md", "../outside"), "nowhere");
    assert_eq!(lead(LinkKind::Markdown, "guide/setup.md", "Deploy.md"), "guide/Deploy.md");
    assert_eq!(lead(LinkKind::Markdown, "guide/setup.md", "../api/setup.md#x"), "api/setup.md#x");
    assert_eq!(lead(LinkKind::Markdown, "guide/setup.md", "/api/setup.md"), "api/setup.md");
    assert_eq!(lead(LinkKind::Markdown, "guide/setup.md", "tokens.md"), "nowhere");
}

#[test]
fn project_files_are_sources_and_media_are_attachments() {
    assert_eq!(wiki("index.md", "src/auth/login.ts"), "source src/auth/login.ts");
    assert_eq!(lead(LinkKind::Markdown, "index.md", "diagram.rs"), "source docs/diagram.rs");
    assert_eq!(
        lead(LinkKind::Markdown, "guide/setup.md", "../../src/auth/login.ts#L10"),
        "source src/auth/login.ts"
    );
    assert_eq!(wiki("index.md", "src/auth/gone.ts"), "nowhere");
    assert_eq!(lead(LinkKind::Embed, "index.md", "photo.PNG"), "attachment");
    assert_eq!(wiki("index.md", "No such page"), "nowhere");
}

#[test]
fn keys_contain_every_name_that_can_change_the_destination() {
    assert_eq!(
        name_keys("api/v1/Tokens#Scope"),
        ["api/v1/tokens", "api/v1/tokens#scope", "tokens", "tokens#scope"]
    );
    assert_eq!(name_keys("#Only a heading"), ["#only a heading"]);
}
