//! The open windows and projects, and what happens when somebody wants to see one.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tauri::menu::{CheckMenuItem, Submenu};
use tauri::{AppHandle, Manager, WebviewWindow, Wry};
use ubp_cli::Environment;
use ubp_core::message::Language;
use ubp_host::{InitOptions, SystemClock, init, pages_folders};

use crate::handover::Start;
use crate::kept::Kept;
use crate::places::{Outcome, Question, Refusal, Wanted, page_in};
use crate::serving::{self, Servers};
use crate::start::{self, Command, Screen};
use crate::words::Words;
use crate::{closing, menu, tray, windows};

/// What a window shows.
#[derive(Debug, Clone)]
pub enum Shows {
    /// A page of this program.
    Start(Screen),
    /// A project, by its folder.
    Project(PathBuf),
}

/// What the app is started with.
pub struct Settings {
    /// Variables of the process.
    pub environment: Environment,
    /// The language of menus and questions.
    pub language: Language,
    /// A web app to use instead of the built-in one.
    pub web_app: Option<PathBuf>,
    /// The folder of what is remembered.
    pub folder: Option<PathBuf>,
}

/// Everything that the windows share.
pub struct Desk {
    /// The running app.
    pub app: AppHandle,
    /// The words of menus and questions.
    pub words: &'static Words,
    settings: Settings,
    home: Option<PathBuf>,
    kept: Mutex<Kept>,
    servers: Servers,
    shown: Mutex<HashMap<String, Shows>>,
    focused: Mutex<String>,
    /// The menu of recent projects.
    pub recent: Mutex<Option<Submenu<Wry>>>,
    /// The entry about the tray.
    pub background: Mutex<Option<CheckMenuItem<Wry>>>,
    number: AtomicUsize,
    is_ending: AtomicBool,
}

/// The content of a lock, also if a thread that held it has panicked.
pub fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Desk {
    /// A desk without windows.
    pub fn new(app: AppHandle, settings: Settings) -> Arc<Self> {
        let home = ["HOME", "USERPROFILE"].iter().find_map(|name| settings.environment.get(name));
        Arc::new(Self {
            app,
            words: Words::of(settings.language),
            home: home.filter(|home| !home.is_empty()).map(PathBuf::from),
            kept: Mutex::new(Kept::read(settings.folder.as_deref())),
            settings,
            servers: Servers::default(),
            shown: Mutex::default(),
            focused: Mutex::default(),
            recent: Mutex::default(),
            background: Mutex::default(),
            number: AtomicUsize::new(0),
            is_ending: AtomicBool::new(false),
        })
    }

    /// What is remembered.
    pub fn kept(&self) -> MutexGuard<'_, Kept> {
        locked(&self.kept)
    }

    /// Changes what is remembered.
    pub fn keep<T>(&self, change: impl FnOnce(&mut Kept) -> T) -> T {
        let mut kept = self.kept();
        let result = change(&mut kept);
        kept.write();
        result
    }

    /// Does what a start of the program asks for. The first start without arguments opens the last project.
    pub fn begin(self: &Arc<Self>, start: &Start, is_first: bool) {
        let wanted: Vec<Wanted> =
            start.arguments.iter().map(|argument| Wanted::of(argument, &start.here)).collect();
        match self.front() {
            _ if !wanted.is_empty() => wanted.into_iter().for_each(|wanted| self.open(wanted)),
            Some(window) if !is_first => windows::raise(&window),
            _ => self.open_last(),
        }
    }

    /// Opens the project that was opened last, or shows that there is none.
    fn open_last(self: &Arc<Self>) {
        match self.kept().folders().into_iter().find(|folder| folder.is_dir()) {
            Some(folder) => self.open(Wanted::Folder(folder)),
            None => self.present(Screen::Recent),
        }
    }

    /// Shows the windows, or opens one.
    pub fn come_back(self: &Arc<Self>) {
        let open: Vec<String> = locked(&self.shown).keys().cloned().collect();
        if open.is_empty() {
            return self.open_last();
        }
        open.iter()
            .filter_map(|label| self.app.get_webview_window(label))
            .for_each(|window| windows::raise(&window));
    }

    /// Opens what somebody wants, or says or asks what stands against it. Returns at once.
    pub fn open(self: &Arc<Self>, wanted: Wanted) {
        let desk = self.clone();
        std::thread::spawn(move || {
            let known = desk.kept().folders();
            match wanted.outcome(&known, desk.home.as_deref()) {
                Outcome::Show(root, page) => desk.show(&root, page.as_deref()),
                Outcome::Ask(question) => desk.present(Screen::Ask(question, desk.next())),
                Outcome::Refuse(refusal) => desk.refuse(&refusal),
            }
        });
    }

    /// Shows a project in its window, or in a new one. Waits for its server.
    fn show(self: &Arc<Self>, root: &Path, page: Option<&str>) {
        let path = page.map(serving::path_of);
        if let Some(window) = self.label_of(root).and_then(|label| self.app.get_webview_window(&label)) {
            windows::raise(&window);
            return path.into_iter().for_each(|path| windows::go(&window, &path));
        }
        self.show_new(root, path.as_deref());
    }

    /// Shows a project in a new window, at a path of its addresses.
    pub fn show_new(self: &Arc<Self>, root: &Path, path: Option<&str>) {
        // The window is listed first: a server stays as long as a window shows its project.
        let label = format!("project-{}", self.next());
        locked(&self.shown).insert(label.clone(), Shows::Project(root.to_owned()));
        let port = self.kept().port(root);
        let (web_app, environment) = (self.settings.web_app.clone(), &self.settings.environment);
        let address = match self.servers.address(root, port, web_app, environment) {
            Ok(address) => address,
            Err(error) => {
                locked(&self.shown).remove(&label);
                return self.refuse(&Refusal::Failed(error));
            }
        };
        let Some(entry) = serving::entry(&address, path) else { return };
        if windows::project(self, &label, root, &entry).is_err() {
            locked(&self.shown).remove(&label);
            return;
        }
        self.keep(|kept| kept.opened(root, address.port));
        menu::refresh(self);
        for (label, window) in self.app.webview_windows() {
            // A question stays until it is answered.
            if matches!(self.screen(&label), Some(Screen::Recent | Screen::Told(_))) {
                windows::destroy(&window);
            }
        }
    }

    /// Another window on the project of this one, at the same address.
    pub fn again(self: &Arc<Self>, window: &WebviewWindow) {
        let Some(root) = self.root(window.label()) else { return self.present(Screen::Recent) };
        let path = window.url().map(|url| url.path().to_owned()).ok();
        let desk = self.clone();
        std::thread::spawn(move || desk.show_new(&root, path.as_deref()));
    }

    fn refuse(self: &Arc<Self>, refusal: &Refusal) {
        self.present(Screen::Told(start::told(refusal, self.words, self.settings.language)));
    }

    /// Shows a page of this program: in the window that has one, or in a new one.
    pub fn present(self: &Arc<Self>, screen: Screen) {
        let open = self.app.webview_windows().into_iter().find(|(label, _)| self.screen(label).is_some());
        if let Some((label, window)) = open {
            locked(&self.shown).insert(label, Shows::Start(screen));
            windows::reload(&window);
            return windows::raise(&window);
        }
        let desk = self.clone();
        std::thread::spawn(move || {
            let label = format!("start-{}", desk.next());
            locked(&desk.shown).insert(label.clone(), Shows::Start(screen));
            if windows::start(&desk, &label).is_err() {
                locked(&desk.shown).remove(&label);
            }
        });
    }

    /// The document of a window with a page of this program.
    pub fn document(&self, label: &str) -> Option<String> {
        let screen = self.screen(label)?;
        Some(start::page(&screen, &self.kept().folders(), self.home.as_deref(), self.words))
    }

    /// Obeys a link on a page of this program.
    pub fn obey(self: &Arc<Self>, label: &str, command: Command) {
        let folder = |number: usize| self.kept().folders().get(number).cloned();
        match (command, self.screen(label)) {
            (Command::Choose, _) => self.choose(),
            (Command::Recent(number), _) => {
                folder(number).into_iter().for_each(|folder| self.open(Wanted::Folder(folder)));
            }
            (Command::Forget(number), _) => {
                if let Some(folder) = folder(number) {
                    self.keep(|kept| kept.forget(&folder));
                    menu::refresh(self);
                    self.present(Screen::Recent);
                }
            }
            // Another link may have replaced the question that the person was about to answer.
            (Command::Yes(number), Some(Screen::Ask(question, asked))) if number == asked => {
                locked(&self.shown).insert(label.to_owned(), Shows::Start(Screen::Recent));
                self.agreed(question);
            }
            (Command::No, _) => self.present(Screen::Recent),
            (Command::Yes(_), _) => {}
        }
    }

    fn agreed(self: &Arc<Self>, question: Question) {
        let desk = self.clone();
        std::thread::spawn(move || match desk.project(&question) {
            Ok((root, pages)) => {
                let page = question.page.and_then(|page| page_in(&pages, &page));
                desk.show(&root, page.as_deref());
            }
            Err(error) => desk.refuse(&Refusal::Failed(error)),
        });
    }

    /// The project of a question and the folder of its pages, started if the question was about that.
    fn project(&self, question: &Question) -> ubp_core::Result<(PathBuf, PathBuf)> {
        let project = if question.starts {
            let pages_dir = pages_folders(&question.folder)?.first().map(|first| first.dir.clone());
            let options = InitOptions { pages_dir, ..InitOptions::default() };
            init(&question.folder, &options, &SystemClock::default())?.project
        } else {
            ubp_host::Project::load(&question.folder)?
        };
        Ok((project.root, project.pages_dir))
    }

    /// Lets the person choose a folder with the dialog of the system.
    pub fn choose(self: &Arc<Self>) {
        let desk = self.clone();
        let _ = self.app.clone().run_on_main_thread(move || {
            let mut dialog = rfd::AsyncFileDialog::new().set_title(desk.words.open_folder);
            if let Some(window) = desk.front() {
                dialog = dialog.set_parent(&window);
            }
            let chosen = dialog.pick_folder();
            tauri::async_runtime::spawn(async move {
                if let Some(folder) = chosen.await {
                    desk.open(Wanted::Folder(folder.path().to_owned()));
                }
            });
        });
    }

    /// The window that commands of menus mean.
    pub fn front(&self) -> Option<WebviewWindow> {
        let focused = locked(&self.focused).clone();
        let open: Vec<String> = locked(&self.shown).keys().cloned().collect();
        let first = open.iter().find(|label| **label == focused).or(open.first())?;
        self.app.get_webview_window(first)
    }

    /// A window got the focus.
    pub fn focus(&self, label: &str) {
        label.clone_into(&mut locked(&self.focused));
    }

    /// The project that a window shows.
    pub fn root(&self, label: &str) -> Option<PathBuf> {
        match locked(&self.shown).get(label)? {
            Shows::Project(root) => Some(root.clone()),
            Shows::Start(_) => None,
        }
    }

    fn screen(&self, label: &str) -> Option<Screen> {
        match locked(&self.shown).get(label)? {
            Shows::Start(screen) => Some(screen.clone()),
            Shows::Project(_) => None,
        }
    }

    fn label_of(&self, root: &Path) -> Option<String> {
        let shown = locked(&self.shown);
        let mut labels: Vec<&String> = shown
            .iter()
            .filter(|(_, shows)| matches!(shows, Shows::Project(own) if own == root))
            .map(|(label, _)| label)
            .collect();
        labels.sort();
        let focused = locked(&self.focused);
        labels.iter().find(|label| **label == &*focused).or(labels.first()).map(|label| (*label).clone())
    }

    /// A window is about to go: from now on, nobody is sent to it.
    pub fn leave(&self, label: &str) {
        locked(&self.shown).remove(label);
    }

    /// A window is gone. The server of a project without windows stops, unless servers stay in the background.
    pub fn closed(self: &Arc<Self>, label: &str) {
        self.leave(label);
        if self.stays() {
            return;
        }
        let desk = self.clone();
        std::thread::spawn(move || {
            desk.servers.stop(|root| {
                let shown = locked(&desk.shown);
                shown.values().any(|shows| matches!(shows, Shows::Project(own) if own == root))
            });
        });
    }

    /// Whether the process goes on without windows.
    pub fn stays(&self) -> bool {
        self.kept().background && tray::is_shown(&self.app) && !self.is_ending.load(Ordering::Relaxed)
    }

    /// Whether a window is about to come.
    pub fn is_opening(&self) -> bool {
        locked(&self.shown).keys().any(|label| self.app.get_webview_window(label).is_none())
    }

    /// Closes all windows, then ends the process.
    pub fn end(self: &Arc<Self>) {
        self.is_ending.store(true, Ordering::Relaxed);
        let windows: Vec<WebviewWindow> = self.app.webview_windows().into_values().collect();
        if windows.is_empty() {
            return self.app.exit(0);
        }
        windows.into_iter().for_each(|window| closing::close(self, window));
    }

    /// Stops all servers.
    pub fn stop(&self) {
        self.servers.stop(|_| false);
    }

    fn next(&self) -> usize {
        self.number.fetch_add(1, Ordering::Relaxed)
    }
}
