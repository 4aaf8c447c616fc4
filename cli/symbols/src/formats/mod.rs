//! Files that need no grammar: their formats have parsers of their own, or are simple enough.

mod json;
mod markdown;
mod sql;
mod toml;
mod words;
mod yaml;

use std::borrow::Cow;
use std::ops::Range;

use crate::definition::Kind;
use crate::language::Language;
use crate::limits::{Deadline, Unreadable};
use crate::outline::{Draft, Outline};

pub use words::words;

/// # Errors
/// [`Unreadable`].
pub fn outline(language: Language, text: &[u8], deadline: &mut Deadline) -> Result<Outline, Unreadable> {
    match language {
        Language::Json => json::outline(text, &utf8(text)?),
        Language::Markdown => markdown::outline(text, &mended(text), deadline),
        Language::Sql => sql::outline(text, deadline),
        Language::Toml => toml::outline(text, &utf8(text)?),
        Language::Yaml => yaml::outline(text, &utf8(text)?, deadline),
        // Every other language has a grammar.
        _ => words(text, deadline),
    }
}

/// The text, with blanks instead of a byte order mark so that offsets stay the same.
fn utf8(text: &[u8]) -> Result<Cow<'_, str>, Unreadable> {
    let valid = str::from_utf8(text).map_err(|error| invalid(text, error.valid_up_to()))?;
    Ok(valid.strip_prefix('\u{FEFF}').map_or(Cow::Borrowed(valid), |rest| Cow::Owned(format!("   {rest}"))))
}

/// The text, with question marks instead of bytes that are not UTF-8 so that offsets stay the same.
fn mended(text: &[u8]) -> Cow<'_, str> {
    if let Ok(valid) = str::from_utf8(text) {
        return Cow::Borrowed(valid);
    }
    let mut out = String::with_capacity(text.len());
    for chunk in text.utf8_chunks() {
        out.push_str(chunk.valid());
        chunk.invalid().iter().for_each(|_| out.push('?'));
    }
    Cow::Owned(out)
}

fn invalid(text: &[u8], offset: usize) -> Unreadable {
    Unreadable::Invalid { line: Lines::of(text).line(offset) }
}

/// Turns offsets into lines.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &[u8]) -> Self {
        let breaks = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        Self(breaks.map(|(place, _)| place).collect())
    }

    /// Counted from 1.
    fn line(&self, offset: usize) -> usize {
        self.0.partition_point(|line_break| *line_break < offset) + 1
    }
}

/// The keys of a configuration file, as they are found.
struct Keys<'a> {
    text: &'a [u8],
    lines: Lines,
    path: Vec<String>,
    out: Outline,
}

/// A key whose value was not read.
struct OpenKey {
    place: Option<usize>,
}

impl<'a> Keys<'a> {
    fn new(text: &'a [u8]) -> Self {
        Self { text, lines: Lines::of(text), path: Vec::new(), out: Outline::default() }
    }

    /// Starts a key. Its name is a token, unless it is the number of an element.
    fn open(&mut self, name: &str, range: Range<usize>, is_token: bool) -> Result<OpenKey, Unreadable> {
        let first_token = self.out.tokens.len();
        let line = self.lines.line(range.start);
        let names = [name.to_owned()];
        let draft = Draft {
            within: &self.path,
            names: &names,
            kind: Kind::Key,
            range: range.clone(),
            body: None,
            doc: None,
            lines: (line, line),
            first_token,
        };
        let place = self.out.add(self.text, draft)?;
        if is_token {
            self.out.tokens.push_decoded(range, name.to_owned());
        }
        self.path.extend(names);
        Ok(OpenKey { place })
    }

    fn close(&mut self, key: &OpenKey, end: usize) {
        self.path.pop();
        let Some(place) = key.place else { return };
        let last_line = self.lines.line(end.saturating_sub(1));
        self.out.extend(place, end, last_line);
        self.out.close(place);
    }
}
