//! How a client starts this program.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::Io;

/// A program and its first arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Launch {
    pub command: String,
    pub arguments: Vec<String>,
}

impl Launch {
    /// This program: by its name if a shell finds it by that name, through `npx` if it runs inside Node, otherwise by its
    /// path.
    pub(crate) fn of(io: &Io) -> Self {
        let path = io.environment.get("PATH").unwrap_or_default();
        match io.program.as_slice() {
            [] => Self::new("ubp", &[]),
            program if is_found(path, program) => Self::new("ubp", &[]),
            [program] => Self::new(&program.to_string_lossy(), &[]),
            // The package may be in a cache that npm empties.
            _ => Self::new("npx", &["-y", "ubp"]),
        }
    }

    fn new(command: &str, arguments: &[&str]) -> Self {
        Self { command: command.into(), arguments: arguments.iter().map(|&word| word.into()).collect() }
    }

    /// The command line with further arguments that need no quotes.
    pub(crate) fn line(&self, arguments: &str) -> String {
        let command = match self.command.contains([' ', '\'', '(', ')', '&', '$']) {
            true => format!("\"{}\"", self.command.replace('\\', "/")),
            false => self.command.clone(),
        };
        let words = self.arguments.iter().map(|word| format!(" {word}"));
        format!("{command}{} {arguments}", words.collect::<String>())
    }
}

/// Whether the first `ubp` in the folders of `path` is this program. Inside Node, that is the script.
fn is_found(path: &str, program: &[OsString]) -> bool {
    let names: &[&str] = if cfg!(windows) { &["ubp.exe", "ubp.cmd"] } else { &["ubp"] };
    let files = std::env::split_paths(path)
        // Folders of packages are in the path only while npm runs a script.
        .filter(|folder| !folder.ends_with("node_modules/.bin"))
        .flat_map(|folder| names.iter().map(move |name| folder.join(name)));
    let Some(first) = files.into_iter().find(|file| file.is_file()) else { return false };
    let real = |file: &Path| std::fs::canonicalize(file).unwrap_or_else(|_| file.to_path_buf());
    let own = program.last().map(PathBuf::from).unwrap_or_default();
    real(&first) == real(&own)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use ubp_core::progress::Cancel;

    use super::*;
    use crate::Environment;

    fn launch(path: &Path, program: &[&str]) -> Launch {
        let environment = Environment::with([("PATH", &*path.to_string_lossy())]);
        let program = program.iter().map(OsString::from).collect();
        Launch::of(&Io { environment, program, ..Io::of_process(Cancel::default()) })
    }

    #[test]
    fn a_client_starts_the_program_that_printed_its_settings() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("ubp");
        std::fs::write(&program, "").unwrap();
        let shown = program.to_string_lossy();
        let elsewhere = tempfile::tempdir().unwrap();
        if cfg!(unix) {
            assert_eq!(launch(folder.path(), &[&shown]), Launch::new("ubp", &[]));
        }
        assert_eq!(launch(elsewhere.path(), &[&shown]), Launch::new(&shown, &[]));
        let inside_node = ["/usr/bin/node", "/home/ada/.npm/_npx/1f/node_modules/ubp/bin/ubp.js"];
        assert_eq!(launch(folder.path(), &inside_node), Launch::new("npx", &["-y", "ubp"]));
    }

    #[test]
    fn a_command_line_quotes_the_program() {
        assert_eq!(
            Launch::new("npx", &["-y", "ubp"]).line("hook codex --answer"),
            "npx -y ubp hook codex --answer"
        );
        let spaced = Launch::new("/home/ada/my tools/ubp", &[]);
        assert_eq!(spaced.line("hook cursor --answer"), "\"/home/ada/my tools/ubp\" hook cursor --answer");
    }
}
