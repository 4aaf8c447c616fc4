//! Starting an index as a copy of that of another folder with mostly the same pages.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use super::Index;
use super::connection::{Content, beside};
use crate::{Error, Result, message};

/// How long to wait for those who use the index.
const PATIENCE: Duration = Duration::from_millis(300);
/// Number of attempts to find it at rest.
const ROUNDS: usize = 5;

impl Index {
    /// Makes the next refresh read every file, and gives every document the chunk size of the project: for a copy of the
    /// index of another folder.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub fn trust_no_file(&self) -> Result<()> {
        self.write(|db| {
            db.execute_batch(
                "UPDATE page_files SET modified = 0, fingerprint = 0;
                 UPDATE sections SET vector_model = NULL
                 WHERE page IN (SELECT page FROM documents WHERE chunk_size IS NOT NULL);
                 UPDATE documents SET chunk_size = NULL WHERE chunk_size IS NOT NULL;",
            )?;
            Ok(())
        })
    }
}

/// Copies the index at `path` with `copy`, which copies this single file. Nobody writes it meanwhile, and it has all
/// content. It is not changed.
///
/// # Errors
/// [`Error::InvalidParams`] if it is not an index of this version; [`Error::Database`]; [`Error::Io`] if `copy` fails, or
/// others write it all the time.
pub fn copy_at_rest(path: &Path, copy: impl FnOnce() -> std::io::Result<()>) -> Result<()> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut db = Connection::open_with_flags(path, flags)?;
    db.busy_timeout(PATIENCE)?;
    if !matches!(Content::of(&mut db)?, Content::Index) {
        return Err(Error::invalid(message!("it is another program's database")));
    }
    for _ in 0..ROUNDS {
        db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
        let transaction = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
        // Somebody may have written between the two statements.
        if is_empty(&beside(path, "-wal")) {
            copy().map_err(|error| Error::io(path.display().to_string(), error))?;
            return Ok(transaction.rollback()?);
        }
    }
    Err(Error::io(path.display().to_string(), std::io::ErrorKind::ResourceBusy.into()))
}

#[expect(clippy::disallowed_methods, reason = "the database path is the one file that the engine is handed")]
fn is_empty(path: &Path) -> bool {
    std::fs::metadata(path).map_or(true, |metadata| metadata.len() == 0)
}
