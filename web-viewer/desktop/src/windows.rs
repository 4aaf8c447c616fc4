//! Windows, and where they may go. A window on a project shows its server and nothing else; a window of this program shows its
//! own pages. No page can call this program: there are no commands and no capabilities.
//!
//! **Invariants**, tested below and in `tests/desktop`
//! - A window never leaves its origin. Addresses elsewhere go to the system's browser, and only those that it may get.
//! - The links of `start.rs` are commands only in windows that show pages of `start.rs`.

use std::path::Path;
use std::sync::Arc;

use tauri::webview::NewWindowResponse;
use tauri::{Url, WebviewUrl, WebviewWindow, WebviewWindowBuilder};

use crate::desk::Desk;
use crate::places::Wanted;
use crate::start::{self, Command, SCHEME};
use crate::{kept, link};

/// What becomes of an address that a page leads to.
#[derive(Debug, PartialEq, Eq)]
pub enum Way {
    /// The window goes there.
    Here,
    /// It is a link to a project.
    Link,
    /// The system opens it.
    Outside,
    /// Nothing.
    Nowhere,
}

/// Schemes that the system may open: web, mail, and the editors that the settings of the viewer offer.
const OUTSIDE: [&str; 11] = [
    "http",
    "https",
    "mailto",
    "vscode",
    "vscode-insiders",
    "vscodium",
    "cursor",
    "windsurf",
    "zed",
    "idea",
    "subl",
];

/// Where a window whose pages come from `home` may go.
pub fn way(home: &Url, url: &Url) -> Way {
    let is_own = match url.scheme() {
        "about" => matches!(url.path(), "blank" | "srcdoc"),
        // Their origin is that of the page that made them.
        "blob" => true,
        _ => url.origin().is_tuple() && url.origin() == home.origin(),
    };
    match url.scheme() {
        _ if is_own => Way::Here,
        link::SCHEME => Way::Link,
        scheme if OUTSIDE.contains(&scheme) => Way::Outside,
        _ => Way::Nowhere,
    }
}

/// Does what follows from an address; returns whether the window goes there.
fn follow(desk: &Arc<Desk>, home: &Url, url: &Url) -> bool {
    match way(home, url) {
        Way::Here => return true,
        Way::Link => desk.open(Wanted::Link(link::read(url.as_str()))),
        Way::Outside => {
            let _ = open::that_detached(url.as_str());
        }
        Way::Nowhere => {}
    }
    false
}

/// A window on a project, at the address that lets it in.
///
/// # Errors
/// Those of the system.
pub fn project(desk: &Arc<Desk>, label: &str, root: &Path, entry: &Url) -> tauri::Result<WebviewWindow> {
    let name = kept::names(&[root.to_owned()]).join("");
    let (on_way, on_new) = (desk.clone(), desk.clone());
    let (home, home_of_new, shown) = (entry.clone(), entry.clone(), root.to_owned());
    let window = WebviewWindowBuilder::new(&desk.app, label, WebviewUrl::External(entry.clone()))
        .title(&name)
        .inner_size(1280.0, 840.0)
        .min_inner_size(360.0, 320.0)
        // The editor takes files that are dropped on it.
        .disable_drag_drop_handler()
        .on_navigation(move |url| follow(&on_way, &home, url))
        .on_new_window(move |url, _| {
            if way(&home_of_new, &url) != Way::Here {
                follow(&on_new, &home_of_new, &url);
            } else if url.scheme() != "about" && url.scheme() != "blob" {
                let (desk, root, path) = (on_new.clone(), shown.clone(), url.path().to_owned());
                std::thread::spawn(move || desk.show_new(&root, Some(&path)));
            }
            NewWindowResponse::Deny
        })
        .on_document_title_changed(|window, title| {
            let _ = window.set_title(&title);
        })
        .on_download(|_, _| true)
        .build()?;
    let _ = window.set_zoom(desk.kept().zoom());
    #[cfg(target_os = "linux")]
    crate::dropping::take_folders(desk, &window);
    Ok(window)
}

/// The address of the pages of this program.
fn start_address() -> Option<Url> {
    let address =
        if cfg!(windows) { format!("http://{SCHEME}.localhost/") } else { format!("{SCHEME}://localhost/") };
    Url::parse(&address).ok()
}

/// A window with a page of this program.
///
/// # Errors
/// Those of the system.
pub fn start(desk: &Arc<Desk>, label: &str) -> tauri::Result<WebviewWindow> {
    let Some(address) = start_address() else { return Err(tauri::Error::WindowNotFound) };
    let (on_way, own) = (desk.clone(), label.to_owned());
    WebviewWindowBuilder::new(&desk.app, label, WebviewUrl::CustomProtocol(address))
        .title("Unified Blueprint")
        .inner_size(720.0, 640.0)
        .min_inner_size(360.0, 320.0)
        .on_navigation(move |url| {
            let is_page = start::is_start(url) && url.path() == "/";
            if let (false, true, Some(command)) = (is_page, start::is_start(url), Command::of(url)) {
                on_way.obey(&own, command);
            }
            is_page
        })
        .on_new_window(|_, _| NewWindowResponse::Deny)
        .build()
}

/// Shows the page of this program again.
pub fn reload(window: &WebviewWindow) {
    start_address().into_iter().for_each(|address| drop(window.navigate(address)));
}

/// Closes a window at once.
pub fn destroy(window: &WebviewWindow) {
    // On Linux, a later window that gets the address of this one in memory would be taken for one that has its menu.
    #[cfg(target_os = "linux")]
    let _ = window.remove_menu();
    let _ = window.destroy();
}

/// Brings a window to the front.
pub fn raise(window: &WebviewWindow) {
    let _ = window.unminimize();
    let _ = window.show();
    let _ = window.set_focus();
}

/// Goes to a path of the viewer as a click on a link does, which saves what is being written.
pub fn go(window: &WebviewWindow, path: &str) {
    let path = serde_json::to_string(path).unwrap_or_default();
    let _ = window.eval(format!(
        "(() => {{ const link = document.createElement('a'); link.href = {path}; link.hidden = true; \
         document.body.append(link); link.click(); link.remove(); }})()"
    ));
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn a_window_stays_at_its_origin() {
        let home = Url::parse("http://127.0.0.1:4747/?token=abc").unwrap();
        for (address, expected) in [
            ("http://127.0.0.1:4747/a.html", Way::Here),
            ("about:blank", Way::Here),
            ("about:srcdoc", Way::Here),
            ("blob:http://127.0.0.1:4747/1", Way::Here),
            ("http://127.0.0.1:4748/a.html", Way::Outside),
            ("http://localhost:4747/", Way::Outside),
            ("https://127.0.0.1:4747/", Way::Outside),
            ("https://example.org/", Way::Outside),
            ("mailto:a@example.org", Way::Outside),
            ("vscode://file/a.rs:3", Way::Outside),
            ("ubp://open?path=/n", Way::Link),
            ("javascript:alert(1)", Way::Nowhere),
            ("data:text/html,a", Way::Nowhere),
            ("file:///etc/passwd", Way::Nowhere),
            ("ubp-start://localhost/yes/1", Way::Nowhere),
            ("tauri://localhost/", Way::Nowhere),
            ("ipc://localhost/", Way::Nowhere),
            ("about:config", Way::Nowhere),
            ("ssh://example.org", Way::Nowhere),
        ] {
            assert_eq!(way(&home, &Url::parse(address).unwrap()), expected, "{address}");
        }
    }
}
