//! From the bytes of a file to everything that the index stores about it, without the database: this part runs on all
//! cores.

use std::ops::Range;

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;

#[cfg(not(target_family = "wasm"))]
use super::published::{PublishedPage, PublishedSection};
use crate::graph::resolve::name_keys;
use crate::hint::Commands;
use crate::message::told_to;
#[cfg(not(target_family = "wasm"))]
use crate::okf;
use crate::page::{self, Diagnostic, FrontMatter, Link, LinkKind, LinkTypes, Page, Value, split};
#[cfg(not(target_family = "wasm"))]
use crate::ports::FileStat;
use crate::ports::{ContentHash, PageFile};
use crate::{path, reported, text};

/// A page, ready to be stored.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub file: PageFile,
    pub hash: ContentHash,
    pub own_id: Option<String>,
    pub title: String,
    pub doc_type: String,
    pub created_at: String,
    pub updated_at: String,
    pub front_matter: String,
    pub diagnostics: String,
    pub aliases: Vec<String>,
    pub tags: Vec<String>,
    pub anchors: Vec<String>,
    pub source_refs: Vec<String>,
    /// The sources that blocks of code show, each with the line of the block.
    pub shown_sources: Vec<(usize, String)>,
    /// From when on the page is stale by its own word, in seconds since 1970.
    #[cfg(not(target_family = "wasm"))]
    pub expires: Option<i64>,
    pub title_terms: String,
    pub folder_terms: String,
    pub sections: Vec<PreparedSection>,
    pub links: Vec<PreparedLink>,
}

#[derive(Debug)]
pub(crate) struct PreparedSection {
    pub id: String,
    pub level: u8,
    pub lines: (usize, usize),
    pub heading_path: String,
    pub text: String,
    pub heading_terms: String,
    pub passages: Vec<PreparedPassage>,
}

/// A row of the full text: a section, or a part of a long one.
#[derive(Debug)]
pub(crate) struct PreparedPassage {
    /// Byte range in the section's text.
    pub range: Range<usize>,
    /// First and last line, counted from 0 at the section's first line.
    pub lines: (usize, usize),
    pub terms: String,
}

#[derive(Debug)]
pub(crate) struct PreparedLink {
    pub kind: LinkKind,
    pub line: usize,
    pub link_type: String,
    pub target: String,
    pub text: Option<String>,
    pub context: String,
    pub keys: Vec<String>,
    /// Whether it is an entry of `sources`, which need not lead anywhere.
    pub is_entry: bool,
}

/// Maximum size of a page's indexed text in bytes. The parser and the tokenizer need up to a hundred times as much
/// memory.
const LARGEST: usize = 2 << 20;

/// The indexed part of `text`, up to a line end unless the last line is very long, and a diagnostic if the rest is
/// ignored.
fn indexed_part(text: &str) -> (&str, Option<Diagnostic>) {
    if text.len() <= LARGEST {
        return (text, None);
    }
    let part = text.get(..text.floor_char_boundary(LARGEST)).unwrap_or_default();
    let end = part.rfind('\n').filter(|&end| end >= LARGEST / 2);
    let part = end.and_then(|end| part.get(..=end)).unwrap_or(part);
    let megabytes = |bytes: usize| (bytes as f64 / (1 << 20) as f64 * 10.0).round() / 10.0;
    let message = reported!(
        "the page is {size} MB, but only the first {indexed} MB, up to this line, are indexed",
        size = megabytes(text.len()),
        indexed = megabytes(part.len())
    );
    (part, Some(Diagnostic::in_part(page::Lines::new(part).line_of(part.len()), message)))
}

/// Without `full_text`, terms and passages are empty.
pub(crate) fn prepare(
    file: PageFile,
    bytes: &[u8],
    hash: ContentHash,
    types: &LinkTypes,
    full_text: bool,
) -> Prepared {
    let (text, mut diagnostics) = page::decode(bytes);
    let (text, cut) = indexed_part(&text);
    let mut parsed = page::parse(text, types);
    diagnostics.append(&mut parsed.diagnostics);
    diagnostics.extend(cut);
    #[cfg_attr(target_family = "wasm", allow(unused_mut))]
    let mut links = links(std::mem::take(&mut parsed.links));
    #[cfg(not(target_family = "wasm"))]
    links.extend(source_entries(&parsed.front_matter, text));
    let front_matter = &parsed.front_matter;
    let modified = file.stat.modified;
    let title = parsed.title.clone().unwrap_or_else(|| path::page_name(&file.path).to_owned());
    let title_terms =
        if full_text { title_terms(&title, &parsed.aliases, &file.path) } else { String::new() };
    let mut folder_terms = String::new();
    if full_text {
        text::index_terms(path::folder(&file.path), &mut folder_terms);
    }
    let source_refs = source_refs(front_matter, text, &mut diagnostics);
    let shown_sources = shown_sources(front_matter, text);
    Prepared {
        hash,
        own_id: scalar(front_matter, &["id"]).filter(|id| usable_id(id)).map(Into::into),
        doc_type: scalar(front_matter, &["type", "doc_type", "docType"])
            .filter(|name| !name.trim().is_empty())
            .unwrap_or("spec")
            .trim()
            .to_owned(),
        created_at: time(front_matter, &["created_at", "createdAt", "created"], modified),
        updated_at: updated_at(front_matter, modified),
        front_matter: json(front_matter),
        diagnostics: told_to(Commands, || serde_json::to_string(&diagnostics))
            .unwrap_or_else(|_| "[]".into()),
        anchors: anchors(&parsed),
        sections: sections(&parsed, text, full_text),
        links,
        aliases: parsed.aliases,
        tags: parsed.tags,
        source_refs,
        shown_sources,
        #[cfg(not(target_family = "wasm"))]
        expires: okf::expiry(&front_matter.fields).map(Timestamp::as_second),
        title_terms,
        folder_terms,
        title,
        file,
    }
}

#[cfg(not(target_family = "wasm"))]
impl Prepared {
    /// A page of another database, as far as its row, its names and its tags need it.
    pub(super) fn received(page: &PublishedPage) -> Self {
        let mut folder_terms = String::new();
        text::index_terms(path::folder(&page.path), &mut folder_terms);
        let stat = FileStat { size: 0, modified: Timestamp::UNIX_EPOCH, fingerprint: 0 };
        Self {
            file: PageFile { path: page.path.clone(), stat },
            hash: ContentHash(page.hash),
            own_id: None,
            title: page.title.clone(),
            doc_type: page.doc_type.clone(),
            created_at: page.created_at.clone(),
            updated_at: page.updated_at.clone(),
            front_matter: page.front_matter.clone(),
            diagnostics: "[]".into(),
            aliases: page.aliases.clone(),
            tags: page.tags.clone(),
            anchors: Vec::new(),
            source_refs: Vec::new(),
            shown_sources: page.sources.iter().map(|(source, line)| (*line, source.clone())).collect(),
            expires: None,
            title_terms: title_terms(&page.title, &page.aliases, &page.path),
            folder_terms,
            sections: Vec::new(),
            links: Vec::new(),
        }
    }
}

#[cfg(not(target_family = "wasm"))]
impl PreparedSection {
    /// A section of another database.
    pub(super) fn received(section: &PublishedSection) -> Self {
        Self {
            id: section.id.clone(),
            level: section.level,
            lines: section.lines,
            heading_path: serde_json::json!(section.heading_path).to_string(),
            text: section.text.clone(),
            heading_terms: heading_terms(&section.heading_path),
            passages: passages(&section.text, section.level > 0),
        }
    }
}

fn title_terms(title: &str, aliases: &[String], file: &str) -> String {
    let mut terms = String::new();
    text::index_terms(title, &mut terms);
    // People also search for the file name, if it differs from the title.
    let name = path::page_name(file);
    let own_name = (text::fold_key(name) != text::fold_key(title)).then_some(name);
    for other in aliases.iter().map(String::as_str).chain(own_name) {
        terms.push(' ');
        text::index_terms(other, &mut terms);
    }
    terms
}

fn sections(page: &Page, text: &str, full_text: bool) -> Vec<PreparedSection> {
    page.sections
        .iter()
        .map(|section| {
            let source = text.get(section.range.clone()).unwrap_or_default();
            PreparedSection {
                id: section.id.clone(),
                level: section.level,
                lines: section.lines,
                heading_path: serde_json::to_string(&section.heading_path).unwrap_or_else(|_| "[]".into()),
                text: source.to_owned(),
                heading_terms: if full_text { heading_terms(&section.heading_path) } else { String::new() },
                passages: if full_text { passages(source, section.level > 0) } else { Vec::new() },
            }
        })
        .collect()
}

/// The terms of a section's headings.
pub(super) fn heading_terms(heading_path: &[String]) -> String {
    let mut terms = String::new();
    for heading in heading_path {
        text::index_terms(heading, &mut terms);
        terms.push(' ');
    }
    terms
}

/// The passages of a section. Its heading line is part of the first passage, but not of the terms, because headings
/// have their own column.
pub(super) fn passages(source: &str, has_heading: bool) -> Vec<PreparedPassage> {
    let body = match (has_heading, source.find('\n')) {
        (false, _) => 0,
        (true, Some(end)) => end + 1,
        (true, None) => source.len(),
    };
    let breaks = |range: Range<usize>| source.get(range).map_or(0, |part| part.matches('\n').count());
    let visible = text::visible(source);
    let mut line = 0;
    split::passages(source)
        .into_iter()
        .map(|range| {
            let text = visible.get(range.start.max(body)..range.end).unwrap_or_default();
            let mut terms = String::with_capacity(text.len());
            text::index_terms(text, &mut terms);
            let first = line;
            line += breaks(range.clone());
            let shown =
                source.get(range.clone()).map_or(range.start, |part| range.start + part.trim_end().len());
            let last = first + breaks(range.start..shown);
            PreparedPassage { range, lines: (first, last), terms }
        })
        .collect()
}

fn links(links: Vec<Link>) -> Vec<PreparedLink> {
    links
        .into_iter()
        .map(|link| PreparedLink {
            keys: name_keys(&link.target),
            kind: link.kind,
            line: link.line,
            link_type: link.link_type,
            target: link.target,
            text: link.text,
            context: link.context,
            is_entry: false,
        })
        .collect()
}

/// The entries of `sources` in front matter that may be paths, as links.
#[cfg(not(target_family = "wasm"))]
fn source_entries(front_matter: &FrontMatter, text: &str) -> Vec<PreparedLink> {
    let block = text.get(front_matter.range.clone()).unwrap_or_default();
    let line = |entry: &str| block.lines().position(|line| line.contains(entry)).map_or(1, |at| at + 1);
    let mut entries = okf::sources(&front_matter.fields);
    entries.sort_unstable();
    entries.dedup();
    let link = |entry: &str| PreparedLink {
        keys: name_keys(entry),
        kind: LinkKind::Markdown,
        line: line(entry),
        link_type: page::DEFAULT_LINK_TYPE.to_owned(),
        target: entry.to_owned(),
        text: None,
        context: entry.to_owned(),
        is_entry: true,
    };
    entries.into_iter().map(link).collect()
}

fn anchors(page: &Page) -> Vec<String> {
    let headings = page.sections.iter().filter(|s| s.level > 0).map(|s| text::fold_key(&s.heading));
    let blocks = page.blocks.iter().map(|block| format!("^{}", text::fold_key(&block.name)));
    headings.chain(blocks).collect()
}

fn scalar<'a>(front_matter: &'a FrontMatter, keys: &[&str]) -> Option<&'a str> {
    keys.iter().find_map(|key| match front_matter.get(key) {
        Some(Value::Text(text)) => Some(text.as_str()),
        _ => None,
    })
}

fn usable_id(id: &str) -> bool {
    !id.is_empty() && id.len() <= 128 && !id.contains(char::is_whitespace)
}

/// The files, folders and globs that front matter names, and a diagnostic for each that is not inside the project.
pub(crate) fn source_refs(
    front_matter: &FrontMatter,
    text: &str,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<String> {
    let listed: Vec<&str> = match front_matter.get("source_refs").or_else(|| front_matter.get("sourceRefs")) {
        Some(Value::List(items)) => items
            .iter()
            .filter_map(|item| match item {
                Value::Text(text) => Some(text.as_str()),
                _ => None,
            })
            .collect(),
        Some(Value::Text(one)) if !one.is_empty() => vec![one],
        _ => Vec::new(),
    };
    let mut refs = Vec::new();
    for source in listed.into_iter().map(path::source_entry) {
        if path::is_inside(source) {
            refs.push(source.to_owned());
        } else {
            diagnostics.push(Diagnostic::new(
                line_of_source(text.get(front_matter.range.clone()).unwrap_or_default(), source),
                "source_ref_outside_project",
                reported!("source_refs names '{source}', which is not inside the project"),
            ));
        }
    }
    refs.sort_unstable();
    refs.dedup();
    refs
}

/// The files and symbols that blocks of code show, with the lines of the blocks. A part of a file stands for the file.
fn shown_sources(front_matter: &FrontMatter, text: &str) -> Vec<(usize, String)> {
    let start = front_matter.range.end;
    let body = text.get(start..).unwrap_or_default();
    let blocks = page::source_blocks(body);
    let above = match blocks.is_empty() {
        true => 0,
        false => text.get(..start).map_or(0, |above| above.matches('\n').count()),
    };
    let shown = blocks.iter().map(|block| {
        let source = path::source_entry(&block.named);
        let source = match source.rsplit_once('#') {
            Some((file, name)) if path::is_lines(name) => file,
            _ => source,
        };
        (above + block.line, source.to_owned())
    });
    shown.filter(|(_, source)| path::is_inside(source)).collect()
}

/// Line of the front matter, from 1, that names this source.
fn line_of_source(front_matter: &str, source: &str) -> usize {
    let mut lines = front_matter.lines().enumerate();
    let key = ["source_refs", "sourceRefs"];
    // Another key may have the same value on an earlier line.
    lines.by_ref().find(|(_, line)| key.iter().any(|key| line.contains(key))).map_or(1, |(at, first)| {
        let found = std::iter::once((at, first)).chain(lines).find(|(_, line)| line.contains(source));
        found.map_or(at, |(at, _)| at) + 1
    })
}

/// A time from front matter as RFC 3339, or the file's modification time.
fn time(front_matter: &FrontMatter, keys: &[&str], modified: Timestamp) -> String {
    scalar(front_matter, keys).and_then(parse_time).unwrap_or(modified).to_string()
}

/// When the page was updated by its own word: `updated_at`, or `generated.at` of the Open Knowledge Format.
fn updated_at(front_matter: &FrontMatter, modified: Timestamp) -> String {
    #[cfg(not(target_family = "wasm"))]
    let modified = okf::generated_at(&front_matter.fields).unwrap_or(modified);
    time(front_matter, &["updated_at", "updatedAt", "updated"], modified)
}

/// RFC 3339, a local date or date and time (read as UTC), or milliseconds since 1970.
pub(crate) fn parse_time(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    if let Ok(time) = text.parse::<Timestamp>() {
        return Some(time);
    }
    let local = text.parse::<DateTime>().ok().or_else(|| Some(text.parse::<Date>().ok()?.at(0, 0, 0, 0)));
    if let Some(local) = local {
        return local.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp());
    }
    // Shorter numbers are years or counters.
    let millis: i64 = text.parse().ok().filter(|_| text.len() >= 12)?;
    Timestamp::from_millisecond(millis).ok()
}

fn json(front_matter: &FrontMatter) -> String {
    let object: serde_json::Map<String, serde_json::Value> = front_matter
        .fields
        .iter()
        .map(|(key, value)| (key.clone(), serde_json::to_value(JsonView(value)).unwrap_or_default()))
        .collect();
    serde_json::Value::Object(object).to_string()
}

/// Maps as JSON objects, so that `key.inner` works in queries.
struct JsonView<'a>(&'a Value);

impl serde::Serialize for JsonView<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Text(text) => serializer.serialize_str(text),
            Value::List(items) => serializer.collect_seq(items.iter().map(JsonView)),
            Value::Map(fields) => serializer.collect_map(fields.iter().map(|(k, v)| (k, JsonView(v)))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_formats_of_times_are_parsed() {
        let rfc = |text| parse_time(text).map(|time| time.to_string());
        assert_eq!(rfc("2026-02-07T12:00:00Z").as_deref(), Some("2026-02-07T12:00:00Z"));
        assert_eq!(rfc("2026-02-07T12:00:00+09:00").as_deref(), Some("2026-02-07T03:00:00Z"));
        assert_eq!(rfc("2026-02-07").as_deref(), Some("2026-02-07T00:00:00Z"));
        assert_eq!(rfc("2026-02-07 08:30").as_deref(), Some("2026-02-07T08:30:00Z"));
        assert_eq!(rfc("1639000000000").as_deref(), Some("2021-12-08T21:46:40Z"));
        assert_eq!(rfc("2026"), None);
        assert_eq!(rfc("yesterday"), None);
    }

    #[test]
    fn a_source_outside_of_the_project_is_reported_at_its_line() {
        let line = |front_matter| line_of_source(front_matter, "../out.rs");
        assert_eq!(line("---\ntitle: ../out.rs\nsource_refs:\n  - src/a.rs\n  - ../out.rs\n---\n"), 5);
        assert_eq!(line("---\nsourceRefs: [src/a.rs, ../out.rs]\n---\n"), 2);
        assert_eq!(line("---\r\nsource_refs:\r\n- \"..\\x2fout.rs\"\r\n---\r\n"), 2);
    }
}
