//! Questions of `ubp init`: which folder has the pages, which agent to connect, and whether to add templates
//! and check commits.

use std::io::ErrorKind;
use std::path::Path;

use ubp_core::Error;
use ubp_core::message;
use ubp_host::{PagesFolder, atomic};

use crate::commands::init::place;
use crate::commands::mcp_server::{ClientChoice, McpServerArgs, client_config};
use crate::output::{Failure, counted, printable};
use crate::session::Terminal;

/// Asks for the pages folder if there is a choice.
pub(crate) fn pages_folder(
    terminal: &mut Terminal<'_>,
    folders: &[PagesFolder],
) -> Result<Option<String>, Failure> {
    let Some(first) = folders.first().filter(|_| folders.iter().any(|folder| folder.files > 0)) else {
        return Ok(None);
    };
    terminal.note(message!("Which folder has your pages?"));
    for (at, folder) in folders.iter().enumerate() {
        let what = match (folder.dir.as_str(), folder.files) {
            (".", files) => {
                message!(
                    "this folder as a whole, {files}",
                    files = counted(files, "Markdown file", "Markdown files")
                )
            }
            (_, 0) => message!("a new folder, for new pages"),
            (_, files) => counted(files, "Markdown file", "Markdown files"),
        };
        let name = if folder.dir == "." { ".".into() } else { place(&folder.dir).to_string() };
        let name = format!("{name:<10}");
        terminal.note(message!("  {number}  {name}  {what}", number = at + 1, name, what));
    }
    loop {
        let answer = terminal.ask(message!("A number, or another folder [1]:"))?;
        let number = answer.parse::<usize>().ok();
        return Ok(Some(match number.map(|number| folders.get(number.wrapping_sub(1))) {
            None if answer.is_empty() => first.dir.clone(),
            None => answer,
            Some(Some(chosen)) => chosen.dir.clone(),
            Some(None) => {
                terminal.note(message!("'{answer}' is not one of the choices.", answer));
                continue;
            }
        }));
    }
}

/// Asks whether to add the templates that ship with ubp.
pub(crate) fn templates(terminal: &mut Terminal<'_>) -> Result<bool, Failure> {
    let question =
        message!("Add templates for decisions (ADR), runbooks, APIs, features and meetings? [y/N]:");
    Ok(matches!(terminal.ask(question)?.to_lowercase().as_str(), "y" | "yes"))
}

/// Asks whether git is to check pages before every commit.
pub(crate) fn hook(terminal: &mut Terminal<'_>) -> Result<bool, Failure> {
    let answer =
        terminal.ask(message!("Check before every commit that pages still match their code? [y/N]:"))?;
    Ok(matches!(answer.to_lowercase().as_str(), "y" | "yes"))
}

/// Clients that read their settings from a file in the project.
const CLIENTS: [(ClientChoice, &str, &str); 3] = [
    (ClientChoice::ClaudeCode, "Claude Code", ".mcp.json"),
    (ClientChoice::Cursor, "Cursor", ".cursor/mcp.json"),
    (ClientChoice::Vscode, "VS Code", ".vscode/mcp.json"),
];

/// Asks which agent to connect, and writes its settings; returns whether one was chosen.
pub(crate) fn client(terminal: &mut Terminal<'_>, root: &Path) -> Result<bool, Failure> {
    terminal.note(message!("Let an AI agent read these pages?"));
    for (at, (_, name, file)) in CLIENTS.iter().enumerate() {
        terminal.note(message!(
            "  {at}  {name} writes {file}",
            at = at + 1,
            name = format!("{name:<12}"),
            file
        ));
    }
    let answer = terminal.ask(message!("A number, or Enter for none:"))?;
    let number = answer.parse::<usize>().ok().map(|number| number.wrapping_sub(1));
    let Some((client, name, file)) = number.and_then(|at| CLIENTS.get(at)) else { return Ok(false) };
    let snippet = client_config::of(*client, root, &terminal.io.environment, &McpServerArgs::default());
    let path = root.join(file);
    match atomic::create(&path, format!("{}\n", snippet.text).as_bytes()) {
        Ok(()) => terminal.line(message!(
            "  created  {file}; start {name} in this folder to let it read your pages",
            file,
            name
        ))?,
        // The file may have settings of other servers.
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            terminal.line(message!("  {file} exists; add this to it:", file = printable(file)))?;
            terminal.put(snippet.text)?;
        }
        Err(error) => return Err(Error::io(*file, error).into()),
    }
    Ok(true)
}
