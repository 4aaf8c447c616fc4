//! SQL functions that SQLite lacks: the vector of a text, and the distance of two vectors.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::Connection;
use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::ValueRef;

use super::schema::{bytes, numbers};
use crate::Result;
use crate::ports::ModelInfo;
use crate::text::read_part;
use crate::{reported, word};

/// Maximum number of texts that `embed` accepts in one statement.
const TEXTS: usize = 64;

/// Texts passed to `embed` that have no vector yet.
pub(super) type Wanted = Arc<Mutex<BTreeSet<String>>>;

/// The message of `embed` without a model.
pub(super) const WITHOUT_MODEL: &str = word!("embed() cannot be used");

/// Adds `embed(text)` and `array_cosine_distance(a, b)`.
pub(super) fn add(
    db: &Connection,
    embedded: HashMap<String, Vec<f32>>,
    model: Option<ModelInfo>,
    wanted: &Wanted,
) -> Result<()> {
    let flags =
        FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_DIRECTONLY;
    let wanted = Arc::clone(wanted);
    db.create_scalar_function("embed", 1, flags, move |call: &Context<'_>| {
        let model = model.as_ref().ok_or_else(|| failure(WITHOUT_MODEL.into()))?;
        let text = match call.get_raw(0) {
            ValueRef::Null => return Ok(None),
            ValueRef::Text(text) => String::from_utf8_lossy(text),
            _ => return Err(failure(word!("embed() takes a text").into())),
        };
        let text = read_part(&text);
        if let Some(script) = model.scripts.other_script_of(text) {
            let name = &model.name;
            return Err(failure(reported!(
                "embed() cannot be used with this text: the model {name} does not understand the script {script}; \
                 find its words with content LIKE '%…%', or let the project use a model that does"
            )));
        }
        let vector = embedded.get(text).map(|vector| bytes(vector));
        if vector.is_none() {
            let mut wanted = wanted.lock().unwrap_or_else(PoisonError::into_inner);
            if embedded.len() + wanted.len() >= TEXTS && !wanted.contains(text) {
                return Err(failure(reported!(
                    "embed() takes at most {most} different texts; use constants, such as embed('login')",
                    most = TEXTS
                )));
            }
            wanted.insert(text.to_owned());
        }
        Ok(vector)
    })?;
    db.create_scalar_function("array_cosine_distance", 2, flags, |call: &Context<'_>| {
        let (ValueRef::Blob(a), ValueRef::Blob(b)) = (call.get_raw(0), call.get_raw(1)) else {
            let is_null = |at| matches!(call.get_raw(at), ValueRef::Null);
            return match is_null(0) || is_null(1) {
                true => Ok(NOWHERE),
                false => Err(failure(word!("array_cosine_distance() takes two vectors").into())),
            };
        };
        if a.len() != b.len() {
            return Err(failure(reported!(
                "array_cosine_distance() got vectors of {first} and {second} numbers",
                first = a.len() / size_of::<f32>(),
                second = b.len() / size_of::<f32>()
            )));
        }
        Ok(distance(a, b))
    })?;
    Ok(())
}

/// The distance from a page without a vector. NULL would sort before all numbers and make such a page
/// the closest one.
const NOWHERE: f64 = f64::INFINITY;

/// 1 minus the cosine of the angle, 0 to 2; [`NOWHERE`] for a zero vector.
fn distance(a: &[u8], b: &[u8]) -> f64 {
    let (mut dot, mut of_a, mut of_b) = (0.0_f64, 0.0_f64, 0.0_f64);
    for (a, b) in numbers(a).zip(numbers(b)) {
        let (a, b) = (f64::from(a), f64::from(b));
        dot += a * b;
        of_a += a * a;
        of_b += b * b;
    }
    let lengths = (of_a * of_b).sqrt();
    if lengths > 0.0 { (1.0 - dot / lengths).clamp(0.0, 2.0) } else { NOWHERE }
}

/// An error in English, which SQLite passes on.
fn failure(message: String) -> rusqlite::Error {
    rusqlite::Error::UserFunctionError(message.into())
}
