//! SQL over pages. A statement runs in a database of its own in memory, which holds one table. So it can neither
//! see nor change anything else, and no other client waits for it. SQLite's authorizer admits reads of that table
//! only; limits stop statements that take too long or whose results grow too large. Except for `index`, this is the
//! only module with SQL: the statements that create the table.
//!
//! The tests include statements that try to read or change more, never end, or grow without end (`tests.rs`).

#[cfg(not(target_family = "wasm"))]
mod base;
#[cfg(not(target_family = "wasm"))]
mod block;
mod dialect;
mod functions;
#[cfg(not(target_family = "wasm"))]
mod queries;
mod sandbox;
mod schema;
#[cfg(not(target_family = "wasm"))]
mod shown;

#[cfg(not(target_family = "wasm"))]
pub(crate) use base::{Base, Problem, rename_tags as rename_tags_in_base};
#[cfg(not(target_family = "wasm"))]
pub(crate) use queries::{
    Queries, Question, TagsInQuestions, base_and_view, is_query, questions_in,
    rename_tags as rename_tags_in_questions,
};
pub use sandbox::{Answer, Limits};
pub(crate) use schema::page_vectors;
pub use schema::{Column, Schema};
#[cfg(not(target_family = "wasm"))]
pub(crate) use shown::{Part, Shown};

use std::collections::HashMap;

use rusqlite::types::Value as SqlValue;

use crate::Context;
use crate::message;
use crate::ports::{Clock, TextKind};
use crate::progress::Cancel;
use crate::{Error, Result};

/// Runs one statement over the pages of `schema`.
///
/// # Errors
/// [`Error::InvalidParams`] for anything but a single statement that reads `files`, for a statement that takes too
/// long, and for `embed` while vectors are missing; [`Error::Cancelled`], [`Error::Database`], [`Error::Model`].
pub fn run(context: &Context<'_>, schema: &Schema, sql: &str, limits: Limits) -> Result<Answer> {
    let mut embedded: HashMap<String, Vec<f32>> = HashMap::new();
    let mut time = Time { clock: context.clock, cancel: context.cancel, limit: limits.millis, spent: 0 };
    loop {
        let sandbox = sandbox::Sandbox::open(context, schema, sql, embedded.clone())?;
        let answer = time.of(|left| sandbox.run(context, sql, limits, left))?;
        // SQL functions have to own what they use, so they cannot call the model. Missing vectors are computed between
        // two runs. Most statements have constant texts and need two runs.
        let wanted = sandbox.wanted();
        if wanted.is_empty() {
            return Ok(answer);
        }
        let embedder = schema.embedder(context).map_err(Error::invalid)?;
        for text in wanted {
            let embed = || embedder.embed(TextKind::Query, &[text.as_str()]);
            // The first text may have to wait until the model is loaded; that does not count.
            let vectors = match embedded.is_empty() {
                true => embed()?,
                false => time.of(|_| embed())?,
            };
            embedded.extend(vectors.into_iter().map(|vector| (text.clone(), vector)));
        }
    }
}

/// The time limit of a statement, with everything that is done for it.
struct Time<'a> {
    clock: &'a dyn Clock,
    cancel: &'a Cancel,
    /// Milliseconds.
    limit: u64,
    /// Microseconds.
    spent: u64,
}

impl Time<'_> {
    /// Does a part of the work; `work` gets the number of milliseconds left.
    fn of<T>(&mut self, work: impl FnOnce(u64) -> Result<T>) -> Result<T> {
        self.cancel.check()?;
        let left = self.limit.saturating_sub(self.spent / 1_000);
        if left == 0 {
            return Err(too_slow(self.limit));
        }
        let begun = self.clock.monotonic_micros();
        let done = work(left)?;
        self.spent += self.clock.monotonic_micros().saturating_sub(begun);
        Ok(done)
    }
}

fn too_slow(millis: u64) -> Error {
    Error::invalid(message!(
        "the statement took longer than {millis} ms; narrow it by glob, WHERE or LIMIT, or embed fewer texts",
        millis
    ))
}

/// A value of an answer as JSON. A vector is only good for comparing, so its type is shown instead.
fn json(value: SqlValue) -> serde_json::Value {
    match value {
        SqlValue::Null => serde_json::Value::Null,
        SqlValue::Integer(number) => number.into(),
        SqlValue::Real(number) => number.into(),
        SqlValue::Text(text) => text.into(),
        SqlValue::Blob(bytes) => format!("FLOAT[{}]", bytes.len() / size_of::<f32>()).into(),
    }
}

#[cfg(test)]
mod tests;
