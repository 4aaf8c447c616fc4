//! The projects whose files are open, each opened once.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use lsp_types::Uri;
use ubp_core::drafts::Drafts;
use ubp_core::editor::{self, OpenPage, SectionSource};
use ubp_core::ops::doctor::Finding;
use ubp_core::{Context, Error, Result, path};
use ubp_host::live::{Live, Notices};
use ubp_host::{Environment, Project};

use super::documents::Document;
use super::uri;

/// An open project.
pub(super) struct Served {
    pub live: Arc<Live>,
    /// Its folder, absolute and without symbolic links.
    pub root: PathBuf,
    /// The folder of its pages.
    pub pages: PathBuf,
    /// What the last look at all pages found, by page; `None` if there is nobody to show it to.
    findings: Mutex<Option<BTreeMap<String, Vec<Finding>>>>,
    /// The sources that make open pages stale, by page, and when they were looked up. Typing does not change them, and a look asks
    /// version control.
    stale: Mutex<BTreeMap<String, Looked>>,
    /// Whether the client is told about its changes.
    pub followed: AtomicBool,
    /// Whether its pages were looked at a first time. Before, all links would seem to be broken.
    pub indexed: AtomicBool,
}

/// When the sources of a page were looked up, and those that make it stale.
type Looked = (Instant, Arc<[SectionSource]>);

/// How long a look at the sources of a page is good: nothing tells of changes of code.
const GOOD_FOR: Duration = Duration::from_secs(5);

/// A file, as its project names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Named {
    /// A page, by its path relative to the pages folder.
    Page(String),
    /// Another file, by its path relative to the project.
    File(String),
}

impl Served {
    fn new(live: Arc<Live>, pages: &Path, root: PathBuf) -> Self {
        Self {
            live,
            pages: real(pages),
            root,
            findings: Mutex::default(),
            stale: Mutex::default(),
            followed: AtomicBool::new(false),
            indexed: AtomicBool::new(false),
        }
    }

    /// What the project calls the file at this path.
    pub(super) fn name(&self, file: &Path) -> Option<Named> {
        match within(&self.pages, file).filter(|page| path::is_page(page)) {
            Some(page) => Some(Named::Page(page)),
            None => self.relative(file).map(Named::File),
        }
    }

    /// The path of a file or folder relative to the project; `None` outside.
    pub(super) fn relative(&self, file: &Path) -> Option<String> {
        within(&self.root, file)
    }

    /// The address of a page.
    pub(super) fn page_uri(&self, page: &str) -> Option<Uri> {
        uri::uri_of(&self.page_path(page))
    }

    pub(super) fn page_path(&self, page: &str) -> PathBuf {
        page.split('/').fold(self.pages.clone(), |folder, part| folder.join(part))
    }

    /// The address of another file.
    pub(super) fn file_uri(&self, file: &str) -> Option<Uri> {
        uri::uri_of(&file.split('/').fold(self.root.clone(), |folder, part| folder.join(part)))
    }

    /// The sources that make a page stale.
    pub(super) fn changed_sources(
        &self,
        context: &Context<'_>,
        open: &OpenPage,
    ) -> Result<Arc<[SectionSource]>> {
        let stale = || self.stale.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = stale().get(&open.path).filter(|(at, _)| at.elapsed() < GOOD_FOR) {
            return Ok(known.clone());
        }
        let found: Arc<[SectionSource]> = editor::changed_sources(context, open)?.into();
        stale().insert(open.path.clone(), (Instant::now(), found.clone()));
        Ok(found)
    }

    /// Looks at the sources of pages again.
    pub(super) fn forget_sources(&self) {
        self.stale.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// What the last look at all pages found on this one.
    pub(super) fn findings(&self, page: &str) -> Vec<Finding> {
        let findings = self.findings.lock().unwrap_or_else(PoisonError::into_inner);
        findings.as_ref().and_then(|all| all.get(page).cloned()).unwrap_or_default()
    }

    /// Whether there was a look at all pages since the last change.
    pub(super) fn is_looked_at(&self) -> bool {
        self.findings.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    pub(super) fn set_findings(&self, found: Option<BTreeMap<String, Vec<Finding>>>) {
        *self.findings.lock().unwrap_or_else(PoisonError::into_inner) = found;
    }

    /// Whether a document of this project is open.
    pub(super) fn is_in_use(&self, documents: &[Arc<Document>]) -> bool {
        documents.iter().any(|document| real(&document.path).starts_with(&self.root))
    }

    /// The texts of open pages of this project.
    pub(super) fn drafts(&self, documents: &[Arc<Document>]) -> Drafts {
        let mut drafts = Drafts::default();
        for document in documents {
            if let Some(Named::Page(page)) = self.name(&real(&document.path)) {
                drafts.set(page, document.text.clone());
            }
        }
        drafts
    }
}

/// All open projects, by folder.
pub(super) struct Projects {
    /// Opens others; `None` if only those that are given are served.
    opener: Option<(Environment, Notices)>,
    open: Mutex<BTreeMap<PathBuf, Arc<Served>>>,
    /// Workspace folders whose projects are being opened.
    opening: Mutex<usize>,
    opened: Condvar,
}

/// How long a request about all projects waits for those that are being opened.
const PATIENCE: Duration = Duration::from_secs(10);

impl Projects {
    pub(super) fn new(environment: Environment, notices: Notices) -> Self {
        Self {
            opener: Some((environment, notices)),
            open: Mutex::default(),
            opening: Mutex::default(),
            opened: Condvar::new(),
        }
    }

    /// Only this project, which is open already and stays so.
    pub(super) fn only(live: Arc<Live>, pages: &Path) -> Self {
        let root = real(live.root());
        let served = Served::new(live, pages, root.clone());
        let open = Mutex::new(BTreeMap::from([(root, Arc::new(served))]));
        Self { opener: None, open, opening: Mutex::default(), opened: Condvar::new() }
    }

    /// The project of a file or folder, opened if it is not open yet.
    ///
    /// # Errors
    /// [`Error::NoProject`]; those of opening it.
    pub(super) fn of(&self, file: &Path) -> Result<Arc<Served>> {
        let file = real(file);
        let mut open = self.lock();
        // A project may be within another one.
        if let Some((_, served)) = open.iter().rev().find(|(root, _)| file.starts_with(root))
            && Project::find(existing(&file)).is_ok_and(|project| project.root == served.root)
        {
            return Ok(served.clone());
        }
        let Some((environment, notices)) = &self.opener else {
            return Err(Error::NoProject { folder: file.to_string_lossy().into_owned() });
        };
        let project = Project::find(existing(&file))?;
        if let Some(served) = open.get(&project.root) {
            return Ok(served.clone());
        }
        let (root, pages) = (project.root.clone(), project.pages_dir.clone());
        let live = Live::start(project, environment, notices.clone())?;
        let served = Arc::new(Served::new(live, &pages, root.clone()));
        open.insert(root, served.clone());
        Ok(served)
    }

    pub(super) fn all(&self) -> Vec<Arc<Served>> {
        self.lock().values().cloned().collect()
    }

    /// All of them, once those of the workspace folders are open: editors ask as soon as the server says hello.
    pub(super) fn all_opened(&self) -> Vec<Arc<Served>> {
        let opening = self.opening.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.opened.wait_timeout_while(opening, PATIENCE, |opening| *opening > 0));
        self.all()
    }

    /// Tells that a workspace folder is about to be opened.
    pub(super) fn begin_opening(&self) {
        *self.opening.lock().unwrap_or_else(PoisonError::into_inner) += 1;
    }

    /// Tells that it was opened, or cannot be.
    pub(super) fn end_opening(&self) {
        *self.opening.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.opened.notify_all();
    }

    /// Closes projects for which `keep` is false.
    pub(super) fn retain(&self, keep: impl Fn(&Served) -> bool) {
        if self.opener.is_none() {
            return;
        }
        let closed: Vec<_> = {
            let mut open = self.lock();
            let roots: Vec<_> =
                open.iter().filter(|(_, served)| !keep(served)).map(|(root, _)| root.clone()).collect();
            roots.iter().filter_map(|root| open.remove(root)).collect()
        };
        closed.iter().for_each(|served| served.live.stop());
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<PathBuf, Arc<Served>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn within(folder: &Path, file: &Path) -> Option<String> {
    let rest = file.strip_prefix(folder).ok()?;
    let parts: Option<Vec<&str>> = rest.iter().map(|part| part.to_str()).collect();
    parts.map(|parts| parts.join("/")).filter(|path| !path.is_empty())
}

/// The path without symbolic links, also of a file that does not exist yet.
pub(super) fn real(path: &Path) -> PathBuf {
    if let Ok(real) = std::fs::canonicalize(path) {
        return real;
    }
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => real(parent).join(name),
        _ => path.to_owned(),
    }
}

/// The closest folder, upwards, that exists.
fn existing(path: &Path) -> &Path {
    path.ancestors().find(|folder| folder.is_dir()).unwrap_or(path)
}

/// Whether a file has no project, which is not worth an error.
pub(super) fn is_outside(error: &Error) -> bool {
    matches!(error, Error::NoProject { .. })
}
