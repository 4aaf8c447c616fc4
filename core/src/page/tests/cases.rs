//! Runs `cases/*.md`. In each file, a fence of five backticks marked `input` contains a page
//! and names what to show of it, and the `expected` fence after it contains the result.
//!
//! `UBP_BLESS=1 cargo test -p ubp-core page` rewrites the expected fences. Review the diff before
//! committing it. `crlf` after `input` turns every line break into CRLF.
#![allow(clippy::disallowed_methods, clippy::unwrap_used)]

use std::fmt::Write as _;

use crate::page::{LinkTypes, Page, Value, parse};

const FENCE: &str = "`````";

#[test]
fn every_case_has_the_expected_result() {
    let folder = "src/page/cases";
    let bless = std::env::var_os("UBP_BLESS").is_some_and(|value| value == "1");
    let mut count = 0;
    let mut wrong = String::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap().replace("\r\n", "\n");
        let found = rewritten(&text, &mut count);
        if found != text && bless {
            std::fs::write(&path, found).unwrap();
        } else if found != text {
            let name = path.display();
            for (line, (is, should)) in found.lines().zip(text.lines()).enumerate() {
                if is != should {
                    writeln!(wrong, "{name}:{}: expected\n  {should}\nfound\n  {is}", line + 1).unwrap();
                    break;
                }
            }
            if found.lines().count() != text.lines().count() {
                writeln!(wrong, "{name}: number of lines differs").unwrap();
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(count > 40, "only {count} cases were found");
}

/// The file with the actual results in place of the expected.
fn rewritten(text: &str, count: &mut usize) -> String {
    let mut out = String::new();
    let mut found = None;
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        writeln!(out, "{line}").unwrap();
        let Some(info) = line.strip_prefix(FENCE) else { continue };
        let body: Vec<&str> = lines.by_ref().take_while(|line| *line != FENCE).collect();
        let words: Vec<&str> = info.split(' ').collect();
        if words.contains(&"input") {
            for line in &body {
                writeln!(out, "{line}").unwrap();
            }
            let page = body.join("\n") + "\n";
            let page = if words.contains(&"crlf") { page.replace('\n', "\r\n") } else { page };
            found = Some(shown(&page, &words));
        } else if words.contains(&"expected") {
            out.push_str(&found.take().unwrap());
            *count += 1;
        } else {
            for line in body {
                writeln!(out, "{line}").unwrap();
            }
        }
        writeln!(out, "{FENCE}").unwrap();
    }
    out
}

fn shown(text: &str, what: &[&str]) -> String {
    let page = parse(text, &LinkTypes::with(["part_of".to_owned()]));
    let mut out = String::new();
    let wants = |name| what.contains(&name);
    if wants("names") {
        names(&page, &mut out);
    }
    if wants("fields") {
        for (key, value) in &page.front_matter.fields {
            writeln!(out, "{key} = {}", json(value)).unwrap();
        }
    }
    if wants("sections") {
        for section in &page.sections {
            let (first, last) = section.lines;
            let path = section.heading_path.join(" > ");
            writeln!(out, "{first}-{last} h{} {} | {path}", section.level, section.id).unwrap();
        }
    }
    if wants("links") {
        for link in &page.links {
            let source = text[link.range.clone()].escape_debug();
            write!(out, "{} {:?} {} -> {}", link.line, link.kind, link.link_type, link.target).unwrap();
            writeln!(
                out,
                "{} : {source}",
                link.text.as_ref().map_or(String::new(), |text| format!(" ({text})"))
            )
            .unwrap();
        }
    }
    if wants("contexts") {
        for link in &page.links {
            writeln!(out, "{} -> {}: {}", link.line, link.target, link.context).unwrap();
        }
    }
    if wants("blocks") {
        for block in &page.blocks {
            writeln!(out, "{} ^{}", block.line, block.name).unwrap();
        }
    }
    for diagnostic in &page.diagnostics {
        writeln!(out, "{} {}: {}", diagnostic.line, diagnostic.code, diagnostic.message).unwrap();
    }
    out
}

fn names(page: &Page, out: &mut String) {
    if let Some(title) = &page.title {
        writeln!(out, "title {title}").unwrap();
    }
    for alias in &page.aliases {
        writeln!(out, "alias {alias}").unwrap();
    }
    for tag in &page.tags {
        writeln!(out, "tag {tag}").unwrap();
    }
}

fn json(value: &Value) -> String {
    serde_json::to_string(value).unwrap()
}
