//! Settings with which clients ask this program before and after edits.

use std::path::Path;

use clap::ValueEnum;
use serde_json::{Value, json};
use ubp_core::Error;
use ubp_core::message::Message;

use super::settings::{has_key, set_in_list, set_json};
use super::{Launch, Place, SettingsFile};
use crate::Environment;

/// A client that runs commands around its edits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum HookClient {
    /// Claude Code
    ClaudeCode,
    /// Codex
    Codex,
    /// Cursor
    Cursor,
}

/// Seconds that a client waits for an answer.
const PATIENCE: u32 = 20;

impl HookClient {
    /// The client's name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::Codex => "Codex",
            Self::Cursor => "Cursor",
        }
    }

    /// The client as an argument.
    pub(crate) fn flag(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::Cursor => "cursor",
        }
    }

    /// The file of its hooks: in the folder that it works in, or in the user's home folder.
    pub(crate) fn place(self, for_user: bool) -> Place {
        let file = match self {
            Self::ClaudeCode => ".claude/settings.json",
            Self::Codex => ".codex/hooks.json",
            Self::Cursor => ".cursor/hooks.json",
        };
        if for_user { Place::Home(file) } else { Place::Project(file) }
    }

    /// Its events, and the tools that they are about.
    fn events(self) -> &'static [(&'static str, &'static str)] {
        const EDITS: &str = "Edit|MultiEdit|Write|NotebookEdit";
        const PATCHES: &str = "apply_patch|Edit|Write";
        match self {
            Self::ClaudeCode => &[("PreToolUse", EDITS), ("PostToolUse", EDITS)],
            Self::Codex => &[("PreToolUse", PATCHES), ("PostToolUse", PATCHES)],
            // Cursor reads a file before it edits it, and takes text only after a tool.
            Self::Cursor => &[("postToolUse", "^(Read|Write)$")],
        }
    }

    fn entry(self, tools: &str, line: &str) -> Value {
        match self {
            Self::Cursor => json!({ "command": line, "matcher": tools, "timeout": PATIENCE }),
            _ => json!({
                "matcher": tools,
                "hooks": [{ "type": "command", "command": line, "timeout": PATIENCE }],
            }),
        }
    }

    /// Whether an entry runs this command.
    fn is_ours(self, entry: &Value) -> bool {
        let call = format!(" {}", self.arguments(None));
        let runs = |entry: &Value| entry["command"].as_str().is_some_and(|line| line.contains(&call));
        runs(entry)
            || entry["hooks"].as_array().is_some_and(|hooks| hooks.iter().all(runs) && !hooks.is_empty())
    }

    fn arguments(self, max_tokens: Option<usize>) -> String {
        let limit = max_tokens.map(|tokens| format!(" --max-tokens {tokens}")).unwrap_or_default();
        format!("hook {flag} --answer{limit}", flag = self.flag())
    }

    /// The text of the settings with the hooks; without `launch`, without them.
    pub(crate) fn within(
        self,
        text: &str,
        launch: Option<&Launch>,
        max_tokens: Option<usize>,
    ) -> Result<String, Message> {
        let mut text = text.to_owned();
        let line = launch.map(|launch| launch.line(&self.arguments(max_tokens)));
        // Without a version, Cursor ignores the file.
        if self == Self::Cursor && line.is_some() && !has_key(&text, "version") {
            text = set_json(&text, &["version"], Some(&json!(1)))?;
        }
        for (event, tools) in self.events() {
            let entry = line.as_ref().map(|line| self.entry(tools, line));
            text = set_in_list(&text, ["hooks", event], |entry| self.is_ours(entry), entry.as_ref())?;
        }
        Ok(text)
    }

    /// Plans to add the hooks to the client's settings; without `launch`, to remove them.
    ///
    /// # Errors
    /// As [`Place::file`] and [`SettingsFile::plan`].
    pub(crate) fn plan(
        self,
        folder: &Path,
        environment: &Environment,
        for_user: bool,
        launch: Option<&Launch>,
        max_tokens: Option<usize>,
    ) -> Result<SettingsFile, Error> {
        let (path, shown) = self.place(for_user).file(folder, environment)?;
        SettingsFile::plan(path, shown, |text| self.within(text, launch, max_tokens))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use insta::assert_snapshot;

    use super::*;

    fn launch() -> Launch {
        Launch { command: "ubp".into(), arguments: Vec::new() }
    }

    #[test]
    fn each_client_has_its_own_form() {
        let new = |client: HookClient| client.within("", Some(&launch()), None).unwrap();
        assert_snapshot!(new(HookClient::ClaudeCode), @r#"
        {
          "hooks": {
            "PreToolUse": [
              {
                "matcher": "Edit|MultiEdit|Write|NotebookEdit",
                "hooks": [
                  {
                    "type": "command",
                    "command": "ubp hook claude-code --answer",
                    "timeout": 20
                  }
                ]
              }
            ],
            "PostToolUse": [
              {
                "matcher": "Edit|MultiEdit|Write|NotebookEdit",
                "hooks": [
                  {
                    "type": "command",
                    "command": "ubp hook claude-code --answer",
                    "timeout": 20
                  }
                ]
              }
            ]
          }
        }
        "#);
        assert_snapshot!(new(HookClient::Cursor), @r#"
        {
          "version": 1,
          "hooks": {
            "postToolUse": [
              {
                "command": "ubp hook cursor --answer",
                "matcher": "^(Read|Write)$",
                "timeout": 20
              }
            ]
          }
        }
        "#);
        assert!(new(HookClient::Codex).contains("apply_patch|Edit|Write"));
    }

    #[test]
    fn hooks_of_others_stay_and_a_second_time_changes_nothing() {
        let theirs = "{\n  \"hooks\": {\n    \"PostToolUse\": [\n      { \"matcher\": \"Bash\", \"hooks\": [{ \"type\": \"command\", \"command\": \"fmt\" }] }\n    ]\n  }\n}\n";
        for client in [HookClient::ClaudeCode, HookClient::Codex] {
            let installed = client.within(theirs, Some(&launch()), None).unwrap();
            assert!(installed.contains("\"fmt\""));
            assert_eq!(client.within(&installed, Some(&launch()), None).unwrap(), installed);
            let other = client.within(&installed, Some(&launch()), Some(700)).unwrap();
            assert_eq!(other.matches("--answer").count(), 2, "another limit replaces the hooks");
            let removed: Value = serde_json::from_str(&client.within(&other, None, None).unwrap()).unwrap();
            assert_eq!(removed, serde_json::from_str::<Value>(theirs).unwrap());
        }
    }
}
