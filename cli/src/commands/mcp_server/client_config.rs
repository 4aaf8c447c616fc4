//! Settings with which MCP clients start this server.

use std::path::Path;

use serde_json::{Value, json};

use super::{ClientChoice, McpServerArgs};
use crate::Environment;

/// Part of a client's settings, and the file for it.
pub(crate) struct Snippet {
    pub place: &'static str,
    pub text: String,
}

/// The snippet for `client`.
pub(crate) fn of(
    client: ClientChoice,
    root: &Path,
    environment: &Environment,
    args: &McpServerArgs,
) -> Snippet {
    let program = program(environment);
    let mut arguments = vec!["mcp-server".to_owned()];
    if let Some(write) = args.write {
        arguments.push(write.flag().into());
    }
    if args.user {
        arguments.push("--user".into());
    }
    if !args.tools.is_empty() {
        arguments.push("--tools".into());
        arguments.push(args.tools.join(","));
    }
    // Project settings are shared, and the client starts the server in the project. User settings need the path.
    let mut anywhere = vec!["-C".to_owned(), root.to_string_lossy().into_owned()];
    if args.user {
        anywhere.clear();
    }
    anywhere.extend(arguments.iter().cloned());
    let server = |arguments: &[String]| json!({ "command": program, "args": arguments });
    match client {
        ClientChoice::ClaudeCode => {
            file(".mcp.json in the project", &json!({ "mcpServers": { "ubp": server(&arguments) } }))
        }
        ClientChoice::ClaudeDesktop => file(
            "claude_desktop_config.json (Settings > Developer > Edit Config)",
            &json!({ "mcpServers": { "ubp": server(&anywhere) } }),
        ),
        ClientChoice::Cursor => file(
            ".cursor/mcp.json in the project",
            &json!({ "mcpServers": { "ubp": server(&in_folder("${workspaceFolder}", &arguments)) } }),
        ),
        ClientChoice::Vscode => {
            let mut server = server(&in_folder("${workspaceFolder}", &arguments));
            server["type"] = "stdio".into();
            file(".vscode/mcp.json in the project", &json!({ "servers": { "ubp": server } }))
        }
        ClientChoice::Codex => {
            let list: Vec<String> = anywhere.iter().map(|argument| toml(argument)).collect();
            let (command, list) = (toml(&program), list.join(", "));
            let text = format!("[mcp_servers.ubp]\ncommand = {command}\nargs = [{list}]");
            Snippet { place: "~/.codex/config.toml", text }
        }
    }
}

fn in_folder(folder: &str, arguments: &[String]) -> Vec<String> {
    ["-C", folder].into_iter().map(str::to_owned).chain(arguments.iter().cloned()).collect()
}

fn file(place: &'static str, settings: &Value) -> Snippet {
    Snippet { place, text: format!("{settings:#}") }
}

/// A TOML string: JSON's escapes are a subset of those of TOML's basic strings.
fn toml(text: &str) -> String {
    Value::from(text).to_string()
}

/// `ubp` if the shell finds this program by that name, otherwise its path.
fn program(environment: &Environment) -> String {
    let Ok(this) = std::env::current_exe() else { return "ubp".into() };
    let name = if cfg!(windows) { "ubp.exe" } else { "ubp" };
    let path = environment.get("PATH").unwrap_or_default();
    let first = std::env::split_paths(path).map(|folder| folder.join(name)).find(|file| file.is_file());
    let same =
        first.is_some_and(|found| std::fs::canonicalize(found).ok() == std::fs::canonicalize(&this).ok());
    if same { "ubp".into() } else { this.to_string_lossy().into_owned() }
}
