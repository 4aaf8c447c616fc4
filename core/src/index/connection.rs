//! Opening the database, and handing out connections to it.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior};

use super::changes::{GENERATION, VECTOR_GENERATION};
use super::kept::Kept;
use super::postings::PostingLists;
use super::questions::pages;
use super::row_counts::RowCounts;
use super::statement::{first, run};
use super::{PageNames, RowSet, VectorMatrix, View, schema, vector_state};
use crate::graph::LinkGraph;
use crate::message;
use crate::message::Message;
use crate::ports::Cache;
use crate::{Error, Result};

/// How long a writer waits for another writer.
const BUSY_TIMEOUT: Duration = Duration::from_secs(15);
/// Reader connections that are kept open between uses.
const IDLE_READERS: usize = 3;
/// 64 MB of page cache, divided among the writer and the idle readers.
const CACHE_KIB: usize = 64_000 / (IDLE_READERS + 1);

/// The first bytes of every SQLite file.
const MAGIC: &[u8] = b"SQLite format 3\0";
/// Length of a SQLite file's header, and the bytes in it that hold the write and read versions.
const HEADER: usize = 100;
const FILE_FORMAT: std::ops::Range<usize> = 18..20;

/// An unusable database that was moved aside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetAside {
    /// Its new path.
    pub path: PathBuf,
    /// Why it could not be used.
    pub reason: Message,
}

/// An open index.
pub struct Index {
    location: Location,
    writer: Mutex<Connection>,
    patience: Mutex<Duration>,
    readers: Mutex<Vec<Connection>>,
    pub(super) graph: Kept<LinkGraph>,
    pub(super) names: Kept<PageNames>,
    pub(super) row_counts: RowCounts,
    pub(super) postings: PostingLists,
    matrix: Kept<VectorMatrix>,
    cache: Option<Box<dyn Cache>>,
    /// Distinguishes this index from all others that are open.
    pub(super) own: Arc<()>,
}

enum Location {
    File(PathBuf),
    Memory,
}

impl Index {
    /// Opens the index at `path`, creating it if it does not exist. A damaged file, another program's database, or an
    /// index with a newer schema is moved aside and replaced by an empty index; one with an older schema is replaced.
    ///
    /// # Errors
    /// [`Error::Database`] if no database can be opened at that path.
    pub fn open(path: &Path) -> Result<(Self, Option<SetAside>)> {
        let (writer, aside) = match open_writer(path) {
            Ok(writer) => (writer, None),
            Err(Unusable::Failed(error)) => return Err(error.into()),
            Err(Unusable::Older(_)) => {
                remove(path)?;
                (open_new(path)?, None)
            }
            Err(Unusable::Foreign(reason)) => {
                let aside = set_aside(path)?;
                (open_new(path)?, Some(SetAside { path: aside, reason }))
            }
        };
        Ok((Self::with(Location::File(path.into()), writer), aside))
    }

    /// An empty index that exists as long as this value.
    ///
    /// # Errors
    /// [`Error::Database`] if SQLite cannot be started.
    pub fn in_memory() -> Result<Self> {
        let mut writer = Connection::open_in_memory()?;
        tune(&writer)?;
        create_tables(&mut writer)?;
        Ok(Self::with(Location::Memory, writer))
    }

    /// The read-only index in `bytes`, an index file of `length` bytes. The bytes are read once, directly into the
    /// memory that SQLite uses.
    ///
    /// # Errors
    /// [`Error::InvalidParams`] if the bytes are not an index of this version, or are truncated; [`Error::Database`] if
    /// SQLite cannot be started.
    pub fn from_bytes(bytes: impl Read, length: usize) -> Result<Self> {
        let connection = Self::loaded(bytes, length, true)?;
        connection.pragma_update(None, "query_only", true)?;
        Ok(Self::with(Location::Memory, connection))
    }

    /// A writable copy of the index in `bytes`; it exists as long as this value.
    ///
    /// # Errors
    /// As [`Index::from_bytes`].
    pub fn copy_in_memory(bytes: impl Read, length: usize) -> Result<Self> {
        Ok(Self::with(Location::Memory, Self::loaded(bytes, length, false)?))
    }

    fn loaded(mut bytes: impl Read, length: usize, read_only: bool) -> Result<Connection> {
        let unusable = |reason: Message| Error::invalid(message!("not a UBP index: {reason}", reason));
        let mut header = [0_u8; HEADER];
        if length < HEADER || bytes.read_exact(&mut header).is_err() || !header.starts_with(MAGIC) {
            return Err(unusable(message!("it is not a SQLite database")));
        }
        // A database in WAL mode cannot be opened without its -wal and -shm files. Marked as a rollback-journal
        // database, it can, and has the same content.
        header[FILE_FORMAT].fill(1);
        let mut connection = Connection::open_in_memory()?;
        connection.deserialize_read_exact("main", header.chain(bytes), length, read_only)?;
        match Content::of(&mut connection) {
            Ok(Content::Index) => {}
            Ok(Content::Nothing) => return Err(unusable(message!("it is empty"))),
            Ok(Content::Older(schema)) => return Err(unusable(of_schema(schema))),
            Ok(Content::Foreign(reason)) => return Err(unusable(reason)),
            Err(error) => return Err(unusable(message!("{error}", error))),
        }
        tune(&connection)?;
        Ok(connection)
    }

    /// Whether this index is a file that all processes of the project use, not one in memory.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn is_shared(&self) -> bool {
        matches!(self.location, Location::File(_))
    }

    fn with(location: Location, writer: Connection) -> Self {
        Self {
            location,
            writer: Mutex::new(writer),
            patience: Mutex::new(BUSY_TIMEOUT),
            readers: Mutex::default(),
            graph: Kept::default(),
            names: Kept::default(),
            row_counts: RowCounts::default(),
            postings: PostingLists::default(),
            matrix: Kept::default(),
            cache: None,
            own: Arc::default(),
        }
    }

    /// Shares vectors in memory, through `cache`, with all processes that have the same index open.
    #[must_use]
    pub fn sharing_through(self, cache: Box<dyn Cache>) -> Self {
        Self { cache: Some(cache), ..self }
    }

    /// Runs `work` on one consistent state of the index.
    ///
    /// # Errors
    /// What `work` returns, and [`Error::Database`].
    pub fn read<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        work(self.reader()?.connection()?)
    }

    /// Runs `work` on a connection of its own, for another thread. Returns `None` if the index is not a file, or
    /// its [`generation()`] is not `wanted`: it has changed meanwhile.
    ///
    /// # Errors
    /// What `work` returns, and [`Error::Database`].
    pub(crate) fn read_beside<T>(
        &self,
        wanted: i64,
        work: impl FnOnce(&Connection) -> Result<T>,
    ) -> Result<Option<T>> {
        let Location::File(_) = &self.location else { return Ok(None) };
        let reader = self.reader()?;
        let db = reader.connection()?;
        if generation(db)? == wanted { work(db).map(Some) } else { Ok(None) }
    }

    /// Whether it has pages.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub fn has_pages(&self) -> Result<bool> {
        self.read(pages::exist)
    }

    /// A view that reads the current state at each call.
    pub fn view(&self) -> View<'_> {
        View::of(self)
    }

    /// A reader that sees the same state of the index as long as it exists.
    pub(super) fn reader(&self) -> Result<Reader<'_>> {
        let connection = match &self.location {
            Location::Memory => return Ok(Reader { index: self, held: Held::Only(lock(&self.writer)) }),
            Location::File(path) => {
                let idle = lock(&self.readers).pop();
                idle.map_or_else(|| open_reader(path), Ok)?
            }
        };
        connection.execute_batch("BEGIN")?;
        Ok(Reader { index: self, held: Held::Pooled(Some(connection)) })
    }

    /// Runs `work` in a transaction that is committed when it succeeds.
    ///
    /// # Errors
    /// What `work` returns, and [`Error::Database`]; both roll the transaction back.
    pub fn write<T>(&self, work: impl FnOnce(&Transaction<'_>) -> Result<T>) -> Result<T> {
        let mut writer = lock(&self.writer);
        let transaction = writer.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let result = work(&transaction)?;
        transaction.commit()?;
        Ok(result)
    }

    /// The vectors of the model called `identity` in the state that `db` sees.
    pub(super) fn vectors_of(&self, db: &Connection, identity: &str) -> Result<Arc<VectorMatrix>> {
        let wanted = generation(db)?;
        let load = |before: Option<(i64, &VectorMatrix)>| {
            // Vectors of this process alone are not updated while they may be replaced by shared ones.
            let is_waiting = |before: &VectorMatrix| self.cache.is_some() && before.can_be_shared();
            let before = before.filter(|(_, before)| before.identity() == identity && !is_waiting(before));
            if let Some(after) = before.map(|(_, before)| before.after(db)).transpose()?.flatten() {
                return Ok(after);
            }
            self.begin_sharing(db)?;
            let cache = self.cache.as_deref();
            let Some(aside) = self.reader_aside()? else { return VectorMatrix::load(db, identity, cache) };
            let latest = aside.unchecked_transaction()?;
            // If the generation differs, the index has changed since the state that `db` sees.
            let from = if generation(&latest)? == wanted { &latest } else { db };
            VectorMatrix::load(from, identity, cache)
        };
        let mut held = self.matrix.at(wanted, load)?;
        if held.identity() != identity {
            self.matrix.replace(&held, None);
            held = self.matrix.at(wanted, load)?;
        }
        Ok(self.shared(&held).unwrap_or(held))
    }

    /// Moves vectors that only this process holds to the shared cache if they are still current, and discards them
    /// otherwise. Does nothing if they are shared already or not loaded.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub fn share_vectors(&self) -> Result<()> {
        let own = self.matrix.entry().filter(|(_, matrix)| matrix.can_be_shared());
        let Some((generation, own)) = own else { return Ok(()) };
        if self.view().generation()? == generation {
            self.shared(&own);
        } else {
            self.matrix.replace(&own, None);
        }
        Ok(())
    }

    /// Closes the idle connections, which frees their page caches and memory maps, and forgets the rows of frequent
    /// words. The next query reads them again.
    pub fn rest(&self) {
        lock(&self.readers).clear();
        self.forget_postings();
    }

    /// Replaces `own` with the same vectors in shared memory, and returns those. `None` if they are shared already or
    /// there is no shared memory.
    fn shared(&self, own: &Arc<VectorMatrix>) -> Option<Arc<VectorMatrix>> {
        let cache = self.cache.as_deref().filter(|_| own.can_be_shared())?;
        let shared = Arc::new(own.shared_in(cache)?);
        self.matrix.replace(own, Some(shared.clone()));
        Some(shared)
    }

    /// If vectors are shared, makes sure that their states have distinct names. Readers never wait for a writer: if the
    /// index cannot be written now, sharing begins with a later call.
    fn begin_sharing(&self, db: &Connection) -> Result<()> {
        if self.cache.is_none() || vector_state::has_begun(db)? {
            return Ok(());
        }
        if matches!(self.location, Location::Memory) {
            let _ = vector_state::begin(db);
        } else if let Ok(writer) = self.writer.try_lock() {
            writer.busy_timeout(Duration::ZERO)?;
            let _ = vector_state::begin(&writer);
            writer.busy_timeout(*lock(&self.patience))?;
        }
        Ok(())
    }

    /// A connection for a single scan of much of the file: nothing that it reads stays cached. `None` for
    /// an index in memory, which has only one connection.
    fn reader_aside(&self) -> Result<Option<Connection>> {
        let Location::File(path) = &self.location else { return Ok(None) };
        let connection = open_reader(path)?;
        connection.execute_batch("PRAGMA cache_size = -1000;")?;
        Ok(Some(connection))
    }

    /// Moves the content of the write-ahead log into the database file.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub fn checkpoint(&self) -> Result<()> {
        lock(&self.writer).execute_batch("PRAGMA wal_checkpoint(TRUNCATE);")?;
        Ok(())
    }
}

impl Index {
    /// Sets how long writes wait while another process writes (default: 15 seconds).
    ///
    /// # Errors
    /// [`Error::Database`].
    pub fn wait_for_writers(&self, most: Duration) -> Result<()> {
        *lock(&self.patience) = most;
        Ok(lock(&self.writer).busy_timeout(most)?)
    }

    /// Writes a copy of the index to `path`, which must not exist: one file without a write-ahead log and without
    /// remains of deleted content.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub fn write_copy(&self, path: &Path) -> Result<()> {
        lock(&self.writer).execute("VACUUM INTO ?1", [path.to_string_lossy()])?;
        Ok(())
    }
}

pub(crate) fn generation(db: &Connection) -> Result<i64> {
    Ok(counter(db, GENERATION)? + counter(db, VECTOR_GENERATION)?)
}

pub(super) fn counter(db: &Connection, key: &str) -> Result<i64> {
    let value: Option<String> = first(db, "SELECT value FROM meta WHERE key = ?1", [key])?;
    Ok(value.and_then(|value| value.parse().ok()).unwrap_or(0))
}

pub(super) fn set_counter(db: &Connection, key: &str, value: i64) -> Result<()> {
    let sql = "INSERT INTO meta(key, value) VALUES (?1, ?2) ON CONFLICT(key) DO UPDATE SET value = ?2";
    run(db, sql, (key, value.to_string()))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A connection that sees a single state of the index.
pub(super) struct Reader<'a> {
    index: &'a Index,
    held: Held<'a>,
}

enum Held<'a> {
    /// In a transaction; returns to the idle readers when dropped.
    Pooled(Option<Connection>),
    /// The only connection to an index in memory.
    Only(MutexGuard<'a, Connection>),
}

impl Reader<'_> {
    pub(super) fn connection(&self) -> Result<&Connection> {
        match &self.held {
            Held::Only(connection) => Ok(connection),
            Held::Pooled(Some(connection)) => Ok(connection),
            Held::Pooled(None) => Err(Error::Internal("this reader has ended".into())),
        }
    }
}

impl Drop for Reader<'_> {
    fn drop(&mut self) {
        if let Held::Pooled(connection) = &mut self.held
            && let Some(connection) = connection.take()
            && connection.execute_batch("COMMIT").is_ok()
        {
            let mut idle = lock(&self.index.readers);
            if idle.len() < IDLE_READERS {
                idle.push(connection);
            }
        }
    }
}

enum Unusable {
    /// The schema of an index of an earlier version of UBP.
    Older(i32),
    Foreign(Message),
    Failed(rusqlite::Error),
}

impl From<rusqlite::Error> for Unusable {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
                Self::Foreign(message!("{error}", error))
            }
            _ => Self::Failed(error),
        }
    }
}

/// Opens the writer. SQLite reports "busy" without waiting while another process creates the database or is the last to
/// close it, so this retries.
fn open_writer(path: &Path) -> std::result::Result<Connection, Unusable> {
    const PAUSE: Duration = Duration::from_millis(20);
    let attempts = BUSY_TIMEOUT.as_millis() / PAUSE.as_millis();
    for _ in 1..attempts {
        match try_open_writer(path) {
            Err(Unusable::Failed(error)) if is_busy(&error) => std::thread::sleep(PAUSE),
            opened => return opened,
        }
    }
    try_open_writer(path)
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

/// Opens the writer of a database that was just removed.
fn open_new(path: &Path) -> Result<Connection> {
    open_writer(path).map_err(|error| match error {
        Unusable::Failed(error) => Error::Database(error),
        Unusable::Older(schema) => Error::Internal(of_schema(schema).to_string()),
        Unusable::Foreign(reason) => Error::Internal(reason.to_string()),
    })
}

fn try_open_writer(path: &Path) -> std::result::Result<Connection, Unusable> {
    let mut connection = Connection::open(path)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    let content = Content::of(&mut connection)?;
    match content {
        Content::Foreign(reason) => return Err(Unusable::Foreign(reason)),
        Content::Older(schema) => return Err(Unusable::Older(schema)),
        Content::Nothing | Content::Index => {}
    }
    connection.pragma_update(None, "journal_mode", "WAL")?;
    tune(&connection)?;
    if matches!(content, Content::Nothing) {
        create_tables(&mut connection)?;
    }
    Ok(connection)
}

/// What a database contains.
pub(super) enum Content {
    Nothing,
    Index,
    /// An index of an earlier version of UBP, with this schema.
    Older(i32),
    /// Why it is not an index of this version.
    Foreign(Message),
}

impl Content {
    /// In one transaction, so that a database that another process is creating is not seen half-made.
    pub(super) fn of(connection: &mut Connection) -> rusqlite::Result<Self> {
        let snapshot = connection.transaction()?;
        let tables: i64 = snapshot.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
        let application: i32 = snapshot.pragma_query_value(None, "application_id", |row| row.get(0))?;
        let version: i32 = snapshot.pragma_query_value(None, "user_version", |row| row.get(0))?;
        Ok(match (tables, application, version) {
            (0, 0, 0) => Self::Nothing,
            (_, schema::APPLICATION_ID, schema::VERSION) => Self::Index,
            (_, schema::APPLICATION_ID, other) if other < schema::VERSION => Self::Older(other),
            (_, schema::APPLICATION_ID, other) => Self::Foreign(of_schema(other)),
            _ => Self::Foreign(message!("it is another program's database")),
        })
    }
}

fn of_schema(schema: i32) -> Message {
    message!("it has schema {schema}, this program needs {needed}", schema, needed = schema::VERSION)
}

/// Opens an index that another program keeps, only to read it; `None` if it is not an index of this version.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn open_to_read(path: &Path) -> Result<Option<Connection>> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    match Content::of(&mut connection)? {
        Content::Index => {
            tune(&connection)?;
            Ok(Some(connection))
        }
        _ => Ok(None),
    }
}

fn open_reader(path: &Path) -> Result<Connection> {
    let connection = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI,
    )?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    tune(&connection)?;
    connection.pragma_update(None, "query_only", true)?;
    Ok(connection)
}

fn tune(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_prepared_statement_cache_capacity(64);
    RowSet::register(connection)?;
    // Otherwise SQLite plans joins again whenever a different number is bound to them.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.execute_batch(&format!(
        "PRAGMA synchronous = NORMAL;
         PRAGMA cache_size = -{CACHE_KIB};
         PRAGMA temp_store = MEMORY;
         PRAGMA foreign_keys = ON;"
    ))
}

fn create_tables(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let tables: i64 = transaction.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if tables == 0 {
        transaction.execute_batch(schema::TABLES)?;
        transaction.pragma_update(None, "application_id", schema::APPLICATION_ID)?;
        transaction.pragma_update(None, "user_version", schema::VERSION)?;
    }
    transaction.commit()
}

/// Whether a file that begins with `head` (at least 100 bytes) is an index, or an empty database that may become one.
pub fn is_index(head: &[u8]) -> bool {
    let number = |at: usize| head.get(at..at + 4)?.try_into().ok().map(u32::from_be_bytes);
    let (pages, application) = (number(28), number(68));
    head.starts_with(b"SQLite format 3\0")
        && (application == Some(schema::APPLICATION_ID.cast_unsigned())
            || (application == Some(0) && pages.is_some_and(|pages| pages <= 1)))
}

/// Moves the database at `path` to the first unused `….damaged-N`, and returns the new path. The next [`Index::open`]
/// creates an empty index.
///
/// # Errors
/// [`Error::Io`] if it cannot be moved.
#[expect(clippy::disallowed_methods, reason = "the database path is the one file that the engine is handed")]
pub fn set_aside(path: &Path) -> Result<PathBuf> {
    let target = (1..)
        .map(|n| beside(path, &format!(".damaged-{n}")))
        .find(|candidate| !candidate.exists())
        .unwrap_or_else(|| beside(path, ".damaged"));
    std::fs::rename(path, &target).map_err(|error| Error::io(path.display().to_string(), error))?;
    remove_companions(path)?;
    Ok(target)
}

/// Removes the database at `path`. Processes that have it open keep it until they find the new one.
fn remove(path: &Path) -> Result<()> {
    remove_file(path)?;
    remove_companions(path)
}

fn remove_companions(path: &Path) -> Result<()> {
    // If they stayed, SQLite would replay them into the new database.
    ["-wal", "-shm"].iter().try_for_each(|companion| remove_file(&beside(path, companion)))
}

#[expect(clippy::disallowed_methods, reason = "the database path is the one file that the engine is handed")]
fn remove_file(path: &Path) -> Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(Error::io(path.display().to_string(), error))
        }
        _ => Ok(()),
    }
}

pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

#[cfg(test)]
mod tests;
