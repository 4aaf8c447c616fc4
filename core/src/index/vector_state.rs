//! A name for each state of the vectors of an index. Counters alone are not unique: an index that was rebuilt, copied
//! or restored from a backup repeats the same numbers with other vectors. So the index also holds a random token, which
//! every change replaces.

use rusqlite::Connection;
use sha2::{Digest, Sha256};

use super::changes::{GENERATION, VECTOR_GENERATION};
use super::connection::counter;
use super::statement::{any, first, run};
use crate::Result;
use crate::text::hex;

/// One state of the vectors of a model. Equal states have identical vectors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct VectorState {
    name: String,
}

impl VectorState {
    /// The current state; `None` if the index has no token.
    pub(super) fn of(db: &Connection, identity: &str) -> Result<Option<Self>> {
        let token: Option<String> = first(db, "SELECT value FROM meta WHERE key = 'token'", [])?;
        let Some(token) = token else { return Ok(None) };
        let parts = [
            token,
            counter(db, GENERATION)?.to_string(),
            counter(db, VECTOR_GENERATION)?.to_string(),
            identity.into(),
        ];
        let mut name = hex(&Sha256::digest(parts.join("\n")));
        name.truncate(32);
        Ok(Some(Self { name }))
    }

    /// Letters and digits, usable as a name in a [`crate::ports::Cache`].
    pub(super) fn name(&self) -> &str {
        &self.name
    }
}

/// Whether the index has a token.
pub(super) fn has_begun(db: &Connection) -> Result<bool> {
    any(db, "SELECT 1 FROM meta WHERE key = 'token'", [])
}

/// Gives the index a token, unless it has one. Only indexes that share their vectors have a token, so that others are
/// identical whenever they are built.
pub(super) fn begin(db: &Connection) -> Result<()> {
    run(db, "INSERT OR IGNORE INTO meta(key, value) VALUES ('token', hex(randomblob(16)))", [])
}

/// Replaces the token, if there is one.
pub(super) fn renew(db: &Connection) -> Result<()> {
    run(db, "UPDATE meta SET value = hex(randomblob(16)) WHERE key = 'token'", [])
}
