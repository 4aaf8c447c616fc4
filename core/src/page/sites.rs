//! Locates the targets of links in a text, so that a link can be updated when its page moves, without changing
//! anything else. Unlike [`Link`](super::Link), this includes images and the definitions
//! of reference links.

use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Parser, Tag};

use super::front_matter::{self, Reading};
use super::lines::Lines;
use super::link_syntax::{self, parse_link};
use super::{FrontMatter, LinkKind, LinkTypes, body};

/// The syntax of a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Syntax {
    /// Between `[[` and `]]`, verbatim.
    Wiki,
    /// A Markdown destination; with `angle` between `<` and `>`.
    Destination { angle: bool },
}

/// The target of a link, image or definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Site {
    /// The kind of link.
    pub kind: LinkKind,
    /// Its syntax.
    pub syntax: Syntax,
    /// The decoded target, including a heading.
    pub target: String,
    /// The target without its heading, as far as its syntax shows.
    pub name: String,
    /// Bytes of the target.
    pub range: Range<usize>,
    /// Bytes of the whole link or definition.
    pub whole: Range<usize>,
    /// Bytes of the text of the link, if it has its own; `None` for a definition.
    pub shown: Option<Range<usize>>,
    /// Whether it is a definition, which has no visible text.
    pub definition: bool,
    /// Line on which it starts, from 1.
    pub line: usize,
}

/// Every site: those of front matter first, then in order of appearance, definitions last.
pub(crate) fn sites(text: &str, types: &LinkTypes) -> Vec<Site> {
    Linking::of(text, types).sites
}

/// What a page names other pages and files with.
pub(crate) struct Linking {
    /// As [`sites`] returns them.
    pub sites: Vec<Site>,
    /// Its front matter.
    #[cfg_attr(target_family = "wasm", allow(dead_code))]
    pub front_matter: FrontMatter,
    /// The number of problems in the front matter.
    pub problems: usize,
}

impl Linking {
    /// Those of a text.
    pub(crate) fn of(text: &str, types: &LinkTypes) -> Self {
        let lines = Lines::new(text);
        let front = front_matter::read(text, &lines, types);
        let sites = found(text, types, &lines, &front);
        Self { sites, front_matter: front.front_matter, problems: front.diagnostics.len() }
    }
}

fn found(text: &str, types: &LinkTypes, lines: &Lines, front: &Reading) -> Vec<Site> {
    let mut found: Vec<Site> = front
        .links
        .iter()
        .filter_map(|link| wiki(text, link.range.clone(), LinkKind::FrontMatter, types, lines))
        .collect();
    let start = match front.front_matter.range.end {
        0 => front_matter::text_start(text),
        end => end,
    };
    let mut parser = Parser::new_ext(text.get(start..).unwrap_or(""), body::options()).into_offset_iter();
    let mut definitions: Vec<Site> = parser
        .reference_definitions()
        .iter()
        .filter_map(|(_, definition)| {
            let whole = start + definition.span.start..start + definition.span.end;
            defined(text, whole, &definition.dest, lines)
        })
        .collect();
    definitions.sort_by_key(|site| site.range.start);
    for (event, range) in parser.by_ref() {
        let range = start + range.start..start + range.end;
        let (link_type, destination, image) = match event {
            Event::Start(Tag::Link { link_type, dest_url, .. }) => (link_type, dest_url, false),
            Event::Start(Tag::Image { link_type, dest_url, .. }) => (link_type, dest_url, true),
            _ => continue,
        };
        found.extend(match link_type {
            LinkType::WikiLink { .. } => wiki(text, range, LinkKind::Wiki, types, lines),
            LinkType::Inline => inline(text, range, &destination, image, lines),
            _ => None,
        });
    }
    found.extend(definitions);
    found
}

fn wiki(text: &str, whole: Range<usize>, kind: LinkKind, types: &LinkTypes, lines: &Lines) -> Option<Site> {
    let source = text.get(whole.clone())?;
    let parsed = parse_link(source, types)?;
    let kind = if kind == LinkKind::Wiki && parsed.embed { LinkKind::Embed } else { kind };
    let open = source.find("[[")? + 2;
    let inner = source.get(open..source.len() - 2)?;
    let base = whole.start + open;
    let part = |range: Range<usize>, escaped: bool| {
        let mut piece = inner.get(range.clone()).unwrap_or("");
        if escaped {
            piece = piece.strip_suffix('\\').unwrap_or(piece);
        }
        let blank = piece.len() - piece.trim_start().len();
        let start = base + range.start + blank;
        start..start + piece.trim().len()
    };
    let pipes: Vec<usize> = inner.match_indices('|').map(|(at, _)| at).collect();
    let (range, shown) = match pipes.first() {
        None => (part(0..inner.len(), false), None),
        Some(&pipe) if types.is_label_first() => {
            let label = part(0..pipe, true);
            let label = parsed.text.is_some().then_some(label);
            (part(pipe + 1..inner.len(), false), label)
        }
        Some(&pipe) => {
            let first = part(pipe + 1..pipes.get(1).copied().unwrap_or(inner.len()), pipes.len() > 1);
            let typed = parsed.link_type.is_some() || first.is_empty();
            let from = if typed { pipes.get(1).map(|at| at + 1) } else { Some(pipe + 1) };
            let shown = from.map(|from| part(from..inner.len(), false)).filter(|_| parsed.text.is_some());
            (part(0..pipe, true), shown)
        }
    };
    Some(Site {
        kind,
        syntax: Syntax::Wiki,
        name: parsed.target.split('#').next().unwrap_or_default().trim().to_owned(),
        target: parsed.target,
        range,
        line: lines.line_of(whole.start),
        whole,
        shown,
        definition: false,
    })
}

fn inline(text: &str, whole: Range<usize>, destination: &str, image: bool, lines: &Lines) -> Option<Site> {
    let target = link_syntax::parse_destination(destination)?;
    let source = text.get(whole.clone())?;
    let (close, range, angle) = source.match_indices("](").find_map(|(close, _)| {
        destination_at(source, close + 2).map(|(range, angle)| (close, range, angle))
    })?;
    let kind =
        if image && link_syntax::leads_to_page(&target) { LinkKind::Embed } else { LinkKind::Markdown };
    let open = usize::from(image) + 1;
    Some(Site {
        kind,
        syntax: Syntax::Destination { angle },
        name: path_part(source.get(range.clone())?, &target),
        target,
        range: whole.start + range.start..whole.start + range.end,
        line: lines.line_of(whole.start),
        shown: Some(whole.start + open..whole.start + close),
        whole,
        definition: false,
    })
}

fn defined(text: &str, whole: Range<usize>, destination: &str, lines: &Lines) -> Option<Site> {
    let target = link_syntax::parse_destination(destination)?;
    let source = text.get(whole.clone())?;
    // A label ends at the first bracket that is not escaped.
    let close = source
        .match_indices("]:")
        .map(|(at, _)| at)
        .find(|&at| !source.get(..at).unwrap_or("").ends_with('\\'))?;
    let (range, angle) = raw_destination(source, close + 2)?;
    Some(Site {
        kind: LinkKind::Markdown,
        syntax: Syntax::Destination { angle },
        name: path_part(source.get(range.clone())?, &target),
        target,
        range: whole.start + range.start..whole.start + range.end,
        line: lines.line_of(whole.start),
        whole,
        shown: None,
        definition: true,
    })
}

/// The path of a destination, decoded; an encoded `#` is part of the path.
fn path_part(written: &str, target: &str) -> String {
    let path = written.split('#').next().unwrap_or_default();
    let bare = || target.split('#').next().unwrap_or_default().to_owned();
    link_syntax::parse_destination(path).unwrap_or_else(bare)
}

/// The destination that starts at `from`, if the link ends where `source` does.
fn destination_at(source: &str, from: usize) -> Option<(Range<usize>, bool)> {
    let (range, angle) = raw_destination(source, from)?;
    let bytes = source.as_bytes();
    let mut at = skip_blank(bytes, range.end + usize::from(angle));
    if let Some(close) = match bytes.get(at)? {
        b'"' => Some(b'"'),
        b'\'' => Some(b'\''),
        b'(' => Some(b')'),
        _ => None,
    } {
        at += 1;
        while *bytes.get(at)? != close {
            at += if bytes.get(at) == Some(&b'\\') { 2 } else { 1 };
        }
        at = skip_blank(bytes, at + 1);
    }
    (bytes.get(at) == Some(&b')') && at + 1 == bytes.len()).then_some((range, angle))
}

fn raw_destination(source: &str, from: usize) -> Option<(Range<usize>, bool)> {
    let bytes = source.as_bytes();
    let mut at = skip_blank(bytes, from);
    if bytes.get(at) == Some(&b'<') {
        let start = at + 1;
        at = start;
        while *bytes.get(at)? != b'>' {
            at += if bytes.get(at) == Some(&b'\\') { 2 } else { 1 };
        }
        return Some((start..at, true));
    }
    let start = at;
    let mut depth = 0_usize;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 1,
            b'(' => depth += 1,
            b')' if depth == 0 => break,
            b')' => depth -= 1,
            byte if byte <= b' ' => break,
            _ => {}
        }
        at += 1;
    }
    let end = at.min(bytes.len());
    (end > start).then_some((start..end, false))
}

fn skip_blank(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b'>')) {
        // A `>` here starts a line of a quotation; the caller has skipped one that closes a destination.
        at += 1;
    }
    at
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn found(text: &str, types: &LinkTypes) -> Vec<String> {
        sites(text, types)
            .into_iter()
            .map(|site| {
                let shown = site.shown.map_or("-", |range| &text[range]);
                format!("{:?} {} <{}> {shown}", site.kind, site.target, &text[site.range])
            })
            .collect()
    }

    #[test]
    fn every_form_has_its_target() {
        let text = "---\ndepends_on: \"[[a b|x]]\"\nlist: ['[[c#d]]']\n---\n\
            [[ one ]] ![[two#h|three]] [[four|depends_on]] [[five|depends_on|six]] `[[no]]` [[#self]]\n\
            [seven](sub/a%20b.md#x \"](t)\") ![i](img(1).png) [![x](y.png)](<p q.md>)\n\
            [ref] [e](https://x.y) <https://z>\n\n| a |\n|--|\n| [[eight\\|nine]] |\n\n[ref]: <../r.md> 'title'\n";
        assert_eq!(
            found(text, &LinkTypes::default()),
            [
                "FrontMatter a b <a b> x",
                "FrontMatter c#d <c#d> -",
                "Wiki one <one> -",
                "Embed two#h <two#h> three",
                "Wiki four <four> -",
                "Wiki five <five> six",
                "Wiki #self <#self> -",
                "Markdown sub/a b.md#x <sub/a%20b.md#x> seven",
                "Markdown img(1).png <img(1).png> i",
                "Markdown p q.md <p q.md> ![x](y.png)",
                "Markdown y.png <y.png> x",
                "Wiki eight <eight> nine",
                "Markdown ../r.md <../r.md> -",
            ]
        );
    }

    #[test]
    fn labels_come_first_if_the_project_is_configured_so() {
        let types = LinkTypes::default().label_first(true);
        assert_eq!(
            found("[[label|a]] [[depends_on|b]] [[c]]", &types),
            ["Wiki a <a> label", "Wiki b <b> -", "Wiki c <c> -"]
        );
    }
}
