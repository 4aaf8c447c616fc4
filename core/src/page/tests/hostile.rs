//! Pages designed to be slow, deep or large. Parsing them must finish with the right result. If parsing took
//! quadratic time, these tests would not finish in a reasonable time.
#![allow(clippy::unwrap_used)]

use super::page;
use crate::page::{Page, set_fields};

/// Parses a hostile page. `name` is printed, to identify a page that hangs.
fn hostile(name: &str, text: &str) -> Page {
    println!("{name}: {} kB", text.len() / 1000);
    page(text)
}

fn front(yaml: &str) -> String {
    format!("---\n{yaml}\n---\ntext\n")
}

#[test]
fn long_texts() {
    assert_eq!(hostile("empty", ""), Page::default());
    assert_eq!(hostile("blank", &" \n".repeat(500_000)).sections, []);
    assert_eq!(hostile("NUL", &"\u{0}".repeat(1_000_000)).sections.len(), 1);
    assert_eq!(hostile("one line", &"word ".repeat(200_000)).sections.len(), 1);
    assert_eq!(hostile("no blanks", &"a".repeat(1_000_000)).sections.len(), 1);
    assert_eq!(hostile("line ends", &"\r".repeat(1_000_000)).sections.len(), 0);
    let links =
        hostile("5,000 links in a line", &format!("{}[[page|text]] ", "word ".repeat(38)).repeat(5000)).links;
    assert_eq!(links.len(), 5000);
    assert!(links.iter().all(|link| link.context.len() <= 110));
    for (name, link) in [("100,000 links", "[[page]] "), ("100,000 Markdown links", "[a](b.md) ")] {
        let page = hostile(name, &format!("{link}\n").repeat(100_000));
        assert_eq!(page.links.len(), 50_000);
        assert_eq!((page.diagnostics[0].code.as_str(), page.diagnostics[0].line), ("page_in_part", 50_001));
    }
    for (name, first) in [("100,000 headings", "# b"), ("100,000 deep headings", &"# a".repeat(100_000))] {
        let page = hostile(name, &format!("{first}\n{}", "## b\n".repeat(100_000)));
        assert_eq!((page.sections.len(), page.sections[9_999].lines), (10_000, (10_000, 100_001)));
        assert_eq!((page.diagnostics[0].code.as_str(), page.diagnostics[0].line), ("page_in_part", 10_001));
    }
    let tags: String = (0..100_000).map(|number| format!(" #t{number}")).collect();
    assert_eq!(hostile("100,000 tags", &tags).tags.len(), 100_000);
    assert_eq!(hostile("hashes", &"#".repeat(1_000_000)).tags.len(), 0);
}

#[test]
fn many_brackets() {
    hostile("[", &"[".repeat(100_000));
    hostile("]", &"]".repeat(100_000));
    hostile("[ and ]", &format!("{}{}", "[".repeat(50_000), "]".repeat(50_000)));
    hostile("[[a", &"[[a".repeat(350_000));
    hostile("[[a newline", &"[[a\n".repeat(250_000));
    hostile("![[a", &"![[a".repeat(250_000));
    hostile("![[a]", &"![[a]".repeat(200_000));
    hostile("[a](", &"[a](".repeat(250_000));
    hostile("[a](<b", &"[a](<b".repeat(160_000));
    hostile("![[a|", &"![[a|".repeat(200_000));
    hostile("nested images", &format!("{}x{}", "![".repeat(50_000), "](b.md)".repeat(50_000)));
    hostile("nested brackets in a wikilink", &format!("[[{}]]", "[a".repeat(300_000)));
    hostile("pipes", &format!("[[a{}]]", "|b".repeat(300_000)));
    hostile("]]", &"]]".repeat(500_000));
    hostile("escapes", &"\\[[a]] ".repeat(150_000));
    hostile(
        "references",
        &(0..30_000).map(|number| format!("[a{number}]: b.md\n[a{number}]\n\n")).collect::<String>(),
    );
}

#[test]
fn many_blocks() {
    hostile(">", &">".repeat(100_000));
    hostile("> with blanks", &"> ".repeat(100_000));
    hostile("> on lines", &">>>>>>>>>> a\n".repeat(50_000));
    hostile("- - -", &"- ".repeat(50_000));
    hostile(
        "* a in steps",
        &(0..1000).map(|depth| format!("{}* a\n", "  ".repeat(depth))).collect::<String>(),
    );
    hostile("open fence", &format!("```\n{}", "[[a]]\n".repeat(150_000)));
    hostile("fences", &"```\n".repeat(200_000));
    hostile("open comment", &format!("<!--\n{}", "[[a]]\n".repeat(150_000)));
    hostile("<!--", &"a <!--".repeat(150_000));
    hostile("<a", &"<a ".repeat(300_000));
    hostile("backticks", &(1..1400).map(|count| "`".repeat(count) + " ").collect::<String>());
    hostile("$", &"$a ".repeat(300_000));
    hostile("$$", &"a$$".repeat(300_000));
    hostile("*", &"*a ".repeat(300_000));
    hostile("*_", &"*a_ ".repeat(250_000));
    hostile("~~", &"a~~b~".repeat(200_000));
    hostile("table", &format!("{}\n{}\n", "|a".repeat(20_000), "|-".repeat(20_000)));
    hostile("table rows", &format!("a|b\n-|-\n{}", "[[a\\|b]]|c\n".repeat(90_000)));
    hostile(
        "wide table, short rows",
        &format!("{}\n{}\n{}", "|a".repeat(1000), "|-".repeat(1000), "|a\n".repeat(10_000)),
    );
    hostile(
        "footnotes",
        &(0..20_000).map(|number| format!("[^{number}] x\n\n[^{number}]: [[a]]\n\n")).collect::<String>(),
    );
    hostile("entities", &"&amp;".repeat(200_000));
    hostile("setext", &"a\n===\n".repeat(150_000));
    hostile("a paragraph of lines", &"a\n".repeat(400_000));
}

#[test]
fn large_front_matter() {
    hostile("open block", &format!("---\n{}", "a: b\n".repeat(200_000)));
    let page =
        hostile("keys", &front(&(0..50_000).map(|number| format!("k{number}: v\n")).collect::<String>()));
    assert_eq!(page.front_matter.fields.len(), 50_000);
    hostile("one key 100,000 times", &front(&"a: b\n".repeat(100_000)));
    hostile("broken lines", &front(&"a: b: c\n".repeat(100_000)));
    hostile("list", &front(&format!("a:\n{}", "- \"[[b]]\"\n".repeat(50_000))));
    hostile("escaped links", &front(&format!("a: \"{}\"", "[[\\u0061]]".repeat(50_000))));
    hostile("[[a", &front(&format!("a: \"{}\"", "[[a".repeat(300_000))));
    for (open, close) in [("[", "]"), ("{a: ", "}"), ("- ", ""), ("? ", ""), ("[[", ""), ("{", "")] {
        let page =
            hostile(open, &front(&format!("a: 1\nb:\n  {}x{}\n", open.repeat(50_000), close.repeat(50_000))));
        assert!(page.front_matter.fields.iter().any(|(key, _)| key == "a"), "{open}");
        assert!(page.diagnostics.iter().any(|found| found.code == "front_matter_syntax"), "{open}");
    }
    let mut laughs = "a0: &a0 [x, x]\n".to_owned();
    for level in 1..60 {
        laughs += &format!("a{level}: &a{level} [*a{0}, *a{0}]\n", level - 1);
    }
    let page = hostile("billion laughs", &front(&laughs));
    assert!(page.diagnostics.iter().any(|found| found.code == "front_matter_alias"));
    let mut chain = "a0: &a0 [x]\n".to_owned();
    for level in 1..20_000 {
        chain += &format!("a{level}: &a{level} [*a{}]\n", level - 1);
    }
    hostile("a chain of aliases", &front(&chain));
    hostile("merges", &front(&format!("a: &a {{x: 1}}\n{}", "b: {<<: *a}\n".repeat(20_000))));
    hostile("a long plain scalar", &front(&format!("a: b\n{}", "  c d\n".repeat(100_000))));
    hostile("a long quoted scalar", &front(&format!("a: \"b\n{}\"", "  c d\n".repeat(100_000))));
    hostile("comments", &front(&"# c\n".repeat(200_000)));
}

#[test]
fn setting_a_field_of_a_large_page() {
    let text = format!("---\n{}---\n{}", "# c\nk: v\n", "text [[a]]\n".repeat(90_000));
    let edited = set_fields("a.md", &text, &[("k", "w"), ("updated_at", "2026-02-07T00:00:00Z")]).unwrap();
    assert_eq!(edited, text.replacen("k: v\n", "k: w\nupdated_at: 2026-02-07T00:00:00Z\n", 1));
}
