//! What an operation works with, and the engine that bundles it for a host.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::index::{
    EmbedReport, Index, RefreshOptions, RefreshReport, View, date, embed_pending, refresh, settle_chunk_size,
};
use crate::manifest::{LinkOrder, Manifest};
use crate::page::LinkTypes;
#[cfg(not(target_family = "wasm"))]
use crate::ports::Symbols;
use crate::ports::{Clock, Embedder, History, Source, SourceChange};
use crate::progress::{Cancel, Progress};
use crate::show::Reader;
use crate::{Result, ops, path};

/// Who calls an operation. Agents may do less than people.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Caller {
    /// A person at a terminal or in an editor.
    #[default]
    Person,
    /// A program that acts for a person.
    Agent,
}

/// Everything an operation may use.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The index.
    pub index: View<'a>,
    /// The project's files.
    pub source: &'a dyn Source,
    /// The project's version control.
    pub history: &'a dyn History,
    /// What its source files define.
    #[cfg(not(target_family = "wasm"))]
    pub symbols: &'a dyn Symbols,
    /// Time and randomness.
    pub clock: &'a dyn Clock,
    /// The project's embedding model; `None` when this machine lacks it.
    pub embedder: Option<&'a dyn Embedder>,
    /// The project's settings.
    pub manifest: &'a Manifest,
    /// Whether the index has just been compared with the files.
    pub refreshed: bool,
    /// Who calls.
    pub caller: Caller,
    /// The agent's name for itself, for the audit log.
    pub agent: Option<&'a str>,
    /// Stores changes as proposals instead of making them.
    #[cfg(not(target_family = "wasm"))]
    pub proposing: Option<&'a crate::proposals::Proposing>,
    /// What the agent may do where; `None` if nothing restricts it. People are never restricted.
    #[cfg(not(target_family = "wasm"))]
    pub rights: Option<&'a crate::manifest::AuthorRights>,
    /// Hears of pages that are saved while they are typed, which the audit log does not have. A guest needs it to save.
    #[cfg(not(target_family = "wasm"))]
    pub typing: Option<&'a dyn crate::writing::typing::Typing>,
    /// Notes what an answer leaves out to fit its limit.
    #[cfg(not(target_family = "wasm"))]
    pub witness: Option<&'a crate::sessions::Witness>,
    /// Who reads the answer as text instead of as fields; size limits then apply to the text.
    pub reader: Option<&'a dyn Reader>,
    /// Receives the progress of long operations.
    pub progress: &'a dyn Progress,
    /// Requests cancellation.
    pub cancel: &'a Cancel,
}

impl<'a> Context<'a> {
    /// The same context with another cancellation token.
    pub(crate) fn with_cancel<'b>(&self, cancel: &'b Cancel) -> Context<'b>
    where
        'a: 'b,
    {
        Context { cancel, ..*self }
    }

    /// Runs `question` on one snapshot of the index, unaffected by concurrent writes.
    ///
    /// # Errors
    /// What `question` returns, and [`crate::Error::Database`].
    pub fn in_one_state<T>(&self, question: impl FnOnce(&Context<'_>) -> Result<T>) -> Result<T> {
        self.index.in_one_state(|index| question(&Context { index, ..*self }))
    }

    /// The pages folder relative to the project, empty when they are the same.
    pub fn pages_dir(&self) -> &'a str {
        self.manifest.pages_folder()
    }

    /// A new id of a change or proposal.
    pub(crate) fn new_short_id(&self) -> String {
        let id = self.clock.new_id().simple().to_string();
        id.get(id.len().saturating_sub(12)..).unwrap_or(&id).to_owned()
    }

    /// The project's link types.
    pub fn link_types(&self) -> LinkTypes {
        LinkTypes::with(self.manifest.links.types.iter().cloned())
            .label_first(self.manifest.links.order == LinkOrder::LabelFirst)
    }
}

/// An open project: the ports, the settings and the index.
pub struct Engine {
    /// The index.
    pub index: Index,
    /// The project's files.
    pub source: Box<dyn Source>,
    /// The project's version control.
    pub history: Box<dyn History>,
    /// What its source files define.
    #[cfg(not(target_family = "wasm"))]
    pub symbols: Box<dyn Symbols>,
    /// Time and randomness.
    pub clock: Box<dyn Clock>,
    /// The project's embedding model; `None` when this machine lacks it.
    pub embedder: Option<Arc<dyn Embedder>>,
    /// The project's settings.
    pub manifest: Manifest,
}

impl Engine {
    /// The context of an operation that `caller` runs.
    pub fn context<'a>(
        &'a self,
        caller: Caller,
        refreshed: bool,
        progress: &'a dyn Progress,
        cancel: &'a Cancel,
    ) -> Context<'a> {
        Context {
            index: self.index.view(),
            source: &*self.source,
            history: &*self.history,
            #[cfg(not(target_family = "wasm"))]
            symbols: &*self.symbols,
            clock: &*self.clock,
            embedder: self.embedder.as_deref(),
            manifest: &self.manifest,
            refreshed,
            caller,
            agent: None,
            #[cfg(not(target_family = "wasm"))]
            proposing: None,
            #[cfg(not(target_family = "wasm"))]
            rights: None,
            #[cfg(not(target_family = "wasm"))]
            typing: None,
            #[cfg(not(target_family = "wasm"))]
            witness: None,
            reader: None,
            progress,
            cancel,
        }
    }
}

impl Context<'_> {
    /// Runs the operation called `name` on JSON parameters.
    ///
    /// # Errors
    /// [`crate::Error::InvalidParams`] for an unknown operation or parameters of the wrong shape; the errors of the
    /// operation.
    pub fn call(&self, name: &str, params: Value) -> Result<Value> {
        (ops::named(name)?.call)(self, params, None)
    }

    /// Brings text and graph up to date with the files.
    ///
    /// # Errors
    /// As [`refresh`].
    pub fn refresh(&self, from_nothing: bool) -> Result<RefreshReport> {
        self.compare(from_nothing, None)
    }

    /// Brings the index of the pages at these paths up to date. Assumes that no other page has changed.
    ///
    /// # Errors
    /// As [`refresh`].
    pub fn refresh_pages(&self, paths: &[String]) -> Result<RefreshReport> {
        self.compare(false, Some(paths))
    }

    fn compare(&self, from_nothing: bool, only: Option<&[String]>) -> Result<RefreshReport> {
        let link_types = self.link_types();
        let options = RefreshOptions {
            pages_dir: self.pages_dir(),
            link_types: &link_types,
            from_nothing,
            full_text: true,
            in_order: false,
            only,
        };
        let index = self.index.index();
        settle_chunk_size(index, self.manifest.documents.chunk_size)?;
        let report = refresh(index, self.source, self.clock, &options, self.progress, self.cancel)?;
        date(index, &self.commit_times(&report))?;
        Ok(report)
    }

    /// Commit times of pages that came with a clone or checkout and have no uncommitted changes. If only one page
    /// changed, somebody has just edited it: the time of its file is right.
    fn commit_times(&self, report: &RefreshReport) -> BTreeMap<String, Timestamp> {
        let edited = if report.changed.len() > 1 { report.changed.as_slice() } else { &[] };
        let file = |page: &String| Some((path::join(self.pages_dir(), page)?, page.clone()));
        let files: BTreeMap<String, String> = report.added.iter().chain(edited).filter_map(file).collect();
        if files.is_empty() {
            return BTreeMap::new();
        }
        // Files that version control does not know keep the time of the file.
        let changes = self.history.last_changes(&files.keys().cloned().collect::<Vec<_>>());
        let committed = |(file, change)| match change {
            SourceChange::Committed(commit) => Some((files.get(&file)?.clone(), commit.time)),
            SourceChange::Uncommitted | SourceChange::BeyondHistory => None,
        };
        changes.unwrap_or_default().into_iter().filter_map(committed).collect()
    }

    /// Embeds pending sections, for at most `millis` milliseconds if given. Does nothing without a model.
    ///
    /// # Errors
    /// As [`embed_pending`].
    pub fn embed(&self, millis: Option<u64>) -> Result<EmbedReport> {
        let Some(embedder) = self.embedder else { return Ok(EmbedReport::default()) };
        let deadline = millis.map(|millis| self.clock.monotonic_micros() + millis * 1_000);
        embed_pending(self.index.index(), embedder, self.clock, deadline, self.progress, self.cancel)
    }
}
