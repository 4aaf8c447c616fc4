//! Follows every link of a site as a browser does: with the site in a subfolder of its host, and with file names that
//! contain characters reserved in URLs.

use std::collections::{BTreeMap, BTreeSet};

use super::{export, files, vault};

/// The values of an attribute in generated HTML.
fn values<'h>(html: &'h str, attribute: &str) -> Vec<&'h str> {
    let start = format!(" {attribute}=\"");
    html.match_indices(&start).filter_map(|(at, _)| html[at + start.len()..].split('"').next()).collect()
}

fn unescaped(text: &str) -> String {
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&#39;", "'")
        .replace("&amp;", "&")
}

fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] == b'%' {
            out.push(u8::from_str_radix(&text[at + 1..at + 3], 16).unwrap());
            at += 3;
        } else {
            out.push(bytes[at]);
            at += 1;
        }
    }
    String::from_utf8(out).unwrap()
}

/// Resolves a relative address against a file.
fn target(from: &str, address: &str) -> String {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in address.split('/') {
        match part {
            "." | "" => {}
            ".." => assert!(parts.pop().is_some(), "{address} leaves the site from {from}"),
            name => parts.push(name),
        }
    }
    parts.join("/")
}

/// All broken local addresses, and the number of addresses checked.
fn dead(site: &BTreeMap<String, Vec<u8>>) -> (Vec<String>, usize) {
    let pages: BTreeMap<&str, &str> = site
        .iter()
        .filter(|(path, _)| path.ends_with(".html"))
        .map(|(path, bytes)| (path.as_str(), std::str::from_utf8(bytes).unwrap()))
        .collect();
    let ids: BTreeMap<&str, BTreeSet<String>> = pages
        .iter()
        .map(|(path, html)| (*path, values(html, "id").into_iter().map(unescaped).collect()))
        .collect();
    let mut dead = Vec::new();
    let mut count = 0;
    for (page, html) in &pages {
        for address in ["href", "src"].into_iter().flat_map(|name| values(html, name)) {
            let address = unescaped(address);
            if address.contains("://") || address.starts_with("mailto:") {
                continue;
            }
            count += 1;
            assert!(!address.starts_with('/'), "{address} on {page} is not relative");
            let (path, place) =
                address.split_once('#').map_or((address.as_str(), None), |(p, q)| (p, Some(q)));
            assert!(!path.contains('?'), "{address} on {page}");
            let file = if path.is_empty() { (*page).to_owned() } else { decoded(&target(page, path)) };
            let there = site.contains_key(&file)
                && place.is_none_or(|place| {
                    ids.get(file.as_str()).is_some_and(|ids| ids.contains(&decoded(place)))
                });
            if !there {
                dead.push(format!("{page}: {address} ({file})"));
            }
        }
    }
    (dead, count)
}

#[test]
fn a_site_has_no_broken_links() {
    let long = format!("{}.md", "認".repeat(84));
    let mut names = vec![
        "日本語/ページ その1.md",
        "a #1.md",
        "100%.md",
        "what?.md",
        "q\"uo'te<s>&amp;.md",
        "dots..md",
        "Twin.md",
        "twin.md",
        "twin.markdown",
        "index.markdown",
        "404.md",
        "all-pages.md",
        "x.html/y.md",
        "x.md",
        "a b/c d/e+f=g.md",
        "data/vault.md",
        "assets/app.md",
        "mark~0123456789ab.md",
        "%41.md",
        "A.md",
        "colon: name.md",
        "project-files/p.md",
        long.as_str(),
    ];
    // Windows has neither these characters nor names that differ only in case.
    if cfg!(windows) {
        names.retain(|name| !name.contains(['?', '"', '<', '>', ':']) && *name != "twin.md");
    }
    let mut pages: Vec<(String, String)> = Vec::new();
    for (number, name) in names.iter().enumerate() {
        let mut text = format!(
            "# Page {number}\n\n## Überschrift & \"mehr\" / 見出し\n\nText ^block{number}\n\nNote[^n].\n\n[^n]: A note.\n\n"
        );
        for other in &names {
            let up = "../".repeat(name.matches('/').count());
            let encoded = ubp_core::render::url::encoded(other);
            text += &format!("- [x]({up}{encoded}) [y]({up}{encoded}#überschrift-mehr-見出し)\n");
        }
        text += "\n[[index#Überschrift & \"mehr\" / 見出し]] [[100%#^block2]] ![[what?]] ![[pic ture#1.png]] ![[Twin#^block6]]\n\
            ![p](</attachments/pic ture%231.png>) [[#Überschrift & \"mehr\" / 見出し]] [z](#page-0) [[nowhere]] [e](https://example.org)\n";
        pages.push(((*name).to_owned(), text));
    }
    let mut all: Vec<(&str, &str)> =
        pages.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    all.push(("index.md", "# Home\n\n## Überschrift & \"mehr\" / 見出し\n"));
    all.push(("attachments/pic ture#1.png", "png"));
    let terminal = vault(all);
    let output = export(&terminal, "--base-url https://example.org/below/a/folder");
    assert_eq!(output["pages"], names.len() + 1);
    let site = files(&terminal.path("site"));
    let (dead, count) = dead(&site);
    assert!(dead.is_empty(), "{dead:#?}");
    assert!(count > 500, "only {count} links were followed");
    let list = std::str::from_utf8(&site["all-pages.html"]).unwrap();
    let listed: BTreeSet<&str> = values(list, "href").into_iter().collect();
    // All pages, the link home, and the page list. The first page is the home page.
    assert_eq!(listed.len(), names.len() + 3, "{listed:#?}");
}

#[test]
fn broken_links_are_found() {
    let page = "<html><a href=\"b.html\">x</a><a href=\"#no\">x</a><a id=\"yes\" href=\"#yes\">x</a></html>";
    let site = BTreeMap::from([("a.html".to_owned(), page.as_bytes().to_vec())]);
    assert_eq!(
        dead(&site),
        (vec!["a.html: b.html (b.html)".to_owned(), "a.html: #no (a.html)".to_owned()], 3)
    );
}
