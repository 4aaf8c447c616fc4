//! YAML as a tree of texts, with the line of each.

use granit_parser::{Event, Parser, Span};

use super::Problem;
use crate::message;
use crate::message::Message;

/// Maximum depth of nested lists and maps.
const DEPTH: usize = 32;

/// A value, and the line on which it starts.
#[derive(Debug, Clone)]
pub(super) struct Node {
    pub line: usize,
    pub kind: Kind,
}

#[derive(Debug, Clone)]
pub(super) enum Kind {
    Empty,
    Text(String),
    List(Vec<Node>),
    Map(Vec<(String, Node)>),
}

impl Node {
    pub(super) fn problem(&self, message: Message) -> Problem {
        Problem { line: self.line, message }
    }

    pub(super) fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The entries of a map; none if there is nothing here.
    pub(super) fn entries(&self, name: &str) -> Result<&[(String, Node)], Problem> {
        match &self.kind {
            Kind::Empty => Ok(&[]),
            Kind::Map(entries) => Ok(entries),
            _ => Err(self.problem(message!("`{name}` has to be a map", name))),
        }
    }

    /// The items of a list; none if there is nothing here.
    pub(super) fn items(&self, name: &str) -> Result<&[Node], Problem> {
        match &self.kind {
            Kind::Empty => Ok(&[]),
            Kind::List(items) => Ok(items),
            _ => Err(self.problem(message!("`{name}` has to be a list", name))),
        }
    }
}

/// A list or map whose end has not been read.
enum Open {
    List(usize, Vec<Node>),
    Map(usize, Vec<(String, Node)>, Option<String>),
}

/// Reads one document.
pub(super) fn read(text: &str) -> Result<Node, Problem> {
    let limits = granit_parser::options! { flow_nesting_limit: DEPTH, block_nesting_limit: DEPTH };
    let mut open: Vec<Open> = Vec::new();
    let mut root = None;
    let mut documents = 0;
    for item in Parser::new_from_str_with_options(text, limits) {
        let (event, span) = item.map_err(|error| {
            let line = error.marker().line().max(1);
            let message = match is_tag(text.lines().nth(line - 1).unwrap_or_default()) {
                true => unquoted(),
                false => {
                    message!("this is not valid YAML: {reason}", reason = Message::reported(error.info()))
                }
            };
            Problem { line, message }
        })?;
        let line = line_of(&span);
        let problem = |message| Problem { line, message };
        let node = match event {
            Event::DocumentStart(..) => {
                documents += 1;
                if documents > 1 {
                    return Err(problem(message!("a second YAML document starts here")));
                }
                continue;
            }
            // `- !file.hasTag("x")` is a tag of YAML without a value. The condition would be lost.
            Event::Scalar(_, _, _, Some(_))
            | Event::SequenceStart(.., Some(_))
            | Event::MappingStart(.., Some(_)) => {
                return Err(problem(unquoted()));
            }
            Event::Alias(_) => {
                return Err(problem(message!("put quotes around a text that begins with `*`")));
            }
            Event::Scalar(text, style, ..) => {
                let is_plain = style == granit_parser::ScalarStyle::Plain;
                let kind = match text.is_empty() || is_plain && matches!(&*text, "null" | "~") {
                    true => Kind::Empty,
                    false => Kind::Text(text.into_owned()),
                };
                Node { line, kind }
            }
            Event::SequenceStart(..) | Event::MappingStart(..) if open.len() >= DEPTH => {
                return Err(problem(message!("this is nested too deeply")));
            }
            Event::SequenceStart(..) => {
                open.push(Open::List(line, Vec::new()));
                continue;
            }
            Event::MappingStart(..) => {
                open.push(Open::Map(line, Vec::new(), None));
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some(Open::List(line, items)) => Node { line, kind: Kind::List(items) },
                Some(Open::Map(line, entries, _)) => Node { line, kind: Kind::Map(entries) },
                None => continue,
            },
            _ => continue,
        };
        match open.last_mut() {
            None => root = Some(node),
            Some(Open::List(_, items)) => items.push(node),
            Some(Open::Map(_, entries, key)) => match (key.take(), node.kind) {
                (Some(name), kind) => entries.push((name, Node { line: node.line, kind })),
                (None, Kind::Text(name)) if entries.iter().any(|(known, _)| *known == name) => {
                    return Err(problem(message!("the key `{name}` is repeated", name)));
                }
                (None, Kind::Text(name)) => *key = Some(name),
                (None, _) => return Err(problem(message!("a key has to be a text"))),
            },
        }
    }
    Ok(root.unwrap_or(Node { line: 1, kind: Kind::Empty }))
}

fn unquoted() -> Message {
    message!("put quotes around an expression that begins with `!`")
}

fn line_of(span: &Span) -> usize {
    span.start.line().max(1)
}

/// Whether the value in a line is a tag of YAML: `- !file.hasTag("x")`.
fn is_tag(line: &str) -> bool {
    let value = line.trim_start().trim_start_matches("- ");
    let value = value.split_once(": ").map_or(value, |(_, value)| value);
    value.trim_start().starts_with('!')
}
