//! Settings with which MCP clients start this server.

use std::path::Path;

use serde_json::{Value, json};
use ubp_core::Error;
use ubp_core::message::Message;

use super::settings::{set_json, set_toml};
use super::{ClientChoice, Launch, Place, SettingsFile};
use crate::Environment;
use crate::commands::mcp_server::Offer;

/// How a client writes the entry of a server.
#[derive(Debug, Clone, Copy)]
enum Format {
    Json(&'static str),
    Toml(&'static str),
}

/// The entry of this server in a client's settings.
pub(crate) struct ServerEntry {
    pub place: Place,
    format: Format,
    command: String,
    arguments: Vec<String>,
    has_type: bool,
}

/// Name of the server in settings.
const NAME: &str = "ubp";

impl ServerEntry {
    /// The entry for `client`. Project settings are shared, and the client starts the server in the project. User
    /// settings need the path.
    pub(crate) fn of(client: ClientChoice, root: &Path, launch: Launch, offer: &Offer) -> Self {
        let in_folder = |folder: &str| vec!["-C".to_owned(), folder.to_owned()];
        let anywhere = if offer.user { Vec::new() } else { in_folder(&root.to_string_lossy()) };
        let (place, format, before) = match client {
            ClientChoice::ClaudeCode => (Place::Project(".mcp.json"), Format::Json("mcpServers"), Vec::new()),
            ClientChoice::ClaudeDesktop => (Place::ClaudeDesktop, Format::Json("mcpServers"), anywhere),
            ClientChoice::Cursor => (
                Place::Project(".cursor/mcp.json"),
                Format::Json("mcpServers"),
                in_folder("${workspaceFolder}"),
            ),
            ClientChoice::Vscode => {
                (Place::Project(".vscode/mcp.json"), Format::Json("servers"), in_folder("${workspaceFolder}"))
            }
            ClientChoice::Codex => (Place::Home(".codex/config.toml"), Format::Toml("mcp_servers"), anywhere),
        };
        let mut arguments = launch.arguments;
        arguments.extend(before);
        arguments.push("mcp-server".into());
        if let Some(write) = offer.write {
            arguments.push(write.flag().into());
        }
        if let Some(named) = &offer.named {
            arguments.extend(["--as".into(), named.clone()]);
        }
        if offer.user {
            arguments.push("--user".into());
        }
        if !offer.tools.is_empty() {
            arguments.extend(["--tools".into(), offer.tools.join(",")]);
        }
        let has_type = client == ClientChoice::Vscode;
        Self { place, format, command: launch.command, arguments, has_type }
    }

    /// Settings with nothing but the entry.
    pub(crate) fn snippet(&self) -> Result<String, Message> {
        match self.format {
            Format::Json(key) => Ok(format!("{:#}", json!({ key: { NAME: self.value() } }))),
            Format::Toml(_) => self.within("").map(|text| text.trim_end().to_owned()),
        }
    }

    /// Plans to add the entry to the client's settings, or with `remove` to remove it.
    ///
    /// # Errors
    /// As [`Place::file`] and [`SettingsFile::plan`].
    pub(crate) fn plan(
        &self,
        root: &Path,
        environment: &Environment,
        remove: bool,
    ) -> Result<SettingsFile, Error> {
        let (path, shown) = self.place.file(root, environment)?;
        SettingsFile::plan(path, shown, |text| if remove { self.without(text) } else { self.within(text) })
    }

    fn within(&self, text: &str) -> Result<String, Message> {
        match self.format {
            Format::Json(key) => set_json(text, &[key, NAME], Some(&self.value())),
            Format::Toml(key) => set_toml(text, [key, NAME], Some((&self.command, &self.arguments))),
        }
    }

    fn without(&self, text: &str) -> Result<String, Message> {
        match self.format {
            Format::Json(key) => set_json(text, &[key, NAME], None),
            Format::Toml(key) => set_toml(text, [key, NAME], None),
        }
    }

    fn value(&self) -> Value {
        let mut server = json!({ "command": self.command, "args": self.arguments });
        if self.has_type {
            server["type"] = "stdio".into();
        }
        server
    }
}
