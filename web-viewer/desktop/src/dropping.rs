//! A folder that is dropped on a window opens, on Linux. Everything else stays with the page, which takes files as attachments.

use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

use gtk::prelude::WidgetExt;
use tauri::{Url, WebviewWindow};

use crate::desk::Desk;
use crate::places::Wanted;

/// The number that WebKit gives to lists of addresses.
const ADDRESSES: u32 = 2;

/// Lets a window on a project take folders.
pub fn take_folders(desk: &Arc<Desk>, window: &WebviewWindow) {
    let desk = desk.clone();
    let _ = window.with_webview(move |view| {
        let view = view.inner();
        let dragged: Rc<RefCell<Option<PathBuf>>> = Rc::default();
        let heard = dragged.clone();
        view.connect_drag_data_received(move |_, _, _, _, data, info, _| {
            if info == ADDRESSES {
                let addresses: Vec<String> = data.uris().iter().map(ToString::to_string).collect();
                *heard.borrow_mut() = only_folder(&addresses);
            }
        });
        view.connect_drag_drop(move |_, context, _, _, time| {
            let Some(folder) = dragged.borrow_mut().take() else { return false };
            context.drop_finish(true, time);
            desk.open(Wanted::Folder(folder));
            true
        });
    });
}

/// The folder, if the addresses are those of one folder alone.
fn only_folder(addresses: &[String]) -> Option<PathBuf> {
    let [address] = addresses else { return None };
    let url = Url::parse(address).ok().filter(|url| url.scheme() == "file")?;
    url.to_file_path().ok().filter(|path| path.is_dir())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn one_folder_is_taken_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.png"), "").unwrap();
        let url = |name: &str| Url::from_file_path(folder.path().join(name)).unwrap().to_string();
        assert_eq!(only_folder(&[url("")]), Some(folder.path().join("")));
        for addresses in [
            vec![],
            vec![url("a.png")],
            vec![url(""), url("")],
            vec!["https://example.org/".into()],
            vec![url("none")],
        ] {
            assert_eq!(only_folder(&addresses), None, "{addresses:?}");
        }
    }
}
