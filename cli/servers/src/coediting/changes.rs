//! Changes of a text, as CodeMirror's `ChangeSet` has them: lengths in UTF-16 units, and the same rules when changes are made
//! at the same time. Server and windows must agree to the letter, so the rules follow CodeMirror's, and
//! `cases/changes.json`, which CodeMirror made, checks them.

use serde_json::Value;

/// A text in UTF-16 units.
pub(super) type Units = Vec<u16>;

const BREAK: u16 = 10;

/// A part of the text, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Section {
    /// Units of the text before the change.
    len: usize,
    /// What replaces them; `None` if they stay.
    put: Option<Units>,
}

/// A change of a whole text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Changes(Vec<Section>);

/// The changes are of a text with another length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mismatch;

impl Changes {
    /// No change of a text with this length.
    pub(super) fn none(len: usize) -> Self {
        let mut none = Self::default();
        none.keep(len);
        none
    }

    /// Leaves the next units.
    pub(super) fn keep(&mut self, len: usize) {
        self.add(len, None, false);
    }

    /// Replaces the next units.
    pub(super) fn replace(&mut self, len: usize, by: &[u16]) {
        self.add(len, Some(by), false);
    }

    /// The length of the text before, in units.
    pub(super) fn len(&self) -> usize {
        self.0.iter().map(|section| section.len).fold(0, usize::saturating_add)
    }

    /// The length of the text after, in units.
    pub(super) fn new_len(&self) -> usize {
        self.0
            .iter()
            .fold(0, |sum, section| sum.saturating_add(section.put.as_ref().map_or(section.len, Vec::len)))
    }

    /// Whether nothing changes.
    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().all(|section| section.put.is_none())
    }

    /// The number of units that are deleted and inserted.
    pub(super) fn cost(&self) -> usize {
        let changed = self
            .0
            .iter()
            .filter_map(|section| section.put.as_ref().map(|put| put.len().saturating_add(section.len)));
        changed.fold(0, usize::saturating_add)
    }

    fn add(&mut self, len: usize, put: Option<&[u16]>, join: bool) {
        if len == 0 && put.is_none_or(<[u16]>::is_empty) {
            return;
        }
        if let Some(last) = self.0.last_mut() {
            match (&mut last.put, put) {
                (None, None) => return last.len += len,
                (Some(old), Some([])) if old.is_empty() => return last.len += len,
                (Some(old), Some(new)) if (len == 0 && last.len == 0 && !new.is_empty()) || join => {
                    last.len += len;
                    return old.extend_from_slice(new);
                }
                _ => {}
            }
        }
        self.0.push(Section { len, put: put.map(<[u16]>::to_vec) });
    }

    /// The text after the change.
    ///
    /// # Errors
    /// [`Mismatch`] also if a change would split a character of two units.
    pub(super) fn apply(&self, text: &[u16]) -> Result<Units, Mismatch> {
        if self.len() != text.len() {
            return Err(Mismatch);
        }
        let mut made = Vec::with_capacity(self.new_len());
        let (mut at, mut changes) = (0, false);
        for section in &self.0 {
            if (changes || section.put.is_some()) && splits(text, at) {
                return Err(Mismatch);
            }
            changes = section.put.is_some();
            let end = at + section.len;
            made.extend_from_slice(section.put.as_deref().unwrap_or(&text[at..end]));
            at = end;
        }
        Ok(made)
    }

    /// This change, made after `other` instead of at the same time. `first`: insertions at the same place come before those
    /// of `other`.
    pub(super) fn map(&self, other: &Self, first: bool) -> Result<Self, Mismatch> {
        if other.is_empty() {
            return if other.len() == self.len() { Ok(self.clone()) } else { Err(Mismatch) };
        }
        let mut made = Self::default();
        let (mut a, mut b) = (Walk::of(self), Walk::of(other));
        // The section of `a` whose text was inserted already, while the section is processed piece by piece.
        let mut inserted = 0;
        loop {
            if (a.is_done() && b.len > 0) || (b.is_done() && a.len > 0) {
                return Err(Mismatch);
            } else if a.keeps() && b.keeps() {
                let len = a.len.min(b.len);
                made.add(len, None, false);
                a.forward(len);
                b.forward(len);
            } else if b.changes()
                && (!a.changes()
                    || inserted == a.number
                    || (a.off == 0 && (b.len < a.len || (b.len == a.len && !first))))
            {
                let mut len = b.len;
                made.add(b.put().len(), None, false);
                while len > 0 {
                    if a.is_done() {
                        return Err(Mismatch);
                    }
                    let piece = a.len.min(len);
                    if a.changes() && inserted < a.number && a.len <= piece {
                        made.add(0, Some(a.put()), false);
                        inserted = a.number;
                    }
                    a.forward(piece);
                    len -= piece;
                }
                b.next();
            } else if a.changes() {
                let (mut len, mut left) = (0, a.len);
                while left > 0 {
                    if b.keeps() {
                        let piece = left.min(b.len);
                        len += piece;
                        left -= piece;
                        b.forward(piece);
                    } else if b.changes() && b.put().is_empty() && b.len < left {
                        left -= b.len;
                        b.next();
                    } else {
                        break;
                    }
                }
                made.add(len, Some(if inserted < a.number { a.put() } else { &[] }), false);
                inserted = a.number;
                a.forward(a.len - left);
            } else if a.is_done() && b.is_done() {
                return Ok(made);
            } else {
                return Err(Mismatch);
            }
        }
    }

    /// This change and then `other` as one.
    pub(super) fn then(&self, other: &Self) -> Result<Self, Mismatch> {
        if self.new_len() != other.len() {
            return Err(Mismatch);
        }
        if self.is_empty() {
            return Ok(other.clone());
        }
        if other.is_empty() {
            return Ok(self.clone());
        }
        let mut made = Self::default();
        let (mut a, mut b) = (Walk::of(self), Walk::of(other));
        let mut open = false;
        loop {
            if a.is_done() && b.is_done() {
                return Ok(made);
            } else if a.changes() && a.rest() == 0 {
                made.add(a.len, Some(&[]), open);
                a.next();
            } else if b.len == 0 && !b.is_done() {
                made.add(0, Some(b.put()), open);
                b.next();
            } else if a.is_done() || b.is_done() {
                return Err(Mismatch);
            } else {
                let (len, before) = (a.rest().min(b.len), made.0.len());
                if a.keeps() {
                    let put = if b.keeps() { None } else { Some(if b.off > 0 { &[][..] } else { b.put() }) };
                    made.add(len, put, open);
                } else {
                    let gone = if a.off > 0 { 0 } else { a.len };
                    let put = match (b.keeps(), b.off) {
                        (true, _) => a.bit(len),
                        (false, 0) => b.put(),
                        (false, _) => &[],
                    };
                    made.add(gone, Some(put), open);
                }
                open = ((a.changes() && a.rest() > len) || (b.changes() && b.len > len))
                    && (open || made.0.len() > before);
                a.forward_after(len);
                b.forward(len);
            }
        }
    }

    /// Reads CodeMirror's JSON.
    pub(super) fn read(json: &Value) -> Option<Self> {
        let length =
            |value: &Value| value.as_u64().and_then(|len| u32::try_from(len).ok()).map(|len| len as usize);
        let mut made = Self::default();
        for part in json.as_array()? {
            let Some(replaced) = part.as_array() else {
                made.0.push(Section { len: length(part)?, put: None });
                continue;
            };
            let (len, lines) = replaced.split_first()?;
            let mut put = Units::new();
            for (number, line) in lines.iter().enumerate() {
                let line = line.as_str().filter(|line| !line.contains('\n'))?;
                if number > 0 {
                    put.push(BREAK);
                }
                put.extend(line.encode_utf16());
            }
            made.0.push(Section { len: length(len)?, put: Some(put) });
        }
        Some(made)
    }

    /// CodeMirror's JSON.
    pub(super) fn json(&self) -> Value {
        let part = |section: &Section| match section.put.as_deref() {
            None => Value::from(section.len),
            Some(put) => {
                let mut parts = vec![Value::from(section.len)];
                if !put.is_empty() {
                    parts.extend(
                        put.split(|unit| *unit == BREAK)
                            .map(|line| Value::from(String::from_utf16_lossy(line))),
                    );
                }
                Value::from(parts)
            }
        };
        self.0.iter().map(part).collect()
    }
}

/// Whether the position is between the two units of a character.
fn splits(text: &[u16], at: usize) -> bool {
    let high = at
        .checked_sub(1)
        .and_then(|before| text.get(before))
        .is_some_and(|unit| (0xd800..0xdc00).contains(unit));
    high && text.get(at).is_some_and(|unit| (0xdc00..0xe000).contains(unit))
}

/// A place in changes.
struct Walk<'a> {
    sections: &'a [Section],
    /// The number of the section, from 1; past the last one at the end.
    number: usize,
    /// Units of the section that are left.
    len: usize,
    /// Units of the section, or of its text, that were passed.
    off: usize,
    /// Units of its text that were passed.
    passed: usize,
}

impl<'a> Walk<'a> {
    fn of(changes: &'a Changes) -> Self {
        let mut walk = Self { sections: &changes.0, number: 0, len: 0, off: 0, passed: 0 };
        walk.next();
        walk
    }

    fn section(&self) -> Option<&'a Section> {
        self.sections.get(self.number.wrapping_sub(1))
    }

    fn next(&mut self) {
        self.number = (self.number + 1).min(self.sections.len() + 1);
        self.len = self.section().map_or(0, |section| section.len);
        (self.off, self.passed) = (0, 0);
    }

    fn is_done(&self) -> bool {
        self.number > self.sections.len()
    }

    fn changes(&self) -> bool {
        self.section().is_some_and(|section| section.put.is_some())
    }

    fn keeps(&self) -> bool {
        self.section().is_some_and(|section| section.put.is_none())
    }

    /// The whole text of the section.
    fn put(&self) -> &'a [u16] {
        self.section().and_then(|section| section.put.as_deref()).unwrap_or_default()
    }

    /// Units of the text after the section that are left.
    fn rest(&self) -> usize {
        if self.changes() { self.put().len() - self.passed } else { self.len }
    }

    /// The next units of its text.
    fn bit(&self, len: usize) -> &'a [u16] {
        &self.put()[self.passed..self.passed + len]
    }

    fn forward(&mut self, len: usize) {
        if len == self.len {
            self.next();
        } else {
            self.len -= len;
            self.off += len;
        }
    }

    /// Moves in the text after the change.
    fn forward_after(&mut self, len: usize) {
        if !self.changes() {
            self.forward(len);
        } else if len == self.rest() {
            self.next();
        } else {
            self.passed += len;
            self.off += len;
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;

    fn units(text: &str) -> Units {
        text.encode_utf16().collect()
    }

    #[test]
    fn changes_are_mapped_and_composed_as_in_codemirror() {
        let cases: Vec<Value> = serde_json::from_str(include_str!("cases/changes.json")).unwrap();
        assert_eq!(cases.len(), 60);
        for case in &cases {
            let read = |name: &str| Changes::read(&case[name]).unwrap();
            let (a, b, c) = (read("a"), read("b"), read("c"));
            assert_eq!(a.json(), case["a"]);
            assert_eq!(a.map(&b, false).unwrap().json(), case["a_over_b"], "{case}");
            assert_eq!(b.map(&a, true).unwrap().json(), case["b_over_a_before"], "{case}");
            assert_eq!(a.then(&c).unwrap().json(), case["a_then_c"], "{case}");
            let text = units(case["doc"].as_str().unwrap());
            let end = a.map(&b, false).unwrap().apply(&b.apply(&text).unwrap());
            // CodeMirror lets changes split characters.
            if let Ok(end) = end {
                assert_eq!(end, units(case["end"].as_str().unwrap()), "{case}");
            }
        }
    }

    #[test]
    fn invalid_json_is_refused() {
        for json in [
            "1",
            "{}",
            "[-1]",
            "[1.5]",
            "[[]]",
            "[[\"a\"]]",
            "[[1,2]]",
            "[[0,\"a\\nb\"]]",
            "[null]",
            "[4294967296]",
        ] {
            assert_eq!(Changes::read(&serde_json::from_str(json).unwrap()), None, "{json}");
        }
    }

    #[test]
    fn changes_of_another_length_or_of_half_a_character_are_refused() {
        let text = units("a\u{1f600}b");
        let read = |json: &str| Changes::read(&serde_json::from_str(json).unwrap()).unwrap();
        for json in ["[3]", "[5]", "[4294967295,4294967295]", "[1,[1],2]", "[2,[0,\"x\"],2]", "[2,[1],1]"] {
            assert_eq!(read(json).apply(&text), Err(Mismatch), "{json}");
        }
        assert_eq!(read("[1,[2,\"x\"],1]").apply(&text), Ok(units("axb")));
        assert_eq!(read("[3]").map(&read("[4]"), false), Err(Mismatch));
        assert_eq!(read("[3,[0,\"x\"]]").map(&read("[[4]]"), false), Err(Mismatch));
        assert_eq!(read("[3]").then(&read("[4]")), Err(Mismatch));
    }
}
