//! What the rest of the engine asks of the index, by subject. A question is a name, what it takes, and a statement;
//! it stands here and nowhere else, so that tables and columns are known to `index` alone. What users ask in SQL of
//! their own runs in the sandbox of `query`, over a table that is made there.

use rusqlite::{Connection, OptionalExtension as _, Params, Row};

use crate::Result;
use crate::index::store::link_kind;
use crate::page::LinkKind;

/// Declares questions: name, parameters, answer, and how many rows make it ([`one`], [`first`], [`all`], [`any`]).
macro_rules! questions {
    ($($(#[$doc:meta])+ $name:ident($($given:ident: $type:ty),*) -> $answer:ty = $rows:ident $sql:expr;)+) => {$(
        $(#[$doc])+
        pub(crate) fn $name(db: &Connection, $($given: $type),*) -> Result<$answer> {
            $rows(db, $sql, ($($given,)*))
        }
    )+};
}

/// Declares questions whose answer is too much to be held at once: `look` is shown the columns of each row.
macro_rules! visits {
    ($($(#[$doc:meta])+ $name:ident($($given:ident: $type:ty),*) -> $($column:ty),+ = $sql:expr;)+) => {$(
        $(#[$doc])+
        pub(crate) fn $name(
            db: &Connection,
            $($given: $type,)*
            mut look: impl FnMut($($column),+),
        ) -> Result<()> {
            each(db, $sql, ($($given,)*), |columns| {
                look($(columns.read::<$column>()?),+);
                Ok(())
            })
        }
    )+};
}

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

mod filter;
pub(crate) mod fulltext;
pub(crate) mod links;
pub(crate) mod names;
pub(crate) mod pages;
pub(crate) mod sections;
pub(crate) mod sites;
pub(crate) mod sources;
pub(crate) mod vectors;

pub use filter::Filter;

/// A row, as far as it is read.
pub(in crate::index) struct Columns<'r> {
    row: &'r Row<'r>,
    next: usize,
}

/// What one or several columns are read as.
pub(in crate::index) trait Read<'r>: Sized {
    fn read(columns: &mut Columns<'r>) -> rusqlite::Result<Self>;
}

impl<'r> Columns<'r> {
    fn of<T: Read<'r>>(row: &'r Row<'r>) -> rusqlite::Result<T> {
        T::read(&mut Self { row, next: 0 })
    }

    fn read<T: Read<'r>>(&mut self) -> rusqlite::Result<T> {
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
read! { tuples (A, B) (A, B, C) (A, B, C, D) }
read! {
    &'r str: |row, at| row.get_ref(at)?.as_str()?;
    Option<&'r str>: |row, at| row.get_ref(at)?.as_str_or_null()?;
    &'r [u8]: |row, at| row.get_ref(at)?.as_blob()?;
    // A JSON array.
    Vec<String>: |row, at| serde_json::from_str(row.get_ref(at)?.as_str()?).unwrap_or_default();
    LinkKind: |row, at| link_kind(row.get(at)?);
}

/// Every row.
pub(in crate::index) fn all<T: for<'r> Read<'r>, C: FromIterator<T>>(
    db: &Connection,
    sql: &str,
    params: impl Params,
) -> Result<C> {
    let mut statement = db.prepare_cached(sql)?;
    Ok(statement.query_map(params, |row| Columns::of(row))?.collect::<rusqlite::Result<_>>()?)
}

/// The first row, where there is any.
pub(in crate::index) fn first<T: for<'r> Read<'r>>(
    db: &Connection,
    sql: &str,
    params: impl Params,
) -> Result<Option<T>> {
    Ok(db.prepare_cached(sql)?.query_row(params, |row| Columns::of(row)).optional()?)
}

/// The row that there must be.
pub(in crate::index) fn one<T: for<'r> Read<'r>>(
    db: &Connection,
    sql: &str,
    params: impl Params,
) -> Result<T> {
    Ok(db.prepare_cached(sql)?.query_row(params, |row| Columns::of(row))?)
}

/// Whether there is a row.
pub(in crate::index) fn any(db: &Connection, sql: &str, params: impl Params) -> Result<bool> {
    Ok(db.prepare_cached(sql)?.exists(params)?)
}

fn each(
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

/// A list as `json_each` reads it.
fn json<T: serde::Serialize>(list: &[T]) -> String {
    serde_json::to_string(list).unwrap_or_else(|_| "[]".into())
}
