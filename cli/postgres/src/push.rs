//! Bringing a project in the database to the state of its index: only the pages that differ, in one transaction.

mod delta;
mod rows;

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;
use tokio_postgres::Transaction;
use ubp_core::index::Stemmer;
use ubp_core::index::View;
use ubp_core::index::published::{FORMAT, PublishedPage, page_states, published_model, published_page};
use ubp_core::message::Message;
use ubp_core::progress::{Cancel, Progress, Stage};
use ubp_core::{Error, Result, message};

use crate::database::Database;
use crate::failure::{OrFailure as _, failed, failure_with, words};
use delta::{Delta, Known};

/// Number of pages that are written at a time.
const BATCH: usize = 200;

/// A commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// Its hash, in hexadecimal.
    pub id: String,
    /// When it was made, in seconds since 1970.
    pub time: i64,
}

/// How the commit that is pushed relates to the one in the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// It is a descendant.
    Newer,
    /// It is an ancestor.
    Older,
    /// It is neither.
    Beside,
    /// The commit in the database is not in this clone.
    Unknown,
}

/// What to push.
pub struct Push<'a> {
    /// The project's name in the database.
    pub project: &'a str,
    /// What people call it.
    pub title: &'a str,
    /// Its tags; `None` keeps those in the database.
    pub tags: Option<&'a [String]>,
    /// The commit that the index is of.
    pub commit: Commit,
    /// How that commit relates to another one, given its hash.
    pub relation: &'a dyn Fn(&str) -> Result<Relation>,
    /// Replaces a newer commit too.
    pub force: bool,
    /// Changes nothing.
    pub dry_run: bool,
    /// What is known about the freshness of pages, by path, as JSON.
    pub freshness: &'a HashMap<String, serde_json::Value>,
}

/// What a push changed, or would change.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Pushed {
    /// The project.
    pub project: String,
    /// The commit that the database has now.
    pub commit: String,
    /// The commit that it had before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// Number of new pages.
    pub added: usize,
    /// Number of pages with other content or vectors.
    pub changed: usize,
    /// Number of pages whose links lead elsewhere.
    pub relinked: usize,
    /// Number of pages with another freshness alone.
    pub reassessed: usize,
    /// Number of pages that are gone.
    pub removed: usize,
    /// Number of pages that are the same.
    pub unchanged: usize,
    /// Number of rows of the full text that were written.
    pub rows: usize,
    /// Number of vectors that were written.
    pub vectors: usize,
    /// Whether nothing was written.
    pub dry_run: bool,
}

/// Pushes a project. Another push of it waits until this one is complete.
///
/// # Errors
/// [`Error::SharedIndex`], also if the database has a newer commit; nothing is changed then.
pub async fn push(
    database: &Database,
    index: View<'_>,
    push: &Push<'_>,
    progress: &dyn Progress,
    cancel: &Cancel,
) -> Result<Pushed> {
    check_name(push.project)?;
    let model = index.read(published_model)?;
    let identity = model.as_ref().map_or("", |(identity, _)| identity.as_str());
    let states = index.read(|db| page_states(db, identity))?;
    let mut client = database.client().await?;
    let number = match push.dry_run {
        true => number_of(&client, push.project).await?,
        false => Some(add_project(&mut client, push.project).await?),
    };
    let Some(number) = number else {
        let commit = push.commit.id.clone();
        let added = states.len();
        return Ok(Pushed {
            project: push.project.into(),
            commit,
            added,
            dry_run: true,
            ..Pushed::default()
        });
    };
    let whole = client.transaction().await.or_failure()?;
    lock(&whole, push.project).await?;
    let known = known(&whole, number, push).await?;
    let is_same_kind = known.format == Some(FORMAT) && known.model.as_deref().unwrap_or("") == identity;
    if let Some(before) = &known.commit {
        check_order(push, before, known.commit_time)?;
    }
    let delta = Delta::between(&states, &known.pages, push.freshness, is_same_kind);
    let mut pushed = Pushed {
        project: push.project.into(),
        commit: push.commit.id.clone(),
        before: known.commit.clone(),
        added: delta.added.len(),
        changed: delta.changed.len(),
        relinked: delta.relinked.len(),
        reassessed: delta.reassessed.len(),
        removed: delta.removed.len(),
        unchanged: delta.unchanged,
        dry_run: push.dry_run,
        ..Pushed::default()
    };
    if push.dry_run {
        whole.rollback().await.or_failure()?;
        return Ok(pushed);
    }
    let dimensions = model.as_ref().map_or(0, |(_, dimensions)| *dimensions);
    let all_vectors = !is_same_kind || known.pages.is_empty();
    if all_vectors {
        whole.execute("SELECT ubp.forget_vectors($1)", &[&number]).await.or_failure()?;
    }
    let sql = "SELECT EXISTS (SELECT FROM pg_inherits WHERE inhrelid = to_regclass($1))";
    let passages = format!("passages_{number}");
    let is_attached: bool = whole.query_one(sql, &[&format!("ubp.{passages}")]).await.or_failure()?.get(0);
    let mut writing = rows::Writing::new(&whole, number, if is_attached { "passages" } else { &passages });
    writing.remove(&delta.gone()).await?;
    let mut next_page = known.next_page;
    let mut stemmer = Stemmer::new()?;
    let written = delta.written();
    for (done, batch) in written.chunks(BATCH).enumerate() {
        cancel.check()?;
        progress.advance(Stage::Pages, done * BATCH, written.len());
        let pages: Vec<PublishedPage> =
            index.read(|db| batch.iter().map(|state| published_page(db, state.page, identity)).collect())?;
        let freshness = |page: &PublishedPage| push.freshness.get(&page.path).cloned();
        writing.add(&pages, batch, &mut next_page, &mut stemmer, dimensions, freshness).await?;
    }
    for state in &delta.relinked {
        let page = index.read(|db| published_page(db, state.state.page, identity))?;
        writing.relink(state.number, &page, &state.state.links).await?;
    }
    for (number, path) in &delta.reassessed {
        writing.reassess(*number, push.freshness.get(path)).await?;
    }
    writing.write_terms().await?;
    cancel.check()?;
    (pushed.rows, pushed.vectors) = (writing.rows, writing.vectors);
    let totals = writing.totals;
    if !is_attached && writing.rows > 0 {
        whole.execute("SELECT ubp.attach_passages($1)", &[&number]).await.or_failure()?;
    }
    let sql = "UPDATE ubp.statistics SET rows = rows + $2, tokens = tokens + $3, vectors = vectors + $4,
             pages = (SELECT count(*) FROM ubp.pages WHERE project = $1)
         WHERE project = $1";
    whole.execute(sql, &[&number, &totals.rows, &totals.tokens, &totals.vectors]).await.or_failure()?;
    if all_vectors && pushed.vectors > 0 {
        let dimensions = i32::try_from(dimensions).unwrap_or(i32::MAX);
        whole.execute("SELECT ubp.index_vectors($1, $2)", &[&number, &dimensions]).await.or_failure()?;
    }
    let sql = "UPDATE ubp.projects SET title = $2, tags = coalesce($3, tags), commit_id = $4, commit_time = $5,
             pushed_at = now(), format = $6, model = $7, dimensions = $8, next_page = $9, version = version + 1
         WHERE project = $1";
    let model_name = model.as_ref().map(|(identity, _)| identity.as_str());
    let model_size = model.as_ref().map(|_| i32::try_from(dimensions).unwrap_or(i32::MAX));
    let Commit { id, time } = &push.commit;
    let row: [&(dyn tokio_postgres::types::ToSql + Sync); 9] =
        [&number, &push.title, &push.tags, id, time, &FORMAT, &model_name, &model_size, &next_page];
    whole.execute(sql, &row).await.or_failure()?;
    whole.execute("SELECT pg_notify('ubp', $1)", &[&push.project]).await.or_failure()?;
    whole.commit().await.map_err(|error| not_committed(&error))?;
    progress.advance(Stage::Pages, written.len(), written.len());
    if all_vectors {
        // Estimates for plans; without them, everything still works.
        let _ = client.batch_execute(&format!("ANALYZE ubp.passages_{number}, ubp.pages_{number}")).await;
    }
    Ok(pushed)
}

/// Deletes a project with everything in it. Returns whether it was there.
///
/// # Errors
/// [`Error::SharedIndex`].
pub async fn remove(database: &Database, project: &str) -> Result<bool> {
    let mut client = database.client().await?;
    let whole = client.transaction().await.or_failure()?;
    lock(&whole, project).await?;
    let removed =
        whole.query_one("SELECT ubp.remove_project($1)", &[&project]).await.or_failure()?.get::<_, bool>(0);
    whole.execute("SELECT pg_notify('ubp', $1)", &[&project]).await.or_failure()?;
    whole.commit().await.map_err(|error| not_committed(&error))?;
    Ok(removed)
}

pub(crate) fn check_name(name: &str) -> Result<()> {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | ' ');
    if name.is_empty() || name.len() > 200 || !name.chars().all(is_plain) {
        return Err(Error::invalid_with_hint(
            message!("'{name}' cannot be the name of a project", name),
            message!("use letters, digits, '-', '_', '.', '/' and spaces"),
        ));
    }
    Ok(())
}

/// Waits for other pushes of the project. The lock ends with the transaction.
async fn lock(whole: &Transaction<'_>, project: &str) -> Result<()> {
    let sql = "SELECT pg_advisory_xact_lock(hashtext('ubp project'), hashtext($1))";
    whole.execute(sql, &[&project]).await.or_failure()?;
    Ok(())
}

async fn number_of(client: &tokio_postgres::Client, project: &str) -> Result<Option<i32>> {
    let row = client.query_opt("SELECT project FROM ubp.projects WHERE name = $1", &[&project]).await;
    Ok(row.or_failure()?.map(|row| row.get(0)))
}

/// The number of the project. If it is new, its empty partitions are created in a transaction of their own: that needs the
/// tables alone for a moment, which must not last as long as a push.
async fn add_project(client: &mut tokio_postgres::Client, project: &str) -> Result<i32> {
    if let Some(number) = number_of(client, project).await? {
        return Ok(number);
    }
    let step = client.transaction().await.or_failure()?;
    lock(&step, project).await?;
    let row = step.query_one("SELECT ubp.add_project($1)", &[&project]).await.or_failure()?;
    step.commit().await.or_failure()?;
    Ok(row.get(0))
}

async fn known(whole: &Transaction<'_>, number: i32, push: &Push<'_>) -> Result<Known> {
    let sql = "SELECT commit_id, commit_time, format, model, next_page FROM ubp.projects WHERE project = $1 FOR UPDATE";
    let Some(row) = whole.query_opt(sql, &[&number]).await.or_failure()? else {
        return Err(failure_with(
            message!("{project} was removed meanwhile", project = push.project),
            message!("nothing was changed; try again"),
        ));
    };
    let sql = "SELECT path, page, content, links, freshness FROM ubp.pages WHERE project = $1";
    let mut pages = BTreeMap::new();
    for page in whole.query(sql, &[&number]).await.or_failure()? {
        pages.insert(
            page.get(0),
            delta::KnownPage {
                number: page.get(1),
                content: page.get(2),
                links: page.get(3),
                freshness: page.get(4),
            },
        );
    }
    Ok(Known {
        commit: row.get(0),
        commit_time: row.get::<_, Option<i64>>(1).unwrap_or(i64::MIN),
        format: row.get(2),
        model: row.get(3),
        next_page: row.get(4),
        pages,
    })
}

/// Refuses to put an older commit over a newer one.
fn check_order(push: &Push<'_>, before: &str, time: i64) -> Result<()> {
    if push.force || before == push.commit.id {
        return Ok(());
    }
    // If git cannot tell, the times of the commits do.
    let is_newer = match (push.relation)(before)? {
        Relation::Newer => true,
        Relation::Older => false,
        Relation::Beside | Relation::Unknown => push.commit.time > time,
    };
    if is_newer {
        return Ok(());
    }
    let short = |id: &str| id.get(..12).unwrap_or(id).to_owned();
    Err(failure_with(
        message!(
            "{project} has commit {before}, which is newer than {commit}",
            project = push.project,
            before = short(before),
            commit = short(&push.commit.id)
        ),
        message!("nothing was changed; --force puts the older commit there all the same"),
    ))
}

/// If the connection ends during a commit, only the server knows whether it was made.
fn not_committed(error: &tokio_postgres::Error) -> Error {
    if error.code().is_some() {
        return failed(error);
    }
    let error = Message::reported(words(error));
    Error::SharedIndex {
        message: message!("the connection was lost while PostgreSQL stored the push: {error}", error),
        hint: Some(Box::new(message!("all of it was stored, or nothing; push again"))),
    }
}
