//! Closing windows without losing what was typed last.

use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use tauri::WebviewWindow;

use crate::desk::Desk;
use crate::windows;

/// How long a window waits until its text is saved. The page keeps a draft of what is not.
const PATIENCE: Duration = Duration::from_secs(3);

/// Tells the page that it will be left, as browsers do.
const LEAVE: &str = "dispatchEvent(new Event('pagehide'))";

/// Whether the page has nothing more to save, or nothing that it can save.
const IS_SETTLED: &str =
    "!['saving', 'unsaved'].includes(document.querySelector('[data-save]')?.dataset.save)";

/// Closes a window once its text is saved. Returns at once.
pub fn close(desk: &Arc<Desk>, window: WebviewWindow) {
    let has_text = desk.root(window.label()).is_some();
    let desk = desk.clone();
    std::thread::spawn(move || {
        if has_text {
            let _ = window.eval(LEAVE);
            let begun = Instant::now();
            while begun.elapsed() < PATIENCE && !is_settled(&window) {
                std::thread::sleep(Duration::from_millis(20));
            }
        }
        desk.leave(window.label());
        windows::destroy(&window);
    });
}

/// A page that does not answer is not settled.
fn is_settled(window: &WebviewWindow) -> bool {
    let (sender, receiver) = mpsc::channel();
    let asked = window.eval_with_callback(IS_SETTLED, move |answer| {
        let _ = sender.send(answer == "true");
    });
    asked.is_ok() && receiver.recv_timeout(PATIENCE).unwrap_or(false)
}
