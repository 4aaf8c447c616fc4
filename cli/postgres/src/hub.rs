//! Many projects in PostgreSQL, answered as one. What pages are called, how they are linked and how fresh they are is kept
//! in memory and follows every push; texts and vectors stay in the database.
//!
//! **Invariants**
//! - A question sees one state of the database, in names as in texts (`tests/hub.rs`).
//! - Rankings are those of one project with all pages (`tests/hub.rs`).
//! - Nothing is stored that the database does not have: as many servers as one likes can answer.

mod find;
mod names;

use std::collections::HashMap;
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
use crate::reading::{Project, Shared, Snapshot};
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
    /// Connects. `role` limits what is visible; the role of the connection has to be a member of it.
    ///
    /// # Errors
    /// [`Error::SharedIndex`].
    pub fn open(
        address: &Address,
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
        let shared = Shared::new(runtime.block_on(Database::open(address, connections))?);
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

    /// The projects, by name, and the number of their pages.
    ///
    /// # Errors
    /// [`Error::SharedIndex`].
    pub fn projects(&self) -> Result<Vec<(Project, usize)>> {
        self.current(|_, known| {
            known
                .projects
                .iter()
                .map(|names| Ok((names.project.clone(), names.index.view().graph()?.page_count())))
                .collect()
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
            let members = known.projects.iter().map(|names| self.member(names, asked, reader));
            let projects: Vec<&Project> = known.projects.iter().map(|names| &names.project).collect();
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
                    if known.is_of(&projects)
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

    /// Brings what is known up to date. If that fails, nothing is known.
    fn follow(&self, known: &mut Known, snapshot: &Snapshot<'_>, projects: Vec<Project>) -> Result<()> {
        let before = std::mem::take(known).projects.into_iter();
        let mut before: HashMap<i32, Names> = before.map(|names| (names.project.number, names)).collect();
        let mut followed = Vec::with_capacity(projects.len());
        for project in projects {
            followed.push(match before.remove(&project.number) {
                Some(names) if names.project.version == project.version => names.renamed(project),
                Some(names) => self.handle()?.block_on(names.follow(snapshot, project))?,
                None => self.handle()?.block_on(Names::read(snapshot, project))?,
            });
        }
        let cancel = Cancel::default();
        let asked = Asked { caller: Caller::Person, agent: None, progress: &Silent, cancel: &cancel };
        let members: Vec<Member<'_>> = followed.iter().map(|names| self.member(names, asked, None)).collect();
        let between = Between::of(&members)?;
        drop(members);
        *known = Known { projects: followed, between };
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
    fn is_of(&self, projects: &[Project]) -> bool {
        self.projects.len() == projects.len()
            && self.projects.iter().zip(projects).all(|(names, project)| names.project == *project)
    }

    /// Whether a project has been followed to a later push than in `projects`.
    fn is_newer_than(&self, projects: &[Project]) -> bool {
        self.projects.iter().any(|names| {
            projects
                .iter()
                .any(|other| other.number == names.project.number && other.version < names.project.version)
        })
    }
}
