//! Events of clients: which files an agent is about to edit, or has edited.

use std::path::{Path, PathBuf};

use serde_json::Value;

/// An event about files.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Event {
    /// Names the agent's session.
    pub session: String,
    pub moment: Moment,
    /// Absolute paths.
    pub files: Vec<PathBuf>,
}

/// Whether a file is about to be edited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Moment {
    Before,
    After,
}

/// Names under which tools take a path.
const PATHS: [&str; 4] = ["file_path", "notebook_path", "path", "target_file"];

/// Lines of a patch that name a file.
const HEADERS: [&str; 4] = ["*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: "];

impl Event {
    /// The event, if it is about files. Relative paths are in the folder that the client names, otherwise in `folder`.
    pub(super) fn of(value: &Value, folder: &Path) -> Option<Self> {
        let text = |name: &str| value[name].as_str().unwrap_or_default();
        let moment = match text("hook_event_name") {
            "PreToolUse" | "preToolUse" => Moment::Before,
            "PostToolUse" | "postToolUse" if text("tool_name") == "Read" => Moment::Before,
            "PostToolUse" | "postToolUse" => Moment::After,
            _ => return None,
        };
        let roots = value["workspace_roots"].as_array().and_then(|roots| roots.first()?.as_str());
        let place = [value["cwd"].as_str(), roots].into_iter().flatten().find(|path| !path.is_empty());
        let folder = folder.join(place.unwrap_or_default());
        let input = &value["tool_input"];
        let named = PATHS.iter().find_map(|name| input[*name].as_str());
        let patch = ["command", "input", "patch"].iter().find_map(|name| input[*name].as_str());
        let mut files: Vec<PathBuf> = named
            .into_iter()
            .chain(patch.into_iter().flat_map(files_of_patch))
            .filter(|path| !path.is_empty())
            .map(|path| folder.join(path))
            .collect();
        files.dedup();
        if files.is_empty() {
            return None;
        }
        // Not all versions of Cursor name the session.
        let own = ["session_id", "conversation_id"].map(text).into_iter().find(|id| !id.is_empty());
        // An agent that another one started has not seen what that one was told.
        let session = format!("{} {}", own.unwrap_or_default(), text("agent_id"));
        Some(Self { session, moment, files })
    }
}

fn files_of_patch(patch: &str) -> impl Iterator<Item = &str> {
    patch
        .lines()
        .filter_map(|line| HEADERS.iter().find_map(|header| line.strip_prefix(header)).map(str::trim))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;

    use super::*;

    fn event(value: &Value) -> Option<(Moment, Vec<String>)> {
        let event = Event::of(value, Path::new("/here"))?;
        let files = event.files.iter().map(|file| file.to_string_lossy().replace('\\', "/"));
        Some((event.moment, files.collect()))
    }

    #[test]
    fn an_edit_names_its_file() {
        let edit = json!({
            "hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/project/src",
            "tool_name": "Edit", "tool_input": { "file_path": "/project/src/a.rs", "old_string": "" },
        });
        assert_eq!(event(&edit), Some((Moment::Before, vec!["/project/src/a.rs".into()])));
        let read = json!({
            "hook_event_name": "postToolUse", "workspace_roots": ["/project"], "tool_name": "Read",
            "tool_input": { "path": "src/a.rs" },
        });
        assert_eq!(event(&read), Some((Moment::Before, vec!["/project/src/a.rs".into()])));
    }

    #[test]
    fn a_session_goes_by_its_id_or_by_that_of_the_conversation() {
        let session = |ids: Value| {
            let mut value = json!({ "hook_event_name": "PreToolUse", "tool_input": { "file_path": "a" } });
            value.as_object_mut().unwrap().extend(ids.as_object().unwrap().clone());
            Event::of(&value, Path::new("/here")).unwrap().session
        };
        assert_eq!(session(json!({ "session_id": "s", "conversation_id": "c" })), "s ");
        assert_eq!(session(json!({ "session_id": "", "conversation_id": "c", "agent_id": "a" })), "c a");
        assert_eq!(session(json!({})), " ");
    }

    #[test]
    fn a_patch_names_its_files() {
        let patch = "*** Begin Patch\n*** Update File: src/a.rs\n*** Move to: src/b.rs\n@@\n-x\n+y\n*** Add File: c d.txt\n+z\n*** End Patch\n";
        let value = json!({
            "hook_event_name": "PostToolUse", "cwd": "/p", "tool_name": "apply_patch",
            "tool_input": { "command": patch },
        });
        let files = ["/p/src/a.rs", "/p/src/b.rs", "/p/c d.txt"].map(str::to_owned).to_vec();
        assert_eq!(event(&value), Some((Moment::After, files)));
    }

    #[test]
    fn other_events_are_about_no_file() {
        for value in [
            json!(null),
            json!([1]),
            json!({ "hook_event_name": "Stop" }),
            json!({ "hook_event_name": "PreToolUse", "tool_input": { "command": "ls" } }),
            json!({ "hook_event_name": "PreToolUse", "tool_input": "text" }),
        ] {
            assert_eq!(event(&value), None, "{value}");
        }
    }
}
