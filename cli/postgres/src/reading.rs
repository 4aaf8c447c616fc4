//! Answering from the database: projects, pages, and the candidates of a search with their exact scores.

mod counts;
mod meaning;
mod pages;
mod rounds;
mod servers;
mod vocabulary;
mod words;

use std::sync::{Arc, Mutex, PoisonError};

use deadpool_postgres::Transaction;
use futures_util::future::try_join_all;
use serde::Serialize;
use tokio::runtime::Handle;
use ubp_core::index::received::{section_number, section_of};
use ubp_core::{Result, message};

pub use counts::Statistics;
pub use meaning::{Close, Closest};
pub use pages::States;
pub use servers::ProjectId;
pub use words::{Match, Within};

use crate::database::Database;
use crate::failure::{OrFailure as _, failure_with};
use crate::push::check_name;
use meaning::Sample;
use servers::{OfServers, Servers};

/// Maximum number of samples of vectors in memory, which are of different models and selections of projects.
const MOST_SAMPLES: usize = 8;

/// A project in a database.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Project {
    /// Its number and server.
    pub id: ProjectId,
    /// Its name.
    pub name: String,
    /// What people call it.
    pub title: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// The commit that was pushed.
    pub commit: String,
    /// When, in seconds since 1970.
    pub pushed_at: i64,
    /// Identity of the model of its vectors.
    pub model: Option<String>,
    /// How often it was pushed.
    pub version: i64,
}

/// Reads the index that several projects share, on one server or on several.
#[derive(Clone)]
pub struct Shared {
    servers: Arc<Servers>,
    samples: Arc<Mutex<Vec<Arc<Sample>>>>,
}

/// One unchanging state of each database, as one role sees it.
pub struct Snapshot<'a> {
    servers: OfServers<Transaction<'a>>,
    role: Option<&'a str>,
    samples: &'a Mutex<Vec<Arc<Sample>>>,
}

impl Shared {
    /// Reads from these databases.
    pub fn new(databases: Vec<Database>) -> Self {
        Self { servers: Arc::new(Servers::new(databases)), samples: Arc::default() }
    }

    /// The address of a project's database, without the password.
    pub fn address_of(&self, project: ProjectId) -> String {
        self.servers.address(project.server)
    }

    /// Runs `work` on one state of each database. `role` limits what it sees; the roles of the connections have to be
    /// members of it.
    ///
    /// # Errors
    /// What `work` returns, and [`ubp_core::Error::SharedIndex`] if no database can be read.
    pub async fn read<T>(
        &self,
        role: Option<&str>,
        work: impl AsyncFnOnce(&Snapshot<'_>) -> Result<T>,
    ) -> Result<T> {
        let mut clients = self.servers.connect().await?;
        let servers = servers::begin(&mut clients, role).await?;
        let snapshot = Snapshot { servers, role, samples: &self.samples };
        let answer = work(&snapshot).await?;
        snapshot.commit().await?;
        Ok(answer)
    }

    /// The same for work that waits itself, on `runtime`, which also drives all connections.
    ///
    /// # Errors
    /// As [`Shared::read`].
    pub(crate) fn hold<T>(
        &self,
        runtime: &Handle,
        role: Option<&str>,
        work: impl FnOnce(&Snapshot<'_>) -> Result<T>,
    ) -> Result<T> {
        let mut clients = runtime.block_on(self.servers.connect())?;
        let servers = runtime.block_on(servers::begin(&mut clients, role))?;
        let snapshot = Snapshot { servers, role, samples: &self.samples };
        let answer = work(&snapshot)?;
        runtime.block_on(snapshot.commit())?;
        Ok(answer)
    }
}

impl Snapshot<'_> {
    /// The projects with at least one visible page, by name, of all servers that can be read.
    ///
    /// # Errors
    /// [`ubp_core::Error::SharedIndex`].
    pub async fn projects(&self) -> Result<Vec<Project>> {
        let readable =
            self.servers.iter().enumerate().filter_map(|(at, server)| Some((at, server.as_ref().ok()?)));
        let read = try_join_all(readable.map(|(server, whole)| projects_of(server, whole)));
        let mut projects: Vec<Project> = read.await?.into_iter().flatten().collect();
        projects.sort_by(|a, b| (&a.name, a.id.server).cmp(&(&b.name, b.id.server)));
        Ok(projects)
    }

    /// The number of servers.
    pub(crate) fn server_count(&self) -> usize {
        self.servers.len()
    }

    /// The project called `name`.
    ///
    /// # Errors
    /// [`ubp_core::Error::SharedIndex`] if it is not there, or not visible.
    pub async fn project(&self, name: &str) -> Result<Project> {
        check_name(name)?;
        let found = self.projects().await?.into_iter().find(|project| project.name == name);
        found.ok_or_else(|| {
            failure_with(
                message!("no project in the shared index is called '{name}'", name),
                message!("`ubp push` adds one"),
            )
        })
    }

    fn kept_sample(&self, fits: impl Fn(&Sample) -> bool) -> Option<Arc<Sample>> {
        let kept = self.samples.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().find(|kept| fits(kept)).cloned()
    }

    /// Keeps a sample instead of the one that was kept first, if there are many.
    fn keep_sample(&self, sample: &Arc<Sample>) {
        let mut kept = self.samples.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= MOST_SAMPLES {
            kept.remove(0);
        }
        kept.push(sample.clone());
    }
}

async fn projects_of(server: usize, whole: &Transaction<'_>) -> Result<Vec<Project>> {
    let sql =
        "SELECT project, name, title, tags, commit_id, extract(epoch FROM pushed_at)::bigint, model, version
         FROM ubp.projects WHERE commit_id IS NOT NULL";
    let rows = whole.query(sql, &[]).await.or_failure()?;
    let projects = rows.iter().map(|row| Project {
        id: ProjectId { server, number: row.get(0) },
        name: row.get(1),
        title: row.get(2),
        tags: row.get(3),
        commit: row.get(4),
        pushed_at: row.get(5),
        model: row.get(6),
        version: row.get(7),
    });
    Ok(projects.collect())
}

/// The number of a section or a row of the full text, which is unique in its project: of the page, and of the part in it.
pub(crate) fn number(page: i64, part: i32) -> i64 {
    section_number(page, i64::from(part))
}

/// Numbers as PostgreSQL writes an array.
pub(crate) fn list<T: ToString>(numbers: &[T]) -> String {
    let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    format!("{{{}}}", numbers.join(","))
}

/// The page and the part of a number.
pub(crate) fn parts(number: i64) -> (i64, i32) {
    let (page, part) = section_of(number);
    (page, i32::try_from(part).unwrap_or(i32::MAX))
}
