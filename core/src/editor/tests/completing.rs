//! What completes the text before the cursor.

use super::*;

/// What completes the end of `before`, as `kind: text`, and what it replaces.
fn completed(before: &str) -> (Vec<String>, String) {
    let project = project();
    let context = context(&project);
    let (drafts, open) = typed(&context, "New.md", &format!("{before}\n\nafter"));
    let Some(found) = candidates(&context, &drafts, &open, before.len()).unwrap() else {
        return (Vec::new(), String::new());
    };
    assert!(open.text.is_char_boundary(found.range.start) && found.range.end == before.len(), "{before}");
    let all = found.all.iter().map(|own| format!("{:?}: {}", own.kind, own.insert)).collect();
    (all, open.text[found.range].to_owned())
}

#[track_caller]
fn offers(before: &str, expected: &str, replaced: &str) {
    let (found, range) = completed(before);
    assert!(found.iter().any(|own| own == expected), "{before:?}: no {expected} in {found:?}");
    assert_eq!(range, replaced, "{before:?}");
}

#[test]
fn links_are_completed_by_what_is_typed_of_them() {
    offers("é [[use", "Page: Users", "use");
    offers("[[sign", "Page: Sign in", "sign");
    offers("[[Same", "Page: a/Same", "Same");
    offers("[[Login#err", "Heading: Errors codes", "err");
    offers("[[Login#", "Block: ^limit", "");
    offers("[[Sign in#^li", "Block: ^limit", "^li");
    offers("# N\n\n## Own\n\n[[#o", "Heading: Own", "o");
    offers("[[Users|DEP", "LinkType: depends_on", "DEP");
    offers("| a | [[Users\\|dep", "LinkType: depends_on", "dep");
    offers("[[src/lo", "File: src/login.rs", "src/lo");
    offers("[[src/login.rs#ch", "Symbol: check", "ch");
    offers("[[Users]] [[Log", "Page: Login", "Log");
    offers("[x](Log", "Page: Login.md", "Log");
    offers("[x](Login.md#err", "Heading: errors-codes", "err");
    offers("## Own words\n\n[x](#own", "Heading: own-words", "own");
    offers("[x](../src/log", "File: ../src/login.rs", "../src/log");
}

#[test]
fn front_matter_and_tags_are_completed() {
    offers("---\nst", "Key: status: ", "st");
    offers("---\ntags: [auth, au", "Tag: auth/basic", "au");
    offers("---\ntags:\n  - au", "Tag: auth", "au");
    offers("---\nsource_refs:\n  - src/l", "File: src/login.rs", "src/l");
    offers("---\nsource_refs: [src/login.rs#o", "Symbol: other", "o");
    offers("---\ntype: gu", "Value: guide", "gu");
    offers("---\ndepends_on: \"[[Us", "Page: Users", "Us");
    offers("words #au", "Tag: auth", "au");
    assert!(!completed("---\ntitle: X\nti").0.contains(&"Key: title: ".to_owned()), "it is there already");
}

#[test]
fn nothing_is_offered_where_nothing_fits() {
    for before in [
        "",
        "word",
        "# ",
        "#",
        "```\n#au",
        "~~~\n[x](Log",
        "[[Login]] and ",
        "[x](Login.md) ",
        "---\ntitle: Lo",
    ] {
        assert_eq!(completed(before).0, Vec::<String>::new(), "{before:?}");
    }
    for before in ["[[Nobody#x", "[[Login#nothing like it", "[[Users|no such type"] {
        assert_eq!(completed(before).0, Vec::<String>::new(), "{before:?}");
    }
}

#[test]
fn headings_come_from_the_screen() {
    let project = project();
    let context = context(&project);
    let (mut drafts, _) = typed(&context, "Users.md", "# Users\n\n## Unsaved\n");
    drafts.set("New.md", "[[Users#");
    let open = OpenPage::of(&context, &drafts, "New.md").unwrap();
    let found = candidates(&context, &drafts, &open, open.text.len()).unwrap().unwrap();
    let labels: Vec<_> = found.all.iter().map(|own| own.label.as_str()).collect();
    assert_eq!(labels, ["Users", "Unsaved"]);
}

#[test]
fn names_of_links_lead_to_their_page() {
    let project = project();
    let context = context(&project);
    let open = saved(&context, "Login.md");
    assert_eq!(link_name(&context, &open, "Users.md").unwrap(), "Users");
    assert_eq!(link_name(&context, &open, "b/Same.md").unwrap(), "b/Same");
}
