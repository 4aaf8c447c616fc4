//! The first hour of a new user: the first command is `ubp`, and every later one is taken from the output of the
//! command before.

use std::sync::Arc;

use serde_json::{Value, json};
use ubp_tests::mcp::McpClient;
use ubp_tests::terminal::Terminal;

use crate::process::{command, program};
use crate::viewer::{Viewer, with_app};

/// A new user and the text on the screen.
struct Newcomer {
    terminal: Terminal,
    screen: String,
}

impl Newcomer {
    /// Starts in a folder with these files and runs `ubp` without arguments.
    fn among(files: &[(&str, &str)]) -> Self {
        let terminal = Terminal::new().unwrap();
        for (path, text) in files {
            terminal.write(path, text).unwrap();
        }
        let mut newcomer = Self { terminal, screen: String::new() };
        newcomer.types("");
        newcomer
    }

    fn types(&mut self, arguments: &str) {
        let ran = self.terminal.ubp(&arguments.replace('"', "'"));
        assert!(ran.succeeded(), "{}", ran.transcript());
        self.screen = format!("{}{}", ran.out, ran.err);
    }

    /// The first command on the screen, between backticks, that starts with `beginning`.
    fn shown(&self, beginning: &str) -> String {
        let commands = self.screen.split('`').skip(1).step_by(2).filter_map(|text| text.strip_prefix("ubp"));
        let mut found = commands.map(str::trim).filter(|command| command.starts_with(beginning));
        found
            .next()
            .unwrap_or_else(|| panic!("no `ubp {beginning}` on the screen:\n{}", self.screen))
            .to_owned()
    }

    fn does_not_see(&self, beginning: &str) {
        assert!(!self.screen.contains(&format!("`ubp {beginning}")), "{}", self.screen);
    }

    /// Runs the command on the screen that starts with `beginning`.
    fn follows(&mut self, beginning: &str) {
        let shown = self.shown(beginning);
        self.types(&shown);
    }

    /// Like `follows`, with other words in place of the quoted ones.
    fn follows_with(&mut self, beginning: &str, words: &str) {
        let shown = self.shown(beginning);
        let quotes = ['"', '\''];
        let (before, rest) = shown.split_once(quotes).unwrap();
        let (_, after) = rest.split_once(quotes).unwrap();
        self.types(&format!("{before}\"{words}\"{after}"));
    }

    /// The first path of a page on the screen.
    fn page(&self) -> String {
        let end =
            self.screen.find(".md").unwrap_or_else(|| panic!("no page on the screen:\n{}", self.screen)) + 3;
        let line = self.screen[..end].rsplit('\n').next().unwrap_or_default();
        line.strip_prefix("Created ").unwrap_or(line).to_owned()
    }

    fn sees(&self, words: &str) {
        assert!(self.screen.contains(words), "no '{words}' on the screen:\n{}", self.screen);
    }

    fn pages_dir(&self) -> String {
        let manifest = std::fs::read(self.terminal.path(".ubp/manifest.json")).unwrap();
        serde_json::from_slice::<Value>(&manifest).unwrap()["pages_dir"].as_str().unwrap().to_owned()
    }
}

#[test]
fn from_an_empty_folder_to_the_first_answer() {
    let mut newcomer = Newcomer::among(&[]);
    newcomer.sees("No UBP project");
    newcomer.follows("init");
    assert_eq!(newcomer.pages_dir(), "pages");
    newcomer.follows("new");
    let page = newcomer.page();
    let text = std::fs::read_to_string(newcomer.terminal.path(&page)).unwrap();
    newcomer.terminal.write(&page, format!("{text}\nSessions end after one day.\n")).unwrap();
    newcomer.types("");
    newcomer.sees("Pages      1\n");
    newcomer.follows_with("search", "when do sessions end");
    newcomer.sees("Sessions end after one day.");
    newcomer.sees(&page);
}

#[test]
fn a_folder_of_notes_becomes_a_project() {
    let files =
        [("Alpha.md", "# Alpha\n\nThe first. See [[Beta]] and [[Gamma]].\n"), ("more/Beta.md", "# Beta\n")];
    let mut newcomer = Newcomer::among(&files);
    newcomer.follows("init");
    assert_eq!(newcomer.pages_dir(), ".");
    newcomer.sees("2 pages");
    for (path, text) in files {
        assert_eq!(std::fs::read_to_string(newcomer.terminal.path(path)).unwrap(), text);
    }
    newcomer.follows("doctor");
    newcomer.sees("'Gamma'");
    newcomer.types("");
    newcomer.sees("and 1 broken");
    newcomer.follows_with("search", "the first");
    newcomer.sees("Alpha.md:");
}

#[test]
fn a_vault_stays_a_vault() {
    let mut newcomer =
        Newcomer::among(&[(".obsidian/app.json", "{}"), ("notes/Plan.md", "# Plan\n"), ("a.md", "a\n")]);
    newcomer.follows("init");
    assert_eq!(newcomer.pages_dir(), ".");
    assert!(!newcomer.terminal.path("pages").exists());
    newcomer.sees("your files are never written");
}

#[test]
fn a_folder_of_pages_is_found() {
    let mut newcomer =
        Newcomer::among(&[("README.md", "# Code\n"), ("pages/Login.md", "# Login\n\nBy password.\n")]);
    newcomer.follows("init");
    assert_eq!(newcomer.pages_dir(), "pages");
    newcomer.follows_with("search", "password");
    newcomer.sees("pages/Login.md:");
}

#[test]
fn in_a_repository_a_stale_page_is_found_and_reviewed() {
    let terminal = Terminal::new().unwrap();
    terminal.write("README.md", "# Shop\n").unwrap();
    terminal.write("src/login.rs", "fn login() {}\n").unwrap();
    terminal
        .write("docs/login.md", "---\nsource_refs: [src/login.rs]\n---\n# Login\n\nBy password.\n")
        .unwrap();
    terminal.write("docs/tokens.md", "# Tokens\n").unwrap();
    for arguments in ["init -q", "add .", "commit -q -m first"] {
        terminal.git(arguments);
    }
    let mut newcomer = Newcomer { terminal, screen: String::new() };
    newcomer.types("");
    newcomer.follows("init");
    assert_eq!(newcomer.pages_dir(), "docs");
    newcomer.types("");
    newcomer.does_not_see("stale");
    std::fs::write(newcomer.terminal.path("src/login.rs"), "fn login(token: &str) {}\n").unwrap();
    newcomer.types("");
    newcomer.follows("stale");
    newcomer.sees("docs/login.md");
    let (_, settle) = newcomer.screen.split_once("ubp review").unwrap();
    let settle = format!("review{}", settle.lines().next().unwrap().trim_end_matches('`'));
    newcomer.types(&settle);
    newcomer.types("");
    newcomer.does_not_see("stale");
}

#[test]
fn the_suggested_viewer_command_shows_the_pages() {
    let mut newcomer = Newcomer::among(&[("a.md", "# Alpha\n")]);
    newcomer.follows("init");
    assert_eq!(newcomer.shown("viewer"), "viewer");
    let viewer = Viewer::on(Arc::new(with_app(newcomer.terminal)), "");
    assert_eq!(viewer.get("/").status, 200);
    assert_eq!(viewer.call("list_pages", &json!({}))["total"], 1);
}

/// Runs a command that writes the settings of Claude Code, and starts the server as they say.
fn connected(newcomer: &Newcomer, install: &str) -> McpClient {
    let folder = newcomer.terminal.folder();
    let installed = command(folder, &install.split(' ').collect::<Vec<_>>()).output().unwrap();
    assert!(installed.status.success(), "{installed:?}");
    let settings: Value = serde_json::from_slice(&std::fs::read(folder.join(".mcp.json")).unwrap()).unwrap();
    let server = &settings["mcpServers"]["ubp"];
    assert_eq!(server["command"], program().to_str().unwrap());
    let mut process = std::process::Command::new(server["command"].as_str().unwrap());
    process.args(server["args"].as_array().unwrap().iter().filter_map(Value::as_str)).current_dir(folder);
    McpClient::start_fresh(process, "ubp_status", &json!({})).unwrap()
}

#[test]
fn an_agent_connected_by_the_suggested_command_reads_the_pages() {
    let mut newcomer = Newcomer::among(&[("a.md", "# Alpha\n\nZebras are striped.\n")]);
    newcomer.follows("init");
    let mut agent = connected(&newcomer, &newcomer.shown("mcp install"));
    let found = agent.ask("ubp_search", json!({ "query": "striped zebras" })).unwrap();
    assert!(found.to_string().contains("a.md"), "{found}");
}

#[test]
fn the_first_proposal_of_an_agent_is_accepted_with_commands_from_the_screen() {
    let mut newcomer = Newcomer::among(&[("a.md", "# Alpha\n\nZebras are striped.\n")]);
    newcomer.follows("init");
    let mut agent = connected(&newcomer, &format!("{} --write", newcomer.shown("mcp install")));
    let edit =
        json!({ "page": "Alpha", "old": "striped", "new": "black and white", "reason": "More exact." });
    agent.ask("ubp_update_page", edit).unwrap();
    newcomer.types("status");
    newcomer.follows("proposals");
    newcomer.sees("More exact.");
    newcomer.follows("proposals");
    newcomer.sees("+Zebras are black and white.");
    newcomer.follows("proposals accept");
    let text = std::fs::read_to_string(newcomer.terminal.path("a.md")).unwrap();
    assert!(text.contains("Zebras are black and white."), "{text}");
}

#[test]
fn the_commands_of_the_readme_work_in_another_project() {
    let readme = std::fs::read_to_string("../README.md").unwrap();
    let (_, own) = readme.split_once("in your own project:").unwrap();
    let block = own.split("```").nth(1).unwrap();
    let commands: Vec<&str> = block
        .lines()
        .filter_map(|line| line.strip_prefix("ubp"))
        .map(|line| line.split('#').next().unwrap_or_default().trim())
        .collect();
    assert!(commands.len() >= 3, "{block}");
    let mut newcomer = Newcomer::among(&[("notes/a.md", "# Your question\n\nAnd its answer.\n")]);
    for command in commands {
        newcomer.types(command);
    }
    newcomer.sees("Pages      1\n");
}
