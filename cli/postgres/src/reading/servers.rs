//! The servers that projects are split over: each has some of the projects, and a question reads one state of each.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use deadpool_postgres::{Object, Transaction};
use futures_util::future::{join_all, try_join_all};
use serde::Serialize;
use tokio_postgres::types::ToSql;
use tokio_postgres::{IsolationLevel, Row};
use ubp_core::{Error, Result};

use super::Snapshot;
use crate::database::Database;
use crate::failure::OrFailure as _;

/// How long a server that could not be reached is not asked again, if there are others.
const PAUSE: Duration = Duration::from_secs(5);

/// A project's number, and the server that it is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct ProjectId {
    /// Place of the server among those that are asked.
    pub server: usize,
    /// Its number there.
    pub number: i32,
}

/// A value for each server, or why that server cannot be read.
pub(super) type OfServers<T> = Vec<std::result::Result<T, Error>>;

/// The databases, and since when which of them cannot be reached.
pub(super) struct Servers {
    databases: Vec<Database>,
    unreachable: Mutex<BTreeMap<usize, (Instant, Error)>>,
}

impl Servers {
    pub fn new(databases: Vec<Database>) -> Self {
        Self { databases, unreachable: Mutex::default() }
    }

    /// The address of a server, without the password.
    pub fn address(&self, server: usize) -> String {
        self.databases.get(server).map(|database| database.address().to_string()).unwrap_or_default()
    }

    /// A connection to each server. One that cannot be reached does not hold the others.
    pub async fn connect(&self) -> Result<OfServers<Object>> {
        let mut clients = Vec::with_capacity(self.databases.len());
        // One after the other: two questions that each wait for the connection of the other would wait forever.
        for (server, database) in self.databases.iter().enumerate() {
            if let Some(error) = self.unreachable_recently(server) {
                clients.push(Err(error));
                continue;
            }
            let client = database.reach().await?;
            self.remember(server, client.as_ref().err());
            clients.push(client);
        }
        some(clients)
    }

    fn unreachable_recently(&self, server: usize) -> Option<Error> {
        let unreachable = self.unreachable.lock().unwrap_or_else(PoisonError::into_inner);
        let (since, error) = unreachable.get(&server)?;
        (self.databases.len() > 1 && since.elapsed() < PAUSE).then(|| copied(error))
    }

    fn remember(&self, server: usize, error: Option<&Error>) {
        let mut unreachable = self.unreachable.lock().unwrap_or_else(PoisonError::into_inner);
        match error {
            None => unreachable.remove(&server),
            Some(error) => unreachable.insert(server, (Instant::now(), copied(error))),
        };
    }
}

/// Begins to read one state of each database, as `role`.
pub(super) async fn begin<'a>(
    clients: &'a mut OfServers<Object>,
    role: Option<&str>,
) -> Result<OfServers<Transaction<'a>>> {
    let begun = clients.iter_mut().map(async |client| match client {
        Ok(client) => begin_one(client, role).await,
        Err(error) => Err(copied(error)),
    });
    some(join_all(begun).await)
}

async fn begin_one<'a>(client: &'a mut Object, role: Option<&str>) -> Result<Transaction<'a>> {
    let whole = client.build_transaction().read_only(true).isolation_level(IsolationLevel::RepeatableRead);
    let whole = whole.start().await.or_failure()?;
    // Candidates of partitions are merged, so they have to come in order.
    // Single rows are looked up in many partitions: whatever reads whole tables is wrong.
    let mut settings = String::from(
        "SET LOCAL hnsw.iterative_scan = strict_order; SET LOCAL hnsw.ef_search = 40;
         SET LOCAL plan_cache_mode = force_generic_plan;
         SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off;",
    );
    if let Some(role) = role {
        settings.push_str(&format!(" SET LOCAL ROLE \"{}\";", role.replace('"', "\"\"")));
    }
    whole.batch_execute(&settings).await.or_failure()?;
    Ok(whole)
}

/// The same, unless there is nothing.
fn some<T>(of_servers: OfServers<T>) -> Result<OfServers<T>> {
    match of_servers.iter().any(Result::is_ok) {
        true => Ok(of_servers),
        false => match of_servers.into_iter().find_map(Result::err) {
            Some(error) => Err(error),
            None => Err(Error::Internal("a hub without a database".into())),
        },
    }
}

fn copied(error: &Error) -> Error {
    Error::SharedIndex { message: error.message(), hint: error.hint().map(Box::new) }
}

/// Things of projects, by the server that these are on.
pub(super) fn by_server<T>(
    things: impl IntoIterator<Item = T>,
    project: impl Fn(&T) -> ProjectId,
) -> BTreeMap<usize, Vec<T>> {
    let mut of_servers: BTreeMap<usize, Vec<T>> = BTreeMap::new();
    for thing in things {
        of_servers.entry(project(&thing).server).or_default().push(thing);
    }
    of_servers
}

impl Snapshot<'_> {
    /// What a server is asked with.
    pub(crate) fn server(&self, server: usize) -> Result<&Transaction<'_>> {
        match self.servers.get(server) {
            Some(Ok(whole)) => Ok(whole),
            Some(Err(error)) => Err(copied(error)),
            None => Err(Error::Internal(format!("there is no server {server}"))),
        }
    }

    /// The rows of a statement whose plan the connection keeps: over many partitions, a plan takes longer than its work.
    pub(super) async fn rows_of(
        &self,
        server: usize,
        sql: &str,
        params: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>> {
        let whole = self.server(server)?;
        let statement = whole.prepare_cached(sql).await.or_failure()?;
        whole.query(&statement, params).await.or_failure()
    }

    /// The rows of such a statement on each server that has some of these projects, with the place of the server. The
    /// numbers of the projects come first among its parameters.
    pub(super) async fn rows_on_all(
        &self,
        projects: &[ProjectId],
        sql: &str,
        params: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<(usize, Row)>> {
        let asked = by_server(projects, |id| **id).into_iter().map(|(server, projects)| async move {
            let numbers: Vec<i32> = projects.iter().map(|id| id.number).collect();
            let mut all: Vec<&(dyn ToSql + Sync)> = vec![&numbers];
            all.extend(params);
            let rows = self.rows_of(server, sql, &all).await?;
            Ok::<_, Error>(rows.into_iter().map(|row| (server, row)).collect::<Vec<_>>())
        });
        Ok(try_join_all(asked).await?.into_iter().flatten().collect())
    }

    pub(super) async fn commit(self) -> Result<()> {
        for whole in self.servers.into_iter().flatten() {
            whole.commit().await.or_failure()?;
        }
        Ok(())
    }
}
