//! Several projects as one: every question that reads is answered over those that it selects.
//!
//! **Invariants**
//! - A search over all projects ranks like one project with all of their pages (`search/across/tests.rs`).
//! - A page is named `project:path`, and what an answer prints can be passed to the next question (`tests.rs`).
//! - A project that fails does not hold the others: its error stands beside their answers (`tests.rs`).

mod address;
mod between;
mod linked;
mod named;
mod selection;
mod stale;
#[cfg(test)]
mod tests;
mod whole;

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::graph::LinkGraph;
use crate::index::open_to_read;
use crate::message;
use crate::ops::page::{Found, PageName, look_up};
use crate::ops::{Effect, Operation, get_graph, get_page, graph_traverse, search};
use crate::ports::PageElsewhere;
use crate::show::{Page, Span};
use crate::{Context, Error, Result};

pub use crate::search::across::{ModelEvidence, SharedEvidence, SharedTexts, Sought, WordMatch};
pub use address::{PageAddress, page_address};
pub use between::Between;
use linked::Elsewhere;
use named::NamedPage;
pub use selection::is_project_name;

/// Parameter with the projects to ask: names, globs, and tags with a `#`.
pub const PROJECTS: &str = "projects";

/// Parameters that name a page, with how each is understood.
const PAGE_NAMES: [&str; 7] = ["page", "filepath", "title", "id", "page_id", "center", "center_page_id"];

/// The operations that need no files: for projects whose texts are in another database.
const FROM_SHARED: [&str; 7] =
    ["search", "get_page", "list_pages", "graph_traverse", "get_graph", "get_impact", "check_staleness"];

/// Whether a hub whose texts are in another database answers such questions.
pub fn needs_no_files(operation: &Operation) -> bool {
    FROM_SHARED.contains(&operation.name)
}

/// Fewest tokens that a project's part of an answer gets.
const LEAST_TOKENS: usize = 256;

/// A project of a hub.
pub struct Project<'a> {
    /// Its name in the hub.
    pub name: &'a str,
    /// Its tags.
    pub tags: &'a [String],
    /// The project, or why it cannot be asked.
    pub context: std::result::Result<Context<'a>, String>,
}

/// The projects that a question is about, and links between them.
pub struct Hub<'a> {
    projects: Vec<Project<'a>>,
    between: &'a Between,
    texts: Option<&'a dyn SharedTexts>,
}

impl<'a> Hub<'a> {
    /// A hub of these projects.
    pub fn new(mut projects: Vec<Project<'a>>, between: &'a Between) -> Self {
        projects.sort_by(|a, b| a.name.cmp(b.name));
        Self { projects, between, texts: None }
    }

    /// The same for projects whose texts and vectors are in another database, see [`crate::index::received`].
    #[must_use]
    pub fn with_texts_in(self, texts: &'a dyn SharedTexts) -> Self {
        Self { texts: Some(texts), ..self }
    }

    /// Runs an operation that reads on the projects that `params` select, and shows the answer on the page, if there is
    /// one.
    ///
    /// A search is one ranking over all of them. A question about a page is answered by the project that has it. All
    /// other questions are answered by each project.
    ///
    /// # Errors
    /// [`Error::InvalidParams`] for unknown projects and operations that change something, [`Error::AmbiguousPage`] for
    /// a page that several projects have, [`Error::PageNotFound`]; the errors of the operation.
    pub fn call(&self, operation: &Operation, params: Value, page: Option<&mut dyn Page>) -> Result<Value> {
        if operation.facts.effect != Effect::Read {
            let name = operation.name;
            return Err(Error::invalid(message!(
                "a hub only reads: call {name} in the project itself",
                name
            )));
        }
        let Value::Object(mut params) = params else {
            return Err(Error::invalid(message!(
                "parameters must be an object, not {other}",
                other = params
            )));
        };
        if self.texts.is_some() && !needs_no_files(operation) {
            let name = operation.name;
            return Err(Error::invalid(message!(
                "{name} needs the files of a project: ask the project itself",
                name
            )));
        }
        let mut chosen = selection::select(&self.projects, params.remove(PROJECTS))?;
        if let Some(of_project) = self.page_in(&mut params, &chosen)? {
            chosen = vec![of_project];
        }
        if let (Some(texts), Some(at), "get_page") = (self.texts, one_of(&chosen), operation.name) {
            self.bring_page(at, texts, &params)?;
        }
        match (operation.name, chosen.as_slice()) {
            ("search", several) if self.texts.is_some() => self.search(several, params, page),
            ("check_staleness", chosen) => self.ask_freshness(chosen, params, page),
            (_, [one]) => self.ask_one(*one, operation, params, page),
            ("search", several) => self.search(several, params, page),
            (_, several) => self.ask_each(several, operation, params, page),
        }
    }

    /// The project that has the page which `params` name, if they name one. Removes the project's name from it.
    fn page_in(&self, params: &mut Map<String, Value>, chosen: &[usize]) -> Result<Option<usize>> {
        let given =
            PAGE_NAMES.iter().chain(&["file"]).find(|name| params.get(**name).is_some_and(Value::is_string));
        let Some(key) = given.copied() else { return Ok(None) };
        let text = params.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        if let Some((name, rest)) = text.split_once(':')
            && let Some(at) = self.projects.iter().position(|project| project.name == name)
        {
            if !chosen.contains(&at) {
                return Err(Error::invalid(message!(
                    "'{text}' is in a project that `projects` leaves out",
                    text
                )));
            }
            params.insert(key.into(), rest.into());
            return Ok(Some(at));
        }
        if key == "file" || chosen.len() == 1 {
            return Ok(None);
        }
        let mut found = Vec::new();
        let mut similar = Vec::new();
        for &at in chosen {
            let Project { name, context: Ok(context), .. } = &self.projects[at] else { continue };
            let asked = page_name(key, &text);
            match context.index.read(|db| {
                let page = asked.require(db)?;
                crate::index::questions::pages::path(db, page)
            }) {
                Ok(path) => found.push((at, format!("{name}:{path}"))),
                Err(Error::AmbiguousPage { candidates, .. }) => {
                    found.extend(candidates.into_iter().map(|path| (at, format!("{name}:{path}"))));
                }
                Err(Error::PageNotFound { similar: own, .. }) => {
                    similar.extend(own.into_iter().map(|path| format!("{name}:{path}")));
                }
                Err(error) => return Err(error),
            }
        }
        match found.as_slice() {
            [(at, _)] => Ok(Some(*at)),
            [] => Err(Error::PageNotFound { page: text, similar }),
            _ => Err(Error::AmbiguousPage {
                page: text,
                candidates: found.into_iter().map(|(_, path)| path).collect(),
            }),
        }
    }

    /// Brings in the text of the page that `params` name.
    fn bring_page(&self, at: usize, texts: &dyn SharedTexts, params: &Map<String, Value>) -> Result<()> {
        let Project { name, context: Ok(context), .. } = &self.projects[at] else { return Ok(()) };
        let Some(page) = page_named(context, params)? else { return Ok(()) };
        search::bring(name, context, texts, HashSet::from([page]))
    }

    fn ask_one(
        &self,
        at: usize,
        operation: &Operation,
        params: Map<String, Value>,
        page: Option<&mut dyn Page>,
    ) -> Result<Value> {
        let Project { name, context, .. } = &self.projects[at];
        let context = context.as_ref().map_err(|error| unreachable(name, error))?;
        match operation.name {
            "get_page" => return self.ask_page(at, params, page),
            "get_impact" => return self.ask_impact(at, context, params, page),
            "graph_traverse" => {
                let params: graph_traverse::Params = read(params)?;
                let output =
                    self.in_whole(at, |own, whole| graph_traverse::run_in(own, whole, params.clone()))?;
                page.into_iter().for_each(|page| graph_traverse::show(&output, page));
                return Ok(named::with_project(name, written(&output)?));
            }
            "get_graph" if PAGE_NAMES.iter().any(|name| params.contains_key(*name)) => {
                let params: get_graph::Params = read(params)?;
                let params = get_graph::Params { wanted: false, ..params };
                let output = self.in_whole(at, |own, whole| get_graph::run_in(own, whole, params.clone()))?;
                page.into_iter().for_each(|page| get_graph::show(&output, page));
                return Ok(named::with_project(name, written(&output)?));
            }
            _ => {}
        }
        let none = Elsewhere::new();
        let answer = match page {
            Some(page) => (operation.call)(
                context,
                Value::Object(params),
                Some(&mut NamedPage::new(name, page, &none)),
            )?,
            None => (operation.call)(context, Value::Object(params), None)?,
        };
        Ok(named::of(name, answer, &none))
    }

    fn ask_page(&self, at: usize, params: Map<String, Value>, page: Option<&mut dyn Page>) -> Result<Value> {
        let name = self.projects[at].name;
        let (output, elsewhere) = self.linked_page(at, &read(params)?)?;
        if let Some(page) = page {
            get_page::show(&output, &mut NamedPage::new(name, page, &elsewhere));
        }
        Ok(named::of(name, written(&output)?, &elsewhere))
    }

    fn search(
        &self,
        chosen: &[usize],
        params: Map<String, Value>,
        page: Option<&mut dyn Page>,
    ) -> Result<Value> {
        let params: search::Params = read(params)?;
        let mut asked = Vec::new();
        let mut failed = Vec::new();
        for &at in chosen {
            match &self.projects[at].context {
                Ok(context) => asked.push((at, *context)),
                Err(error) => failed.push((self.projects[at].name, error.clone())),
            }
        }
        if asked.is_empty() {
            return Err(failed.first().map_or_else(
                || Error::invalid(message!("the hub has no projects")),
                |(name, error)| unreachable(name, error),
            ));
        }
        let places: Vec<usize> = asked.iter().map(|(at, _)| *at).collect();
        let joined = |graphs: &[Arc<LinkGraph>]| self.between.joined(graphs, &self.projects, &places);
        let names: Vec<&str> = asked.iter().map(|(at, _)| self.projects[*at].name).collect();
        let contexts: Vec<Context<'_>> = asked.into_iter().map(|(_, context)| context).collect();
        let named: Vec<(&str, Context<'_>)> = names.iter().copied().zip(contexts.iter().copied()).collect();
        let output = match self.texts {
            Some(texts) => search::run_shared(&named, texts, &joined, params)?,
            None => in_one_state_each(&contexts, Vec::new(), &mut |contexts| {
                let projects: Vec<(&str, Context<'_>)> =
                    names.iter().copied().zip(contexts.iter().copied()).collect();
                search::run_across(&projects, &joined, params.clone())
            })?,
        };
        if let Some(page) = page {
            search::show(&output, page);
            show_failed(&failed, page);
        }
        let mut answer = written(&output)?;
        add_failed(&mut answer, &failed);
        Ok(answer)
    }

    fn ask_each(
        &self,
        chosen: &[usize],
        operation: &Operation,
        mut params: Map<String, Value>,
        page: Option<&mut dyn Page>,
    ) -> Result<Value> {
        share_tokens(&mut params, chosen.len());
        let none = Elsewhere::new();
        self.each(chosen, page, &mut |name, context, page| {
            let params = Value::Object(params.clone());
            let answer = match page {
                Some(page) => {
                    (operation.call)(context, params, Some(&mut NamedPage::new(name, page, &none)))?
                }
                None => (operation.call)(context, params, None)?,
            };
            Ok(named::of(name, answer, &none))
        })
    }

    /// The answers of these projects, each of which `ask` returns and shows.
    fn each(&self, chosen: &[usize], mut page: Option<&mut dyn Page>, ask: AskOne<'_>) -> Result<Value> {
        let (mut answers, mut failed, mut unfit) = (Vec::new(), Vec::new(), None);
        for &at in chosen {
            let Project { name, context, .. } = &self.projects[at];
            let context = match context {
                Ok(context) => context,
                Err(error) => {
                    failed.push((*name, error.clone()));
                    continue;
                }
            };
            let answer = match &mut page {
                Some(page) => {
                    page.heading(&[Span::Code(name)]);
                    let answer = ask(name, context, Some(&mut **page));
                    page.gap();
                    answer
                }
                None => ask(name, context, None),
            };
            match answer {
                Ok(answer) => answers.push(answer),
                Err(Error::Cancelled) => return Err(Error::Cancelled),
                Err(error @ Error::InvalidParams { .. }) => unfit = Some(error),
                Err(error) => failed.push((*name, error.to_string())),
            }
        }
        // Parameters that fit no project are a mistake of the caller.
        if let Some(error) = unfit.filter(|_| answers.is_empty()) {
            return Err(error);
        }
        if let Some(page) = page {
            show_failed(&failed, page);
        }
        let mut answer = json!({ "projects": answers });
        add_failed(&mut answer, &failed);
        Ok(answer)
    }
}

/// Asks one project, and shows its answer.
type AskOne<'a> = &'a mut dyn FnMut(&str, &Context<'_>, Option<&mut dyn Page>) -> Result<Value>;

/// The only one.
fn one_of(chosen: &[usize]) -> Option<usize> {
    match chosen {
        [one] => Some(*one),
        _ => None,
    }
}

/// The page of a project that `params` name, if there is exactly one.
fn page_named(context: &Context<'_>, params: &Map<String, Value>) -> Result<Option<i64>> {
    let given = PAGE_NAMES.iter().find_map(|key| Some((*key, params.get(*key)?.as_str()?)));
    let Some((key, text)) = given else { return Ok(None) };
    match context.index.read(|db| page_name(key, text).require(db)) {
        Ok(page) => Ok(Some(page)),
        Err(Error::PageNotFound { .. } | Error::AmbiguousPage { .. } | Error::InvalidParams { .. }) => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

fn page_name<'t>(key: &str, text: &'t str) -> PageName<'t> {
    match key {
        "filepath" => PageName { filepath: Some(text), ..PageName::default() },
        "title" => PageName { title: Some(text), ..PageName::default() },
        "id" | "page_id" | "center_page_id" => PageName { id: Some(text), ..PageName::default() },
        _ => PageName { page: Some(text), ..PageName::default() },
    }
}

/// Divides `max_tokens` among several projects.
fn share_tokens(params: &mut Map<String, Value>, projects: usize) {
    if let Some(most) = params.get("max_tokens").and_then(Value::as_u64).filter(|_| projects > 1) {
        let share = usize::try_from(most).unwrap_or(usize::MAX) / projects;
        params.insert("max_tokens".into(), share.max(LEAST_TOKENS).into());
    }
}

fn read<P: DeserializeOwned>(params: Map<String, Value>) -> Result<P> {
    serde_json::from_value(Value::Object(params)).map_err(|error| Error::invalid(message!("{error}", error)))
}

fn written(output: &impl Serialize) -> Result<Value> {
    serde_json::to_value(output).map_err(|error| Error::Internal(error.to_string()))
}

/// Whether the index in `file` has pages of these names, as links between projects name them. It is only read.
///
/// # Errors
/// [`Error::Database`] if it cannot be read.
pub fn pages_in(file: &Path, names: &[&str]) -> Result<Vec<PageElsewhere>> {
    let Some(db) = open_to_read(file)? else { return Ok(vec![PageElsewhere::Unknown; names.len()]) };
    let of = |name: &&str| match look_up(&db, name)? {
        Found::Page(_) => Ok(PageElsewhere::Exists),
        Found::Several(_) => Ok(PageElsewhere::Unknown),
        Found::Nothing => Ok(PageElsewhere::Missing),
    };
    names.iter().map(of).collect()
}

/// Runs `question` with each of these projects in one state.
pub(crate) fn in_one_state_each<T>(
    contexts: &[Context<'_>],
    held: Vec<Context<'_>>,
    question: &mut dyn FnMut(&[Context<'_>]) -> Result<T>,
) -> Result<T> {
    match contexts.split_first() {
        None => question(&held),
        Some((first, rest)) => first.in_one_state(|context| {
            let mut held = held;
            held.push(*context);
            in_one_state_each(rest, held, question)
        }),
    }
}

fn unreachable(name: &str, error: &str) -> Error {
    Error::UnreadableProject { project: name.into(), reason: error.into() }
}

fn show_failed(failed: &[(&str, String)], page: &mut dyn Page) {
    for (name, error) in failed {
        page.warn(&[Span::said(&message!("project '{name}' cannot be read: {error}", name, error))]);
    }
}

fn add_failed(answer: &mut Value, failed: &[(&str, String)]) {
    let told = failed.iter().map(|(name, error)| json!({ "project": name, "error": error }));
    if let Some(fields) = answer.as_object_mut() {
        fields.insert("failed_projects".into(), told.collect());
    }
}
