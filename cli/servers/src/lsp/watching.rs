//! What happens without being asked for: diagnostics of pages that changed, and changes of projects.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use lsp_types::notification::Progress as ProgressNotification;
use lsp_types::request::{
    CodeLensRefresh, InlayHintRefreshRequest, SemanticTokensRefresh, WorkDoneProgressCreate,
    WorkspaceDiagnosticRefresh,
};
use lsp_types::{
    MessageType, NumberOrString, ProgressParams, ProgressParamsValue, WorkDoneProgress,
    WorkDoneProgressBegin, WorkDoneProgressCreateParams, WorkDoneProgressEnd,
};
use serde_json::json;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};
use ubp_core::message;
use ubp_core::progress::{Cancel, Silent};
use ubp_core::{Caller, Result};
use ubp_host::live::Changed;
use ubp_host::{memory, priority};

use super::documents::Documents;
use super::projects::{Served, is_outside, real};
use super::server::{Server, thread};
use super::{diagnostics, uri};

/// How long the text has to be unchanged before its diagnostics are computed.
const QUIET: Duration = Duration::from_millis(60);

/// Changes that come within this time are told together.
const TOGETHER: Duration = Duration::from_millis(50);

/// Documents whose diagnostics are due.
#[derive(Default)]
pub(super) struct Due {
    waiting: Mutex<(BTreeSet<PathBuf>, bool)>,
    bell: Condvar,
}

impl Due {
    pub(super) fn add(&self, path: PathBuf) {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).0.insert(path);
        self.bell.notify_one();
    }

    pub(super) fn add_all(&self, documents: &Documents) {
        documents.all().iter().for_each(|document| self.add(document.path.clone()));
    }

    pub(super) fn stop(&self) {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).1 = true;
        self.bell.notify_all();
    }

    fn is_stopped(&self) -> bool {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).1
    }

    /// Waits until some are due and nothing was added for a moment; `None` at the end.
    fn take(&self) -> Option<BTreeSet<PathBuf>> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if waiting.1 {
                return None;
            }
            if waiting.0.is_empty() {
                waiting = self.bell.wait(waiting).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            let (next, timeout) =
                self.bell.wait_timeout(waiting, QUIET).unwrap_or_else(PoisonError::into_inner);
            waiting = next;
            if timeout.timed_out() {
                return Some(std::mem::take(&mut waiting.0));
            }
        }
    }
}

/// Starts the thread that computes diagnostics, and follows the projects that are open already.
pub(super) fn start(server: &Arc<Server>) -> Result<()> {
    server.projects.all().into_iter().for_each(|served| follow(server, served));
    let server = server.clone();
    let work = move || {
        while let Some(due) = server.due.take() {
            // Clients that ask themselves do so after each change.
            if !server.abilities().pulls {
                // What ends one look must not end all.
                let look = |path| catch_unwind(AssertUnwindSafe(|| diagnostics::publish(&server, path)));
                due.iter().for_each(|path| drop(look(path)));
            }
        }
    };
    thread("ubp-lsp-diagnostics", work)
}

/// Opens the projects of workspace folders.
pub(super) fn open_folders(server: &Arc<Server>, folders: Vec<String>) {
    for path in folders.iter().filter_map(|folder| uri::path_of(folder)) {
        server.folders.lock().unwrap_or_else(PoisonError::into_inner).insert(real(&path));
        server.projects.begin_opening();
        let own = server.clone();
        let started = thread("ubp-lsp-open", move || {
            open(&own, &path, true);
            own.projects.end_opening();
        });
        if started.is_err() {
            server.projects.end_opening();
        }
    }
}

/// Closes the projects of workspace folders in which no other folder and no document is open.
pub(super) fn close_folders(server: &Server, folders: &[String]) {
    let closed: Vec<PathBuf> =
        folders.iter().filter_map(|folder| uri::path_of(folder)).map(|path| real(&path)).collect();
    let left: Vec<PathBuf> = {
        let mut folders = server.folders.lock().unwrap_or_else(PoisonError::into_inner);
        folders.retain(|folder| !closed.contains(folder));
        folders.iter().cloned().collect()
    };
    let documents = server.documents.all();
    server.projects.retain(|served| {
        let has = |folder: &PathBuf| served.root.starts_with(folder) || folder.starts_with(&served.root);
        !closed.iter().any(has)
            || left.iter().any(has)
            || documents.iter().any(|document| real(&document.path).starts_with(&served.root))
    });
}

/// Opens the project of a document.
pub(super) fn opened(server: &Arc<Server>, path: &Path) {
    open(server, path, false);
    if let Ok(served) = server.projects.of(path)
        && !served.is_looked_at()
    {
        // Once is enough for documents that are opened together.
        served.set_findings(Some(BTreeMap::new()));
        let server = server.clone();
        let work = move || {
            priority::lower();
            look(&server, &served);
        };
        let _ = thread("ubp-lsp-look", work);
    }
}

fn open(server: &Arc<Server>, path: &Path, is_folder: bool) {
    let language = server.abilities().language;
    match server.project(path) {
        Ok(_) => {}
        Err(error) if is_outside(&error) => {
            if is_folder {
                let told = message!(
                    "{folder} is not in a project; `ubp init` makes it one",
                    folder = path.to_string_lossy().into_owned()
                );
                server.client.log(MessageType::INFO, told.in_language(language));
            }
        }
        Err(error) => server.client.show(MessageType::ERROR, &error.message(), language),
    }
}

/// Tells the client about changes of a project, on a thread of its own, until it is closed. Once is enough.
pub(super) fn follow(server: &Arc<Server>, served: Arc<Served>) {
    if served.followed.swap(true, Ordering::Relaxed) {
        return;
    }
    let server = server.clone();
    let _ = thread("ubp-lsp-changes", move || tell_changes(&server, served));
}

fn tell_changes(server: &Arc<Server>, served: Arc<Served>) {
    let mut changes = served.live.changes();
    index(server, &served);
    refresh(server);
    // What follows looks at all pages: what somebody types comes first.
    priority::lower();
    look(server, &served);
    let root = uri::uri_of(&served.root);
    // Changes end when the project is closed, which this thread must not prevent.
    let project = Arc::downgrade(&served);
    drop(served);
    loop {
        let mut next = changes.blocking_recv();
        // A project may be open for longer than this connection.
        if server.due.is_stopped() {
            return;
        }
        let mut told = BTreeSet::new();
        loop {
            match next {
                Ok(changed) => told.insert(name(&changed)),
                Err(RecvError::Lagged(_)) => told.insert("pages"),
                Err(RecvError::Closed) => return,
            };
            // A checkout or a save of several pages is one change.
            std::thread::sleep(TOGETHER);
            next = match changes.try_recv() {
                Ok(changed) => Ok(changed),
                Err(TryRecvError::Lagged(missed)) => Err(RecvError::Lagged(missed)),
                Err(TryRecvError::Empty | TryRecvError::Closed) => break,
            };
        }
        if server.due.is_stopped() {
            return;
        }
        for what in &told {
            server.client.send(json!({
                "jsonrpc": "2.0", "method": "ubp/changed", "params": { "what": what, "root": root }
            }));
        }
        if told.iter().any(|what| *what != "favorites") {
            let Some(served) = project.upgrade() else { return };
            served.forget_sources();
            refresh(server);
            look(server, &served);
        }
    }
}

/// Looks at all pages of a project of which a document is open.
fn look(server: &Server, served: &Served) {
    // While nothing is shown, a look at 10,000 pages would cost time and memory for nobody.
    if !served.is_in_use(&server.documents.all()) {
        served.set_findings(None);
        return;
    }
    diagnostics::look_at_all(served);
    memory::give_back();
    refresh(server);
}

fn name(changed: &Changed) -> &'static str {
    match changed {
        Changed::Pages(_) => "pages",
        Changed::Head(_) => "head",
        Changed::Settings => "settings",
        Changed::Reviews => "reviews",
        Changed::Favorites => "favorites",
        Changed::Bases => "bases",
    }
}

/// Waits for the first look at all files, with progress in the editor.
fn index(server: &Server, served: &Served) {
    let client = &server.client;
    let abilities = server.abilities();
    let token = NumberOrString::String(format!("ubp-index-{}", served.root.display()));
    let tell = |value| {
        if abilities.progress {
            let value = ProgressParamsValue::WorkDone(value);
            client.notify::<ProgressNotification>(&ProgressParams { token: token.clone(), value });
        }
    };
    if abilities.progress {
        client.ask::<WorkDoneProgressCreate>(&WorkDoneProgressCreateParams { token: token.clone() });
    }
    let title = message!("Indexing pages").in_language(abilities.language);
    tell(WorkDoneProgress::Begin(WorkDoneProgressBegin { title, ..Default::default() }));
    // What goes wrong is told by every request.
    let _ = served.live.with(Caller::Person, &Silent, &Cancel::default(), |_| Ok(()));
    served.indexed.store(true, Ordering::Relaxed);
    tell(WorkDoneProgress::End(WorkDoneProgressEnd::default()));
}

/// Shows again what a command, or a file that was saved, changed.
pub(super) fn changed(server: &Server) {
    server.projects.all().iter().for_each(|served| served.forget_sources());
    refresh(server);
}

fn refresh(server: &Server) {
    let refreshes = server.abilities().refreshes;
    if refreshes.lenses {
        server.client.ask::<CodeLensRefresh>(&());
    }
    if refreshes.hints {
        server.client.ask::<InlayHintRefreshRequest>(&());
    }
    if refreshes.tokens {
        server.client.ask::<SemanticTokensRefresh>(&());
    }
    if server.abilities().pulls && refreshes.diagnostics {
        server.client.ask::<WorkspaceDiagnosticRefresh>(&());
    }
    server.due.add_all(&server.documents);
}
