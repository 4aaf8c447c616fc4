//! Positions in a text: lines and columns, in the encoding that was agreed on, and bytes.

use std::ops::Range;

use lsp_types::{Position, PositionEncodingKind, Range as LspRange};

/// In which units columns count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    Utf8,
    Utf16,
    Utf32,
}

impl Encoding {
    /// The first of the encodings that a client offers which is cheap here; UTF-16 if it offers none.
    pub(super) fn chosen(offered: Option<&[PositionEncodingKind]>) -> Self {
        let has = |kind: PositionEncodingKind| offered.is_some_and(|offered| offered.contains(&kind));
        if has(PositionEncodingKind::UTF8) {
            Self::Utf8
        } else if has(PositionEncodingKind::UTF32) && !has(PositionEncodingKind::UTF16) {
            Self::Utf32
        } else {
            Self::Utf16
        }
    }

    pub(super) fn kind(self) -> PositionEncodingKind {
        match self {
            Self::Utf8 => PositionEncodingKind::UTF8,
            Self::Utf16 => PositionEncodingKind::UTF16,
            Self::Utf32 => PositionEncodingKind::UTF32,
        }
    }

    fn units(self, c: char) -> usize {
        match self {
            Self::Utf8 => c.len_utf8(),
            Self::Utf16 => c.len_utf16(),
            Self::Utf32 => 1,
        }
    }
}

/// A text with the beginnings of its lines. Lines end with `\n`, `\r\n` or a lone `\r`.
pub(super) struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
    encoding: Encoding,
}

impl<'a> Lines<'a> {
    pub(super) fn of(text: &'a str, encoding: Encoding) -> Self {
        let bytes = text.as_bytes();
        let ends = bytes
            .iter()
            .enumerate()
            .filter(|&(at, &byte)| byte == b'\n' || (byte == b'\r' && bytes.get(at + 1) != Some(&b'\n')));
        let starts = std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect();
        Self { text, starts, encoding }
    }

    /// The text of a line without its end, and where it starts. A line below the last is empty and at the end.
    fn line(&self, number: usize) -> (usize, &'a str) {
        let Some(&start) = self.starts.get(number) else { return (self.text.len(), "") };
        let end = self.starts.get(number + 1).copied().unwrap_or(self.text.len());
        let line = self.text.get(start..end).unwrap_or_default();
        (start, line.trim_end_matches('\n').trim_end_matches('\r'))
    }

    /// All lines without their ends.
    pub(super) fn all(&self) -> impl Iterator<Item = &'a str> {
        (0..self.starts.len()).map(|number| self.line(number).1)
    }

    /// The byte of a position. A column beyond the line is its end, one within a character is its beginning.
    pub(super) fn offset(&self, position: Position) -> usize {
        let (start, line) = self.line(position.line as usize);
        let wanted = position.character as usize;
        if self.encoding == Encoding::Utf8 && wanted <= line.len() && line.is_char_boundary(wanted) {
            return start + wanted;
        }
        let mut units = 0;
        for (at, c) in line.char_indices() {
            units += self.encoding.units(c);
            if units > wanted {
                return start + at;
            }
        }
        start + line.len()
    }

    /// The position of a byte.
    pub(super) fn position(&self, offset: usize) -> Position {
        let offset = offset.min(self.text.len());
        let number = self.starts.partition_point(|&start| start <= offset).saturating_sub(1);
        let (start, line) = self.line(number);
        let before = line.get(..offset.saturating_sub(start)).unwrap_or(line);
        let column = match self.encoding {
            Encoding::Utf8 => before.len(),
            encoding => before.chars().map(|c| encoding.units(c)).sum(),
        };
        Position::new(to_u32(number), to_u32(column))
    }

    pub(super) fn range(&self, bytes: Range<usize>) -> LspRange {
        LspRange::new(self.position(bytes.start), self.position(bytes.end))
    }

    pub(super) fn bytes(&self, range: LspRange) -> Range<usize> {
        let (start, end) = (self.offset(range.start), self.offset(range.end));
        start.min(end)..start.max(end)
    }

    /// The whole line, counted from 1, without its end.
    pub(super) fn whole(&self, number: usize) -> LspRange {
        let (start, line) = self.line(number.saturating_sub(1));
        self.range(start..start + line.len())
    }
}

pub(super) fn to_u32(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "aé😀z\r\nsecond\rthird\n";

    #[test]
    fn columns_count_in_the_units_of_the_encoding() {
        for (encoding, column) in [(Encoding::Utf8, 7), (Encoding::Utf16, 4), (Encoding::Utf32, 3)] {
            let lines = Lines::of(TEXT, encoding);
            let z = TEXT.find('z').unwrap_or_default();
            assert_eq!(lines.position(z), Position::new(0, column));
            assert_eq!(lines.offset(Position::new(0, column)), z);
        }
    }

    #[test]
    fn every_character_survives_the_way_there_and_back() {
        for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
            let lines = Lines::of(TEXT, encoding);
            for (at, c) in TEXT.char_indices().filter(|(_, c)| !matches!(c, '\r' | '\n')) {
                assert_eq!(lines.offset(lines.position(at)), at, "{c}");
            }
        }
    }

    #[test]
    fn positions_outside_of_the_text_are_at_the_ends() {
        let lines = Lines::of(TEXT, Encoding::Utf16);
        assert_eq!(lines.offset(Position::new(0, 99)), TEXT.find('\r').unwrap_or_default());
        assert_eq!(lines.offset(Position::new(99, 99)), TEXT.len());
        // Within the two units of one character.
        assert_eq!(lines.offset(Position::new(0, 3)), TEXT.find('😀').unwrap_or_default());
        assert_eq!(lines.position(999), Position::new(3, 0));
        assert_eq!(lines.offset(Position::new(u32::MAX, u32::MAX)), TEXT.len());
    }
}
