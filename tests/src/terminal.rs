//! A terminal without a process: calls the command as a function in a temporary folder and captures its output.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use tempfile::TempDir;
use ubp_cli::{Environment, ExitStatus, Io, SharedBuffer, run};
use ubp_core::progress::Cancel;

/// The modification time of every page in tests: 2026-01-02T03:04:05Z.
const WRITTEN: Duration = Duration::from_secs(1_767_323_045);

/// A folder that commands run in.
pub struct Terminal {
    folder: TempDir,
    variables: Vec<(String, String)>,
    is_terminal: bool,
    answers: Option<String>,
    width: usize,
}

/// The result of a command.
#[derive(Debug)]
pub struct Ran {
    command: String,
    /// Its exit status.
    pub status: ExitStatus,
    /// Its standard output.
    pub out: String,
    /// Its standard error.
    pub err: String,
}

impl Terminal {
    /// An empty folder.
    ///
    /// # Errors
    /// If no temporary folder can be created.
    pub fn new() -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix("ubp-suite-").tempdir()?;
        Ok(Self { folder, variables: Vec::new(), is_terminal: false, answers: None, width: 100 })
    }

    /// A project whose root folder is the vault, with these pages.
    ///
    /// # Errors
    /// As [`Terminal::new`], and if a page cannot be written.
    pub fn vault<'a>(pages: impl IntoIterator<Item = (&'a str, &'a str)>) -> io::Result<Self> {
        let terminal = Self::new()?;
        for (path, text) in pages {
            terminal.write(path, text)?;
        }
        // No machine has this model: answers are the same with and without engines.
        terminal.write(
            ".ubp/manifest.json",
            "{\n  \"version\": \"1.0\",\n  \"schema_version\": 1,\n  \"pages_dir\": \".\",\n  \
             \"frontmatter\": \"preserved\",\n  \"embedding_model\": \
             {\"name\": \"no-such-model\", \"version\": \"1.0\", \"dimensions\": 8}\n}\n",
        )?;
        Ok(terminal)
    }

    /// Like [`Terminal::vault`], with the pages in the folder `pages`, and other files at their own paths.
    ///
    /// # Errors
    /// As [`Terminal::vault`].
    pub fn project<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> io::Result<Self> {
        let terminal = Self::vault(files)?;
        let manifest = fs::read_to_string(terminal.path(".ubp/manifest.json"))?;
        let manifest = manifest.replace("\"pages_dir\": \".\"", "\"pages_dir\": \"pages\"");
        terminal.write(".ubp/manifest.json", manifest)?;
        Ok(terminal)
    }

    /// Sets an environment variable. Commands see no others.
    #[must_use]
    pub fn with_variable(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.into(), value.into()));
        self
    }

    /// Makes the command believe that its output goes to a person.
    #[must_use]
    pub fn read_by_a_person(mut self) -> Self {
        self.is_terminal = true;
        self
    }

    /// Makes the command believe that a person is at the terminal, who answers its questions with these lines.
    #[must_use]
    pub fn answered_with(mut self, lines: &str) -> Self {
        self.answers = Some(lines.into());
        self
    }

    /// Sets the width of the terminal in columns.
    #[must_use]
    pub fn with_width(mut self, columns: usize) -> Self {
        self.width = columns;
        self
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// A path in the folder.
    pub fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    /// Writes a file and its parent folders; the modification time is always the same.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) -> io::Result<()> {
        let file = self.path(path);
        if let Some(parent) = file.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(&file, content)?;
        File::options().append(true).open(&file)?.set_modified(SystemTime::UNIX_EPOCH + WRITTEN)
    }

    /// Raises the limit on changes by agents.
    ///
    /// # Errors
    /// If the manifest cannot be read or written.
    pub fn let_agents_write_often(&self) -> io::Result<()> {
        let path = self.path(".ubp/manifest.json");
        let mut manifest: Value = serde_json::from_slice(&fs::read(&path)?)?;
        manifest["agents"] = json!({ "writes_per_minute": 10_000 });
        fs::write(path, manifest.to_string())
    }

    /// Runs git in the folder, without any user settings. Blanks separate the arguments.
    ///
    /// # Panics
    /// If git fails.
    pub fn git(&self, arguments: &str) {
        let output = std::process::Command::new("git")
            .current_dir(self.folder())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_COMMITTER_DATE", "@1760000000 +0000")
            .args(["-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "protocol.file.allow=always"])
            .args(arguments.split(' '))
            .output();
        let said = output.map(|output| (output.status.success(), output.stderr));
        assert!(matches!(&said, Ok((true, _))), "git {arguments}: {said:?}");
    }

    /// Runs `ubp` with arguments separated by blanks; `'` quotes.
    pub fn ubp(&self, arguments: &str) -> Ran {
        let out = SharedBuffer::default();
        let (status, err) = self.run(&split(arguments), Box::new(out.clone()), Cancel::default());
        Ran { command: arguments.into(), status, out: self.scrub(&out.text()), err: self.scrub(&err) }
    }

    /// Runs `ubp` with these arguments; `folder`, a path in the terminal's folder, is the current folder.
    pub fn ubp_in(&self, folder: &str, arguments: &[&str]) -> Ran {
        let out = SharedBuffer::default();
        let given: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        let (status, err) = self.run_in(folder, &given, Box::new(out.clone()), Cancel::default());
        Ran { command: arguments.join(" "), status, out: self.scrub(&out.text()), err: self.scrub(&err) }
    }

    /// Runs `ubp` with its output sent to `out`, and with a request to stop, which may already be made.
    pub fn run(
        &self,
        arguments: &[String],
        out: Box<dyn Write + Send>,
        cancel: Cancel,
    ) -> (ExitStatus, String) {
        self.run_in("", arguments, out, cancel)
    }

    fn run_in(
        &self,
        folder: &str,
        arguments: &[String],
        out: Box<dyn Write + Send>,
        cancel: Cancel,
    ) -> (ExitStatus, String) {
        let err = SharedBuffer::default();
        let mut io = Io {
            input: Box::new(io::Cursor::new(self.answers.clone().unwrap_or_default())),
            in_is_terminal: self.answers.is_some(),
            out,
            err: Box::new(err.clone()),
            out_is_terminal: self.is_terminal,
            err_is_terminal: self.answers.is_some(),
            width: Some(self.width),
            folder: if folder.is_empty() { self.folder().to_path_buf() } else { self.path(folder) },
            environment: Environment::with(self.variables.iter().map(|(k, v)| (k.as_str(), v.as_str()))),
            cancel,
            program: Vec::new(),
        };
        let arguments = std::iter::once("ubp".to_owned()).chain(arguments.iter().cloned());
        let status = run(arguments.map(OsString::from), &mut io);
        (status, err.text())
    }

    fn scrub(&self, text: &str) -> String {
        let folder = self.folder.path();
        let mut text = text.to_owned();
        if let Ok(real) = folder.canonicalize() {
            text = text.replace(&*real.to_string_lossy(), "[folder]");
        }
        text = text.replace(&*folder.to_string_lossy(), "[folder]");
        if cfg!(windows) { with_slashes(&text) } else { text }
    }
}

/// The text with slashes in the paths that begin with `[folder]`.
fn with_slashes(text: &str) -> String {
    let mut parts = text.split("[folder]");
    let mut found = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (path, rest) = part.split_at(part.find(char::is_whitespace).unwrap_or(part.len()));
        found += &format!("[folder]{}{rest}", path.replace('\\', "/"));
    }
    found
}

impl Ran {
    /// The command and all its output, as a person sees it, but without the lines about the model, which depend on the
    /// build.
    pub fn transcript(&self) -> String {
        let mut text = format!("$ ubp {}\n{}", self.command, self.out);
        let mut about_model = false;
        for line in self.err.lines() {
            let hint = about_model && line.starts_with("hint:");
            about_model = line.contains("searching by words alone");
            if !about_model && !hint {
                text += &format!("! {line}\n");
            }
        }
        text = without_ids(&text);
        if self.status != ExitStatus::Success {
            text += &format!("exit status {}\n", self.status as u8);
        }
        text
    }

    /// The result as JSON; `Null` if it is not JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_default()
    }

    /// The result as indented JSON, without ids.
    pub fn spread_json(&self) -> String {
        without_ids(&format!("{:#}", self.json()))
    }

    /// Whether the command succeeded.
    pub fn succeeded(&self) -> bool {
        self.status == ExitStatus::Success
    }
}

/// `text` with `[id]` in place of every UUID.
fn without_ids(text: &str) -> String {
    let is_id = |candidate: &str| {
        candidate.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
    };
    let mut result = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        match rest.get(..36) {
            Some(candidate) if is_id(candidate) => {
                result.push_str("[id]");
                rest = &rest[36..];
            }
            _ => {
                result.push(c);
                rest = &rest[c.len_utf8()..];
            }
        }
    }
    result
}

/// Splits a command line: blanks separate arguments, `'` quotes.
pub fn split(line: &str) -> Vec<String> {
    let mut arguments = Vec::new();
    let (mut current, mut begun, mut quoted) = (String::new(), false, false);
    for c in line.chars() {
        match c {
            '\'' => (quoted, begun) = (!quoted, true),
            ' ' if !quoted => {
                if begun {
                    arguments.push(std::mem::take(&mut current));
                }
                begun = false;
            }
            other => {
                current.push(other);
                begun = true;
            }
        }
    }
    if begun {
        arguments.push(current);
    }
    arguments
}
