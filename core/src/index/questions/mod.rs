//! The queries of the rest of the engine, by subject. Each is a function with a name, parameters and an SQL statement,
//! defined only here, so that only `index` knows tables and columns. SQL written by users runs in the sandbox of
//! `query`, on a table created there.

/// Declares queries: name, parameters, result, and how its rows are read ([`one`], [`first`], [`all`], [`any`]).
macro_rules! questions {
    ($($(#[$doc:meta])+ $name:ident($($given:ident: $type:ty),*) -> $answer:ty = $rows:ident $sql:expr;)+) => {$(
        $(#[$doc])+
        pub(crate) fn $name(db: &Connection, $($given: $type),*) -> Result<$answer> {
            $rows(db, $sql, ($($given,)*))
        }
    )+};
}

/// Declares queries with large results: `look` is called with the columns of each row.
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

mod filter;
pub(crate) mod fulltext;
#[cfg(not(target_family = "wasm"))]
pub(crate) mod lengths;
pub(crate) mod links;
pub(crate) mod names;
pub(crate) mod pages;
pub(crate) mod sections;
pub(crate) mod sites;
pub(crate) mod sources;
pub(crate) mod vectors;

pub use filter::{Filter, Unmatched, UnmatchedKind};

use super::statement::{Columns, Read, all, any, each, first, one, rows, run};

/// A list as input of `json_each`.
fn json<T: serde::Serialize>(list: &[T]) -> String {
    serde_json::to_string(list).unwrap_or_else(|_| "[]".into())
}
