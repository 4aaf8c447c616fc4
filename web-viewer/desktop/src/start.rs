//! The page of a window without a project: recent projects, questions, and why something was not opened. It has no script;
//! its links are commands, which only `windows.rs` reads, and only in such a window.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use tauri::Url;

use crate::kept;
use crate::places::{Question, Refusal};
use crate::words::Words;

/// The scheme of these pages.
pub const SCHEME: &str = "ubp-start";

/// The content security policy of these pages.
pub const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/// The names of colours and sizes in the web app, so that both look alike.
const TOKENS: &str = include_str!("../../src/styles/tokens.css");
const ICON: &str = include_str!("../../src/icon.svg");
const STYLE: &str = include_str!("start.css");

/// What such a window shows.
#[derive(Debug, Clone, Default)]
pub enum Screen {
    /// The recent projects.
    #[default]
    Recent,
    /// The same, below a message.
    Told(String),
    /// A question, and its number.
    Ask(Question, usize),
}

/// A command of a link on these pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    /// Choose a folder.
    Choose,
    /// Open a recent project.
    Recent(usize),
    /// Take a recent project off the list.
    Forget(usize),
    /// Yes, to the question with this number.
    Yes(usize),
    /// No, to the question.
    No,
}

impl Command {
    /// The command of an address.
    pub fn of(url: &Url) -> Option<Self> {
        let mut parts = url.path_segments()?;
        let (name, number) = (parts.next()?, parts.next().and_then(|number| number.parse().ok()));
        match (name, number) {
            ("choose", None) => Some(Self::Choose),
            ("recent", Some(number)) => Some(Self::Recent(number)),
            ("forget", Some(number)) => Some(Self::Forget(number)),
            ("yes", Some(number)) => Some(Self::Yes(number)),
            ("no", None) => Some(Self::No),
            _ => None,
        }
    }
}

/// Whether an address is one of these pages.
pub fn is_start(url: &Url) -> bool {
    // On Windows, addresses of own schemes are host names.
    let windows = format!("{SCHEME}.localhost");
    url.scheme() == SCHEME || (cfg!(windows) && url.host_str() == Some(&windows))
}

/// The document of a window.
pub fn page(screen: &Screen, recent: &[PathBuf], home: Option<&Path>, words: &Words) -> String {
    let body = match screen {
        Screen::Recent => list(None, recent, home, words),
        Screen::Told(text) => list(Some(text), recent, home, words),
        Screen::Ask(question, number) => asked(question, *number, home, words),
    };
    let tag = words.tag;
    format!(
        "<!doctype html><html lang=\"{tag}\"><meta charset=\"utf-8\"><title>Unified Blueprint</title>\
         <style>{TOKENS}{STYLE}</style><body><main>{ICON}{body}</main></body></html>"
    )
}

fn list(told: Option<&str>, recent: &[PathBuf], home: Option<&Path>, words: &Words) -> String {
    let mut html = String::new();
    if let Some(told) = told {
        let _ = write!(html, "<p role=\"alert\">{}</p>", escaped(told));
    }
    let _ = write!(
        html,
        "<h1>{}</h1><p><a class=\"button main\" href=\"/choose\" autofocus>{}</a></p><p class=\"soft\">{}</p>",
        words.welcome, words.open_folder, words.drop_here
    );
    if recent.is_empty() {
        return html;
    }
    let _ = write!(html, "<h2>{}</h2><ul>", words.recent);
    for (number, (folder, name)) in recent.iter().zip(kept::names(recent)).enumerate() {
        let _ = write!(
            html,
            "<li><a class=\"row\" href=\"/recent/{number}\"><b>{}</b><span>{}</span></a>\
             <a class=\"forget\" href=\"/forget/{number}\" title=\"{}\" aria-label=\"{}: {}\">×</a></li>",
            escaped(&name),
            escaped(&shown(folder, home)),
            words.forget,
            words.forget,
            escaped(&name),
        );
    }
    html.push_str("</ul>");
    html
}

fn asked(question: &Question, number: usize, home: Option<&Path>, words: &Words) -> String {
    let (title, more, yes) = if question.starts {
        (words.asks_start, words.asks_start_more, words.start_here)
    } else {
        (words.asks_link, words.asks_link_more, words.open)
    };
    format!(
        "<h1>{title}</h1><p class=\"path\">{}</p><p class=\"soft\">{more}</p>\
         <p><a class=\"button\" href=\"/no\" autofocus>{}</a> <a class=\"button main\" href=\"/yes/{number}\">{yes}</a></p>",
        escaped(&shown(&question.folder, home)),
        words.cancel,
    )
}

/// Why nothing was opened, for people.
pub fn told(refusal: &Refusal, words: &Words, language: ubp_core::message::Language) -> String {
    let with = |text: &str, folder: &Path| format!("{text}: {}", folder.display());
    match refusal {
        Refusal::BadLink => words.bad_link.into(),
        Refusal::NotThere(path) => with(words.no_folder, path),
        Refusal::NoProject(folder) => with(words.no_project, folder),
        Refusal::TooLarge(folder) => with(words.too_large, folder),
        Refusal::Failed(error) => format!("{}: {}", words.failed, error.message().in_language(language)),
    }
}

/// A path as people write it.
fn shown(folder: &Path, home: Option<&Path>) -> String {
    let below =
        home.and_then(|home| folder.strip_prefix(home).ok()).filter(|below| !below.as_os_str().is_empty());
    match below {
        Some(below) if cfg!(unix) => format!("~/{}", below.display()),
        _ => folder.display().to_string(),
    }
}

/// `text` as HTML. Characters that change the direction of others could disguise a path.
fn escaped(text: &str) -> String {
    let mut html = String::new();
    for c in text.chars() {
        match c {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' => {
                html.push('\u{fffd}')
            }
            c if c.is_control() => html.push('\u{fffd}'),
            c => html.push(c),
        }
    }
    html
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use super::*;
    use crate::words::{ENGLISH, JAPANESE};

    #[test]
    fn no_path_becomes_an_element() {
        let folder = PathBuf::from("/a/<img src=x onerror=alert(1)>\"&\u{202e}b\n");
        for screen in [
            Screen::Recent,
            Screen::Told(folder.display().to_string()),
            Screen::Ask(Question { folder: folder.clone(), page: None, starts: true }, 1),
        ] {
            let html = page(&screen, &[folder.clone(), folder.clone()], None, &ENGLISH);
            assert!(
                !html.contains("<img") && !html.contains('\u{202e}') && html.contains("&lt;img src=x"),
                "{html}"
            );
        }
    }

    #[test]
    fn pages_are_in_the_language_and_list_projects() {
        let folders = [PathBuf::from("/home/me/notes"), "/srv/docs".into()];
        let html = page(&Screen::Recent, &folders, Some(Path::new("/home/me")), &JAPANESE);
        assert!(html.contains("lang=\"ja\"") && html.contains(JAPANESE.recent) && html.contains("/recent/1"));
        #[cfg(unix)]
        assert!(html.contains("<span>~/notes</span>"));
        let empty = page(&Screen::Recent, &[], None, &ENGLISH);
        assert!(empty.contains(ENGLISH.open_folder) && !empty.contains("<ul>"));
    }

    #[test]
    fn only_known_addresses_are_commands() {
        let of = |address: &str| Command::of(&Url::parse(address).unwrap());
        assert_eq!(of("ubp-start://localhost/choose"), Some(Command::Choose));
        assert_eq!(of("ubp-start://localhost/recent/3"), Some(Command::Recent(3)));
        assert_eq!(of("ubp-start://localhost/yes/7"), Some(Command::Yes(7)));
        for other in [
            "ubp-start://localhost/",
            "ubp-start://localhost/recent/-1",
            "ubp-start://localhost/recent/x",
            "ubp-start://localhost/yes",
            "data:text/html,a",
        ] {
            assert_eq!(of(other), None, "{other}");
        }
    }
}
