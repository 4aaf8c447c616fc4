//! Vectors that all projects of a machine share: a database of its own, by model and hash of the embedded text. It has
//! neither texts nor names, and can be deleted at any time.

use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, Transaction, TransactionBehavior};
use sha2::{Digest, Sha256};

use super::statement::{any, first, one, run};
use crate::ports::{ContentHash, ModelInfo};
use crate::{Error, Result, message};

/// Identifies the file ("UBPv").
const APPLICATION_ID: i32 = 0x5542_5076;
/// Incremented whenever a table changes. Files of other versions have other names.
pub const STORE_VERSION: i32 = 1;
/// How long to wait for another process that writes. Vectors can be computed instead.
const PATIENCE: Duration = Duration::from_secs(2);
/// Part of the limit that stays when vectors are deleted, in percent, so that not every write deletes.
const KEPT_PERCENT: u64 = 90;
/// Length of a checksum in bytes.
const SUM: usize = 8;

const TABLES: &str = "
CREATE TABLE models (
    model      INTEGER PRIMARY KEY,
    identity   TEXT NOT NULL UNIQUE
);
CREATE TABLE vectors (
    vector INTEGER PRIMARY KEY,
    model  INTEGER NOT NULL,
    hash   BLOB NOT NULL,       -- SHA-256 of the embedded text
    used   INTEGER NOT NULL,    -- day of the last use, from 1970
    sum    BLOB NOT NULL,       -- of hash and data
    data   BLOB NOT NULL,       -- f32, little endian, unit length
    UNIQUE (model, hash)
);
CREATE INDEX vectors_by_use ON vectors(used);
";

/// A store of vectors.
pub struct VectorStore {
    db: Mutex<Connection>,
    limit: u64,
}

/// Size of a store.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StoreSize {
    /// Vectors in it.
    pub vectors: usize,
    /// Bytes of its file, without the write-ahead log.
    pub bytes: u64,
}

impl VectorStore {
    /// Opens the store at `path`, an existing file that may be empty. It takes at most `limit` bytes; the vectors that were
    /// not used for longest are deleted first.
    ///
    /// # Errors
    /// [`Error::Database`] if it is damaged or cannot be opened; [`Error::InvalidParams`] if it is another database.
    pub fn open(path: &Path, limit: u64) -> Result<Self> {
        let mut db = Connection::open(path)?;
        db.busy_timeout(PATIENCE)?;
        let application: i32 = db.pragma_query_value(None, "application_id", |row| row.get(0))?;
        if application != APPLICATION_ID {
            create(&mut db)?;
        }
        db.execute_batch(
            "PRAGMA synchronous = NORMAL; PRAGMA cache_size = -2000; PRAGMA journal_size_limit = 1000000;",
        )?;
        Ok(Self { db: Mutex::new(db), limit })
    }

    /// The vectors of these texts by the model, in order, with `None` for unknown ones. `today` counts days from 1970.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub fn find(&self, model: &ModelInfo, texts: &[&str], today: i64) -> Result<Vec<Option<Vec<f32>>>> {
        let mut db = self.db.lock().unwrap_or_else(PoisonError::into_inner);
        let number = number_of(&db, model)?;
        let Some(number) = number else { return Ok(vec![None; texts.len()]) };
        let mut unused = Vec::new();
        let mut found = Vec::with_capacity(texts.len());
        for text in texts {
            let hash = ContentHash::of(text.as_bytes());
            let sql = "SELECT vector, used, sum, data FROM vectors WHERE model = ?1 AND hash = ?2";
            let row: Option<(i64, i64, Vec<u8>, Vec<u8>)> = first(&db, sql, (number, hash.0))?;
            let row = row.filter(|(.., sum, data)| {
                data.len() == model.dimensions * 4 && sum.as_slice() == sum_of(hash, data)
            });
            found.push(row.map(|(vector, used, _, data)| {
                if used < today {
                    unused.push(vector);
                }
                data.as_chunks::<4>().0.iter().map(|x| f32::from_le_bytes(*x)).collect()
            }));
        }
        if !unused.is_empty() {
            // Only the order of deletion depends on this: a store that cannot be written to can still be read.
            let _ = note_use(&mut db, &unused, today);
        }
        Ok(found)
    }

    /// Stores the vectors of these texts, and deletes others if there is no room.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub fn keep(&self, model: &ModelInfo, vectors: &[(&str, &[f32])], today: i64) -> Result<()> {
        let mut db = self.db.lock().unwrap_or_else(PoisonError::into_inner);
        let transaction = begin(&mut db)?;
        let sql = "INSERT INTO models(identity) VALUES (?1) ON CONFLICT(identity) DO NOTHING";
        run(&transaction, sql, [&model.identity])?;
        let number = number_of(&transaction, model)?;
        for (text, vector) in vectors {
            let hash = ContentHash::of(text.as_bytes());
            let data: Vec<u8> = vector.iter().flat_map(|x| x.to_le_bytes()).collect();
            let sum = sum_of(hash, &data);
            let sql =
                "INSERT OR REPLACE INTO vectors(model, hash, used, sum, data) VALUES (?1, ?2, ?3, ?4, ?5)";
            run(&transaction, sql, (number, hash.0, today, sum, data))?;
        }
        transaction.commit()?;
        self.make_room(&mut db)
    }

    fn make_room(&self, db: &mut Connection) -> Result<()> {
        let is_full = |db: &Connection| Ok::<_, Error>(bytes_in_use(db)? > self.limit);
        if !is_full(db)? {
            return Ok(());
        }
        let transaction = begin(db)?;
        // Another process may have made room meanwhile.
        let used = bytes_in_use(&transaction)?;
        if used > self.limit {
            let count: i64 = one(&transaction, "SELECT count(*) FROM vectors", [])?;
            let excess = used - self.limit * KEPT_PERCENT / 100;
            let due = (u128::from(count.unsigned_abs()) * u128::from(excess)).div_ceil(u128::from(used));
            let sql = "DELETE FROM vectors WHERE vector IN (
                     SELECT vector FROM vectors ORDER BY used, vector LIMIT ?1)";
            run(&transaction, sql, [i64::try_from(due).unwrap_or(i64::MAX)])?;
        }
        transaction.commit()?;
        // Every step returns one page to the file system.
        let mut vacuum = db.prepare("PRAGMA incremental_vacuum")?;
        let mut pages = vacuum.raw_query();
        while pages.next()?.is_some() {}
        Ok(())
    }

    /// Its size.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub fn size(&self) -> Result<StoreSize> {
        let db = self.db.lock().unwrap_or_else(PoisonError::into_inner);
        let pages: u64 = db.pragma_query_value(None, "page_count", |row| row.get(0))?;
        let page: u64 = db.pragma_query_value(None, "page_size", |row| row.get(0))?;
        Ok(StoreSize { vectors: one(&db, "SELECT count(*) FROM vectors", [])?, bytes: pages * page })
    }
}

fn create(db: &mut Connection) -> Result<()> {
    let foreign = || Error::invalid(message!("it is another program's database"));
    if any(db, "SELECT 1 FROM sqlite_schema", [])? {
        // Another process may have created the tables after the identity was read.
        let application: i32 = db.pragma_query_value(None, "application_id", |row| row.get(0))?;
        return if application == APPLICATION_ID { Ok(()) } else { Err(foreign()) };
    }
    // Five vectors of 384 numbers fit in such a page, and two in one of the usual size.
    db.execute_batch(
        "PRAGMA page_size = 8192; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL;",
    )?;
    let transaction = begin(db)?;
    if !any(&transaction, "SELECT 1 FROM sqlite_schema", [])? {
        transaction.execute_batch(TABLES)?;
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    }
    Ok(transaction.commit()?)
}

fn begin(db: &mut Connection) -> Result<Transaction<'_>> {
    Ok(db.transaction_with_behavior(TransactionBehavior::Immediate)?)
}

fn number_of(db: &Connection, model: &ModelInfo) -> Result<Option<i64>> {
    first(db, "SELECT model FROM models WHERE identity = ?1", [&model.identity])
}

fn note_use(db: &mut Connection, vectors: &[i64], today: i64) -> Result<()> {
    db.busy_timeout(Duration::ZERO)?;
    let noted = begin(db).and_then(|transaction| {
        for vector in vectors {
            run(&transaction, "UPDATE vectors SET used = ?2 WHERE vector = ?1", (vector, today))?;
        }
        Ok(transaction.commit()?)
    });
    db.busy_timeout(PATIENCE)?;
    noted
}

/// Bytes of pages that hold something.
fn bytes_in_use(db: &Connection) -> Result<u64> {
    let number = |name: &str| db.pragma_query_value(None, name, |row| row.get::<_, u64>(0));
    Ok((number("page_count")? - number("freelist_count")?) * number("page_size")?)
}

/// A disk that fails may return other bytes than were written.
fn sum_of(hash: ContentHash, data: &[u8]) -> [u8; SUM] {
    let whole = Sha256::new().chain_update(hash.0).chain_update(data).finalize();
    let mut sum = [0; SUM];
    sum.copy_from_slice(&whole[..SUM]);
    sum
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
