//! Markdown. Each section is a definition, named by its heading.

use std::ops::Range;

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::Lines;
use crate::definition::Kind;
use crate::limits::{Deadline, Unreadable};
use crate::outline::{Draft, Outline};
use crate::tokens::Form;

/// # Errors
/// [`Unreadable::TooMany`] and [`Unreadable::TookTooLong`].
pub fn outline(text: &[u8], markdown: &str, deadline: &mut Deadline) -> Result<Outline, Unreadable> {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    let mut reader =
        Reader { text, lines: Lines::of(text), open: Vec::new(), heading: None, out: Outline::default() };
    let mut code: Option<(Range<usize>, String)> = None;
    for (event, range) in Parser::new_ext(markdown, options).into_offset_iter() {
        deadline.step()?;
        match event {
            Event::Start(Tag::Heading { level, .. }) => reader.heading = Some(Heading::new(level, range)),
            Event::End(TagEnd::Heading(_)) => reader.start_section()?,
            Event::Start(Tag::CodeBlock(_)) => code = Some((range, String::new())),
            Event::End(TagEnd::CodeBlock) => {
                if let Some((range, said)) = code.take() {
                    reader.out.tokens.push_decoded(range, said.replace('\r', ""));
                }
            }
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. })
                if reader.heading.is_none() =>
            {
                reader.out.tokens.push_decoded(range, dest_url.into_string());
            }
            Event::Text(said) => match &mut code {
                // Its lines may arrive one by one.
                Some((_, lines)) => lines.push_str(&said),
                None => reader.say(&said, range, Form::Prose),
            },
            Event::Code(said) | Event::InlineMath(said) if reader.heading.is_none() => {
                reader.out.tokens.push_decoded(range, said.into_string());
            }
            Event::Code(said) | Event::InlineMath(said) => reader.say(&said, range, Form::Prose),
            Event::Html(said) | Event::InlineHtml(said) if !said.trim_start().starts_with("<!--") => {
                reader.say(&said, range, Form::Prose);
            }
            Event::TaskListMarker(_) | Event::FootnoteReference(_) => {
                reader.out.tokens.push(range, Form::Plain)
            }
            _ => {}
        }
    }
    // A long paragraph is read in a few steps.
    deadline.check()?;
    reader.end_sections(1, text.len());
    Ok(reader.out)
}

struct Heading {
    level: usize,
    range: Range<usize>,
    name: String,
}

impl Heading {
    fn new(level: HeadingLevel, range: Range<usize>) -> Self {
        Self { level: level as usize, range, name: String::new() }
    }
}

struct Section {
    level: usize,
    place: Option<usize>,
    name: String,
}

struct Reader<'a> {
    text: &'a [u8],
    lines: Lines,
    open: Vec<Section>,
    /// The heading that is being read.
    heading: Option<Heading>,
    out: Outline,
}

impl Reader<'_> {
    fn say(&mut self, said: &str, range: Range<usize>, form: Form) {
        match &mut self.heading {
            Some(heading) => heading.name.push_str(said),
            None => self.out.tokens.push(range, form),
        }
    }

    fn start_section(&mut self) -> Result<(), Unreadable> {
        let Some(heading) = self.heading.take() else { return Ok(()) };
        self.end_sections(heading.level, heading.range.start);
        let within: Vec<String> = self.open.iter().map(|section| section.name.clone()).collect();
        let name = heading.name.trim().to_owned();
        let place = self.out.add(
            self.text,
            Draft {
                within: &within,
                names: std::slice::from_ref(&name),
                kind: Kind::Heading,
                range: heading.range.start..heading.range.end,
                body: Some((heading.range.end, heading.range.end)),
                doc: None,
                lines: (self.lines.line(heading.range.start), self.lines.line(heading.range.start)),
                first_token: self.out.tokens.len(),
            },
        )?;
        self.out.tokens.push_decoded(heading.range.start..heading.range.end, name.clone());
        self.open.push(Section { level: heading.level, place, name });
        Ok(())
    }

    /// Ends the sections of this level and of those below it.
    fn end_sections(&mut self, level: usize, at: usize) {
        let text = self.text.get(..at).unwrap_or(self.text);
        let end = text.trim_ascii_end().len();
        while let Some(section) = self.open.pop_if(|section| section.level >= level) {
            let Some(place) = section.place else { continue };
            self.out.extend(place, end, self.lines.line(end.saturating_sub(1)));
            self.out.close(place);
        }
    }
}
