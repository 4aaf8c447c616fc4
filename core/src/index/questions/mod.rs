//! What the rest of the engine asks of the index, by subject. A question is a name, what it takes, and a statement;
//! it stands here and nowhere else, so that tables and columns are known to `index` alone. What users ask in SQL of
//! their own runs in the sandbox of `query`, over a table that is made there.

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

mod filter;
pub(crate) mod fulltext;
pub(crate) mod links;
pub(crate) mod names;
pub(crate) mod pages;
pub(crate) mod sections;
pub(crate) mod sites;
pub(crate) mod sources;
pub(crate) mod vectors;

pub use filter::{Filter, Unmatched, UnmatchedKind};

use super::statement::{Columns, Read, all, any, each, first, one, rows, run};

/// A list as `json_each` reads it.
fn json<T: serde::Serialize>(list: &[T]) -> String {
    serde_json::to_string(list).unwrap_or_else(|_| "[]".into())
}
