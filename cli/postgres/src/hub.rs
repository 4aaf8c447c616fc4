//! Many projects in PostgreSQL, on one server or several, answered as one. What pages are called, how they are linked and
//! how fresh they are is kept in memory and follows every push; texts and vectors stay in the databases.
//!
//! **Invariants**
//! - A question sees one state of each database, in names as in texts (`tests/hub.rs`).
//! - A database that cannot be reached does not hold the others (`tests/several.rs`).
//! - Rankings are those of one project with all pages (`tests/hub.rs`).
//! - Nothing is stored that the database does not have: as many servers as one likes can answer.

mod find;
mod names;

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use serde_json::Value;
use tokio::runtime::{Handle, Runtime};
use ubp_core::hub::{Between, Hub, Project as Member};
use ubp_core::manifest::Manifest;
use ubp_core::ops::Operation;
use ubp_core::ports::{Clock, Embedder, MemorySource, NoHistory, NoSymbols};
use ubp_core::progress::{Cancel, Progress, Silent};
use ubp_core::show::{Page, Reader};
use ubp_core::{Caller, Context, Error, Result, message};

use crate::address::Address;
use crate::database::Database;
use crate::failure::failure;
use crate::reading::{Project, ProjectId, Shared, Snapshot};
use find::Texts;
use names::Names;

/// How often a question begins again because the database was pushed to before it could be answered.
const ATTEMPTS: usize = 10;
/// Maximum number of pages with sections in memory, in all projects.
const MOST_PAGES: usize = 2_000;

/// Opens the model with an identity; `None` if it is not on this machine.
pub type OpenModel = dyn Fn(&str) -> Result<Option<Arc<dyn Embedder>>> + Send + Sync;

/// What a hub needs beside the database.
pub struct Surroundings {
    /// For questions by meaning; projects whose model is not on this machine are searched by words.
    pub model: Box<OpenModel>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Settings for answers. The projects' own settings are not in the database.
    pub manifest: Manifest,
}

/// The projects of an index in PostgreSQL.
pub struct SharedHub {
    /// There until the hub is dropped.
    runtime: Option<Runtime>,
    shared: Shared,
    role: Option<String>,
    surroundings: Surroundings,
    /// Models by identity, `None` if they are not on this machine.
    models: Mutex<HashMap<String, Option<Arc<dyn Embedder>>>>,
    source: MemorySource,
    known: RwLock<Known>,
    /// How often a page's sections were brought into memory since they were dropped.
    brought: AtomicUsize,
}

/// What is known of the projects.
#[derive(Default)]
struct Known {
    projects: Vec<Names>,
    between: Between,
    /// Which servers have been read.
    servers: HashSet<usize>,
}

/// A project of a hub.
#[derive(Debug, Clone)]
pub struct ProjectState {
    /// The project, as it was read last.
    pub project: Project,
    /// Its database, without the password.
    pub address: String,
    /// Number of its pages.
    pub pages: usize,
    /// Why it cannot be read.
    pub error: Option<String>,
}

/// What a question is asked with.
#[derive(Clone, Copy)]
pub struct Asked<'a> {
    /// Who asks.
    pub caller: Caller,
    /// The name of an agent.
    pub agent: Option<&'a str>,
    /// Receives progress.
    pub progress: &'a dyn Progress,
    /// Cancels the question.
    pub cancel: &'a Cancel,
}

impl SharedHub {
    /// Connects to all of these databases, each with at most so many connections. `role` limits what is visible; the roles
    /// of the connections have to be members of it.
    ///
    /// # Errors
    /// [`Error::SharedIndex`].
    pub fn open(
        addresses: &[Address],
        connections: usize,
        role: Option<String>,
        surroundings: Surroundings,
    ) -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("ubp-postgres")
            .enable_all()
            .build()
            .map_err(|source| Error::Io { path: "PostgreSQL".into(), source })?;
        let open = |address| runtime.block_on(Database::open(address, connections));
        // A database that is named twice is one.
        let mut named = HashSet::new();
        let addresses = addresses.iter().filter(|address| named.insert(address.to_string()));
        let shared = Shared::new(addresses.map(open).collect::<Result<_>>()?);
        let hub = Self {
            runtime: Some(runtime),
            shared,
            role,
            surroundings,
            models: Mutex::default(),
            source: MemorySource::default(),
            known: RwLock::default(),
            brought: AtomicUsize::default(),
        };
        hub.current(|_, _| Ok(()))?;
        Ok(hub)
    }

    /// The projects, by name.
    ///
    /// # Errors
    /// [`Error::SharedIndex`].
    pub fn projects(&self) -> Result<Vec<ProjectState>> {
        self.current(|snapshot, known| {
            let state = |names: &Names| {
                let project = names.project.clone();
                let error = self.trouble(names, known, snapshot);
                let address = self.shared.address_of(project.id);
                Ok(ProjectState { address, pages: names.index.view().graph()?.page_count(), error, project })
            };
            known.projects.iter().map(state).collect()
        })
    }

    /// Answers a question over the projects that `params` select, see [`Hub::call`], and shows the answer on a page.
    ///
    /// # Errors
    /// Those of [`Hub::call`]; [`Error::SharedIndex`].
    pub fn call(
        &self,
        operation: &Operation,
        params: &Value,
        asked: Asked<'_>,
        told: Option<(&mut dyn Page, Option<&dyn Reader>)>,
    ) -> Result<Value> {
        let reader = told.as_ref().and_then(|(_, reader)| *reader);
        let answer = self.current(move |snapshot, known| {
            let members = known.named().map(|names| {
                let member = self.member(names, asked, reader);
                match self.trouble(names, known, snapshot) {
                    Some(error) => Member { context: Err(error), ..member },
                    None => member,
                }
            });
            let projects: Vec<&Project> = known.named().map(|names| &names.project).collect();
            let model = |identity: &str| self.model(identity);
            let brought = &self.brought;
            let texts =
                Texts { runtime: self.handle()?, snapshot, projects: &projects, model: &model, brought };
            let page = told.map(|(page, _)| page);
            Hub::new(members.collect(), &known.between).with_texts_in(&texts).call(
                operation,
                params.clone(),
                page,
            )
        });
        self.forget_texts();
        answer
    }

    /// Why a project cannot be read.
    fn trouble(&self, names: &Names, known: &Known, snapshot: &Snapshot<'_>) -> Option<String> {
        let Project { id, name, .. } = &names.project;
        if let Err(error) = snapshot.server(id.server) {
            return Some(error.to_string());
        }
        let first = known.projects.partition_point(|other| other.project.name < *name);
        let others = known.projects[first..].iter().map(|names| &names.project);
        let other = others.take_while(|other| other.name == *name).find(|other| other.id != *id)?;
        let (one, other) = (self.shared.address_of(*id), self.shared.address_of(other.id));
        let told = message!(
            "{one} and {other} both have a project of this name: `ubp push --remove` removes one",
            one,
            other
        );
        Some(told.to_string())
    }

    fn model(&self, identity: &str) -> Result<Option<Arc<dyn Embedder>>> {
        let mut models = self.models.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = models.get(identity) {
            return Ok(known.clone());
        }
        let found = (self.surroundings.model)(identity)?;
        models.insert(identity.to_owned(), found.clone());
        Ok(found)
    }

    fn handle(&self) -> Result<&Handle> {
        let runtime = self.runtime.as_ref().map(Runtime::handle);
        runtime.ok_or_else(|| Error::Internal("the hub is closed".into()))
    }

    fn member<'a>(
        &'a self,
        names: &'a Names,
        asked: Asked<'a>,
        reader: Option<&'a dyn Reader>,
    ) -> Member<'a> {
        let Asked { caller, agent, progress, cancel } = asked;
        let context = Context {
            index: names.index.view(),
            source: &self.source,
            history: &NoHistory,
            symbols: &NoSymbols,
            clock: &*self.surroundings.clock,
            embedder: None,
            manifest: &self.surroundings.manifest,
            refreshed: true,
            caller,
            agent,
            proposing: None,
            rights: None,
            typing: None,
            witness: None,
            reader,
            progress,
            cancel,
        };
        Member { name: &names.project.name, tags: &names.project.tags, context: Ok(context) }
    }

    /// Runs `work` on one state of the database and what is known of the projects in the same state.
    fn current<T>(&self, work: impl FnOnce(&Snapshot<'_>, &Known) -> Result<T>) -> Result<T> {
        let mut work = Some(work);
        for _ in 0..ATTEMPTS {
            let answer = self.shared.hold(self.handle()?, self.role.as_deref(), |snapshot| {
                let projects = self.handle()?.block_on(snapshot.projects())?;
                {
                    let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
                    if known.is_of(&projects, snapshot)
                        && let Some(work) = work.take()
                    {
                        return work(snapshot, &known).map(Some);
                    }
                }
                let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
                if !known.is_newer_than(&projects) {
                    self.follow(&mut known, snapshot, projects)?;
                }
                Ok(None)
            })?;
            if let Some(answer) = answer {
                return Ok(answer);
            }
        }
        Err(failure(message!("the database is pushed to faster than it can be read")))
    }

    /// Brings what is known up to date. What cannot be read stays as it was.
    fn follow(&self, known: &mut Known, snapshot: &Snapshot<'_>, projects: Vec<Project>) -> Result<()> {
        for server in (0..snapshot.server_count()).filter(|server| !known.servers.contains(server)) {
            // Nobody would know which projects are missing.
            snapshot.server(server)?;
        }
        let is_there: HashSet<ProjectId> = projects.iter().map(|project| project.id).collect();
        let is_readable = |id: ProjectId| snapshot.server(id.server).is_ok();
        known
            .projects
            .retain(|Names { project, .. }| is_there.contains(&project.id) || !is_readable(project.id));
        let followed: Result<()> = projects.into_iter().try_for_each(|project| {
            let names = known.projects.iter_mut().find(|names| names.project.id == project.id);
            match names {
                Some(names) if names.project.version == project.version => names.project = project,
                Some(names) => self.handle()?.block_on(names.follow(snapshot, project))?,
                None => known.projects.push(self.handle()?.block_on(Names::read(snapshot, project))?),
            }
            Ok(())
        });
        let key = |Names { project, .. }: &Names| (project.name.clone(), project.id);
        known.projects.sort_by_cached_key(key);
        let cancel = Cancel::default();
        let asked = Asked { caller: Caller::Person, agent: None, progress: &Silent, cancel: &cancel };
        let members: Vec<Member<'_>> = known.named().map(|names| self.member(names, asked, None)).collect();
        let between = Between::of(&members)?;
        drop(members);
        known.between = between;
        followed?;
        known.servers.extend((0..snapshot.server_count()).filter(|server| snapshot.server(*server).is_ok()));
        Ok(())
    }

    /// Drops sections from memory if there are many, unless somebody is reading them.
    fn forget_texts(&self) {
        if self.brought.load(Ordering::Relaxed) < MOST_PAGES {
            return;
        }
        let Ok(known) = self.known.try_write() else { return };
        known.projects.iter().for_each(Names::forget_sections);
        self.brought.store(0, Ordering::Relaxed);
    }
}

impl Drop for SharedHub {
    fn drop(&mut self) {
        // Waiting is forbidden where a server drops it.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl Known {
    /// One project of each name.
    fn named(&self) -> impl Iterator<Item = &Names> {
        let mut before = None;
        self.projects
            .iter()
            .filter(move |names| before.replace(&names.project.name) != Some(&names.project.name))
    }

    /// Whether this is what is known of all servers, and these are the projects of those that can be read.
    fn is_of(&self, projects: &[Project], snapshot: &Snapshot<'_>) -> bool {
        let own = self.projects.iter().map(|names| &names.project);
        let own = own.filter(|project| snapshot.server(project.id.server).is_ok());
        (0..snapshot.server_count()).all(|server| self.servers.contains(&server)) && own.eq(projects)
    }

    /// Whether a project has been followed to a later push than in `projects`.
    fn is_newer_than(&self, projects: &[Project]) -> bool {
        self.projects.iter().any(|names| {
            let own = &names.project;
            projects.iter().any(|other| other.id == own.id && other.version < own.version)
        })
    }
}
