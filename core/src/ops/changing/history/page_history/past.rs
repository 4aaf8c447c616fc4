//! Former texts of a page: those that were committed, and those that changes through UBP replaced or made.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::Context;
use crate::ops::audit::is_theirs;
use crate::ports::{ContentHash, FileVersion};
use crate::search::rounded;
use crate::writing::audit::{AuditLog, Entry, OutcomeKind};
use crate::{Caller, Result, path, renames};

/// What a version of a page is the text of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Moment {
    /// A commit.
    Commit,
    /// The text that a change through UBP replaced.
    Before,
    /// The text that a change through UBP made, if it was changed again later.
    After,
}

/// A former text of a page.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PageVersion {
    /// Its id, for `page_version`.
    pub id: String,
    /// What it is the text of.
    pub moment: Moment,
    /// When it was committed or changed, RFC 3339.
    pub time: String,
    /// Who committed it, or the name of the agent that made the change; absent for a change by a person.
    pub author: Option<String>,
    /// First line of the commit's message; the operation of a change.
    pub subject: String,
    /// Who made the change; absent for a commit.
    pub caller: Option<Caller>,
    /// The page's path then, relative to the project, if it was another one.
    pub former_path: Option<String>,
    /// Share of such versions that are of this page, 0 to 1, if version control recognised the page by similar text when it
    /// was moved; absent if it is certain.
    pub confidence: Option<f64>,
    /// Whether the commit is at the boundary of a shallow clone: the text may be older, and author and subject may be
    /// those of another change.
    pub is_boundary: bool,
}

/// The former texts of a page.
pub(crate) struct Past {
    /// Newest first, as git orders them.
    commits: Vec<FileVersion>,
    /// Newest first.
    changes: Vec<ChangedText>,
    /// The page's path, relative to the project.
    file: String,
}

/// A text in the audit log.
struct ChangedText {
    entry: Entry,
    moment: Moment,
    hash: String,
    text: String,
}

impl Past {
    /// The former texts of the page at `page`: all changes in the audit log, and at most `commits` commits. `now` is the
    /// hash of the page's file.
    pub(crate) fn of(context: &Context<'_>, page: &str, now: ContentHash, commits: usize) -> Result<Self> {
        let log = AuditLog::read(context.source)?;
        let (entries, names) = trail(context, &log, page);
        let file = path::join(context.pages_dir(), page).unwrap_or_default();
        let mut found = Vec::new();
        // A page that was moved and not committed since is committed under an earlier name.
        for name in names {
            context.cancel.check()?;
            let file = path::join(context.pages_dir(), name).unwrap_or_default();
            found = context.history.versions(&file, commits)?;
            if !found.is_empty() {
                break;
            }
        }
        let changes = texts(&log, &entries, &now.to_string());
        Ok(Self { commits: found, changes, file })
    }

    /// Whether the page was ever committed.
    pub(crate) fn is_committed(&self) -> bool {
        !self.commits.is_empty()
    }

    /// All versions, newest first. Commits stay in the order of git, whatever their times.
    pub(crate) fn versions(&self) -> Vec<PageVersion> {
        let mut versions = Vec::new();
        let mut changes = self.changes.iter().peekable();
        for (at, commit) in self.commits.iter().enumerate() {
            while let Some(change) = changes.next_if(|change| change.time() > Some(commit.commit.time)) {
                versions.push(change.version());
            }
            versions.push(self.committed(at, commit));
        }
        versions.extend(changes.map(ChangedText::version));
        versions
    }

    /// The version with this id, and its content; `None` for an unknown id, and without content if version control
    /// does not have it.
    pub(crate) fn find(
        &self,
        context: &Context<'_>,
        id: &str,
    ) -> Result<Option<(PageVersion, Option<Vec<u8>>)>> {
        if let Some(change) = self.changes.iter().find(|change| change.id() == id) {
            return Ok(Some((change.version(), Some(change.text.clone().into_bytes()))));
        }
        let found = self.commits.iter().enumerate().find(|(_, version)| version.commit.id == id);
        let Some((at, commit)) = found else { return Ok(None) };
        let bytes = context.history.read_at(&commit.commit.id, &commit.path)?;
        Ok(Some((self.committed(at, commit), bytes)))
    }

    /// The version at this position among the commits.
    fn committed(&self, at: usize, version: &FileVersion) -> PageVersion {
        // Each later move has to be right.
        let later = self.commits.iter().take(at).filter_map(|later| renames::of_files(later.moved?));
        let confidence = later.reduce(|all, one| all * one).map(rounded);
        PageVersion {
            id: version.commit.id.clone(),
            moment: Moment::Commit,
            time: version.commit.time.to_string(),
            author: Some(version.author.clone()),
            subject: version.subject.clone(),
            caller: None,
            former_path: (version.path != self.file).then(|| version.path.clone()),
            confidence,
            is_boundary: version.is_boundary,
        }
    }
}

impl ChangedText {
    fn id(&self) -> String {
        let moment = if self.moment == Moment::Before { "before" } else { "after" };
        format!("{}:{moment}", self.entry.id)
    }

    fn time(&self) -> Option<Timestamp> {
        self.entry.at.parse().ok()
    }

    fn version(&self) -> PageVersion {
        PageVersion {
            id: self.id(),
            moment: self.moment,
            time: self.entry.at.clone(),
            author: self.entry.agent.clone(),
            subject: self.entry.operation.clone(),
            caller: Some(self.entry.caller),
            former_path: None,
            confidence: None,
            is_boundary: false,
        }
    }
}

/// The changes of the page that the caller may see, newest first, and the names that the page had.
fn trail<'a>(context: &Context<'_>, log: &'a AuditLog, page: &'a str) -> (Vec<&'a Entry>, Vec<&'a str>) {
    let mut names = vec![page];
    let mut name = page;
    let mut entries = Vec::new();
    for entry in log.entries.iter().rev() {
        if entry.path != name {
            continue;
        }
        if log.outcome(entry) == OutcomeKind::Done
            && let Some(from) = &entry.from
        {
            name = from;
            names.push(from);
        }
        if is_theirs(context, entry) {
            entries.push(entry);
        }
    }
    (entries, names)
}

/// The texts of these changes, newest first, without those that are the same as the next one or as the page.
fn texts(log: &AuditLog, entries: &[&Entry], now: &str) -> Vec<ChangedText> {
    let mut texts: Vec<ChangedText> = Vec::new();
    for entry in entries {
        let is_done = log.outcome(entry) == OutcomeKind::Done;
        let sides = [
            (Moment::After, &entry.after_hash, &entry.after, is_done),
            (Moment::Before, &entry.before_hash, &entry.before, true),
        ];
        for (moment, hash, text, is_usable) in sides {
            let (Some(hash), Some(text), true) = (hash, text, is_usable) else { continue };
            let newer = texts.last().map_or(now, |newer| newer.hash.as_str());
            // A line of the log that somebody edited is not a text that the page had.
            if hash == newer || ContentHash::of(text.as_bytes()).to_string() != *hash {
                continue;
            }
            texts.push(ChangedText {
                entry: (*entry).clone(),
                moment,
                hash: hash.clone(),
                text: text.clone(),
            });
        }
    }
    texts
}
