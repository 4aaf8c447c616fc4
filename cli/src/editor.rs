//! Opens a file in the user's editor, at a line if the editor supports that.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use ubp_core::{Error, Result};
use ubp_host::Environment;

/// Whether there is a graphical display. Without one, the system's opener may start a program that takes over the
/// terminal.
pub(crate) fn has_screen(environment: &Environment) -> bool {
    let set = |name: &str| environment.get(name).is_some_and(|value| !value.is_empty());
    cfg!(any(windows, target_os = "macos"))
        || ["DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME"].into_iter().any(set)
}

/// What to open files with.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Editor {
    /// The program of `VISUAL` or `EDITOR`, and its arguments.
    Chosen(Vec<String>),
    /// The system's default program for the file.
    System,
    /// No editor is known.
    None,
}

impl Editor {
    /// The editor of this environment.
    pub(crate) fn of(environment: &Environment) -> Self {
        let words = |name: &str| -> Option<Vec<String>> {
            let words: Vec<String> = environment.get(name)?.split_whitespace().map(Into::into).collect();
            Some(words).filter(|words| !words.is_empty())
        };
        match words("VISUAL").or_else(|| words("EDITOR")) {
            Some(words) => Self::Chosen(words),
            None if has_screen(environment) => Self::System,
            None => Self::None,
        }
    }

    /// Opens `file`, and waits for an editor that runs in the terminal.
    ///
    /// # Errors
    /// [`Error::Io`] if it cannot be started or fails.
    pub(crate) fn open(&self, file: &Path, line: usize) -> Result<()> {
        let shown = || file.to_string_lossy().into_owned();
        match self {
            Self::Chosen(words) => {
                let Some((program, arguments)) = words.split_first() else { return Ok(()) };
                let status = Command::new(program).args(arguments).args(place(program, file, line)).status();
                let status = status.map_err(|error| Error::io(program, error))?;
                if status.success() {
                    return Ok(());
                }
                Err(Error::io(program, std::io::Error::other(format!("failed ({status})"))))
            }
            Self::System => open::that_detached(file).map_err(|error| Error::io(shown(), error)),
            Self::None => {
                let words = "no editor found; set EDITOR to the one that you use";
                Err(Error::io(shown(), std::io::Error::other(words)))
            }
        }
    }
}

/// The arguments with which an editor opens a file at a line.
fn place(program: &str, file: &Path, line: usize) -> Vec<OsString> {
    let name = Path::new(program).file_stem().map(|name| name.to_string_lossy().to_ascii_lowercase());
    let at_line = || {
        let mut place = file.as_os_str().to_owned();
        place.push(format!(":{line}"));
        place
    };
    match name.as_deref().unwrap_or_default() {
        "vi" | "vim" | "nvim" | "gvim" | "view" | "nano" | "pico" | "emacs" | "emacsclient" | "kak"
        | "micro" | "mg" | "joe" | "jed" | "ne" | "less" | "gedit" => {
            vec![format!("+{line}").into(), file.into()]
        }
        "code" | "code-insiders" | "codium" | "vscodium" | "cursor" | "windsurf" => {
            vec!["--goto".into(), at_line()]
        }
        "hx" | "helix" | "subl" | "sublime_text" | "zed" => vec![at_line()],
        "idea" | "pycharm" | "webstorm" | "rustrover" | "kate" | "mate" => {
            vec!["--line".into(), line.to_string().into(), file.into()]
        }
        _ => vec![file.into()],
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_line_argument_depends_on_the_editor() {
        let told = |program: &str| {
            let words = place(program, Path::new("/p/a b.md"), 7);
            words.into_iter().map(|word| word.into_string().unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(told("/usr/bin/vim"), ["+7", "/p/a b.md"]);
        assert_eq!(told("code"), ["--goto", "/p/a b.md:7"]);
        assert_eq!(told("hx"), ["/p/a b.md:7"]);
        assert_eq!(told("idea"), ["--line", "7", "/p/a b.md"]);
        assert_eq!(told("my-editor"), ["/p/a b.md"]);
    }

    #[test]
    fn visual_is_preferred_to_editor_and_both_may_have_arguments() {
        let of = |variables: &[(&str, &str)]| Editor::of(&Environment::with(variables.iter().copied()));
        let chosen = |words: &[&str]| Editor::Chosen(words.iter().map(|word| (*word).into()).collect());
        assert_eq!(of(&[("VISUAL", "code --wait"), ("EDITOR", "vi")]), chosen(&["code", "--wait"]));
        assert_eq!(of(&[("VISUAL", " "), ("EDITOR", "vi")]), chosen(&["vi"]));
        #[cfg(target_os = "linux")]
        {
            assert_eq!(of(&[]), Editor::None);
            assert_eq!(of(&[("DISPLAY", ":0")]), Editor::System);
        }
    }
}
