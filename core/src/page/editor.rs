//! A page as editors see it: with ranges in UTF-16 code units, and without an index, because links and
//! headings are read from the text alone.

use std::ops::Range;

use schemars::JsonSchema;
use serde::Serialize;

use super::{Block, Diagnostic, LinkKind, LinkTypes, parse};

/// A text, parsed on its own. Every range is `[start, end)` in UTF-16 code units from the beginning of
/// the text; lines count from 1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ParsedPage {
    /// Title from front matter, else the level-1 heading at the top; absent if the file name is the title.
    pub title: Option<String>,
    /// Other names of the page.
    pub aliases: Vec<String>,
    /// Tags, without `#`, each once.
    pub tags: Vec<String>,
    /// The front matter block including both fences and its last line break, if any.
    pub front_matter: Option<[usize; 2]>,
    /// Headings, in order.
    pub headings: Vec<ParsedHeading>,
    /// Links, in order; those of front matter first.
    pub links: Vec<ParsedLink>,
    /// Paragraphs that carry a `^name`.
    pub blocks: Vec<Block>,
    /// Parts that could not be parsed.
    pub diagnostics: Vec<Diagnostic>,
}

/// A heading and its section.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ParsedHeading {
    /// Id of its section within the page.
    pub section_id: String,
    /// Its text without markup.
    pub text: String,
    /// 1 to 6.
    pub level: u8,
    /// Its line.
    pub line: usize,
    /// The heading and the text below, up to the next heading of any level.
    pub range: [usize; 2],
}

/// A link as written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ParsedLink {
    /// How it is written.
    pub kind: LinkKind,
    /// Its target, including heading or block.
    pub target: String,
    /// Its type.
    pub link_type: String,
    /// Display text, if it has one.
    pub text: Option<String>,
    /// Line on which it starts.
    pub line: usize,
    /// The whole link, including brackets and `!`.
    pub range: [usize; 2],
}

impl ParsedPage {
    /// Reads a text like [`parse`].
    pub fn read(text: &str, types: &LinkTypes) -> Self {
        let page = parse(text, types);
        let front_matter = Some(page.front_matter.range.clone()).filter(|range| !range.is_empty());
        let sections = || page.sections.iter().filter(|section| section.level > 0);
        let links = page.links.iter().map(|link| &link.range);
        let ranges = sections().map(|section| &section.range).chain(links).chain(&front_matter);
        let offsets = Utf16::of(text, ranges.flat_map(|range| [range.start, range.end]).collect());
        let headings = sections().map(|section| ParsedHeading {
            section_id: section.id.clone(),
            text: section.heading.clone(),
            level: section.level,
            line: section.lines.0,
            range: offsets.range(&section.range),
        });
        let headings = headings.collect();
        let links = page.links.iter().map(|link| ParsedLink {
            kind: link.kind,
            target: link.target.clone(),
            link_type: link.link_type.clone(),
            text: link.text.clone(),
            line: link.line,
            range: offsets.range(&link.range),
        });
        Self {
            front_matter: front_matter.as_ref().map(|range| offsets.range(range)),
            headings,
            links: links.collect(),
            title: page.title,
            aliases: page.aliases,
            tags: page.tags,
            blocks: page.blocks,
            diagnostics: page.diagnostics,
        }
    }
}

/// Byte offsets in a text, in ascending order, with the UTF-16 code units before each.
struct Utf16(Vec<(usize, usize)>);

impl Utf16 {
    fn of(text: &str, mut bytes: Vec<usize>) -> Self {
        bytes.sort_unstable();
        bytes.dedup();
        let (mut at, mut units) = (0, 0);
        let counted = bytes.into_iter().map(|byte| {
            let passed = text.get(at..byte).unwrap_or_default();
            units += passed.chars().map(char::len_utf16).sum::<usize>();
            at = byte;
            (byte, units)
        });
        Self(counted.collect())
    }

    fn range(&self, bytes: &Range<usize>) -> [usize; 2] {
        [bytes.start, bytes.end].map(|byte| {
            let place = self.0.partition_point(|&(known, _)| known < byte);
            self.0.get(place).map_or(0, |&(_, units)| units)
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn read(text: &str) -> ParsedPage {
        ParsedPage::read(text, &LinkTypes::default())
    }

    /// The text of a range, as an editor sees it.
    fn part(text: &str, [start, end]: [usize; 2]) -> String {
        let units: Vec<u16> = text.encode_utf16().collect();
        String::from_utf16(units.get(start..end).unwrap()).unwrap()
    }

    #[test]
    fn ranges_are_in_utf16_code_units() {
        let text = "---\ntitle: 認証 🔑\nimplements: \"[[🔑 鍵]]\"\n---\n# 認証\n\n😀 [[設計/認証#概要|depends_on]] 🗝️ ![[図.png]]\n\n## 𠮷野家\n[x](🔑.md)\n";
        let page = read(text);
        assert_eq!(
            part(text, page.front_matter.unwrap()),
            "---\ntitle: 認証 🔑\nimplements: \"[[🔑 鍵]]\"\n---\n"
        );
        let links: Vec<String> = page.links.iter().map(|link| part(text, link.range)).collect();
        assert_eq!(links, ["[[🔑 鍵]]", "[[設計/認証#概要|depends_on]]", "![[図.png]]", "[x](🔑.md)"]);
        let headings: Vec<(&str, usize, String)> = page
            .headings
            .iter()
            .map(|heading| (heading.text.as_str(), heading.line, part(text, heading.range)))
            .collect();
        assert_eq!(headings[0].0, "認証");
        assert!(headings[0].2.starts_with("# 認証\n"), "{headings:?}");
        assert_eq!((headings[1].0, headings[1].1), ("𠮷野家", 9));
        assert!(headings[1].2.starts_with("## 𠮷野家\n[x]"), "{headings:?}");
    }

    #[test]
    fn an_empty_text_is_a_page() {
        let page = read("");
        assert_eq!((page.front_matter, page.headings.len(), page.links.len()), (None, 0, 0));
        let marked = read("\u{feff}[[a]]");
        assert_eq!(marked.links[0].range, [1, 6]);
    }
}
