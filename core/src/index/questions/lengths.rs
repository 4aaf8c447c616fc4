//! How long the rows of the full text are, as BM25 counts: FTS5 stores the number of words in each column.

use rusqlite::Connection;

use super::first;
use crate::Result;

questions! {
    /// Numbers of words in a row's columns.
    size(row: i64) -> Option<Vec<u8>> = first "SELECT sz FROM fulltext_docsize WHERE id = ?1";
    /// FTS5's averages record: the number of rows, then the number of words in each column of all rows.
    averages() -> Option<Vec<u8>> = first "SELECT block FROM fulltext_data WHERE id = 1";
}

/// Number of words in a row; 0 if it does not exist.
pub(crate) fn of_row(db: &Connection, row: i64) -> Result<u64> {
    Ok(size(db, row)?.map_or(0, |stored| numbers(&stored).sum()))
}

/// Number of words in all rows.
pub(crate) fn of_all(db: &Connection) -> Result<u64> {
    Ok(averages(db)?.map_or(0, |stored| numbers(&stored).skip(1).sum()))
}

/// Integers in SQLite's variable-length format.
fn numbers(mut stored: &[u8]) -> impl Iterator<Item = u64> {
    std::iter::from_fn(move || {
        let mut number = 0;
        for place in 0..9 {
            let (&byte, rest) = stored.split_first()?;
            stored = rest;
            if place == 8 {
                return Some(number << 8 | u64::from(byte));
            }
            number = number << 7 | u64::from(byte & 0x7f);
            if byte & 0x80 == 0 {
                break;
            }
        }
        Some(number)
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::index::tests::Project;

    #[test]
    fn integers_of_every_length_are_read() {
        let stored =
            [0x00, 0x7f, 0x81, 0x00, 0x82, 0x80, 0x01, 255, 255, 255, 255, 255, 255, 255, 255, 255, 5];
        assert_eq!(numbers(&stored).collect::<Vec<_>>(), [0, 127, 128, 32_769, u64::MAX, 5]);
        assert_eq!(numbers(&[0x81]).count(), 0, "an integer that is cut off");
    }

    #[test]
    fn the_lengths_of_the_rows_add_up_to_that_of_all() {
        let long = "word ".repeat(300);
        let project = Project::with_pages([
            ("one.md", "# One\n\nThe harbour has a lantern.\n"),
            ("two.md", &format!("# Two\n\n## Long\n\n{long}\n\n## Empty\n")),
            ("three.md", "港の灯台は古い。\n"),
        ]);
        project.put("two.md", &format!("# Two\n\n## Long\n\nshorter {long}\n"));
        project.update();
        project
            .context()
            .index
            .read(|db| {
                let rows: Vec<i64> = super::super::all(db, "SELECT id FROM fulltext_docsize", ())?;
                let each = rows.iter().map(|row| of_row(db, *row)).sum::<Result<u64>>()?;
                assert_eq!(each, of_all(db)?);
                assert!(each > 300, "{each}");
                Ok(())
            })
            .unwrap();
    }
}
