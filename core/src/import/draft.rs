//! A page on its way from an export to the project: its lines, and where they come from.

use std::collections::HashMap;

use super::{Notice, NoticeKind};
use crate::message;
use crate::message::{Message, counted};
use crate::text::Fence;

/// A line of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    /// Line in the file of the export, from 1.
    pub origin: usize,
    /// Without its line break.
    pub text: String,
}

impl Line {
    pub(super) fn new(origin: usize, text: impl Into<String>) -> Self {
        Self { origin, text: text.into() }
    }
}

/// The lines of a text. Every kind of line break is one.
pub(super) fn lines(text: &str) -> Vec<Line> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let plain = crate::page::plain(text);
    let mut lines: Vec<Line> =
        plain.split('\n').enumerate().map(|(at, line)| Line::new(at + 1, line)).collect();
    if lines.last().is_some_and(|last| last.text.is_empty()) {
        lines.pop();
    }
    lines
}

/// A converted page whose links still lead to where they led in the export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Draft {
    /// Path of its file in the export, relative to the folder with the notes.
    pub from: String,
    /// Path of the page, relative to the pages folder.
    pub path: String,
    /// Its text.
    pub text: String,
    /// For each line of `text`, the line in the file of the export.
    pub origins: Vec<usize>,
    /// The bytes to write if no link changes, for pages that are copied.
    pub verbatim: Option<Vec<u8>>,
}

impl Draft {
    /// A page that is copied as it is.
    pub(super) fn copied(from: &str, path: &str, bytes: Vec<u8>) -> Self {
        let text = crate::page::decode(&bytes).0.into_owned();
        Self { from: from.into(), path: path.into(), text, origins: Vec::new(), verbatim: Some(bytes) }
    }

    pub(super) fn new(from: &str, path: &str, lines: &[Line]) -> Self {
        let mut text = String::with_capacity(lines.iter().map(|line| line.text.len() + 1).sum());
        for line in lines {
            text.push_str(&line.text);
            text.push('\n');
        }
        let origins = lines.iter().map(|line| line.origin).collect();
        Self { from: from.into(), path: path.into(), text, origins, verbatim: None }
    }

    /// The line in the export of a line of the text.
    pub(super) fn origin(&self, line: usize) -> usize {
        self.origins.get(line.saturating_sub(1)).or(self.origins.last()).copied().unwrap_or(line)
    }
}

/// A converted export.
#[derive(Debug, Default)]
pub(super) struct Drafts {
    /// Pages, sorted by path.
    pub pages: Vec<Draft>,
    /// Other files: path in the export, relative to the folder with the notes, and path below the pages folder.
    pub files: Vec<(String, String)>,
    /// What was not carried over unchanged; files are relative to the folder with the notes.
    pub notices: Vec<Notice>,
    /// Link types that properties of pages need.
    pub link_types: Vec<String>,
    /// Numbers of what the pages were, by description, such as "databases".
    pub made_of: Vec<(&'static str, usize)>,
}

impl Drafts {
    pub(super) fn notice(&mut self, kind: NoticeKind, file: &str, line: usize, message: Message) {
        self.notices.push(Notice { kind, file: file.into(), line: Some(line), message });
    }
}

/// Groups files that are left out for one reason, a [`word!`](crate::word!), by their folder.
pub(super) fn leave_out(notices: &mut Vec<Notice>, files: &[(String, &'static str)]) {
    let mut groups: HashMap<(&str, &'static str), Vec<&str>> = HashMap::new();
    for (file, reason) in files {
        let top = file.split('/').next().unwrap_or(file);
        groups.entry((top, *reason)).or_default().push(file);
    }
    for ((top, reason), files) in groups {
        let reason = Message::word(reason);
        let (file, message) = match files.as_slice() {
            [file] => ((*file).to_owned(), reason),
            files => {
                let message =
                    message!("{files}: {reason}", files = counted(files.len(), "file", "files"), reason);
                (format!("{top}/"), message)
            }
        };
        notices.push(Notice::file(NoticeKind::LeftOut, file, message));
    }
}

/// Follows code blocks through the lines of a page.
#[derive(Default)]
pub(super) struct Code {
    open: Option<(char, usize)>,
}

impl Code {
    /// Whether the next line is in a code block.
    pub(super) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Whether `line` is part of a code block, its fences included.
    pub(super) fn takes(&mut self, line: &str) -> bool {
        let line = line.trim_start();
        let mark = line.chars().next().unwrap_or(' ');
        let length = line.len() - line.trim_start_matches(mark).len();
        match self.open {
            Some((open, least)) => {
                let closes = mark == open && length >= least && line.trim_end().len() == length;
                if closes {
                    self.open = None;
                }
                true
            }
            None => {
                let opens = Fence::opening(line).is_some();
                self.open = opens.then_some((mark, length));
                opens
            }
        }
    }
}
