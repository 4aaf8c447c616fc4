//! Questions of `ubp init`: which folder has the pages, which agent to connect, and whether to add templates
//! and check commits.

use std::path::Path;

use ubp_core::message;
use ubp_host::PagesFolder;

use crate::agents::servers::ServerEntry;
use crate::agents::{ClientChoice, Launch};
use crate::commands::init::place;
use crate::commands::mcp_server::Offer;
use crate::output::{Failure, counted};
use crate::terminal::Terminal;

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
const CLIENTS: [ClientChoice; 3] = [ClientChoice::ClaudeCode, ClientChoice::Cursor, ClientChoice::Vscode];

/// Asks which agent to connect, and writes its settings; returns whether one was chosen.
pub(crate) fn client(terminal: &mut Terminal<'_>, root: &Path) -> Result<bool, Failure> {
    let entry = |terminal: &Terminal<'_>, client: ClientChoice| {
        ServerEntry::of(client, root, Launch::of(terminal.io), &Offer::default())
    };
    terminal.note(message!("Let an AI agent read these pages?"));
    for (at, client) in CLIENTS.iter().enumerate() {
        let file = entry(terminal, *client).place.file(root, &terminal.io.environment)?.1;
        let name = format!("{:<12}", client.name());
        terminal.note(message!("  {at}  {name} writes {file}", at = at + 1, name, file));
    }
    let answer = terminal.ask(message!("A number, or Enter for none:"))?;
    let number = answer.parse::<usize>().ok().map(|number| number.wrapping_sub(1));
    let Some(&client) = number.and_then(|at| CLIENTS.get(at)) else { return Ok(false) };
    let plan = entry(terminal, client).plan(root, &terminal.io.environment, false)?;
    let (file, name) = (&plan.shown, client.name());
    if plan.is_done() {
        terminal.line(message!("  {file} is as it should be", file))?;
        return Ok(true);
    }
    plan.write()?;
    terminal.line(match plan.is_new() {
        true => {
            message!("  created  {file}; start {name} in this folder to let it read your pages", file, name)
        }
        false => {
            message!("  changed  {file}; start {name} in this folder to let it read your pages", file, name)
        }
    })?;
    Ok(true)
}

/// Asks whether to write a change that was shown.
pub(crate) fn write(terminal: &mut Terminal<'_>, file: &str) -> Result<bool, Failure> {
    let answer = terminal.ask(message!("Write this to {file}? [Y/n]:", file))?;
    Ok(matches!(answer.to_lowercase().as_str(), "" | "y" | "yes"))
}
