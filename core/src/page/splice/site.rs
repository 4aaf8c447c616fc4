//! Finds where the value of a key is in a YAML block, or where the key has to be added.

use std::ops::Range;

use granit_parser::{Event, Parser, ScalarStyle, Span, StructureStyle};

use crate::page::front_matter::limits;
use crate::{reported, word};

/// Where to write; offsets are relative to the block.
pub(super) enum Site {
    /// The bytes of a value.
    Value { range: Range<usize>, style: ScalarStyle, flow: bool },
    /// The key exists without a value.
    Empty { after_colon: usize, flow: bool },
    /// The key is missing in `{…}`; `comma` tells whether the new field needs one before it.
    MissingInFlow { before_brace: usize, comma: bool },
    /// The key is missing; a line is added at the end.
    Missing { indent: String },
}

/// Finds the first `key` at the top level of `source`; the error says why it cannot be written.
pub(super) fn find(source: &str, key: &str) -> Result<Site, String> {
    let mut search =
        Search { source, key, depth: 0, at_key: true, matched: None, flow: false, indent: None, last: 0 };
    for item in Parser::new_from_str_with_options(source, limits()) {
        let (event, span) = item.map_err(|error| error.info())?;
        if let Some(site) = search.event(&event, &span)? {
            return Ok(site);
        }
    }
    Ok(Site::Missing { indent: search.indent.unwrap_or_default() })
}

struct Search<'a> {
    source: &'a str,
    key: &'a str,
    depth: usize,
    /// Whether the next node at the top level is a key.
    at_key: bool,
    /// End of the key, if the next node is its value.
    matched: Option<usize>,
    flow: bool,
    /// Indentation of the first key.
    indent: Option<String>,
    /// End of the last node.
    last: usize,
}

impl Search<'_> {
    fn event(&mut self, event: &Event<'_>, span: &Span) -> Result<Option<Site>, String> {
        let range = span.byte_range().ok_or(word!("the YAML parser returned no position"))?;
        match event {
            Event::MappingStart(style, ..) if self.depth == 0 => {
                self.flow = *style == StructureStyle::Flow;
                self.depth = 1;
                self.last = range.end;
                return Ok(None);
            }
            Event::MappingStart(..) | Event::SequenceStart(..) => {
                if self.depth == 1 && self.matched.is_some() {
                    return Err(reported!("`{key}` is a list or a map, not a text", key = self.key));
                }
                self.depth += 1;
            }
            Event::MappingEnd if self.depth == 1 => {
                self.depth = 0;
                return Ok(self.flow.then(|| self.missing_in_flow(range.start)));
            }
            Event::MappingEnd | Event::SequenceEnd => {
                self.depth -= 1;
                self.node_done(range.end);
            }
            Event::Scalar(text, style, anchor, _) if self.depth == 1 => {
                return self.scalar(text, *style, *anchor, range);
            }
            Event::Alias(_) if self.depth == 1 => {
                if self.matched.is_some() {
                    return Ok(Some(Site::Value { range, style: ScalarStyle::Plain, flow: self.flow }));
                }
                self.node_done(range.end);
            }
            Event::Scalar(..) | Event::Alias(_) => self.last = range.end,
            _ => {}
        }
        Ok(None)
    }

    fn node_done(&mut self, end: usize) {
        self.last = end;
        if self.depth == 1 {
            self.at_key = !self.at_key;
        }
    }

    fn scalar(
        &mut self,
        text: &str,
        style: ScalarStyle,
        anchor: usize,
        range: Range<usize>,
    ) -> Result<Option<Site>, String> {
        if self.at_key {
            if self.indent.is_none() {
                self.indent = Some(blanks_before(self.source, range.start).to_owned());
            }
            self.matched = (text == self.key && !range.is_empty()).then_some(range.end);
        } else if let Some(key_end) = self.matched {
            return self.value(key_end, style, anchor, range).map(Some);
        }
        self.node_done(range.end);
        Ok(None)
    }

    fn value(
        &self,
        key_end: usize,
        style: ScalarStyle,
        anchor: usize,
        range: Range<usize>,
    ) -> Result<Site, String> {
        let flow = self.flow;
        let is_block = matches!(style, ScalarStyle::Literal | ScalarStyle::Folded);
        if !range.is_empty() && !is_block {
            return Ok(Site::Value { range, style, flow });
        }
        let after_key = self.source.get(key_end..).unwrap_or("");
        let blanks = after_key.len() - after_key.trim_start_matches([' ', '\t']).len();
        if !after_key[blanks..].starts_with(':') {
            return Err(reported!("`{key}` is not followed by a colon", key = self.key));
        }
        let after_colon = key_end + blanks + 1;
        if !is_block {
            if anchor != 0 {
                return Err(reported!("`{key}` has an anchor and no value", key = self.key));
            }
            return Ok(Site::Empty { after_colon, flow });
        }
        // The parser's span of a block scalar does not include its `|` or `>`.
        let after = self.source.get(after_colon..).unwrap_or("");
        let header = after_colon + after.len() - after.trim_start_matches([' ', '\t']).len();
        let written = self.source.get(header..range.end.max(header)).unwrap_or("").trim_end();
        let first_line = written.lines().next().unwrap_or("");
        if !first_line.starts_with(['|', '>']) || first_line.contains('#') {
            return Err(reported!(
                "`{key}` has a tag, an anchor or a comment before its text",
                key = self.key
            ));
        }
        Ok(Site::Value { range: header..header + written.len(), style, flow })
    }

    fn missing_in_flow(&self, brace: usize) -> Site {
        let between = self.source.get(self.last..brace).unwrap_or("");
        let before_brace = self.last + between.trim_end().len();
        let opened = self.source.get(..before_brace).unwrap_or("");
        Site::MissingInFlow { before_brace, comma: !opened.ends_with([',', '{']) }
    }
}

fn blanks_before(source: &str, offset: usize) -> &str {
    let before = source.get(..offset).unwrap_or("");
    &before[before.trim_end_matches([' ', '\t']).len()..]
}
