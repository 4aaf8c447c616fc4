//! What single renames do.

use super::*;

/// The pages that change, with their new texts.
fn moved(pages: &[(&str, &str)], files: &[&str], pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    let project = project(pages, files);
    let planned = plan_moves(&project.context(), &moves(pairs), &Drafts::default()).unwrap();
    texts(pages, &planned)
}

fn refused(pages: &[(&str, &str)], files: &[&str], pairs: &[(&str, &str)]) -> String {
    let project = project(pages, files);
    plan_moves(&project.context(), &moves(pairs), &Drafts::default()).unwrap_err().to_string()
}

fn renamed(pages: &[(&str, &str)], renamed: &Renamed) -> Vec<(String, String)> {
    let project = project(pages, &[]);
    let planned = plan_rename(&project.context(), renamed, &Drafts::default()).unwrap();
    texts(pages, &planned)
}

fn not_renamed(pages: &[(&str, &str)], renamed: &Renamed) -> String {
    let project = project(pages, &[]);
    plan_rename(&project.context(), renamed, &Drafts::default()).unwrap_err().to_string()
}

fn texts(pages: &[(&str, &str)], planned: &[PageEdits]) -> Vec<(String, String)> {
    let text = |path: &str| pages.iter().find(|(page, _)| *page == path).unwrap().1;
    planned.iter().map(|page| (page.path.clone(), applied(text(&page.path), page))).collect()
}

fn expect(found: Vec<(String, String)>, expected: &[(&str, &str)]) {
    let found: Vec<(&str, &str)> = found.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    assert_eq!(found, expected);
}

#[test]
fn links_follow_a_folder() {
    let pages = [
        (
            "index.md",
            "[[guides/setup]] [[setup]] [s](guides/setup.md#one) ![[guides/setup#One]] [g](guides/)\n",
        ),
        ("guides/setup.md", "## One\n\n[i](../index.md) [[deep/more]] ![](pic.png) [[index]]\n"),
        ("guides/deep/more.md", "[s](../setup.md) [p](../pic.png)\n"),
    ];
    expect(
        moved(&pages, &["pages/guides/pic.png"], &[("pages/guides", "pages/handbook/new")]),
        &[
            ("guides/setup.md", "## One\n\n[i](../../index.md) [[deep/more]] ![](pic.png) [[index]]\n"),
            (
                "index.md",
                "[[new/setup]] [[setup]] [s](handbook/new/setup.md#one) ![[new/setup#One]] [g](handbook/new/)\n",
            ),
        ],
    );
}

#[test]
fn links_and_entries_follow_code_and_pictures() {
    let pages = [(
        "a.md",
        "---\nsource_refs: [src/a.ts#f, './src/a.ts', \"src/**/*.ts\", src, src/lib/]\nsources:\n  - resource: ../src/a.ts#f\n  \
         - src/lib/b.ts\n---\n[[src/a.ts#f]] [c](../src/a.ts) ![](pic%20%281%29.png) ![[pic (1).png|100]]\n\n\
         ```ubp-source src/a.ts#L1-L2\n```\n\n> ```ubp-source\n> src/lib/b.ts#g\n> ```\n",
    )];
    let files = ["src/a.ts", "src/lib/b.ts", "pages/pic (1).png"];
    expect(
        moved(
            &pages,
            &files,
            &[("src", "code"), ("src/a.ts", "app/b.ts"), ("pages/pic (1).png", "pages/img/p.png")],
        ),
        &[(
            "a.md",
            "---\nsource_refs: [app/b.ts#f, './app/b.ts', \"code/**/*.ts\", code, code/lib/]\nsources:\n  - resource: ../app/b.ts#f\n  \
             - code/lib/b.ts\n---\n[[app/b.ts#f]] [c](../app/b.ts) ![](img/p.png) ![[img/p.png|100]]\n\n\
             ```ubp-source app/b.ts#L1-L2\n```\n\n> ```ubp-source\n> code/lib/b.ts#g\n> ```\n",
        )],
    );
}

#[test]
fn two_pages_swap_their_paths() {
    let pages = [("a.md", "# A\n[[b]]\n"), ("b.md", "# B\n[[a]]\n"), ("c.md", "[[a]] [[b|x]] [x](a.md)\n")];
    expect(
        moved(&pages, &[], &[("pages/a.md", "pages/b.md"), ("pages/b.md", "pages/a.md")]),
        &[("a.md", "# A\n[[a]]\n"), ("b.md", "# B\n[[b]]\n"), ("c.md", "[[b]] [[a|x]] [x](b.md)\n")],
    );
}

#[test]
fn a_name_may_change_only_its_case() {
    let pages = [("setup.md", "# S\n"), ("c.md", "[[setup]] [x](setup.md)\n")];
    expect(moved(&pages, &[], &[("pages/setup.md", "pages/Setup.md")]), &[]);
}

#[test]
fn impossible_moves_are_refused() {
    let pages = [("a.md", "A\n"), ("b.md", "B\n"), ("f/c.md", "C\n")];
    let files = ["src/a.ts", "src/b.ts"];
    for (pairs, message) in [
        (vec![("pages/a.md", "pages/b.md")], "'pages/b.md' already exists; choose another path"),
        (vec![("pages/a.md", "pages/B.md")], "'pages/b.md' already exists; choose another path"),
        (vec![("src/a.ts", "src/b.ts")], "'src/b.ts' already exists; choose another path"),
        (vec![("pages/f", "pages/f/g")], "'pages/f' cannot be moved into itself, to 'pages/f/g'"),
        (
            vec![("pages/a.md", "x.md"), ("pages/a.md", "y.md")],
            "'pages/a.md' cannot be moved to 'x.md' and to 'y.md'",
        ),
        (
            vec![("pages/a.md", "pages/n.md"), ("pages/b.md", "pages/N.md")],
            "'pages/b.md' and 'pages/a.md' cannot both be moved to 'pages/N.md'",
        ),
        (vec![("../a.md", "b.md")], "outside"),
        (
            vec![("pages/a.md", ".ubp/a.md")],
            "'.ubp/a.md' is in a folder of git or UBP; files cannot be moved there or from there",
        ),
    ] {
        let found = refused(&pages, &files, &pairs);
        assert!(found.contains(message), "{found}");
    }
}

#[test]
fn a_link_that_cannot_follow_is_named_with_its_line() {
    let pages = [("a.md", "A\n"), ("c.md", "x\n\n[[a]]\n")];
    let found = refused(&pages, &[], &[("pages/a.md", "elsewhere/a.md")]);
    assert!(found.starts_with("c.md:3: this link cannot be rewritten"), "{found}");
}

#[test]
fn names_in_unsaved_texts_count() {
    let pages = [("a.md", "# A\n"), ("c.md", "[[a]]\n")];
    let project = project(&pages, &[]);
    let mut drafts = Drafts::default();
    drafts.set("a.md", "---\naliases: [Other]\n---\n# Fresh\n");
    drafts.set("c.md", "[[a]] and [[Fresh]] and [[Other#Fresh]]\n");
    drafts.set("new.md", "é [x](a.md)\n");
    let planned = plan_moves(&project.context(), &moves(&[("pages/a.md", "pages/z.md")]), &drafts).unwrap();
    let texts: Vec<_> = planned
        .iter()
        .map(|page| (page.path.clone(), applied(drafts.get(&page.path).unwrap(), page)))
        .collect();
    expect(texts, &[("c.md", "[[z]] and [[Fresh]] and [[Other#Fresh]]\n"), ("new.md", "é [x](z.md)\n")]);
    let title = Renamed::Title { path: "a.md".into(), new: "Newer".into() };
    let planned = plan_rename(&project.context(), &title, &drafts).unwrap();
    let texts: Vec<_> = planned
        .iter()
        .map(|page| (page.path.clone(), applied(drafts.get(&page.path).unwrap(), page)))
        .collect();
    expect(
        texts,
        &[
            ("a.md", "---\naliases: [Other]\n---\n# Newer\n"),
            ("c.md", "[[a]] and [[Newer]] and [[Other#Newer]]\n"),
        ],
    );
}

#[test]
fn links_follow_a_heading() {
    let page = |first: &str, link: &str, third: &str| {
        format!(
            "\u{feff}# A\r\n\r\n## {first}\r\n\r\n[[#{link}]]\r\n\r\n### Deep\r\n\r\n{third}\r\n---\r\n\r\n## Set up now\r\n"
        )
    };
    let own = page("Set *up* now", "Set up now", "Setext");
    let pages = [
        ("a.md", own.as_str()),
        (
            "b.md",
            "[[a#Set up now]] [[a#A#Set up now#Deep|x]] ![[a#Deep]] [m](a.md#set-up-now) [[a#a/set-up-now-2]] [[b#Deep]]\n",
        ),
    ];
    let heading = |line, new: &str| Renamed::Heading { path: "a.md".into(), line, new: new.into() };
    expect(
        renamed(&pages, &heading(3, "Install # it")),
        &[
            ("a.md", &page("Install # it", "Install it", "Setext")),
            (
                "b.md",
                "[[a#Install it]] [[a#A#Install it#Deep|x]] ![[a#Deep]] [m](a.md#install-it) [[a#a/set-up-now]] [[b#Deep]]\n",
            ),
        ],
    );
    expect(renamed(&pages, &heading(9, "Other")), &[("a.md", &page("Set *up* now", "Set up now", "Other"))]);
    for (line, new, message) in [
        (2, "X", "a.md:2: there is no heading on this line"),
        (3, "  ", "the new name must be one line and not empty"),
        (3, "!!", "a.md:3: '!!' would not be read as this heading; choose another one"),
    ] {
        assert_eq!(not_renamed(&pages, &heading(line, new)), message);
    }
}

#[test]
fn the_name_of_a_block_stays_on_its_heading() {
    let pages = [("a.md", "## One ^k\n\n[[#^k]]\n\n##\n")];
    let heading = |line, new: &str| Renamed::Heading { path: "a.md".into(), line, new: new.into() };
    expect(renamed(&pages, &heading(1, "Two")), &[("a.md", "## Two ^k\n\n[[#^k]]\n\n##\n")]);
    expect(renamed(&pages, &heading(5, "Two")), &[("a.md", "## One ^k\n\n[[#^k]]\n\n## Two\n")]);
}

#[test]
fn links_follow_a_block_and_an_alias() {
    let pages = [
        ("a.md", "---\naliases:\n  - 'One''s'\n  - Two\n---\ntext ^k1\n\n- item ^k2\n\n[[#^k1]]\n"),
        ("b.md", "[[a#^K1]] ![[a#x#^k1]] [m](a.md#^k1) [[One's]] [[one's#^k2|x]] [[Two]]\n"),
    ];
    let block =
        |name: &str, new: &str| Renamed::Block { path: "a.md".into(), name: name.into(), new: new.into() };
    expect(
        renamed(&pages, &block("k1", "key")),
        &[
            ("a.md", "---\naliases:\n  - 'One''s'\n  - Two\n---\ntext ^key\n\n- item ^k2\n\n[[#^key]]\n"),
            ("b.md", "[[a#^key]] ![[a#x#^key]] [m](a.md#^key) [[One's]] [[one's#^k2|x]] [[Two]]\n"),
        ],
    );
    assert_eq!(not_renamed(&pages, &block("k1", "k2")), "a.md already has a block ^k2");
    assert_eq!(not_renamed(&pages, &block("k3", "k4")), "a.md has no block ^k3");
    assert!(not_renamed(&pages, &block("k1", "ü")).starts_with("'ü' cannot be the name of a block"));
    let alias =
        |old: &str, new: &str| Renamed::Alias { path: "a.md".into(), old: old.into(), new: new.into() };
    expect(
        renamed(&pages, &alias("One's", "Uno: 1")),
        &[
            ("a.md", "---\naliases:\n  - 'Uno: 1'\n  - Two\n---\ntext ^k1\n\n- item ^k2\n\n[[#^k1]]\n"),
            ("b.md", "[[a#^K1]] ![[a#x#^k1]] [m](a.md#^k1) [[Uno: 1]] [[Uno: 1#^k2|x]] [[Two]]\n"),
        ],
    );
    assert_eq!(not_renamed(&pages, &alias("One's", "two")), "a.md already has the alias 'two'");
    assert_eq!(not_renamed(&pages, &alias("Three", "x")), "a.md has no alias 'Three'");
}

#[test]
fn tags_are_renamed_in_texts_and_front_matter() {
    let pages = [
        ("a.md", "---\ntags: [x, x/y, 'xx', \"#X\"]\n---\n#x and #x/y_z, `#x` \\#x [#x](b.md) #xx\n\n#x\n"),
        ("b.md", "---\ntag: x, z\n---\n| #x | y |\n|--|--|\n| é #x | #x/é |\n"),
        ("c.md", "#y\n"),
    ];
    let tag = |tag: &str, new: &str| Renamed::Tag { tag: tag.into(), new: new.into() };
    expect(
        renamed(&pages, &tag("x", "n/m")),
        &[
            (
                "a.md",
                "---\ntags: [n/m, n/m/y, 'xx', \"#n/m\"]\n---\n#n/m and #n/m/y_z, `#x` \\#x [#x](b.md) #xx\n\n#n/m\n",
            ),
            ("b.md", "---\ntag: n/m, z\n---\n| #n/m | y |\n|--|--|\n| é #n/m | #n/m/é |\n"),
        ],
    );
    assert_eq!(not_renamed(&pages, &tag("none", "m")), "no page has the tag 'none'");
    assert!(not_renamed(&pages, &tag("x", "a b")).starts_with("'a b' cannot be a tag"));
    assert!(not_renamed(&pages, &tag("x", "12")).starts_with("'12' cannot be a tag"));
}
