//! Connections to the database, with its schema brought up to date.

use std::fmt::Display;
use std::time::Duration;

use deadpool_postgres::{
    Manager, ManagerConfig, Object, Pool, PoolError, RecyclingMethod, Runtime, TimeoutType, Timeouts,
};
use tokio_postgres::Client;
use tokio_postgres::error::SqlState;
use ubp_core::message::Message;
use ubp_core::{Error, Result, message};

use crate::address::Address;
use crate::encryption::encryption;
use crate::failure::{OrFailure as _, failed, failure, failure_with, words};

/// The steps from each version of the schema to the next.
const MIGRATIONS: [&str; 1] = [include_str!("migrations/1.sql")];

/// Oldest versions of the extensions that have what is used.
const EXTENSIONS: [(&str, (u32, u32)); 2] = [("vector", (0, 8)), ("pg_textsearch", (0, 6))];

/// The state of a statement that refuses a replica.
const REPLICA: &str = "UBP01";

/// A pool of connections to an index in PostgreSQL.
#[derive(Clone)]
pub struct Database {
    pub(crate) pool: Pool,
    address: Address,
}

impl Database {
    /// Connects. The schema has to exist, in the version of this program.
    ///
    /// # Errors
    /// [`Error::SharedIndex`].
    pub async fn open(address: &Address, connections: usize) -> Result<Self> {
        let database = Self::unchecked(address, connections)?;
        let client = database.client().await?;
        match version(&client).await? {
            Some(version) if version == MIGRATIONS.len() => Ok(()),
            Some(version) if version > MIGRATIONS.len() => Err(newer(version)),
            _ => Err(failure_with(
                message!("{database} has no index, or one of an older ubp", database = address.to_string()),
                message!("`ubp push --to` creates it and brings it up to date"),
            )),
        }?;
        drop(client);
        Ok(database)
    }

    /// Connects, and creates the schema or brings it up to date: each step in one transaction.
    ///
    /// # Errors
    /// [`Error::SharedIndex`], also if the schema is that of a newer version, or if an extension is missing.
    pub async fn open_and_migrate(address: &Address, connections: usize) -> Result<Self> {
        let database = Self::unchecked(address, connections)?;
        let mut client = database.client().await?;
        migrate(&mut client).await?;
        drop(client);
        Ok(database)
    }

    fn unchecked(address: &Address, connections: usize) -> Result<Self> {
        let manager = Manager::from_config(
            address.config.clone(),
            encryption(address)?,
            ManagerConfig { recycling_method: RecyclingMethod::Fast },
        );
        let patience = Some(Duration::from_secs(30));
        let pool = Pool::builder(manager)
            .max_size(connections.max(1))
            .runtime(Runtime::Tokio1)
            .timeouts(Timeouts { wait: patience, create: None, recycle: patience })
            .post_create(deadpool_postgres::Hook::async_fn(|client, _| {
                Box::pin(async move { prepare(client).await.map_err(deadpool_postgres::HookError::Backend) })
            }))
            .build()
            .map_err(|error| {
                failure(message!("no pool of connections: {error}", error = reported(&error)))
            })?;
        Ok(Self { pool, address: address.clone() })
    }

    /// A connection of the pool.
    ///
    /// # Errors
    /// [`Error::SharedIndex`].
    pub(crate) async fn client(&self) -> Result<Object> {
        self.reach().await?
    }

    /// A connection of the pool, or why the server cannot be reached.
    ///
    /// # Errors
    /// [`Error::SharedIndex`] if all connections are in use.
    pub(crate) async fn reach(&self) -> Result<Result<Object>> {
        match self.pool.get().await {
            Ok(client) => Ok(Ok(client)),
            Err(busy @ PoolError::Timeout(TimeoutType::Wait)) => Err(self.unreachable(&busy)),
            Err(error) => Ok(Err(self.unreachable(&error))),
        }
    }

    /// The address, without the password.
    pub fn address(&self) -> &Address {
        &self.address
    }

    fn unreachable(&self, error: &PoolError) -> Error {
        let database = self.address.to_string();
        let backend = match error {
            PoolError::Backend(error)
            | PoolError::PostCreateHook(deadpool_postgres::HookError::Backend(error)) => error,
            PoolError::Timeout(_) => {
                return failure_with(
                    message!("{database}: all connections are in use", database),
                    message!("try again"),
                );
            }
            other => return failure(message!("{database}: {error}", database, error = reported(other))),
        };
        let error = Message::reported(words(backend));
        let code = backend.code();
        if code.is_some_and(|code| code.code() == REPLICA) {
            return failure_with(
                message!(
                    "{database} is a replica, on which pg_textsearch 0.6 does not find what was pushed since it was made",
                    database
                ),
                message!("use the primary; to spread readers over servers, push to each of them"),
            );
        }
        let hint = if code == Some(&SqlState::INVALID_PASSWORD)
            || code == Some(&SqlState::INVALID_AUTHORIZATION_SPECIFICATION)
            || error.to_string().contains("password")
        {
            message!("check the user and the password: in the address, in UBP_POSTGRES, or in PGPASSWORD")
        } else if code == Some(&SqlState::INVALID_CATALOG_NAME) {
            message!("create the database first, for example with `createdb`")
        } else if code == Some(&SqlState::TOO_MANY_CONNECTIONS) {
            message!("try again, or raise max_connections of the server")
        } else if error.to_string().contains("certificate") || error.to_string().contains("TLS") {
            message!("check sslmode and sslrootcert: the server has no encryption, or another certificate")
        } else {
            message!("check that the server runs, and accepts connections from here")
        };
        failure_with(message!("cannot connect to {database}: {error}", database, error), hint)
    }
}

/// Settings of every connection. Unqualified names of types and operators are those of the extensions.
async fn prepare(client: &Client) -> std::result::Result<(), tokio_postgres::Error> {
    let schemas = extension_schemas(client).await?;
    client
        .batch_execute(&format!(
            "SET search_path = ubp, {schemas}; SET client_min_messages = warning; SET jit = off;
             DO $$ BEGIN
                 IF pg_is_in_recovery() THEN RAISE SQLSTATE '{REPLICA}'; END IF;
             END $$"
        ))
        .await
}

/// The schemas of the extensions, for a search path.
async fn extension_schemas(client: &Client) -> std::result::Result<String, tokio_postgres::Error> {
    let sql = "SELECT coalesce(string_agg(DISTINCT quote_ident(nspname), ', '), 'public') FROM pg_extension
         JOIN pg_namespace ON pg_namespace.oid = extnamespace WHERE extname IN ('vector', 'pg_textsearch')";
    client.query_one(sql, &[]).await?.try_get(0)
}

/// The version of the schema; `None` if there is none.
async fn version(client: &Client) -> Result<Option<usize>> {
    let exists = client
        .query_one("SELECT to_regclass('ubp.schema_version') IS NOT NULL", &[])
        .await
        .or_failure()?
        .get::<_, bool>(0);
    if !exists {
        return Ok(None);
    }
    let row = client.query_one("SELECT max(version) FROM ubp.schema_version", &[]).await.or_failure()?;
    Ok(row.get::<_, Option<i32>>(0).and_then(|version| usize::try_from(version).ok()))
}

fn newer(version: usize) -> Error {
    failure_with(
        message!("the index in this database has version {version}, which needs a newer ubp", version),
        message!("install a newer ubp; nothing was changed"),
    )
}

async fn migrate(client: &mut Client) -> Result<()> {
    let wanted = MIGRATIONS.len();
    match version(client).await? {
        Some(found) if found == wanted => return Ok(()),
        Some(found) if found > wanted => return Err(newer(found)),
        _ => {}
    }
    check_extensions(client).await?;
    loop {
        let step = client.transaction().await.or_failure()?;
        // Two programs may come at the same time.
        step.execute("SELECT pg_advisory_xact_lock(hashtext('ubp schema'))", &[]).await.or_failure()?;
        let found = version(step.client()).await?.unwrap_or_default();
        let Some(sql) = MIGRATIONS.get(found) else {
            step.rollback().await.or_failure()?;
            return if found > wanted { Err(newer(found)) } else { prepare(client).await.or_failure() };
        };
        if found == 0 {
            step.batch_execute(
                "CREATE SCHEMA IF NOT EXISTS ubp;
                 CREATE TABLE ubp.schema_version (
                     version    integer PRIMARY KEY,
                     applied_at timestamptz NOT NULL DEFAULT now()
                 );",
            )
            .await
            .map_err(|error| not_created(&error))?;
            for (name, _) in EXTENSIONS {
                step.batch_execute(&format!("CREATE EXTENSION IF NOT EXISTS {name} SCHEMA public"))
                    .await
                    .map_err(|error| not_created(&error))?;
            }
        }
        let schemas = extension_schemas(step.client()).await.or_failure()?;
        step.batch_execute(&format!("SET LOCAL search_path = ubp, {schemas}")).await.or_failure()?;
        let sql = sql.replace("{extensions}", &format!("pg_catalog, {schemas}"));
        step.batch_execute(&sql).await.map_err(|error| not_created(&error))?;
        let next = i32::try_from(found + 1).unwrap_or(i32::MAX);
        step.execute("INSERT INTO ubp.schema_version(version) VALUES ($1)", &[&next]).await.or_failure()?;
        step.commit().await.or_failure()?;
    }
}

fn not_created(error: &tokio_postgres::Error) -> Error {
    if error.code() == Some(&SqlState::INSUFFICIENT_PRIVILEGE) {
        return failure_with(
            message!("this role may not create the index: {error}", error = Message::reported(words(error))),
            message!("push once as the owner of the database, who may create roles and extensions"),
        );
    }
    failed(error)
}

/// Whether both extensions are there and recent enough.
async fn check_extensions(client: &Client) -> Result<()> {
    let sql = "SELECT name, coalesce(installed_version, default_version) FROM pg_available_extensions
         WHERE name IN ('vector', 'pg_textsearch')";
    let rows = client.query(sql, &[]).await.or_failure()?;
    let found: Vec<(String, String)> = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
    for (name, oldest) in EXTENSIONS {
        let hint = message!(
            "it is in the image timescale/timescaledb-ha and at managed services; docs/postgres.md lists how to get it"
        );
        let Some((_, version)) = found.iter().find(|(found, _)| found == name) else {
            return Err(failure_with(message!("this PostgreSQL lacks the extension {name}", name), hint));
        };
        if numbers(version) < oldest {
            let wanted = format!("{}.{}", oldest.0, oldest.1);
            return Err(failure_with(
                message!(
                    "the extension {name} of this PostgreSQL is too old: {version}, needed is {wanted}",
                    name,
                    version = version.as_str(),
                    wanted
                ),
                hint,
            ));
        }
    }
    Ok(())
}

fn reported(error: &impl Display) -> Message {
    Message::reported(error.to_string())
}

fn numbers(version: &str) -> (u32, u32) {
    let mut numbers = version.split(['.', '-']).map(|number| number.parse().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
}
