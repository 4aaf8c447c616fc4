//! The icon in the tray, while servers may go on without windows.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use tauri::AppHandle;
use tauri::menu::MenuBuilder;
use tauri::tray::TrayIconBuilder;

use crate::desk::Desk;
use crate::menu;

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
