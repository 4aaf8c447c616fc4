//! `ubp-desktop`: the viewer in windows of its own, and the server in the same process.
//!
//! **Invariants**
//! - Pages reach the server through the door of `ubp viewer`, with its checks, and cannot call this program (`windows.rs`).
//! - No link opens a project that nobody has opened or agreed to (`places.rs`).
//! - Nothing here connects to another machine: there is no updater, and what the system's browser opens was clicked.
#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

mod closing;
mod desk;
#[cfg(target_os = "linux")]
mod dropping;
mod handover;
mod kept;
mod link;
mod menu;
mod places;
mod serving;
mod start;
mod tray;
mod windows;
mod words;

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};

use tauri::http::{Response, StatusCode, header};
use tauri::{Manager, RunEvent, WindowEvent};
use ubp_cli::{Environment, language};
use ubp_core::message::Language;
use ubp_host::user_data;

use crate::desk::{Desk, Settings, locked};
use crate::handover::{Role, Start};

const USAGE: &str = "\
Usage: ubp-desktop [--web-app DIR] [FOLDER | FILE.md | ubp://open?path=…&page=…]…

Opens projects in windows. Without an argument, the last one; a process that runs already opens them.

  --web-app DIR  use the web app in this folder instead of the built-in one
  --version      print the version
  --help         print this help
";

/// What the command line asks for.
enum Asked {
    Open { arguments: Vec<String>, web_app: Option<PathBuf> },
    Say(String, ExitCode),
}

fn asked(words: impl IntoIterator<Item = OsString>) -> Asked {
    let (mut arguments, mut web_app, mut words) = (Vec::new(), None, words.into_iter());
    while let Some(word) = words.next() {
        match word.to_string_lossy().as_ref() {
            "--help" | "-h" => return Asked::Say(USAGE.into(), ExitCode::SUCCESS),
            "--version" => {
                return Asked::Say(
                    concat!("ubp-desktop ", env!("CARGO_PKG_VERSION"), "\n").into(),
                    ExitCode::SUCCESS,
                );
            }
            "--web-app" => web_app = words.next().map(PathBuf::from),
            // Finder adds its own number.
            other if other.starts_with("-psn_") => {}
            other if other.starts_with('-') => {
                return Asked::Say(
                    format!("ubp-desktop: unknown argument '{other}'\n{USAGE}"),
                    ExitCode::from(2),
                );
            }
            other => arguments.push(other.to_owned()),
        }
    }
    Asked::Open { arguments, web_app }
}

/// The language of the variables, or of the system where there are none.
fn chosen_language(environment: &Environment) -> Language {
    let is_set = |name: &&str| environment.get(name).is_some_and(|value| !value.is_empty());
    if ["LC_ALL", "LC_MESSAGES", "LANG"].iter().any(is_set) {
        return language::of(environment);
    }
    let system = sys_locale::get_locale().unwrap_or_default();
    if system.starts_with("ja") { language::JAPANESE } else { Language::ENGLISH }
}

fn main() -> ExitCode {
    let (arguments, web_app) = match asked(std::env::args_os().skip(1)) {
        Asked::Open { arguments, web_app } => (arguments, web_app),
        Asked::Say(text, code) => {
            let _ = std::io::stdout().write_all(text.as_bytes());
            return code;
        }
    };
    let environment = Environment::of_process();
    let here = std::env::current_dir().unwrap_or_default();
    let web_app = web_app.map(|folder| here.join(folder));
    let first = Start { arguments, here };
    let folder = user_data::folder(&environment);
    let listening = match folder.as_deref().map_or(Role::Alone, |folder| handover::begin(folder, &first)) {
        Role::HandedOver => return ExitCode::SUCCESS,
        Role::First(listening) => Some(listening),
        Role::Alone => None,
    };
    let settings = Settings { language: chosen_language(&environment), environment, web_app, folder };
    match run(settings, first, listening) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "ubp-desktop: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(settings: Settings, first: Start, listening: Option<handover::Listening>) -> tauri::Result<()> {
    let settings = Mutex::new(Some(settings));
    let app = tauri::Builder::default()
        .register_uri_scheme_protocol(start::SCHEME, |context, _| {
            let desk = context.app_handle().try_state::<Arc<Desk>>();
            page(desk.and_then(|desk| desk.document(context.webview_label())))
        })
        .setup(move |app| {
            let Some(settings) = locked(&settings).take() else { return Ok(()) };
            let desk = Desk::new(app.handle().clone(), settings);
            app.manage(desk.clone());
            app.set_menu(menu::bar(&desk)?)?;
            if desk.kept().background && !tray::show(&desk) {
                desk.keep(|kept| kept.background = false);
            }
            desk.begin(&first, true);
            if let Some(listening) = listening {
                listening.serve(move |start| desk.begin(&start, false));
            }
            Ok(())
        })
        .build(tauri::generate_context!())?;
    app.run(|app, event| {
        let Some(desk) = app.try_state::<Arc<Desk>>().map(|desk| desk.inner().clone()) else { return };
        match event {
            RunEvent::MenuEvent(event) => menu::obey(&desk, event.id().as_ref()),
            RunEvent::WindowEvent { label, event, .. } => on_window(&desk, &label, &event),
            RunEvent::ExitRequested { code: None, api, .. } if desk.stays() || desk.is_opening() => {
                api.prevent_exit()
            }
            RunEvent::Exit => desk.stop(),
            #[cfg(target_os = "macos")]
            RunEvent::Opened { urls } => {
                let arguments = urls.into_iter().map(Into::into).collect();
                desk.begin(&Start { arguments, here: PathBuf::from("/") }, false);
            }
            #[cfg(target_os = "macos")]
            RunEvent::Reopen { .. } => desk.come_back(),
            _ => {}
        }
    });
    Ok(())
}

fn on_window(desk: &Arc<Desk>, label: &str, event: &WindowEvent) {
    match event {
        WindowEvent::Focused(true) => desk.focus(label),
        WindowEvent::CloseRequested { api, .. } => {
            if let Some(window) = desk.app.get_webview_window(label) {
                api.prevent_close();
                closing::close(desk, window);
            }
        }
        WindowEvent::Destroyed => desk.closed(label),
        // Only windows without a project get here: the others leave what is dropped to the page.
        WindowEvent::DragDrop(tauri::DragDropEvent::Drop { paths, .. }) => {
            paths.iter().for_each(|path| desk.open(places::Wanted::at(path.clone())));
        }
        _ => {}
    }
}

/// The answer with a page of this program; to windows on projects, there is none.
fn page(document: Option<String>) -> Response<Vec<u8>> {
    let status = if document.is_some() { StatusCode::OK } else { StatusCode::NOT_FOUND };
    let mut response = Response::new(document.unwrap_or_default().into_bytes());
    *response.status_mut() = status;
    for (name, value) in [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, start::POLICY),
        (header::CACHE_CONTROL, "no-store"),
    ] {
        response.headers_mut().insert(name, header::HeaderValue::from_static(value));
    }
    response
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use super::*;

    fn of(words: &[&str]) -> Asked {
        asked(words.iter().map(OsString::from))
    }

    #[test]
    fn arguments_are_folders_files_and_links() {
        let Asked::Open { arguments, web_app } = of(&["--web-app", "dist", "a.md", "ubp://open?path=/n"])
        else {
            panic!()
        };
        assert_eq!(
            (arguments, web_app),
            (vec!["a.md".into(), "ubp://open?path=/n".into()], Some("dist".into()))
        );
        assert!(matches!(of(&["--version"]), Asked::Say(..)));
        assert!(matches!(of(&["--no-such"]), Asked::Say(text, _) if text.contains("'--no-such'")));
    }

    #[test]
    fn the_environment_decides_about_the_language() {
        let of = |value| chosen_language(&Environment::with([("LANG", value)])).tag();
        assert_eq!((of("ja_JP.UTF-8"), of("en_US.UTF-8")), ("ja", "en"));
    }
}
