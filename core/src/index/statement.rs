//! Running SQL statements and reading their rows as Rust values.

use rusqlite::{Connection, OptionalExtension as _, Params, Row};

use super::store::link_kind;
use crate::Result;
use crate::page::LinkKind;

/// Declares structs whose fields are columns in this order.
macro_rules! rows {
    ($($(#[$doc:meta])+ $name:ident { $($(#[$note:meta])* $field:ident: $type:ty,)+ })+) => {$(
        $(#[$doc])+
        #[derive(Debug)]
        pub(crate) struct $name { $($(#[$note])* pub $field: $type,)+ }

        impl Read<'_> for $name {
            fn read(columns: &mut Columns<'_>) -> rusqlite::Result<Self> {
                Ok(Self { $($field: columns.read()?,)+ })
            }
        }
    )+};
}

pub(super) use rows;

/// A row and the position of the next column.
pub(super) struct Columns<'r> {
    row: &'r Row<'r>,
    next: usize,
}

/// A value that is read from one or several columns.
pub(super) trait Read<'r>: Sized {
    fn read(columns: &mut Columns<'r>) -> rusqlite::Result<Self>;
}

impl<'r> Columns<'r> {
    fn of<T: Read<'r>>(row: &'r Row<'r>) -> rusqlite::Result<T> {
        T::read(&mut Self { row, next: 0 })
    }

    pub(super) fn read<T: Read<'r>>(&mut self) -> rusqlite::Result<T> {
        T::read(self)
    }

    fn step(&mut self) -> usize {
        self.next += 1;
        self.next - 1
    }
}

macro_rules! read {
    ($($type:ty: |$row:ident, $at:ident| $value:expr;)+) => {$(
        impl<'r> Read<'r> for $type {
            fn read(columns: &mut Columns<'r>) -> rusqlite::Result<Self> {
                let ($row, $at) = (columns.row, columns.step());
                Ok($value)
            }
        }
    )+};
    (values $($type:ty),+) => { read! { $($type: |row, at| row.get(at)?;)+ } };
    (tuples $(($($part:ident),+))+) => {$(
        impl<'r, $($part: Read<'r>),+> Read<'r> for ($($part,)+) {
            fn read(columns: &mut Columns<'r>) -> rusqlite::Result<Self> {
                Ok(($(columns.read::<$part>()?,)+))
            }
        }
    )+};
}

read! { values i64, usize, u8, f32, f64, bool, String, Vec<u8>, [u8; 32], Option<i64>, Option<usize>, Option<String> }
read! { tuples (A, B) (A, B, C) (A, B, C, D) (A, B, C, D, E) (A, B, C, D, E, F) (A, B, C, D, E, F, G) }
read! {
    &'r str: |row, at| row.get_ref(at)?.as_str()?;
    Option<&'r str>: |row, at| row.get_ref(at)?.as_str_or_null()?;
    &'r [u8]: |row, at| row.get_ref(at)?.as_blob()?;
    // A JSON array.
    Vec<String>: |row, at| serde_json::from_str(row.get_ref(at)?.as_str()?).unwrap_or_default();
    LinkKind: |row, at| link_kind(row.get(at)?);
}

/// Returns all rows.
pub(super) fn all<T: for<'r> Read<'r>, C: FromIterator<T>>(
    db: &Connection,
    sql: &str,
    params: impl Params,
) -> Result<C> {
    let mut statement = db.prepare_cached(sql)?;
    Ok(statement.query_map(params, |row| Columns::of(row))?.collect::<rusqlite::Result<_>>()?)
}

/// Returns the first row, if there is one.
pub(super) fn first<T: for<'r> Read<'r>>(
    db: &Connection,
    sql: &str,
    params: impl Params,
) -> Result<Option<T>> {
    Ok(db.prepare_cached(sql)?.query_row(params, |row| Columns::of(row)).optional()?)
}

/// Returns the first row, which must exist.
pub(super) fn one<T: for<'r> Read<'r>>(db: &Connection, sql: &str, params: impl Params) -> Result<T> {
    Ok(db.prepare_cached(sql)?.query_row(params, |row| Columns::of(row))?)
}

/// Whether there is at least one row.
pub(super) fn any(db: &Connection, sql: &str, params: impl Params) -> Result<bool> {
    Ok(db.prepare_cached(sql)?.exists(params)?)
}

/// Calls `look` for every row.
pub(super) fn each(
    db: &Connection,
    sql: &str,
    params: impl Params,
    mut look: impl FnMut(&mut Columns<'_>) -> rusqlite::Result<()>,
) -> Result<()> {
    let mut statement = db.prepare_cached(sql)?;
    let mut rows = statement.query(params)?;
    while let Some(row) = rows.next()? {
        look(&mut Columns { row, next: 0 })?;
    }
    Ok(())
}

/// Runs a statement that returns no rows.
pub(super) fn run(db: &Connection, sql: &str, params: impl Params) -> Result<()> {
    db.prepare_cached(sql)?.execute(params)?;
    Ok(())
}
