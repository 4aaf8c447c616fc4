//! Line numbers as in editors: `\n`, `\r\n` and a lone `\r` each end one line, which also
//! agrees with `CommonMark` and YAML.

/// Where the lines of a text start.
#[derive(Debug)]
pub(crate) struct Lines {
    starts: Vec<usize>,
}

impl Lines {
    pub(crate) fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut starts = Vec::with_capacity(bytes.len() / 48 + 1);
        starts.push(0);
        for (at, &byte) in bytes.iter().enumerate() {
            // A single comparison skips almost all bytes that do not end a line.
            if byte <= b'\r' && (byte == b'\n' || (byte == b'\r' && bytes.get(at + 1) != Some(&b'\n'))) {
                starts.push(at + 1);
            }
        }
        Self { starts }
    }

    /// The line, from 1, of the byte at `offset`.
    pub(crate) fn line_of(&self, offset: usize) -> usize {
        self.starts.partition_point(|&start| start <= offset).max(1)
    }

    /// Where line `number`, from 1, starts.
    pub(crate) fn start(&self, number: usize) -> Option<usize> {
        self.starts.get(number.checked_sub(1)?).copied()
    }

    /// Where the line of the byte at `offset` starts.
    pub(super) fn start_of(&self, offset: usize) -> usize {
        self.starts.get(self.line_of(offset) - 1).copied().unwrap_or(0)
    }
}

/// The number of line breaks in a text.
pub(crate) fn line_breaks(text: &str) -> usize {
    Lines::new(text).starts.len() - 1
}

/// The lines of a text with their line breaks, each with its offset.
pub(super) fn split(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
        let length = match rest.find(['\n', '\r']) {
            Some(end) if rest[end..].starts_with("\r\n") => end + 2,
            Some(end) => end + 1,
            None => rest.len(),
        };
        let start = at;
        at += length;
        Some((start, &rest[..length]))
    })
}

/// A line without its line break.
pub(super) fn content(line: &str) -> &str {
    line.trim_end_matches(['\n', '\r'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_line_break_counts_once() {
        let text = "a\r\nb\rc\n\r\nd";
        let lines = Lines::new(text);
        let found: Vec<usize> = (0..text.len()).map(|at| lines.line_of(at)).collect();
        assert_eq!(found, [1, 1, 1, 2, 2, 3, 3, 4, 4, 5]);
        assert_eq!(lines.start_of(9), 9);
        let cut: Vec<_> = split(text).collect();
        assert_eq!(cut, [(0, "a\r\n"), (3, "b\r"), (5, "c\n"), (7, "\r\n"), (9, "d")]);
    }

    #[test]
    fn the_end_of_the_text_has_a_line() {
        assert_eq!(Lines::new("").line_of(0), 1);
        assert_eq!(Lines::new("a\n").line_of(2), 2);
    }
}
