//! Builds [`Value`]s from YAML events. Scalars are kept verbatim (`on`, `1.0` and
//! `2026-02-07` are not converted to booleans, numbers and dates). Memory and stack are bounded for any
//! input: nesting and copies by alias are limited.

use std::collections::{HashMap, HashSet};

use granit_parser::{Event, Options, Parser, ScalarStyle, Span};

use super::{Findings, values};
use crate::page::Value;
use crate::{reported, word};

/// Maximum depth of nested lists and maps.
pub(in crate::page) const DEPTH_LIMIT: usize = 64;

/// Maximum number of bytes that aliases may copy in one page; real pages need far fewer.
const COPY_LIMIT: usize = 1 << 20;

/// Size of a node beyond its text, in bytes.
const NODE_WEIGHT: usize = 32;

/// The limits of the YAML parser.
pub(in crate::page) fn limits() -> Options {
    granit_parser::options! { flow_nesting_limit: DEPTH_LIMIT, block_nesting_limit: DEPTH_LIMIT }
}

/// Why a block is not valid YAML.
#[derive(Debug)]
pub(super) struct Problem {
    /// Offset in the page's text.
    pub offset: usize,
    pub message: String,
}

/// Reads a top-level mapping from `source`, which is at `base` in the page. No fields if
/// there are only blanks or comments. On an error, `findings` are restored.
pub(super) fn mapping(
    source: &str,
    base: usize,
    findings: &mut Findings<'_>,
) -> Result<Vec<(String, Value)>, Problem> {
    let before = findings.mark();
    let mut builder = Builder {
        source,
        base,
        findings,
        frames: Vec::new(),
        anchors: HashMap::new(),
        copied: 0,
        root: None,
    };
    let result = builder.run();
    if result.is_err() {
        findings.back_to(&before);
    }
    result
}

struct Builder<'s, 'f, 'l> {
    source: &'s str,
    base: usize,
    findings: &'f mut Findings<'l>,
    frames: Vec<Frame>,
    anchors: HashMap<usize, Anchored>,
    copied: usize,
    root: Option<Value>,
}

struct Frame {
    anchor: usize,
    /// Where it starts in the source.
    start: usize,
    node: Node,
}

enum Node {
    List(Vec<Value>),
    Map(Map),
}

#[derive(Default)]
struct Map {
    fields: Vec<(String, Value)>,
    names: HashSet<String>,
    key: Option<Key>,
    merged: Vec<Value>,
}

struct Key {
    name: String,
    offset: usize,
    /// `<<`, unquoted: the fields of its value are merged into the map.
    merges: bool,
    /// The link type that it names, once it was looked up.
    link_type: Option<Option<String>>,
}

struct Anchored {
    value: Value,
    depth: usize,
    weight: usize,
}

impl Builder<'_, '_, '_> {
    fn run(&mut self) -> Result<Vec<(String, Value)>, Problem> {
        let source = self.source;
        let mut documents = 0;
        for item in Parser::new_from_str_with_options(source, limits()) {
            let (event, span) = item.map_err(|error| Problem {
                offset: self.base + error.marker().byte_offset().unwrap_or(0),
                message: reported!("this is not valid YAML: {reason}", reason = error.info()),
            })?;
            match event {
                Event::DocumentStart(..) => {
                    documents += 1;
                    if documents > 1 {
                        return Err(self.problem(&span, word!("a second YAML document starts here")));
                    }
                }
                Event::Scalar(text, style, anchor, _) => self.scalar(&text, style, anchor, &span)?,
                Event::SequenceStart(_, anchor, _) => self.open(Node::List(Vec::new()), anchor, &span)?,
                Event::MappingStart(_, anchor, _) => self.open(Node::Map(Map::default()), anchor, &span)?,
                Event::SequenceEnd | Event::MappingEnd => self.close(&span),
                Event::Alias(id) => self.alias(id, &span)?,
                _ => {}
            }
        }
        match self.root.take() {
            Some(Value::Map(fields)) => Ok(fields),
            None => Ok(Vec::new()),
            Some(Value::Text(text)) if text.is_empty() => Ok(Vec::new()),
            Some(_) => {
                let message = word!("expected lines of the form `key: value`").into();
                Err(Problem { offset: self.base, message })
            }
        }
    }

    fn problem(&self, span: &Span, message: &str) -> Problem {
        Problem { offset: self.offset(span), message: message.into() }
    }

    fn offset(&self, span: &Span) -> usize {
        self.base + span.start.byte_offset().unwrap_or(0)
    }

    /// The current map, if its next node is a key.
    fn map_awaiting_key(&mut self) -> Option<&mut Map> {
        match self.frames.last_mut() {
            Some(Frame { node: Node::Map(map), .. }) if map.key.is_none() => Some(map),
            _ => None,
        }
    }

    fn scalar(&mut self, text: &str, style: ScalarStyle, anchor: usize, span: &Span) -> Result<(), Problem> {
        let offset = self.offset(span);
        let range = span.byte_range().unwrap_or(0..0);
        let plain = style == ScalarStyle::Plain;
        if let Some(map) = self.map_awaiting_key() {
            let name = if plain && range.is_empty() { String::new() } else { text.to_owned() };
            map.key = Some(Key { merges: plain && name == "<<", name, offset, link_type: None });
            return Ok(());
        }
        let is_null = plain && (range.is_empty() || matches!(text, "null" | "Null" | "NULL"));
        let text = if is_null { "" } else { text };
        if text.contains("[[") {
            let link_type = self.link_type();
            let slice = self.source.get(range.clone()).unwrap_or("");
            values::links(text, slice, offset, link_type.as_deref(), self.findings);
        }
        self.finish(Value::Text(text.to_owned()), anchor);
        Ok(())
    }

    /// The link type of the nearest key that names one.
    fn link_type(&mut self) -> Option<String> {
        let types = self.findings.types;
        self.frames.iter_mut().rev().find_map(|frame| match &mut frame.node {
            Node::Map(Map { key: Some(key), .. }) => {
                let name = &key.name;
                key.link_type.get_or_insert_with(|| types.for_key(name).map(str::to_owned)).clone()
            }
            _ => None,
        })
    }

    fn open(&mut self, node: Node, anchor: usize, span: &Span) -> Result<(), Problem> {
        if self.map_awaiting_key().is_some() {
            return Err(self.problem(span, word!("a key must be text; put quotes around `{…}` and `[…]`")));
        }
        if self.frames.len() >= DEPTH_LIMIT {
            return Err(self.problem(span, word!("nested too deeply")));
        }
        self.frames.push(Frame { anchor, start: span.start.byte_offset().unwrap_or(0), node });
        Ok(())
    }

    fn close(&mut self, span: &Span) {
        let Some(frame) = self.frames.pop() else { return };
        let value = match frame.node {
            Node::List(items) => {
                self.unquoted_link(&items, frame.start, span);
                Value::List(items)
            }
            Node::Map(map) => Value::Map(self.with_merged(map, span)),
        };
        self.finish(value, frame.anchor);
    }

    /// YAML reads `key: [[page]]` as a nested list, but its author meant a link.
    fn unquoted_link(&mut self, items: &[Value], start: usize, span: &Span) {
        let [Value::List(inner)] = items else { return };
        let end = span.end.byte_offset().unwrap_or(0);
        let Some(source) = self.source.get(start..end) else { return };
        let is_pair = source.starts_with("[[") && source.ends_with("]]") && source.rfind('[') == Some(1);
        if !matches!(inner.as_slice(), [Value::Text(_)]) || !is_pair {
            return;
        }
        let link_type = self.link_type();
        let offset = self.base + start;
        values::links(source, source, offset, link_type.as_deref(), self.findings);
        let message = reported!("put quotes around {source}: to YAML it is a list in a list");
        self.findings.diagnose(offset, "front_matter_unquoted_link", message);
    }

    /// The fields of a map, followed by those of the maps that it merges.
    fn with_merged(&mut self, mut map: Map, span: &Span) -> Vec<(String, Value)> {
        for merged in std::mem::take(&mut map.merged) {
            let sources = match merged {
                Value::List(items) => items,
                other => vec![other],
            };
            for source in sources {
                let Value::Map(fields) = source else {
                    let offset = self.offset(span);
                    self.findings.diagnose(offset, "front_matter_merge", word!("`<<` needs a map to merge"));
                    continue;
                };
                for (name, value) in fields {
                    if map.names.insert(name.clone()) {
                        map.fields.push((name, value));
                    }
                }
            }
        }
        map.fields
    }

    fn alias(&mut self, id: usize, span: &Span) -> Result<(), Problem> {
        let offset = self.offset(span);
        let depth = self.frames.len();
        // The anchor of a value is added when it is complete: a value cannot contain itself.
        let value = match self.anchors.get(&id) {
            Some(anchored)
                if depth + anchored.depth <= DEPTH_LIMIT && self.copied + anchored.weight <= COPY_LIMIT =>
            {
                self.copied += anchored.weight;
                anchored.value.clone()
            }
            _ => {
                let message = word!("this alias refers to itself or copies too much; it is read as empty");
                self.findings.diagnose(offset, "front_matter_alias", message);
                Value::Text(String::new())
            }
        };
        if self.map_awaiting_key().is_none() {
            self.finish(value, 0);
            return Ok(());
        }
        let Value::Text(name) = value else { return Err(self.problem(span, word!("a key must be text"))) };
        if let Some(map) = self.map_awaiting_key() {
            map.key = Some(Key { name, offset, merges: false, link_type: None });
        }
        Ok(())
    }

    /// Adds a finished value to its parent.
    fn finish(&mut self, value: Value, anchor: usize) {
        if anchor != 0 {
            let (depth, weight) = measure(&value);
            self.anchors.insert(anchor, Anchored { value: value.clone(), depth, weight });
        }
        match self.frames.last_mut() {
            None => self.root = Some(value),
            Some(Frame { node: Node::List(items), .. }) => items.push(value),
            Some(Frame { node: Node::Map(map), .. }) => {
                let Some(key) = map.key.take() else { return };
                if key.merges {
                    map.merged.push(value);
                } else if map.names.insert(key.name.clone()) {
                    map.fields.push((key.name, value));
                } else {
                    self.findings.diagnose(
                        key.offset,
                        "front_matter_duplicate_key",
                        super::duplicate(&key.name),
                    );
                }
            }
        }
    }
}

/// Depth of a value, and the size of a copy.
fn measure(value: &Value) -> (usize, usize) {
    match value {
        Value::Text(text) => (0, NODE_WEIGHT + text.len()),
        Value::List(items) => enclose(items.iter().map(measure)),
        Value::Map(fields) => enclose(fields.iter().map(|(name, value)| {
            let (depth, weight) = measure(value);
            (depth, weight + name.len())
        })),
    }
}

fn enclose(parts: impl Iterator<Item = (usize, usize)>) -> (usize, usize) {
    parts.fold((1, NODE_WEIGHT), |(depth, weight), (inner, add)| (depth.max(inner + 1), weight + add))
}
