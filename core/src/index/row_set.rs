//! A set of full-text rows that SQL can test, so that a query skips the sections of other pages before any further
//! work.

use std::collections::HashSet;

use rusqlite::functions::FunctionFlags;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, ToSql, types::ToSqlOutput};

use crate::Result;

/// A set of full-text rows. As an SQL value, it is the first argument of [`RowSet::CONTAINS`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct RowSet {
    bits: Vec<u8>,
}

impl RowSet {
    /// The SQL function `(set, row)`: whether the set contains the row.
    pub(crate) const CONTAINS: &'static str = "set_contains";

    /// The sections of these pages, and their passages.
    ///
    /// # Errors
    /// [`crate::Error::Database`].
    pub(crate) fn of_pages(db: &Connection, pages: &HashSet<i64>) -> Result<Self> {
        /// Above this number of pages, one scan of all sections is as fast as looking up each page.
        const FEW: usize = 1_000;
        let mut set = Self::default();
        const ROWS: &str = "SELECT section, page FROM sections
            UNION ALL SELECT passage, page FROM passages JOIN sections USING (section)";
        if pages.len() > FEW {
            let mut statement = db.prepare_cached(ROWS)?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                if pages.contains(&row.get(1)?) {
                    set.insert(row.get(0)?);
                }
            }
        } else {
            let mut statement =
                db.prepare_cached(&format!("SELECT section FROM ({ROWS}) WHERE page = ?1"))?;
            for page in pages {
                let mut rows = statement.query([page])?;
                while let Some(row) = rows.next()? {
                    set.insert(row.get(0)?);
                }
            }
        }
        Ok(set)
    }

    /// A set of these rows.
    pub(crate) fn of(rows: impl IntoIterator<Item = i64>) -> Self {
        let mut set = Self::default();
        rows.into_iter().for_each(|row| set.insert(row));
        set
    }

    /// Whether the set contains the row.
    pub(crate) fn contains(&self, row: i64) -> bool {
        contains(&self.bits, row)
    }

    /// Adds a row; negative numbers, which no row has, are ignored.
    fn insert(&mut self, row: i64) {
        let Ok(number) = usize::try_from(row) else { return };
        if self.bits.len() <= number / 8 {
            self.bits.resize(number / 8 + 1, 0);
        }
        self.bits[number / 8] |= 1 << (number % 8);
    }

    /// Registers [`RowSet::CONTAINS`] with a connection.
    pub(super) fn register(db: &Connection) -> rusqlite::Result<()> {
        let flags = FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_UTF8;
        db.create_scalar_function(Self::CONTAINS, 2, flags, |context| {
            let ValueRef::Blob(bits) = context.get_raw(0) else { return Ok(false) };
            Ok(contains(bits, context.get(1)?))
        })
    }
}

fn contains(bits: &[u8], row: i64) -> bool {
    let Ok(number) = usize::try_from(row) else { return false };
    bits.get(number / 8).is_some_and(|byte| byte & (1 << (number % 8)) != 0)
}

impl ToSql for RowSet {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(ValueRef::Blob(&self.bits)))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::index::tests::Project;

    #[test]
    fn a_set_contains_exactly_the_sections_of_its_pages() {
        let text = "# A\n\none\n\n## B\n\ntwo\n";
        let pages: Vec<(String, String)> =
            (0..9).map(|number| (format!("{number}.md"), text.to_owned())).collect();
        let project = Project::with_pages(pages.iter().map(|(path, text)| (path.as_str(), text.as_str())));
        project
            .index
            .read(|db| {
                let set = RowSet::of_pages(db, &HashSet::from([2, 5, 7, 99]))?;
                let sql =
                    format!("SELECT DISTINCT page FROM sections WHERE {}(?1, section)", RowSet::CONTAINS);
                let mut statement = db.prepare(&sql)?;
                let pages = statement.query_map([&set], |row| row.get::<_, i64>(0))?;
                assert_eq!(pages.collect::<rusqlite::Result<Vec<_>>>()?, [2, 5, 7]);
                for strange in ["-1", "NULL", "9223372036854775807"] {
                    let sql = format!("SELECT {}(?1, {strange})", RowSet::CONTAINS);
                    assert!(!db.query_row(&sql, [&set], |row| row.get(0)).unwrap_or(false));
                }
                Ok(())
            })
            .unwrap();
    }
}
