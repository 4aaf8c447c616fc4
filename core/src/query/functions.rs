//! What SQL gets beside SQLite's own functions: the vector of a text, and how far two vectors are apart.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::Connection;
use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::ValueRef;

use super::schema::{bytes, numbers};
use crate::Result;

/// Texts that `embed` was asked for and had no vector of.
pub(super) type Wanted = Arc<Mutex<BTreeSet<String>>>;

/// Adds `embed(text)` and `array_cosine_distance(a, b)`. `refusal` is why there are no vectors, if so.
pub(super) fn add(
    db: &Connection,
    embedded: HashMap<String, Vec<f32>>,
    refusal: Option<String>,
    wanted: &Wanted,
) -> Result<()> {
    let flags =
        FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_DIRECTONLY;
    let wanted = Arc::clone(wanted);
    db.create_scalar_function("embed", 1, flags, move |call: &Context<'_>| {
        if let Some(reason) = &refusal {
            return Err(failure(format!("embed() cannot be used: {reason}")));
        }
        let text = match call.get_raw(0) {
            ValueRef::Null => return Ok(None),
            ValueRef::Text(text) => String::from_utf8_lossy(text),
            _ => return Err(failure("embed() takes a text".into())),
        };
        let vector = embedded.get(&*text).map(|vector| bytes(vector));
        if vector.is_none() {
            wanted.lock().unwrap_or_else(PoisonError::into_inner).insert(text.into_owned());
        }
        Ok(vector)
    })?;
    db.create_scalar_function("array_cosine_distance", 2, flags, |call: &Context<'_>| {
        let (ValueRef::Blob(a), ValueRef::Blob(b)) = (call.get_raw(0), call.get_raw(1)) else {
            let is_null = |at| matches!(call.get_raw(at), ValueRef::Null);
            return match is_null(0) || is_null(1) {
                true => Ok(None),
                false => Err(failure("array_cosine_distance() takes two vectors".into())),
            };
        };
        if a.len() != b.len() {
            return Err(failure(format!(
                "array_cosine_distance() got vectors of {} and {} numbers",
                a.len() / size_of::<f32>(),
                b.len() / size_of::<f32>()
            )));
        }
        Ok(distance(a, b))
    })?;
    Ok(())
}

/// 1 less the cosine of the angle, 0 to 2; nothing for a vector without direction.
fn distance(a: &[u8], b: &[u8]) -> Option<f64> {
    let (mut dot, mut of_a, mut of_b) = (0.0_f64, 0.0_f64, 0.0_f64);
    for (a, b) in numbers(a).zip(numbers(b)) {
        let (a, b) = (f64::from(a), f64::from(b));
        dot += a * b;
        of_a += a * a;
        of_b += b * b;
    }
    let lengths = (of_a * of_b).sqrt();
    (lengths > 0.0).then(|| (1.0 - dot / lengths).clamp(0.0, 2.0))
}

fn failure(message: String) -> rusqlite::Error {
    rusqlite::Error::UserFunctionError(message.into())
}
