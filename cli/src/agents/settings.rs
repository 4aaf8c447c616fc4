//! A settings file of a client, changed in one place.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstNode, CstObject, CstRootNode};
use serde_json::Value;
use toml_edit::{Array, DocumentMut, Item, Table, value};
use ubp_core::message::Message;
use ubp_core::writing::hunks;
use ubp_core::{Error, message};
use ubp_host::atomic;

use crate::Environment;

/// Where a client keeps settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// In the folder that the client works in.
    Project(&'static str),
    /// In the user's home folder.
    Home(&'static str),
    /// In the folder of Claude Desktop.
    ClaudeDesktop,
}

impl Place {
    /// The file, and its name for people.
    ///
    /// # Errors
    /// [`Error::InvalidParams`] if the user has no home folder.
    pub(crate) fn file(self, folder: &Path, environment: &Environment) -> Result<(PathBuf, String), Error> {
        let home = |variable: &'static str, rest: &str| match environment.get(variable) {
            Some(home) if Path::new(home).is_absolute() => {
                let file = Path::new(home).join(rest);
                let shown = file.to_string_lossy().into_owned();
                Ok((file, shown))
            }
            _ => Err(Error::invalid(message!("{variable} does not name a folder", variable))),
        };
        let user = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
        match self {
            Self::Project(name) => Ok((folder.join(name), name.to_owned())),
            Self::Home(name) => home(user, name),
            Self::ClaudeDesktop if cfg!(windows) => home("APPDATA", "Claude/claude_desktop_config.json"),
            Self::ClaudeDesktop if cfg!(target_os = "macos") => {
                home(user, "Library/Application Support/Claude/claude_desktop_config.json")
            }
            Self::ClaudeDesktop => home(user, ".config/Claude/claude_desktop_config.json"),
        }
    }

    /// The place for a person who edits the file.
    pub(crate) fn described(self) -> Message {
        match self {
            Self::Project(name) => message!("{name} in the project", name),
            Self::Home(name) => Message::verbatim(format!("~/{name}")),
            Self::ClaudeDesktop => {
                message!("claude_desktop_config.json (Settings > Developer > Edit Config)")
            }
        }
    }
}

/// A file, and what it will be.
#[derive(Debug)]
pub(crate) struct SettingsFile {
    /// Its name for people.
    pub shown: String,
    path: PathBuf,
    before: Option<String>,
    after: String,
}

impl SettingsFile {
    /// Plans a change: `edit` gets the text, empty for a new file.
    ///
    /// # Errors
    /// [`Error::Io`], and [`Error::InvalidParams`] if `edit` cannot change the text.
    pub(crate) fn plan(
        path: PathBuf,
        shown: String,
        edit: impl FnOnce(&str) -> Result<String, Message>,
    ) -> Result<Self, Error> {
        let before = match fs::read(&path) {
            Ok(bytes) => Some(String::from_utf8(bytes).map_err(|_| {
                Error::invalid(message!("{shown} is not in UTF-8; nothing was changed", shown = &*shown))
            })?),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(Error::io(&*shown, error)),
        };
        let text = before.as_deref().unwrap_or_default();
        let (mark, text) = text.strip_prefix('\u{feff}').map_or(("", text), |rest| ("\u{feff}", rest));
        let after = edit(text).map_err(|problem| {
            Error::invalid(message!("{shown}: {problem}; nothing was changed", shown = &*shown, problem))
        })?;
        Ok(Self { shown, path, after: format!("{mark}{after}"), before })
    }

    /// Whether the file is as it should be.
    pub(crate) fn is_done(&self) -> bool {
        self.before.as_ref().map_or(self.after.is_empty(), |before| *before == self.after)
    }

    /// Whether the file does not exist.
    pub(crate) fn is_new(&self) -> bool {
        self.before.is_none()
    }

    /// The change as a unified diff.
    pub(crate) fn diff(&self) -> String {
        let old = if self.is_new() { "/dev/null".into() } else { format!("a/{}", self.shown) };
        let changed = hunks(self.before.as_deref().unwrap_or_default(), &self.after);
        format!("--- {old}\n+++ b/{}\n{changed}", self.shown)
    }

    /// Writes the file.
    ///
    /// # Errors
    /// [`Error::Io`]; the file is then as it was.
    pub(crate) fn write(&self) -> Result<(), Error> {
        // A link to a file in another place remains one.
        let path = fs::canonicalize(&self.path).unwrap_or_else(|_| self.path.clone());
        let known = match fs::read(&path) {
            Ok(bytes) => Some(bytes),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(Error::io(&*self.shown, error)),
        };
        if known.as_deref() != self.before.as_ref().map(String::as_bytes) {
            let shown = &*self.shown;
            return Err(Error::invalid(message!("{shown} changed meanwhile; run the command again", shown)));
        }
        atomic::write(&path, self.after.as_bytes(), &self.shown)
    }
}

/// Sets the value at `keys` of a JSON object; without a value, removes it.
pub(crate) fn set_json(text: &str, keys: &[&str], to: Option<&Value>) -> Result<String, Message> {
    let (root, object) = parsed(text)?;
    let Some((name, above)) = keys.split_last() else { return Ok(text.into()) };
    let mut object = object;
    for key in above {
        object = match object.get(key).and_then(|found| found.value()) {
            None if to.is_none() => return Ok(text.into()),
            _ => inner(&object, key)?,
        };
    }
    match (object.get(name), to) {
        (Some(found), Some(value))
            if found.value().and_then(|node| node.to_serde_value()).as_ref() == Some(value) =>
        {
            return Ok(text.into());
        }
        (Some(found), Some(value)) => found.set_value(input(value)),
        (None, Some(value)) => drop(object.append(name, input(value))),
        (Some(found), None) => found.remove(),
        (None, None) => return Ok(text.into()),
    }
    Ok(finished(&root))
}

/// Replaces those entries of the list at `keys` that are `ours` by `entry`, at the place of the first.
pub(crate) fn set_in_list(
    text: &str,
    keys: [&str; 2],
    ours: impl Fn(&Value) -> bool,
    entry: Option<&Value>,
) -> Result<String, Message> {
    let (root, outer) = parsed(text)?;
    let [above, name] = keys;
    if entry.is_none() && outer.get(above).is_none() {
        return Ok(text.into());
    }
    let object = inner(&outer, above)?;
    if entry.is_none() && object.get(name).is_none() {
        return Ok(text.into());
    }
    let list = object.array_value_or_create(name).ok_or_else(|| message!("{name} is not a list", name))?;
    let mut found: Vec<CstNode> = Vec::new();
    for element in list.elements() {
        if element.to_serde_value().is_some_and(|value| ours(&value)) {
            found.push(element);
        }
    }
    let is_same = |node: &CstNode| node.to_serde_value().as_ref() == entry;
    if (entry.is_none() && found.is_empty()) || (found.len() == 1 && found.iter().all(is_same)) {
        return Ok(text.into());
    }
    let at = found.first().and_then(CstNode::element_index);
    for element in found {
        element.remove();
    }
    match (entry, at) {
        (Some(entry), Some(at)) => drop(list.insert(at, input(entry))),
        (Some(entry), None) => drop(list.append(input(entry))),
        (None, _) if list.elements().is_empty() => {
            object.get(name).into_iter().for_each(|property| property.remove());
            if object.properties().is_empty() {
                outer.get(above).into_iter().for_each(|property| property.remove());
            }
        }
        (None, _) => {}
    }
    Ok(finished(&root))
}

/// Whether a JSON object has the key.
pub(crate) fn has_key(text: &str, key: &str) -> bool {
    parsed(text).is_ok_and(|(_, object)| object.get(key).is_some())
}

/// Sets a table of TOML with a command and its arguments; without them, removes it.
pub(crate) fn set_toml(
    text: &str,
    keys: [&str; 2],
    server: Option<(&str, &[String])>,
) -> Result<String, Message> {
    let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| {
        message!("not valid TOML: {error}", error = error.message())
    })?;
    let [above, name] = keys;
    if server.is_none() && document.get(above).and_then(|table| table.get(name)).is_none() {
        return Ok(text.into());
    }
    let servers = document.entry(above).or_insert_with(|| {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    });
    let servers =
        servers.as_table_like_mut().ok_or_else(|| message!("{name} is not a table", name = above))?;
    let Some((command, arguments)) = server else {
        servers.remove(name);
        return Ok(document.to_string());
    };
    let arguments: Array = arguments.iter().collect();
    let table = servers.entry(name).or_insert_with(|| Item::Table(Table::new()));
    let table = table.as_table_like_mut().ok_or_else(|| message!("{name} is not a table", name))?;
    for (key, new) in [("command", value(command)), ("args", value(arguments))] {
        let old = table.get(key).map(|item| item.to_string().trim().to_owned());
        if old.as_deref() != Some(new.to_string().trim()) {
            table.insert(key, new);
        }
    }
    Ok(document.to_string())
}

fn parsed(text: &str) -> Result<(CstRootNode, CstObject), Message> {
    let text = if text.trim().is_empty() { "{}\n" } else { text };
    // As strict as clients are, except for comments, which some of them allow.
    let options = ParseOptions {
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        ..ParseOptions::default()
    };
    let root = CstRootNode::parse(text, &options)
        .map_err(|error| message!("not valid JSON: {error}", error = error.to_string()))?;
    let object = root.object_value().ok_or_else(|| message!("not a JSON object"))?;
    Ok((root, object))
}

fn inner(object: &CstObject, key: &str) -> Result<CstObject, Message> {
    object.object_value_or_create(key).ok_or_else(|| message!("{key} is not an object", key))
}

fn finished(root: &CstRootNode) -> String {
    let mut text = root.to_string();
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(values) => CstInputValue::Array(values.iter().map(input).collect()),
        Value::Object(values) => {
            CstInputValue::Object(values.iter().map(|(key, value)| (key.clone(), input(value))).collect())
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use insta::assert_snapshot;
    use serde_json::json;

    use super::*;

    const KEYS: &[&str] = &["mcpServers", "ubp"];

    #[test]
    fn a_server_is_added_and_all_else_stays() {
        let text = "{\n    // kept\n    \"mcpServers\": {\n        \"other\": {\"command\": \"x\"},\n    },\n    \"more\": 1e3\n}";
        let server = json!({ "args": ["mcp-server"], "command": "ubp" });
        let added = set_json(text, KEYS, Some(&server)).unwrap();
        assert_snapshot!(added, @r#"
        {
            // kept
            "mcpServers": {
                "other": {"command": "x"},
                "ubp": {
                    "args": ["mcp-server"],
                    "command": "ubp",
                },
            },
            "more": 1e3
        }
        "#);
        assert_eq!(set_json(&added, KEYS, Some(&server)).unwrap(), added, "a second time changes nothing");
        assert_eq!(set_json(&added, KEYS, None).unwrap().trim_end(), text);
        assert_snapshot!(set_json("", KEYS, Some(&server)).unwrap(), @r#"
        {
          "mcpServers": {
            "ubp": {
              "args": ["mcp-server"],
              "command": "ubp"
            }
          }
        }
        "#);
        assert_eq!(set_json(text, &["servers", "ubp"], None).unwrap(), text);
    }

    #[test]
    fn a_file_that_cannot_be_understood_is_left_alone() {
        let told = |text: &str| set_json(text, KEYS, Some(&json!({}))).unwrap_err().to_string();
        assert_snapshot!(told("{\"mcpServers\": [1]}"), @"mcpServers is not an object");
        assert_snapshot!(told("[]"), @"not a JSON object");
        assert_snapshot!(told("{\n  \"a\": 1\n  \"b\": 2\n}"), @"not valid JSON: Expected comma on line 2 column 9");
        assert_snapshot!(set_toml("a = = 1", ["mcp_servers", "ubp"], None).unwrap_err().to_string(), @"not valid TOML: extra `=`, expected nothing");
        assert_snapshot!(set_toml("mcp_servers = 1", ["mcp_servers", "ubp"], Some(("ubp", &[]))).unwrap_err().to_string(), @"mcp_servers is not a table");
    }

    #[test]
    fn entries_of_a_list_are_replaced_where_they_are() {
        let keys = ["hooks", "PreToolUse"];
        let ours = |value: &Value| value["command"] == "old" || value["command"] == "new";
        let text = "{\"hooks\": {\"PreToolUse\": [{\"command\": \"old\"}, {\"command\": \"theirs\"}, {\"command\": \"old\"}]}}\n";
        let set = |text: &str, entry: Option<&Value>| set_in_list(text, keys, ours, entry).unwrap();
        let new = json!({ "command": "new" });
        let replaced = set(text, Some(&new));
        let read: Value = serde_json::from_str(&replaced).unwrap();
        assert_eq!(
            read,
            json!({ "hooks": { "PreToolUse": [{ "command": "new" }, { "command": "theirs" }] } })
        );
        assert_eq!(set(&replaced, Some(&new)), replaced);
        let removed: Value = serde_json::from_str(&set(&replaced, None)).unwrap();
        assert_eq!(removed, json!({ "hooks": { "PreToolUse": [{ "command": "theirs" }] } }));
        assert_eq!(set("{}\n", None), "{}\n");
        assert!(set_in_list("{\"hooks\": {\"PreToolUse\": {}}}", keys, ours, Some(&new)).is_err());
    }

    #[test]
    fn toml_keeps_its_comments() {
        let text = "# mine\nmodel = \"x\"\n\n[mcp_servers.other]\ncommand = \"y\" # theirs\n";
        let arguments = ["mcp-server".to_owned()];
        let keys = ["mcp_servers", "ubp"];
        let added = set_toml(text, keys, Some(("ubp", &arguments))).unwrap();
        assert_snapshot!(added, @r#"
        # mine
        model = "x"

        [mcp_servers.other]
        command = "y" # theirs

        [mcp_servers.ubp]
        command = "ubp"
        args = ["mcp-server"]
        "#);
        assert_eq!(set_toml(&added, keys, Some(("ubp", &arguments))).unwrap(), added);
        assert_eq!(set_toml(&added, keys, None).unwrap(), text);
    }
}
