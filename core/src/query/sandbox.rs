//! The database that one statement runs in, and its limits.

use crate::message::Message;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::limits::Limit;
use rusqlite::types::Value as SqlValue;
use rusqlite::{Connection, ErrorCode, params_from_iter};
use serde_json::{Map, Value};

use super::functions::{self, Wanted};
use super::schema::{OWN, Schema, page_vectors};
use super::{dialect, json, too_slow};
use crate::Context;
use crate::index::questions::sections;
use crate::message;
use crate::{Error, Result};

/// The table.
const TABLE: &str = "files";

/// Table-valued functions of SQLite that read nothing but their argument.
const UNFOLDING: [&str; 2] = ["json_each", "json_tree"];

/// Functions of SQLite that have effects outside of the statement.
const REACHING: [&str; 2] = ["load_extension", "fts3_tokenizer"];

/// Prefixes of the names of SQLite's internal tables.
const OF_SQLITE: [&str; 3] = ["sqlite_", "pragma_", "dbstat"];

/// Maximum size of a value in bytes. Pages are smaller, and computed values must not grow without end.
const LONGEST: i32 = 16 << 20;

/// Maximum length of a statement in bytes.
const STATEMENT: i32 = 100_000;

/// Maximum length of a pattern of LIKE or GLOB in bytes: a single match may take long.
const PATTERN: i32 = 500;

/// SQLite instructions between two checks for a stop; one of them may be an expensive function.
const STEPS: i32 = 50;

/// Time between two checks of the clock.
const LOOK: Duration = Duration::from_millis(10);

/// The limits of a statement.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Maximum number of rows of the answer.
    pub rows: usize,
    /// Maximum size of the rows as JSON, in bytes.
    pub bytes: usize,
    /// Time limit in milliseconds.
    pub millis: u64,
}

/// The result of a statement.
#[derive(Debug, Clone, Default)]
pub struct Answer {
    /// Names of the columns, each unique.
    pub columns: Vec<String>,
    /// Rows, with a value for each column.
    pub rows: Vec<Map<String, Value>>,
    /// Whether there were more rows than the limits allow.
    pub truncated: bool,
}

pub(super) struct Sandbox<'a> {
    db: Connection,
    schema: &'a Schema,
    wanted: Wanted,
    stop: Arc<AtomicBool>,
    refused: Arc<Mutex<Option<Message>>>,
    /// Why `embed` has no model.
    without_model: Option<Message>,
}

impl<'a> Sandbox<'a> {
    /// A database with the pages of `schema`. Only the columns that `sql` reads are filled.
    pub(super) fn open(
        context: &Context<'_>,
        schema: &'a Schema,
        sql: &str,
        embedded: HashMap<String, Vec<f32>>,
    ) -> Result<Self> {
        let mut db = Connection::open_in_memory()?;
        let columns: Vec<String> = schema.names().map(quoted).collect();
        db.execute_batch(&format!("CREATE TABLE {TABLE} ({})", columns.join(", ")))?;
        let wanted = Wanted::default();
        let embedder = schema.embedder(context);
        let without_model = embedder.as_ref().err().cloned();
        functions::add(&db, embedded, embedder.ok().map(|embedder| embedder.model().clone()), &wanted)?;

        let read = Arc::new(Mutex::new(HashSet::new()));
        let refused = Arc::new(Mutex::new(None));
        db.authorizer(Some(guard(Arc::clone(&read), Arc::clone(&refused))))?;
        for (limit, value) in [
            (Limit::SQLITE_LIMIT_LENGTH, LONGEST),
            (Limit::SQLITE_LIMIT_SQL_LENGTH, STATEMENT),
            (Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, PATTERN),
            (Limit::SQLITE_LIMIT_ATTACHED, 0),
            (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
        ] {
            db.set_limit(limit, value)?;
        }
        let stop = Arc::new(AtomicBool::new(false));
        let mut sandbox = Self { db, schema, wanted, stop, refused, without_model };
        sandbox.check(sql)?;
        sandbox.db.authorizer(None::<fn(AuthContext<'_>) -> Authorization>)?;
        let read = std::mem::take(&mut *read.lock().unwrap_or_else(PoisonError::into_inner));
        sandbox.fill(context, &read)?;
        sandbox.db.authorizer(Some(guard(Arc::default(), Arc::clone(&sandbox.refused))))?;
        let (stop, cancel) = (Arc::clone(&sandbox.stop), context.cancel.clone());
        sandbox
            .db
            .progress_handler(STEPS, Some(move || stop.load(Ordering::Relaxed) || cancel.is_requested()))?;
        Ok(sandbox)
    }

    fn check(&self, sql: &str) -> Result<()> {
        let statement = self.db.prepare(sql).map_err(|error| self.told(sql, error))?;
        if statement.column_count() == 0 || !statement.readonly() {
            return Err(Error::invalid(message!(
                "a query is one SELECT over the table {table}",
                table = TABLE
            )));
        }
        if statement.parameter_count() > 0 {
            return Err(Error::invalid(message!(
                "a query takes no parameters: write values into the statement"
            )));
        }
        Ok(())
    }

    fn fill(&mut self, context: &Context<'_>, read: &HashSet<String>) -> Result<()> {
        let [_, content, _, embedding] = OWN;
        let mut contents = HashMap::new();
        let mut vectors = HashMap::new();
        let schema = self.schema;
        context.index.read(|db| {
            if read.contains(content) {
                contents = texts(db)?;
            }
            if let Some(embedder) = context.embedder.filter(|_| read.contains(embedding)) {
                vectors = page_vectors(db, &embedder.model().identity, schema.dimensions)?;
            }
            Ok(())
        })?;
        let transaction = self.db.transaction()?;
        let marks: Vec<&str> = schema.names().map(|_| "?").collect();
        let mut insert =
            transaction.prepare(&format!("INSERT INTO {TABLE} VALUES ({})", marks.join(", ")))?;
        for row in &schema.pages {
            context.cancel.check()?;
            let fields = (0..schema.columns.len()).map(|at| row.values.get(&at).cloned().into());
            let text = contents.remove(&row.page).filter(|text| text.len() < LONGEST as usize);
            let mut values: Vec<SqlValue> = vec![row.path.clone().into()];
            values.extend(fields);
            values.push(text.into());
            values.push(row.updated_at.clone().into());
            if schema.without_vectors.is_none() {
                values.push(vectors.remove(&row.page).into());
            }
            insert.execute(params_from_iter(values))?;
        }
        drop(insert);
        transaction.commit()?;
        Ok(())
    }

    /// Runs the statement until it ends or reaches `limits`; `left` milliseconds of its time are left.
    pub(super) fn run(&self, context: &Context<'_>, sql: &str, limits: Limits, left: u64) -> Result<Answer> {
        let begun = context.clock.monotonic_micros();
        let is_late = || context.clock.monotonic_micros().saturating_sub(begun) > left * 1_000;
        let done = AtomicBool::new(false);
        let (done, stop) = (&done, &*self.stop);
        std::thread::scope(|scope| {
            // SQLite may be busy within one instruction, so another thread watches the clock.
            let watch = scope.spawn(move || {
                while !done.load(Ordering::Relaxed) {
                    std::thread::park_timeout(LOOK);
                    if is_late() {
                        stop.store(true, Ordering::Relaxed);
                    }
                }
            });
            let answer = self.rows(sql, limits);
            done.store(true, Ordering::Relaxed);
            watch.thread().unpark();
            context.cancel.check()?;
            answer.map_err(|error| match stop.load(Ordering::Relaxed) {
                true => too_slow(limits.millis),
                false => error,
            })
        })
    }

    fn rows(&self, sql: &str, limits: Limits) -> Result<Answer> {
        let mut statement = self.db.prepare(sql).map_err(|error| self.told(sql, error))?;
        let columns = distinct(statement.column_names());
        let mut answer = Answer { columns, ..Answer::default() };
        let mut bytes = 0;
        let mut rows = statement.query([]).map_err(|error| self.told(sql, error))?;
        while let Some(row) = rows.next().map_err(|error| self.told(sql, error))? {
            if self.stop.load(Ordering::Relaxed) {
                return Err(Error::Cancelled);
            }
            if answer.rows.len() == limits.rows {
                answer.truncated = true;
                break;
            }
            let mut values = Map::new();
            for (at, name) in answer.columns.iter().enumerate() {
                values.insert(name.clone(), json(row.get(at)?));
            }
            bytes += serde_json::to_string(&values).map_or(0, |text| text.len());
            if bytes > limits.bytes {
                answer.truncated = true;
                break;
            }
            answer.rows.push(values);
        }
        Ok(answer)
    }

    /// Texts passed to `embed` that have no vector yet.
    pub(super) fn wanted(&self) -> BTreeSet<String> {
        self.wanted.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// SQLite's error for a statement, with a hint if there is one.
    fn told(&self, sql: &str, error: rusqlite::Error) -> Error {
        if let Some(refused) = self.refused.lock().unwrap_or_else(PoisonError::into_inner).take() {
            return Error::invalid(message!(
                "{refused}: a query is one SELECT over the table {table}",
                refused,
                table = TABLE
            ));
        }
        let words = match &error {
            rusqlite::Error::MultipleStatement => {
                return Error::invalid(message!("a query is a single statement"));
            }
            rusqlite::Error::SqliteFailure(code, _) if code.code == ErrorCode::TooBig => {
                return Error::invalid(message!("a value is larger than {most} MB", most = LONGEST >> 20));
            }
            rusqlite::Error::SqlInputError { msg, .. } => msg.clone(),
            rusqlite::Error::SqliteFailure(_, Some(message)) => message.clone(),
            other => other.to_string(),
        };
        if let Some(reason) = self.without_model.as_ref().filter(|_| words == functions::WITHOUT_MODEL) {
            return Error::invalid(message!("embed() cannot be used: {reason}", reason));
        }
        let mut parts = vec![Message::reported(words.as_str())];
        let lacks_vectors = words.contains("no such column") && words.contains("embedding");
        match &self.schema.without_vectors {
            Some(reason) if lacks_vectors => parts.push(reason.clone()),
            _ if words.contains("malformed JSON") => parts.push(message!(
                "json_each() takes a list, and some pages have a single value there: write json_each(CASE WHEN \
                 json_valid(x) THEN x ELSE json_array(x) END), with the column for x"
            )),
            _ if words.contains("no such column") => {
                let names = self.schema.names().map(quoted).collect::<Vec<_>>().join(", ");
                parts.push(message!("the columns are {names}", names));
            }
            _ if words.contains("no such table") => {
                parts.push(message!("the table is {table}", table = TABLE));
            }
            _ => {}
        }
        let is_foreign =
            ["syntax error", "no such", "unrecognized token"].iter().any(|part| words.contains(part));
        parts.extend(dialect::hint(sql).filter(|_| is_foreign));
        Error::invalid(Message::joined(parts, "; "))
    }
}

/// Admits reads of the table, records which columns are read, and keeps the reason of a refusal.
fn guard(
    read: Arc<Mutex<HashSet<String>>>,
    refused: Arc<Mutex<Option<Message>>>,
) -> impl for<'r> FnMut(AuthContext<'r>) -> Authorization + Send + 'static {
    move |asked| {
        let refusal = match asked.action {
            AuthAction::Select | AuthAction::Recursive => return Authorization::Allow,
            AuthAction::Read { table_name, column_name } if table_name.eq_ignore_ascii_case(TABLE) => {
                read.lock().unwrap_or_else(PoisonError::into_inner).insert(column_name.to_ascii_lowercase());
                return Authorization::Allow;
            }
            AuthAction::Read { table_name, .. }
                if UNFOLDING.iter().any(|name| table_name.eq_ignore_ascii_case(name)) =>
            {
                return Authorization::Allow;
            }
            // A read without a column may be of a table that the statement defines by `WITH`; no other tables exist.
            AuthAction::Read { table_name, column_name: "" }
                if !OF_SQLITE.iter().any(|start| begins_with(table_name, start)) =>
            {
                return Authorization::Allow;
            }
            AuthAction::Function { function_name }
                if !REACHING.iter().any(|name| function_name.eq_ignore_ascii_case(name)) =>
            {
                return Authorization::Allow;
            }
            AuthAction::Read { table_name, .. } => message!("no such table: {name}", name = table_name),
            AuthAction::Function { function_name } => {
                message!("{name}() cannot be used", name = function_name)
            }
            AuthAction::Pragma { pragma_name, .. } => {
                message!("PRAGMA {name} cannot be used", name = pragma_name)
            }
            AuthAction::Attach { .. } | AuthAction::Detach { .. } => {
                message!("no other database can be attached")
            }
            _ => message!("a query cannot change anything"),
        };
        *refused.lock().unwrap_or_else(PoisonError::into_inner) = Some(refusal);
        Authorization::Deny
    }
}

fn begins_with(name: &str, start: &str) -> bool {
    name.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start))
}

fn texts(db: &Connection) -> Result<HashMap<i64, String>> {
    let mut texts: HashMap<i64, String> = HashMap::new();
    sections::each_section(db, |page, _, _, part| texts.entry(page).or_default().push_str(part))?;
    Ok(texts)
}

/// The names, with a number appended to repeated ones.
fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut seen = HashSet::new();
    names
        .map(|name| {
            let mut distinct = name.to_owned();
            let mut number = 2;
            while !seen.insert(distinct.clone()) {
                distinct = format!("{name}_{number}");
                number += 1;
            }
            distinct
        })
        .collect()
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
