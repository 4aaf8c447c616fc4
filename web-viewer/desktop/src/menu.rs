//! The menus. Commands for pages are those of the web app: the menu presses their keys in the page.

use std::sync::Arc;

use serde_json::json;
use tauri::menu::{
    CheckMenuItemBuilder, Menu, MenuBuilder, MenuItem, MenuItemBuilder, Submenu, SubmenuBuilder,
};
use tauri::{Manager, WebviewWindow, Wry};

use crate::desk::{Desk, locked};
use crate::places::Wanted;
use crate::start::Screen;
use crate::{closing, kept, tray};

pub const OPEN_FOLDER: &str = "open-folder";
pub const QUIT: &str = "quit";

/// Start of the commands that open a recent project; its number follows.
const RECENT: &str = "recent-";

/// Keys of a command in the web app: whether with Ctrl or ⌘, with Alt, with Shift, and the key.
type Keys = (bool, bool, bool, &'static str);

/// The keys of the commands, as in `src/viewer/commands.ts`; `None` for commands of the window itself.
fn keys(command: &str) -> Option<Keys> {
    Some(match command {
        "new-page" => (true, false, false, "n"),
        "undo" => (true, false, false, "z"),
        "redo" => (true, false, true, "z"),
        "face" => (true, false, false, "e"),
        // Ctrl+B would make selected text bold.
        "sidebar" => (false, false, false, "["),
        "focus" => (true, false, true, "f"),
        "graph" => (false, true, false, "g"),
        "problems" => (false, true, false, "p"),
        "theme" => (false, true, true, "t"),
        "settings" => (true, false, false, ","),
        "home" => (false, true, false, "h"),
        "search" => (true, false, false, "k"),
        "keys" => (true, false, false, "/"),
        _ => return None,
    })
}

/// Script that presses keys: in the focused element, or in the document for keys without modifiers, which fields would take.
fn pressing((with_mod, with_alt, with_shift, key): Keys) -> String {
    let on_apple = cfg!(target_os = "macos");
    let upper = key.to_uppercase();
    let code =
        if key.bytes().all(|byte| byte.is_ascii_lowercase()) { format!("Key{upper}") } else { String::new() };
    let options = json!({
        "key": if with_shift { &upper } else { key }, "code": code, "shiftKey": with_shift, "altKey": with_alt,
        // On a Mac, Alt comes with Control.
        "ctrlKey": (with_mod && !on_apple) || (with_alt && on_apple), "metaKey": with_mod && on_apple,
        "bubbles": true, "cancelable": true,
    });
    let target =
        if with_mod || with_alt { "document.activeElement ?? document.body" } else { "document.body" };
    let otherwise = match (with_mod, with_shift, key) {
        (true, false, "z") => "document.execCommand('undo')",
        (true, true, "z") => "document.execCommand('redo')",
        _ => "0",
    };
    format!("({target}).dispatchEvent(new KeyboardEvent('keydown', {options})) && {otherwise}")
}

/// The menu bar.
///
/// # Errors
/// Those of the system.
pub fn bar(desk: &Arc<Desk>) -> tauri::Result<Menu<Wry>> {
    let (app, words) = (&desk.app, desk.words);
    let item = |id: &str, text: &str, keys: &str| -> tauri::Result<MenuItem<Wry>> {
        let built = MenuItemBuilder::with_id(id, text);
        if keys.is_empty() { built.build(app) } else { built.accelerator(keys).build(app) }
    };
    let recent = SubmenuBuilder::new(app, words.open_recent).build()?;
    *locked(&desk.recent) = Some(recent.clone());
    let background = CheckMenuItemBuilder::with_id("background", words.background)
        .checked(desk.kept().background)
        .build(app)?;
    *locked(&desk.background) = Some(background.clone());
    let file = SubmenuBuilder::new(app, words.file)
        .item(&item("new-page", words.new_page, "CmdOrCtrl+N")?)
        .item(&item("new-window", words.new_window, "CmdOrCtrl+Shift+N")?)
        .separator()
        .item(&item(OPEN_FOLDER, words.open_folder, "CmdOrCtrl+O")?)
        .item(&recent)
        .separator()
        .item(&background)
        .item(&item("close", words.close_window, "CmdOrCtrl+W")?)
        .item(&item(QUIT, words.quit, "CmdOrCtrl+Q")?)
        .build()?;
    let view = SubmenuBuilder::new(app, words.view)
        .item(&item("face", words.face, "CmdOrCtrl+E")?)
        .item(&item("sidebar", words.sidebar, "")?)
        .item(&item("focus", words.focus, "CmdOrCtrl+Shift+F")?)
        .separator()
        .item(&item("graph", words.graph, "")?)
        .item(&item("problems", words.problems, "")?)
        .separator()
        .item(&item("zoom-in", words.zoom_in, "CmdOrCtrl+=")?)
        .item(&item("zoom-out", words.zoom_out, "CmdOrCtrl+-")?)
        .item(&item("zoom-reset", words.zoom_reset, "CmdOrCtrl+0")?)
        .separator()
        .item(&item("theme", words.theme, "")?)
        .item(&item("settings", words.settings, "CmdOrCtrl+,")?)
        .build()?;
    let go = SubmenuBuilder::new(app, words.go)
        .item(&item("back", words.back, "")?)
        .item(&item("forward", words.forward, "")?)
        .item(&item("home", words.home, "")?)
        .separator()
        .item(&item("search", words.search, "CmdOrCtrl+K")?)
        .build()?;
    let help = SubmenuBuilder::new(app, words.help)
        .item(&item("keys", words.keys, "CmdOrCtrl+/")?)
        .item(&item("guide", words.guide, "")?)
        .separator()
        .item(
            &MenuItemBuilder::new(format!("Unified Blueprint {}", env!("CARGO_PKG_VERSION")))
                .enabled(false)
                .build(app)?,
        )
        .build()?;
    let bar = MenuBuilder::new(app);
    #[cfg(target_os = "macos")]
    let bar = bar.item(
        &SubmenuBuilder::new(app, "Unified Blueprint")
            .services()
            .separator()
            .hide()
            .hide_others()
            .show_all()
            .build()?,
    );
    let bar = bar.item(&file).item(&edit(desk)?).item(&view).item(&go).item(&help).build()?;
    refresh(desk);
    Ok(bar)
}

/// The menu of editing. On Linux, entries of the system would need a library that types keys.
fn edit(desk: &Arc<Desk>) -> tauri::Result<Submenu<Wry>> {
    let (app, words) = (&desk.app, desk.words);
    let menu = SubmenuBuilder::new(app, words.edit);
    #[cfg(target_os = "macos")]
    let menu = menu.undo_with_text(words.undo).redo_with_text(words.redo).separator();
    #[cfg(not(target_os = "macos"))]
    let menu = menu.text("undo", words.undo).text("redo", words.redo).separator();
    #[cfg(target_os = "linux")]
    let menu = menu
        .text("edit-Cut", words.cut)
        .text("edit-Copy", words.copy)
        .text("edit-Paste", words.paste)
        .separator()
        .text("edit-SelectAll", words.select_all);
    #[cfg(not(target_os = "linux"))]
    let menu = menu
        .cut_with_text(words.cut)
        .copy_with_text(words.copy)
        .paste_with_text(words.paste)
        .separator()
        .select_all_with_text(words.select_all);
    menu.build()
}

/// Lists the recent projects again.
pub fn refresh(desk: &Arc<Desk>) {
    let Some(menu) = locked(&desk.recent).clone() else { return };
    while matches!(menu.remove_at(0), Ok(Some(_))) {}
    let folders = desk.kept().folders();
    for (number, name) in kept::names(&folders).into_iter().enumerate() {
        let entry =
            MenuItemBuilder::with_id(format!("{RECENT}{number}"), name.replace('&', "&&")).build(&desk.app);
        let _ = entry.and_then(|entry| menu.append(&entry));
    }
    if folders.is_empty() {
        let entry = MenuItemBuilder::new(desk.words.nothing_recent).enabled(false).build(&desk.app);
        let _ = entry.and_then(|entry| menu.append(&entry));
    }
}

/// Obeys a command of the menus.
pub fn obey(desk: &Arc<Desk>, command: &str) {
    let window = desk.front();
    if let Some(number) = command.strip_prefix(RECENT) {
        let folder = number.parse().ok().and_then(|number: usize| desk.kept().folders().get(number).cloned());
        return folder.into_iter().for_each(|folder| desk.open(Wanted::Folder(folder)));
    }
    match (command, window) {
        (OPEN_FOLDER, _) => desk.choose(),
        (QUIT, _) => desk.end(),
        ("tray-show", _) => desk.come_back(),
        ("background", _) => keep_in_background(desk),
        ("guide", _) => {
            drop(open::that_detached(concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/docs/index.md")))
        }
        ("new-window", Some(window)) => desk.again(&window),
        ("new-window", None) => desk.present(Screen::Recent),
        ("close", Some(window)) => closing::close(desk, window),
        ("zoom-in", _) => zoom(desk, Some(1.0)),
        ("zoom-out", _) => zoom(desk, Some(-1.0)),
        ("zoom-reset", _) => zoom(desk, None),
        (command, Some(window)) if desk.root(window.label()).is_some() => in_page(&window, command),
        _ => {}
    }
}

/// Obeys a command for the page of a window.
fn in_page(window: &WebviewWindow, command: &str) {
    let script = match command {
        "back" => "history.back()".to_owned(),
        "forward" => "history.forward()".to_owned(),
        command => match keys(command) {
            Some(keys) => pressing(keys),
            None => return edit_in_page(window, command),
        },
    };
    let _ = window.eval(script);
}

#[cfg(target_os = "linux")]
fn edit_in_page(window: &WebviewWindow, command: &str) {
    use webkit2gtk::WebViewExt;
    let Some(command) = command.strip_prefix("edit-").map(str::to_owned) else { return };
    let _ = window.with_webview(move |view| view.inner().execute_editing_command(&command));
}

#[cfg(not(target_os = "linux"))]
fn edit_in_page(_window: &WebviewWindow, _command: &str) {}

fn zoom(desk: &Arc<Desk>, steps: Option<f64>) {
    let zoom = desk.keep(|kept| kept.set_zoom(steps));
    for (label, window) in desk.app.webview_windows() {
        if desk.root(&label).is_some() {
            let _ = window.set_zoom(zoom);
        }
    }
}

fn keep_in_background(desk: &Arc<Desk>) {
    let is_on = !desk.kept().background;
    let is_possible = !is_on || tray::show(desk);
    desk.keep(|kept| kept.background = is_on && is_possible);
    if !is_on {
        tray::hide(&desk.app);
    }
    if !is_possible {
        desk.present(Screen::Told(desk.words.no_tray.into()));
    }
    if let Some(item) = &*locked(&desk.background) {
        let _ = item.set_checked(is_on && is_possible);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_pressed_as_the_web_app_knows_them() {
        let commands = include_str!("../../src/viewer/commands.ts");
        for (command, chord) in [
            ("new-page", "'Mod+N'"),
            ("face", "'Mod+E'"),
            ("focus", "'Mod+Shift+F'"),
            ("graph", "alt('G')"),
            ("problems", "alt('P')"),
            ("theme", "alt('Shift+T')"),
            ("settings", "'Mod+,'"),
            ("home", "alt('H')"),
            ("search", "'Mod+K'"),
            ("keys", "'Mod+/'"),
        ] {
            let script = keys(command).map(pressing).unwrap_or_default();
            let key = chord.trim_matches([')', '\'']).rsplit(['+', '\'', '(']).next().unwrap_or_default();
            assert!(commands.contains(chord), "{chord}");
            assert!(script.to_uppercase().contains(&format!("\"KEY\":\"{key}\"")), "{command}: {script}");
        }
    }

    #[test]
    fn every_word_is_there_in_both_languages() {
        let (english, japanese) =
            (format!("{:?}", crate::words::ENGLISH), format!("{:?}", crate::words::JAPANESE));
        assert_eq!(english.matches(": \"").count(), japanese.matches(": \"").count());
        assert!(!english.contains(": \"\"") && !japanese.contains(": \"\""));
    }
}
