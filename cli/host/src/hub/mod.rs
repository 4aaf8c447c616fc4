//! Many projects kept open as one, see [`ubp_core::hub`]. They come and go with the settings of the hub and the folders
//! that its globs find.
//!
//! **Invariants**
//! - A project that cannot be opened or read does not hold the others (`tests/tests/hub.rs`).
//! - Projects with the same model share it in memory.
//! - What a project's settings hide from an agent, a hub hides from it too (`tests/tests/hub.rs`).

mod answering;
mod counts;
mod elsewhere;
mod manifest;
mod pinned;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::Value;
use ubp_core::hub::{Between, Hub as Projects, Project as Member};
use ubp_core::manifest::{AuthorRights, Right};
use ubp_core::message;
use ubp_core::ops::Operation;
use ubp_core::ports::Embedder;
use ubp_core::progress::{Cancel, Progress, Silent};
use ubp_core::show::{Page, Reader};
use ubp_core::{Caller, Context, Error, Result};

use crate::live::{Live, Notices, Seen, Views};
use crate::{Environment, Project, models};

pub use answering::{Answering, Told};
pub use counts::Counts;
pub(crate) use elsewhere::pages_elsewhere;
pub use manifest::{HUB_MANIFEST, HubManifest, Place, above};
pub use pinned::{Fetched, Outcome, Pin};

/// How long the list of projects is used before it is looked up again.
const LOOK_AGAIN: Duration = Duration::from_secs(2);

/// Where a hub's projects are listed.
#[derive(Debug, Clone)]
pub enum Listed {
    /// In a file.
    In(PathBuf),
    /// Folders and globs, relative to a folder.
    Here(PathBuf, Vec<String>),
}

impl Listed {
    /// The projects.
    ///
    /// # Errors
    /// Those of [`HubManifest::read`] and [`HubManifest::places`].
    pub fn places(&self, environment: &Environment) -> Result<Vec<Place>> {
        match self {
            Self::In(file) => {
                HubManifest::read(file)?.places(file.parent().unwrap_or(Path::new(".")), environment)
            }
            Self::Here(base, folders) => HubManifest::of_folders(folders).places(base, environment),
        }
    }
}

/// An open hub. Its projects are closed when it is dropped.
pub struct Hub {
    listed: Listed,
    environment: Environment,
    notices: Notices,
    models: Arc<Models>,
    state: Mutex<State>,
    between: Mutex<Option<KnownLinks>>,
}

/// Links between projects, with the indexes that they were read from, and their states. An agent's view of a project has
/// an index of its own, with other numbers.
type KnownLinks = (Vec<(String, usize, i64)>, Arc<Between>);

#[derive(Default)]
struct State {
    looked: Option<Instant>,
    opened: Vec<Arc<Opened>>,
    /// The last problem with the list, which is told once.
    problem: Option<String>,
}

struct Opened {
    place: Place,
    /// The project, or why it could not be opened.
    views: std::result::Result<Arc<Views>, Arc<Error>>,
}

impl Drop for Opened {
    fn drop(&mut self) {
        if let Ok(views) = &self.views {
            views.stop();
        }
    }
}

/// A project of a hub, for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProjectState {
    /// Its name.
    pub project: String,
    /// Its folder.
    pub folder: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// The tag of a repository that it is; absent for a folder.
    pub version: Option<String>,
    /// Number of pages.
    pub pages: Option<usize>,
    /// Why it cannot be read.
    pub error: Option<String>,
}

/// A project of a hub as it is now.
pub struct OpenProject {
    /// Where it is.
    pub place: Place,
    /// The open project, or why it cannot be read.
    pub live: std::result::Result<Arc<Live>, Arc<Error>>,
}

/// Who asks.
#[derive(Debug, Clone, Copy)]
pub enum HubAsker<'a> {
    /// A person, who sees everything.
    Person,
    /// An agent.
    Agent {
        /// Its name, which decides about its rights in each project.
        name: Option<&'a str>,
        /// The rules of its token.
        token: &'a [(String, Right)],
    },
}

/// A project as somebody sees it, with the rights of an agent.
type SeenProject = (Arc<Live>, Option<Arc<AuthorRights>>);

impl HubAsker<'_> {
    fn sees(self, views: &Views) -> Result<SeenProject> {
        match self {
            Self::Person => Ok((views.whole().clone(), None)),
            Self::Agent { name, token } => {
                views.seen_by(name, token).map(|Seen { rights, live }| (live, Some(rights)))
            }
        }
    }

    fn caller(self) -> Caller {
        match self {
            Self::Person => Caller::Person,
            Self::Agent { .. } => Caller::Agent,
        }
    }

    fn agent(&self) -> Option<&str> {
        match self {
            Self::Person => None,
            Self::Agent { name, .. } => *name,
        }
    }
}

impl Hub {
    /// Opens the listed projects. Returns at once; indexes are built or updated in the background.
    ///
    /// # Errors
    /// Those of [`HubManifest::read`] and [`HubManifest::places`]; [`Error::InvalidParams`] without a project.
    pub fn open(listed: Listed, environment: &Environment, notices: Notices) -> Result<Arc<Self>> {
        let hub = Arc::new(Self {
            listed,
            environment: environment.clone(),
            notices,
            models: Arc::default(),
            state: Mutex::default(),
            between: Mutex::default(),
        });
        let places = hub.places()?;
        if places.is_empty() {
            return Err(Error::invalid(message!(
                "no project found: name folders with a project, or list them in hub.json"
            )));
        }
        hub.settle(&mut hub.state(), places);
        Ok(hub)
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn places(&self) -> Result<Vec<Place>> {
        self.listed.places(&self.environment)
    }

    /// Opens projects that are new, and closes those that are gone.
    fn settle(&self, state: &mut State, places: Vec<Place>) {
        let mut before = std::mem::take(&mut state.opened);
        for place in places {
            let is_open = |opened: &Arc<Opened>| opened.place == place && opened.views.is_ok();
            let opened = match before.iter().position(is_open) {
                Some(at) => before.swap_remove(at),
                None => Arc::new(self.open_one(place)),
            };
            state.opened.push(opened);
        }
        state.looked = Some(Instant::now());
    }

    fn open_one(&self, place: Place) -> Opened {
        let models = self.models.clone();
        let find_model =
            Box::new(move |project: &Project, environment: &Environment| models.of(project, environment));
        let project = match &place.pinned {
            Some((pin, None)) => Err(pin.missing()),
            _ => Project::load(&place.root),
        };
        let views = project
            .and_then(|project| {
                Live::start_finding(project, &self.environment, self.notices.clone(), find_model)
            })
            .map(Views::of)
            .map_err(Arc::new);
        Opened { place, views }
    }

    /// The projects as they are listed now. If the list cannot be read, those of before.
    fn current(&self) -> Vec<Arc<Opened>> {
        let mut state = self.state();
        if state.looked.is_none_or(|looked| looked.elapsed() >= LOOK_AGAIN) {
            match self.places() {
                Ok(places) => {
                    state.problem = None;
                    self.settle(&mut state, places);
                }
                Err(error) => {
                    state.looked = Some(Instant::now());
                    let told = error.to_string();
                    if state.problem.as_ref() != Some(&told) {
                        (self.notices)(crate::live::Notice {
                            is_warning: true,
                            text: message!(
                                "the list of projects cannot be read, so it stays as it was: {error}",
                                error
                            ),
                            hint: None,
                        });
                        state.problem = Some(told);
                    }
                }
            }
        }
        state.opened.clone()
    }

    /// The projects as they are listed now, in the order of the list. Waits for no index.
    pub fn projects(&self) -> Vec<OpenProject> {
        let of = |opened: &Arc<Opened>| OpenProject {
            place: opened.place.clone(),
            live: opened.views.as_ref().map(|views| views.whole().clone()).map_err(Arc::clone),
        };
        self.current().iter().map(of).collect()
    }

    /// Why the list of projects cannot be read, if it cannot.
    pub fn problem(&self) -> Option<String> {
        self.state().problem.clone()
    }

    /// As [`Answering::call`] for a person, on the indexes as they are: for calls while a person waits for each key.
    ///
    /// # Errors
    /// As [`Answering::call`].
    pub fn call_at_once(&self, operation: &Operation, params: Value, cancel: &Cancel) -> Result<Value> {
        let opened = self.current();
        let held = Held { asker: HubAsker::Person, reader: None, progress: &Silent, cancel, at_once: true };
        self.with_held(&opened, held, &mut |members| {
            let between = self.links_between(&members)?;
            Projects::new(members, &between).call(operation, params.clone(), None)
        })
    }

    /// Runs `work` with all projects held open, in the order of `opened`.
    fn with<T>(
        &self,
        asker: HubAsker<'_>,
        opened: &[Arc<Opened>],
        reader: Option<&dyn Reader>,
        progress: &dyn Progress,
        cancel: &Cancel,
        work: &mut dyn FnMut(Vec<Member<'_>>) -> Result<T>,
    ) -> Result<T> {
        self.with_held(opened, Held { asker, reader, progress, cancel, at_once: false }, work)
    }

    fn with_held<T>(
        &self,
        opened: &[Arc<Opened>],
        held: Held<'_>,
        work: &mut dyn FnMut(Vec<Member<'_>>) -> Result<T>,
    ) -> Result<T> {
        let seen: Vec<std::result::Result<SeenProject, String>> = opened
            .iter()
            .map(|opened| {
                let views = opened.views.as_ref().map_err(|error| error.to_string())?;
                held.asker.sees(views).map_err(|error| error.to_string())
            })
            .collect();
        let all: Vec<(&Place, &std::result::Result<SeenProject, String>)> =
            opened.iter().map(|opened| &opened.place).zip(&seen).collect();
        hold(&all, Vec::new(), held, work)
    }

    /// The links between the projects, kept while none of them changes.
    fn links_between(&self, members: &[Member<'_>]) -> Result<Arc<Between>> {
        let mut state = Vec::with_capacity(members.len());
        for member in members {
            if let Ok(context) = &member.context {
                let index = std::ptr::from_ref(context.index.index()).addr();
                state.push((member.name.to_owned(), index, context.index.generation()?));
            }
        }
        let mut kept = self.between.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, between)) = kept.as_ref().filter(|(known, _)| *known == state) {
            return Ok(between.clone());
        }
        let between = Arc::new(Between::of(members)?);
        *kept = Some((state, between.clone()));
        Ok(between)
    }
}

impl Answering for Hub {
    fn call(
        &self,
        asker: HubAsker<'_>,
        operation: &Operation,
        params: Value,
        mut told: Told<'_>,
        progress: &dyn Progress,
        cancel: &Cancel,
    ) -> Result<Value> {
        let opened = self.current();
        let reader = told.as_ref().and_then(|(_, reader)| *reader);
        self.with(asker, &opened, reader, progress, cancel, &mut |members| {
            let between = self.links_between(&members)?;
            let page = told.as_mut().map(|(page, _)| &mut **page as &mut dyn Page);
            Projects::new(members, &between).call(operation, params.clone(), page)
        })
    }

    fn answers(&self, _: &Operation) -> bool {
        true
    }

    fn states(&self, cancel: &Cancel) -> Result<Vec<ProjectState>> {
        let opened = self.current();
        let asker = HubAsker::Person;
        self.with(asker, &opened, None, &Silent, cancel, &mut |members| {
            let state = |(member, opened): (&Member<'_>, &Arc<Opened>)| {
                let pages = member.context.as_ref().map_err(String::clone).and_then(|context| {
                    context.index.graph().map(|graph| graph.page_count()).map_err(|error| error.to_string())
                });
                ProjectState {
                    project: opened.place.name.clone(),
                    folder: opened.place.root.to_string_lossy().into_owned(),
                    tags: opened.place.tags.clone(),
                    version: opened.place.pinned.as_ref().map(|(pin, _)| pin.tag.clone()),
                    pages: pages.as_ref().ok().copied(),
                    error: pages.err(),
                }
            };
            Ok(members.iter().zip(&opened).map(state).collect())
        })
    }

    fn counts(&self) -> Counts {
        Self::counts(self)
    }
}

/// What all projects are asked with.
#[derive(Clone, Copy)]
struct Held<'a> {
    asker: HubAsker<'a>,
    reader: Option<&'a dyn Reader>,
    progress: &'a dyn Progress,
    cancel: &'a Cancel,
    /// Whether to take indexes as they are.
    at_once: bool,
}

/// Holds one project after the other, and then runs `work`.
fn hold<'m, T>(
    rest: &'m [(&Place, &std::result::Result<SeenProject, String>)],
    mut members: Vec<Member<'m>>,
    with: Held<'m>,
    work: &mut dyn FnMut(Vec<Member<'_>>) -> Result<T>,
) -> Result<T> {
    let Some(((place, seen), rest)) = rest.split_first() else { return work(members) };
    let (name, tags) = (place.name.as_str(), place.tags.as_slice());
    let error = match seen {
        Err(error) => error.clone(),
        Ok((live, rights)) => {
            let mut before = Some(members);
            let asker = &with.asker;
            let mut is_held = false;
            let caller = with.asker.caller();
            let ask = |context: &Context<'_>| {
                is_held = true;
                let mut members = before.take().unwrap_or_default();
                let agent = asker.agent();
                let context = Context { agent, rights: rights.as_deref(), reader: with.reader, ..*context };
                members.push(Member { name, tags, context: Ok(context) });
                hold(rest, members, with, work)
            };
            let result = match with.at_once {
                true => live.with_at_once(caller, with.cancel, ask),
                false => live.with(caller, with.progress, with.cancel, ask),
            };
            match result {
                Err(error) if !is_held && !matches!(error, Error::Cancelled) => {
                    members = before.unwrap_or_default();
                    error.to_string()
                }
                result => return result,
            }
        }
    };
    members.push(Member { name, tags, context: Err(error) });
    hold(rest, members, with, work)
}

/// The models in use, by what the settings of projects say about them.
#[derive(Default)]
struct Models(Mutex<HashMap<String, Weak<dyn Embedder>>>);

impl Models {
    fn of(&self, project: &Project, environment: &Environment) -> Result<Option<Arc<dyn Embedder>>> {
        let settings = &project.manifest.embedding_model;
        // The folder of a model can be relative to the project.
        let key = format!("{settings:?}");
        let is_shared = settings.endpoint.is_none() && models::built_in(&settings.name).is_some();
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(model) = known.get(&key).and_then(Weak::upgrade).filter(|_| is_shared) {
            return Ok(Some(model));
        }
        let model = models::load(project, environment)?;
        if let Some(model) = model.as_ref().filter(|_| is_shared) {
            known.insert(key, Arc::downgrade(model));
        }
        Ok(model)
    }
}
