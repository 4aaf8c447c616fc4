//! YAML. Each key is a definition.

use std::ops::Range;

use granit_parser::{Event, Parser, ScalarStyle, Span};

use super::{Keys, OpenKey, invalid};
use crate::limits::{Deadline, Unreadable};
use crate::outline::Outline;
use crate::tokens::Form;

/// Maximum depth of lists and maps.
const DEPTH: usize = 64;

/// # Errors
/// [`Unreadable::Invalid`], [`Unreadable::TooMany`] and [`Unreadable::TookTooLong`].
pub fn outline(text: &[u8], yaml: &str, deadline: &mut Deadline) -> Result<Outline, Unreadable> {
    let limits = granit_parser::options! { flow_nesting_limit: DEPTH, block_nesting_limit: DEPTH };
    let mut reader = Reader { keys: Keys::new(text), frames: Vec::new(), end: 0 };
    for item in Parser::new_from_str_with_options(yaml, limits) {
        deadline.step()?;
        let (event, span) = item.map_err(|error| invalid(text, error.marker().byte_offset().unwrap_or(0)))?;
        reader.read(event, &span)?;
    }
    Ok(reader.keys.out)
}

struct Reader<'a> {
    keys: Keys<'a>,
    frames: Vec<Frame>,
    /// The end of the last value. Maps and lists in block style end there.
    end: usize,
}

enum Frame {
    List { count: usize, element: Option<OpenKey> },
    Map { key: Option<OpenKey> },
}

impl Reader<'_> {
    fn read(&mut self, event: Event<'_>, span: &Span) -> Result<(), Unreadable> {
        let range = span.byte_range().unwrap_or(self.end..self.end);
        match event {
            Event::Scalar(value, style, _, tag) => {
                // A block scalar may include the line break after it.
                self.end = range.start + self.text(&range).trim_ascii_end().len();
                if self.is_key() {
                    return self.open_key(&value, range);
                }
                self.tag(tag.as_deref().map(ToString::to_string), &range);
                // The quote tells the text 'on' from the value on.
                let quote = if style == ScalarStyle::Plain { "" } else { "\"" };
                self.keys.out.tokens.push_decoded(range, format!("{quote}{value}"));
                self.after_value();
            }
            Event::Alias(_) => {
                self.end = range.end;
                if self.is_key() {
                    return self.open_key("", range);
                }
                self.keys.out.tokens.push(range, Form::Literal);
                self.after_value();
            }
            Event::SequenceStart(_, _, tag) => {
                self.before_collection(range.start)?;
                self.tag(tag.as_deref().map(ToString::to_string), &range);
                self.start(range.start, Frame::List { count: 0, element: None });
            }
            Event::MappingStart(_, _, tag) => {
                self.before_collection(range.start)?;
                self.tag(tag.as_deref().map(ToString::to_string), &range);
                self.start(range.start, Frame::Map { key: None });
            }
            Event::SequenceEnd | Event::MappingEnd => {
                self.frames.pop();
                if matches!(self.text(&range), b"]" | b"}") {
                    self.end = range.end;
                }
                self.keys.out.tokens.push(self.end..self.end, Form::Dedent);
                self.after_value();
            }
            _ => {}
        }
        Ok(())
    }

    fn text(&self, range: &Range<usize>) -> &[u8] {
        self.keys.text.get(range.clone()).unwrap_or_default()
    }

    fn start(&mut self, at: usize, frame: Frame) {
        self.keys.out.tokens.push(at..at, Form::Indent);
        self.frames.push(frame);
    }

    fn tag(&mut self, tag: Option<String>, range: &Range<usize>) {
        if let Some(tag) = tag {
            self.keys.out.tokens.push_decoded(range.start..range.start, tag);
        }
    }

    fn is_key(&self) -> bool {
        matches!(self.frames.last(), Some(Frame::Map { key: None }))
    }

    fn open_key(&mut self, name: &str, range: Range<usize>) -> Result<(), Unreadable> {
        let open = self.keys.open(name, range, true)?;
        if let Some(Frame::Map { key }) = self.frames.last_mut() {
            *key = Some(open);
        }
        Ok(())
    }

    /// A map or a list in a list has a number as its key. A map or a list that is a key has no name.
    fn before_collection(&mut self, at: usize) -> Result<(), Unreadable> {
        match self.frames.last_mut() {
            Some(Frame::List { count, element }) => {
                *element = Some(self.keys.open(&count.to_string(), at..at, false)?);
                Ok(())
            }
            Some(Frame::Map { key: None }) => self.open_key("", at..at),
            _ => Ok(()),
        }
    }

    fn after_value(&mut self) {
        let done = match self.frames.last_mut() {
            Some(Frame::List { count, element }) => {
                *count += 1;
                element.take()
            }
            Some(Frame::Map { key }) => key.take(),
            None => None,
        };
        if let Some(key) = done {
            self.keys.close(&key, self.end);
        }
    }
}
