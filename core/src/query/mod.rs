//! SQL over pages. A statement runs in a database of its own in memory, which holds one table and nothing else, so
//! that whatever it tries it can neither see nor change anything but what it was given, and no other client
//! waits for it. SQLite's authorizer admits what reads that table; limits end what takes too long or grows too large.
//! Only here, beside `index`, are there statements: those that make this table.
//!
//! It is tried with statements that want to read or change more, never end, or grow without end (`tests.rs`).

mod functions;
mod sandbox;
mod schema;

pub use sandbox::{Answer, Limits};
pub(crate) use schema::page_vectors;
pub use schema::{Column, Schema};

use std::collections::HashMap;

use rusqlite::types::Value as SqlValue;

use crate::Context;
use crate::ports::TextKind;
use crate::{Error, Result};

/// Texts that `embed` may be given in one statement.
const EMBEDDED: usize = 64;

/// Runs one statement over the pages of `schema`.
///
/// # Errors
/// [`Error::InvalidParams`] for what is no single statement that reads `files`, for what takes too long, and for
/// `embed` while vectors are missing; [`Error::Cancelled`], [`Error::Database`], [`Error::Model`].
pub fn run(context: &Context<'_>, schema: &Schema, sql: &str, limits: Limits) -> Result<Answer> {
    let mut embedded: HashMap<String, Vec<f32>> = HashMap::new();
    loop {
        let sandbox = sandbox::Sandbox::open(context, schema, sql, embedded.clone())?;
        let answer = sandbox.run(context, sql, limits)?;
        // The functions of a statement cannot ask the model: it is not theirs to keep. What they lacked is
        // made between two runs; a statement with constant texts, as most have, takes two.
        let wanted = sandbox.wanted();
        if wanted.is_empty() {
            return Ok(answer);
        }
        if embedded.len() + wanted.len() > EMBEDDED {
            return Err(Error::invalid(format!(
                "embed() was given more than {EMBEDDED} different texts; give it constants, such as embed('login')"
            )));
        }
        let embedder = schema.embedder(context)?;
        let texts: Vec<&str> = wanted.iter().map(String::as_str).collect();
        let mut vectors = Vec::with_capacity(texts.len());
        for text in &texts {
            vectors.extend(embedder.embed(TextKind::Query, &[text])?);
        }
        embedded.extend(wanted.into_iter().zip(vectors));
    }
}

/// A value of an answer as JSON. Vectors are for comparing, so that their type stands for them.
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
