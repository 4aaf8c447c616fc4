//! The icon in the tray, while servers may go on without windows.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use tauri::menu::MenuBuilder;
use tauri::tray::TrayIconBuilder;
use tauri::{AppHandle, Manager};

use crate::desk::Desk;
use crate::{menu, windows};

const ID: &str = "ubp";

/// Whether the icon is there.
pub fn is_shown(app: &AppHandle) -> bool {
    app.tray_by_id(ID).is_some()
}

/// Shows the icon; returns whether the system has a place for it. Only on the main thread.
pub fn show(desk: &Arc<Desk>) -> bool {
    // Where the library for trays is missing, loading it panics.
    is_shown(&desk.app) || catch_unwind(AssertUnwindSafe(|| build(desk))).is_ok_and(|built| built.is_ok())
}

fn build(desk: &Arc<Desk>) -> tauri::Result<()> {
    let (app, words) = (&desk.app, desk.words);
    let entries = MenuBuilder::new(app)
        .text("tray-show", words.show)
        .text(menu::OPEN_FOLDER, words.open_folder)
        .separator()
        .text(menu::QUIT, words.quit)
        .build()?;
    let mut icon = TrayIconBuilder::with_id(ID).tooltip("Unified Blueprint").menu(&entries);
    if let Some(image) = app.default_window_icon() {
        icon = icon.icon(image.clone());
    }
    icon.build(app).map(drop)
}

/// Takes the icon away.
pub fn hide(app: &AppHandle) {
    drop(app.remove_tray_by_id(ID));
}

/// Shows the windows, or opens one.
pub fn come_back(desk: &Arc<Desk>) {
    let open: Vec<_> = desk.app.webview_windows().into_values().collect();
    if open.is_empty() {
        let last = desk.kept().folders().into_iter().next();
        return match last {
            Some(folder) => desk.open(crate::places::Wanted::Folder(folder)),
            None => desk.present(crate::start::Screen::Recent),
        };
    }
    open.iter().for_each(windows::raise);
}
