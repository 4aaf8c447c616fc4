//! Runs `ubp model` with models from folders and from a hub that runs in the test.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

#[path = "../../../host/src/models/endpoint/embedding_server.rs"]
mod embedding_server;
#[cfg(feature = "engines")]
mod folders;
#[cfg(feature = "engines")]
#[path = "../../../host/src/models/transfer/hub_server.rs"]
mod hub_server;
#[cfg(feature = "engines")]
mod hubs;
mod listing;
mod servers;
#[cfg(feature = "engines")]
mod switching;

use std::ffi::OsString;
use std::path::PathBuf;

use serde_json::Value;
use tempfile::TempDir;
use ubp_core::progress::Cancel;

use crate::{Environment, ExitStatus, Io, SharedBuffer, run};

/// A project, and beside it a folder for the user's models.
struct Desk {
    root: TempDir,
    variables: Vec<(String, String)>,
}

/// The status and output of a command.
struct Ran {
    status: ExitStatus,
    out: String,
    err: String,
}

impl Ran {
    fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|_| panic!("not JSON: {}\n{}", self.out, self.err))
    }

    #[track_caller]
    fn ok(self) -> Self {
        assert_eq!(self.status, ExitStatus::Success, "{}\n{}", self.out, self.err);
        self
    }

    #[track_caller]
    fn fails(self, words: &[&str]) -> Self {
        assert_eq!(self.status, ExitStatus::Error, "{}\n{}", self.out, self.err);
        for word in words {
            assert!(self.err.contains(word), "no '{word}' in: {}", self.err);
        }
        self
    }
}

impl Desk {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let models = root.path().join("user-models");
        let mut desk = Self { root, variables: Vec::new() };
        desk.set("UBP_MODELS", models.to_str().unwrap());
        std::fs::create_dir_all(desk.project().join("pages")).unwrap();
        desk.page(
            "login.md",
            "# Login\n\nUsers log in with a password.\n\n## Sessions\n\nSessions expire.\n",
        );
        desk.page("search.md", "# Search\n\nThe index answers questions about [[login]].\n");
        desk.run(&["init", "-q"]).ok();
        desk
    }

    fn set(&mut self, name: &str, value: &str) {
        self.variables.retain(|(known, _)| known != name);
        self.variables.push((name.into(), value.into()));
    }

    fn project(&self) -> PathBuf {
        self.root.path().join("project")
    }

    #[cfg(feature = "engines")]
    fn user_models(&self) -> PathBuf {
        self.root.path().join("user-models")
    }

    fn page(&self, name: &str, text: &str) {
        std::fs::write(self.project().join("pages").join(name), text).unwrap();
    }

    #[cfg(feature = "engines")]
    fn manifest_text(&self) -> String {
        std::fs::read_to_string(self.project().join(".ubp/manifest.json")).unwrap()
    }

    #[cfg(feature = "engines")]
    fn manifest(&self) -> Value {
        serde_json::from_str(&self.manifest_text()).unwrap()
    }

    #[cfg(feature = "engines")]
    /// Sets the model in the manifest without installing it, as a clone does.
    fn name_model(&self, name: &str) {
        let mut manifest = self.manifest();
        manifest["embedding_model"] = serde_json::json!({ "name": name, "version": "1", "dimensions": 8 });
        std::fs::write(self.project().join(".ubp/manifest.json"), manifest.to_string()).unwrap();
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        self.run_until(arguments, &Cancel::default())
    }

    fn run_until(&self, arguments: &[&str], cancel: &Cancel) -> Ran {
        let (out, err) = (SharedBuffer::default(), SharedBuffer::default());
        let variables = self.variables.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let mut io = Io {
            input: Box::new(std::io::empty()),
            in_is_terminal: false,
            out: Box::new(out.clone()),
            err: Box::new(err.clone()),
            out_is_terminal: false,
            err_is_terminal: false,
            width: None,
            folder: self.project(),
            environment: Environment::with(variables),
            cancel: cancel.clone(),
            program: Vec::new(),
        };
        let arguments = ["ubp"].iter().chain(arguments).map(OsString::from);
        let status = run(arguments, &mut io);
        Ran { status, out: out.text(), err: err.text() }
    }
}

/// Sorted names in a folder without lock files; empty if the folder does not exist.
#[cfg(feature = "engines")]
fn names(folder: &std::path::Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| !name.ends_with(".lock")).collect();
    names.sort();
    names
}

/// Files of a tiny model for Latin script, with 8 dimensions.
#[cfg(feature = "engines")]
const BERT: [(&str, &[u8]); 3] = [
    ("model.onnx", include_bytes!("../../../../core/models/tiny/bert/model.onnx")),
    ("tokenizer.json", include_bytes!("../../../../core/models/tiny/bert/tokenizer.json")),
    ("model.json", include_bytes!("../../../../core/models/tiny/bert/model.json")),
];

/// Files of a tiny model for all scripts, with prefixes and 8 dimensions.
#[cfg(feature = "engines")]
const XLMR: [(&str, &[u8]); 3] = [
    ("model.onnx", include_bytes!("../../../../core/models/tiny/xlmr/model.onnx")),
    ("tokenizer.json", include_bytes!("../../../../core/models/tiny/xlmr/tokenizer.json")),
    ("model.json", include_bytes!("../../../../core/models/tiny/xlmr/model.json")),
];

/// A folder with these files.
#[cfg(feature = "engines")]
fn folder_of(desk: &Desk, name: &str, files: &[(&str, &[u8])]) -> String {
    let folder = desk.root.path().join(name);
    std::fs::create_dir_all(&folder).unwrap();
    for (name, bytes) in files {
        std::fs::write(folder.join(name), bytes).unwrap();
    }
    folder.to_str().unwrap().into()
}
