//! How often memories were used, and when last. The file is local, beside the index, because reading a page must
//! not change it. Lines are only appended, so any number of processes can write; a writer that finds
//! many lines replaces them by their sums.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::ports::{ContentHash, Source};
use crate::{Error, Result};

/// The file's name in `.ubp/`.
pub(crate) const FILE: &str = "memory.jsonl";

/// Number of lines, beyond one for each memory, above which they are replaced by their sums.
const LINES: usize = 500;

/// The same for readers, which would have to wait for writers.
const READERS_LINES: usize = 10_000;

#[derive(Debug, Default, Serialize, Deserialize)]
struct Line {
    ids: Vec<String>,
    /// Number of uses to add.
    #[serde(default, skip_serializing_if = "is_none")]
    count: u64,
    /// Number of times that it was recalled. Absent: 1, if nothing else is counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    recalled: Option<u64>,
    /// Seconds since 1970; the latest counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    accessed: Option<i64>,
}

fn is_none(count: &u64) -> bool {
    *count == 0
}

/// The counts of one memory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Count {
    /// How often it was remembered again.
    pub references: u64,
    /// How often it was recalled.
    pub recalls: u64,
    /// Seconds since 1970.
    pub accessed: Option<i64>,
}

impl Count {
    fn add(&mut self, other: Self) {
        self.references = self.references.saturating_add(other.references);
        self.recalls = self.recalls.saturating_add(other.recalls);
        self.accessed = self.accessed.max(other.accessed);
    }
}

/// The content of the file.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    by_id: HashMap<String, Count>,
    lines: usize,
    hash: Option<ContentHash>,
}

impl Counts {
    /// Reads the file. Unreadable files and lines are ignored: they must not keep anybody from reading memories.
    pub(crate) fn read(source: &dyn Source) -> Self {
        let mut counts = Self::default();
        let Ok(Some(bytes)) = source.read_state(FILE) else { return counts };
        counts.hash = Some(ContentHash::of(&bytes));
        for line in bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
            counts.lines += 1;
            let Ok(line) = serde_json::from_slice::<Line>(line) else { continue };
            let recalls = line.recalled.unwrap_or_else(|| u64::from(line.count == 0));
            for id in line.ids {
                let count = Count { references: line.count, recalls, accessed: line.accessed };
                counts.by_id.entry(id).or_default().add(count);
            }
        }
        counts
    }

    /// The sum over these ids.
    pub(crate) fn of<'a>(&self, ids: impl IntoIterator<Item = &'a str>) -> Count {
        let mut sum = Count::default();
        ids.into_iter().filter_map(|id| self.by_id.get(id)).for_each(|count| sum.add(*count));
        sum
    }

    /// Replaces the lines by their sums. The write lock must be held.
    fn shorten(&self, source: &dyn Source) -> Result<()> {
        let mut ids: Vec<(&String, &Count)> = self.by_id.iter().collect();
        ids.sort_by_key(|(id, _)| *id);
        let mut text = Vec::new();
        for (id, count) in ids {
            let recalled = Some(count.recalls);
            let line =
                Line { ids: vec![id.clone()], count: count.references, recalled, accessed: count.accessed };
            push(&mut text, &line)?;
        }
        source.write_state(FILE, &text, self.hash)
    }
}

fn push(text: &mut Vec<u8>, line: &Line) -> Result<()> {
    serde_json::to_writer(&mut *text, line).map_err(|error| Error::Internal(error.to_string()))?;
    text.push(b'\n');
    Ok(())
}

/// Adds a use of a memory. The write lock must be held.
pub(crate) fn referenced(source: &dyn Source, id: &str, at: i64) -> Result<()> {
    let mut text = Vec::new();
    push(&mut text, &Line { ids: vec![id.to_owned()], count: 1, accessed: Some(at), ..Line::default() })?;
    source.append(FILE, &text)?;
    let counts = Counts::read(source);
    if counts.lines > LINES + 2 * counts.by_id.len() {
        // Fails if a memory was read in the meantime. The next writer will try again.
        let _ = counts.shorten(source);
    }
    Ok(())
}

/// Records that memories were read. Takes no lock, and ignores errors when it writes.
pub(crate) fn accessed(source: &dyn Source, counts: &Counts, ids: Vec<String>, at: i64) {
    if ids.is_empty() {
        return;
    }
    let mut text = Vec::new();
    if push(&mut text, &Line { ids, accessed: Some(at), ..Line::default() }).is_err() {
        return;
    }
    let noted = source.note(FILE, &text);
    if noted.is_ok() && counts.lines > READERS_LINES + 4 * counts.by_id.len() {
        let Ok(_held) = source.lock() else { return };
        let _ = Counts::read(source).shorten(source);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::ports::MemorySource;

    #[test]
    fn counts_add_up_and_the_latest_time_stays() {
        let source = MemorySource::default();
        for round in 0..3 {
            referenced(&source, "a", 10 + round).unwrap();
        }
        referenced(&source, "b", 5).unwrap();
        accessed(&source, &Counts::default(), vec!["b".into(), "c".into()], 40);
        accessed(&source, &Counts::default(), vec!["b".into()], 20);
        let counts = Counts::read(&source);
        assert_eq!(counts.of(["a"]), Count { references: 3, recalls: 0, accessed: Some(12) });
        assert_eq!(counts.of(["b"]), Count { references: 1, recalls: 2, accessed: Some(40) });
        assert_eq!(counts.of(["c"]), Count { references: 0, recalls: 1, accessed: Some(40) });
        assert_eq!(counts.of(["a", "b", "none"]), Count { references: 4, recalls: 2, accessed: Some(40) });
        assert_eq!(counts.of(["none"]), Count::default());
    }

    #[test]
    fn many_lines_are_replaced_by_their_sums() {
        let source = MemorySource::default();
        for round in 0..2_000 {
            referenced(&source, &format!("id-{}", round % 7), round).unwrap();
        }
        let counts = Counts::read(&source);
        assert!(counts.lines < LINES + 50, "{}", counts.lines);
        let all: Vec<String> = (0..7).map(|id| format!("id-{id}")).collect();
        assert_eq!(counts.of(all.iter().map(String::as_str)).references, 2_000);
        assert_eq!(counts.of(["id-4"]).accessed, Some(1_999));
    }

    #[test]
    fn sums_keep_the_number_of_recalls() {
        let source = MemorySource::default();
        referenced(&source, "a", 1).unwrap();
        for at in 0..3 {
            accessed(&source, &Counts::default(), vec!["a".into(), "b".into()], at);
        }
        Counts::read(&source).shorten(&source).unwrap();
        let counts = Counts::read(&source);
        assert_eq!((counts.of(["a"]).recalls, counts.of(["b"]).recalls), (3, 3));
        accessed(&source, &counts, vec!["b".into()], 9);
        assert_eq!(Counts::read(&source).of(["b"]), Count { references: 0, recalls: 4, accessed: Some(9) });
    }

    #[test]
    fn lines_by_other_programs_are_ignored() {
        let source = MemorySource::default();
        source.append(FILE, b"{ torn\nnull\n[]\n{\"ids\":[\"a\"],\"count\":2}\n{\"ids\":7}\n").unwrap();
        assert_eq!(Counts::read(&source).of(["a"]).references, 2);
    }
}
