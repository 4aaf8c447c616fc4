//! Footnotes: numbered in the order of their first reference, and written after everything else.

use super::body::Body;
use crate::message;

/// A footnote.
#[derive(Debug, Default)]
pub(super) struct Note {
    pub(super) html: Option<String>,
    pub(super) references: usize,
}

impl Body<'_> {
    /// The index of the footnote with this name.
    pub(super) fn note(&mut self, name: &str) -> usize {
        let next = self.notes.len();
        let number = *self.note_numbers.entry(name.to_lowercase()).or_insert(next);
        if number == next {
            self.notes.push(Note::default());
        }
        number
    }

    pub(super) fn note_reference(&mut self, name: &str) {
        if self.is_hidden() {
            return;
        }
        self.open_paragraph();
        let index = self.note(name);
        let Some(note) = self.notes.get_mut(index) else { return };
        note.references += 1;
        let (number, prefix) = (index + 1, &self.prefix);
        let again = if note.references > 1 { format!("-{}", note.references) } else { String::new() };
        self.out.raw("<sup class=\"footnote-ref\">");
        if self.frames.is_empty() && !self.is_in_anchor() {
            let href = format!("#fn:{prefix}{number}");
            self.out.open("a", &[("id", &format!("fnref:{prefix}{number}{again}")), ("href", &href)]);
            self.out.text(&number.to_string());
            self.out.raw("</a></sup>");
        } else {
            self.out.text(&number.to_string());
            self.out.raw("</sup>");
        }
    }

    pub(super) fn write_notes(&mut self) {
        let whole = self.window.is_none();
        let notes: Vec<(usize, Note)> = std::mem::take(&mut self.notes)
            .into_iter()
            .enumerate()
            .filter(|(_, note)| note.references > 0 || whole)
            .collect();
        if notes.is_empty() {
            return;
        }
        self.out.raw("<section class=\"footnotes\"><ol>\n");
        for (index, note) in notes {
            let id = format!("{}{}", self.prefix, index + 1);
            self.out.open("li", &[("id", &format!("fn:{id}")), ("value", &(index + 1).to_string())]);
            self.out.raw(note.html.as_deref().unwrap_or_default());
            if note.references > 0 {
                let back = format!("#fnref:{id}");
                let label = message!("Back to the text").told_to_reader();
                self.out.open("a", &[("class", "footnote-back"), ("href", &back), ("aria-label", &label)]);
                self.out.raw("↩</a>");
            }
            self.out.raw("</li>\n");
        }
        self.out.raw("</ol></section>\n");
    }
}
