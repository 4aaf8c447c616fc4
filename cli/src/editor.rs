//! Opens a file in the user's editor, at a line if the editor supports that.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};

use ubp_core::{Error, Result};
use ubp_core::{reported, word};
use ubp_host::Environment;
use ubp_servers::viewer::Desktop;

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
                Err(Error::io(program, std::io::Error::other(reported!("failed ({status})"))))
            }
            Self::System => open::that_detached(file).map_err(|error| Error::io(shown(), error)),
            Self::None => {
                let words = word!("no editor found; set EDITOR to the one that you use");
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

/// Editors that open a window of their own; others run in the terminal, which may be anywhere.
const WINDOWED: [&str; 20] = [
    "code",
    "code-insiders",
    "codium",
    "vscodium",
    "cursor",
    "windsurf",
    "zed",
    "subl",
    "sublime_text",
    "idea",
    "pycharm",
    "webstorm",
    "rustrover",
    "mate",
    "kate",
    "gedit",
    "gvim",
    "mvim",
    "notepad",
    "notepad++",
];

/// The desktop of the environment: its editor and its file manager.
#[derive(Debug)]
pub struct ThisDesktop(pub Environment);

impl Desktop for ThisDesktop {
    fn editor(&self) -> Option<String> {
        let Editor::Chosen(words) = Editor::of(&self.0) else { return None };
        let name = Path::new(words.first()?).file_stem()?.to_str()?;
        let opens_window = WINDOWED.iter().any(|known| name.eq_ignore_ascii_case(known));
        (opens_window && has_screen(&self.0)).then(|| name.to_owned())
    }

    fn has_file_manager(&self) -> bool {
        has_screen(&self.0)
    }

    fn edit(&self, file: &Path, line: usize) -> Result<()> {
        let (Editor::Chosen(words), Some(_)) = (Editor::of(&self.0), self.editor()) else {
            let words = word!("no editor with a window of its own found; set VISUAL to the one that you use");
            return Err(Error::io(file.to_string_lossy(), std::io::Error::other(words)));
        };
        let Some((program, arguments)) = words.split_first() else { return Ok(()) };
        let mut command = Command::new(program);
        start(command.args(arguments).args(place(program, file, line)), program)
    }

    fn show(&self, path: &Path) -> Result<()> {
        // Opening a file or a bundle would start a program.
        #[cfg(target_os = "macos")]
        return start(Command::new("open").arg("-R").arg(path), "open");
        #[cfg(windows)]
        {
            let mut selected = OsString::from("/select,");
            selected.push(path);
            return start(Command::new("explorer").arg(selected), "explorer");
        }
        #[cfg(not(any(windows, target_os = "macos")))]
        {
            let folder = if path.is_dir() { path } else { path.parent().unwrap_or(path) };
            open::that_detached(folder).map_err(|error| Error::io(folder.to_string_lossy(), error))
        }
    }
}

/// Starts a program without waiting for its end.
fn start(command: &mut Command, program: &str) -> Result<()> {
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = quiet.spawn().map_err(|error| Error::io(program, error))?;
    // A program that has ended keeps its entry in the system until somebody asks for its status.
    std::thread::spawn(move || child.wait());
    Ok(())
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
    #[cfg(target_os = "linux")]
    fn a_browser_is_offered_only_an_editor_with_a_window_of_its_own() {
        let editor =
            |variables: &[(&str, &str)]| ThisDesktop(Environment::with(variables.iter().copied())).editor();
        let screen = ("DISPLAY", ":0");
        assert_eq!(editor(&[screen, ("VISUAL", "/usr/bin/code --wait")]), Some("code".into()));
        assert_eq!(editor(&[screen, ("EDITOR", "vim")]), None, "it runs in the terminal");
        assert_eq!(editor(&[("EDITOR", "code")]), None, "there is no screen");
        assert_eq!(editor(&[screen]), None);
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
