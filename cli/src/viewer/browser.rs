//! Opening the browser of whoever started the viewer.

use crate::Environment;

/// Opens `url` if there is a screen to show it on; says whether it was handed over.
pub(super) fn open(url: &str, environment: &Environment) -> bool {
    let set = |name: &str| environment.get(name).is_some_and(|value| !value.is_empty());
    // Without a screen the system may start a browser in the terminal, which then belongs to it.
    let has_screen = cfg!(any(windows, target_os = "macos"))
        || ["DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME"].into_iter().any(set);
    has_screen && open::that_detached(url).is_ok()
}
