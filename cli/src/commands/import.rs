//! `ubp import`: turn the notes of another program into pages.

use clap::Args;
use std::path::{Path, PathBuf};
use ubp_core::message;

use ubp_core::import::{Kind, Options, prepare, show};
use ubp_core::{Context, Error};
use ubp_host::import::Notes;

use crate::args::choice::{self, one_of};
use crate::output::{CommandResult, Failure, printable};
use crate::session::Session;
use crate::terminal::{Terminal, answer};

/// `ubp import`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp import Export-1234.zip --dry-run     count, and list what is lost\n  \
    ubp import Export-1234.zip               a Notion export (Markdown & CSV)\n  \
    ubp import ~/graph --into notes          a Logseq graph, into notes/\n  \
    ubp import ~/vault                       a copy of an Obsidian vault\n\n\
    A vault also works in place: run `ubp init` in it instead. Existing files are never overwritten;\n\
    importing again writes only what is missing. `ubp undo` undoes an import.")]
pub struct ImportArgs {
    /// Folder or ZIP archive with the notes
    #[arg(value_name = "DIR|ZIP", value_hint = clap::ValueHint::AnyPath)]
    pub path: PathBuf,
    /// Program that the notes come from [default: recognised by the files]
    #[arg(long, value_name = "PROGRAM", value_parser = one_of::<Kind>(choice::IMPORTED))]
    pub from: Option<Kind>,
    /// Folder for the pages, below the pages folder
    #[arg(long, value_name = "DIR")]
    pub into: Option<String>,
    /// Import even if links of existing pages would lead to imported pages of the same name
    #[arg(long)]
    pub allow_same_name: bool,
    /// Show what would be imported without writing it
    #[arg(long)]
    pub dry_run: bool,
}

pub(crate) fn run(
    terminal: &mut Terminal<'_>,
    mut session: Session,
    folder: &Path,
    args: ImportArgs,
) -> CommandResult {
    let path = folder.join(&args.path);
    refuse_own_folder(&session, &path)?;
    let cancel = terminal.io.cancel.clone();
    let notes = Notes::open(&path, &cancel)?;
    let read = |path: &str| notes.read(path);
    let options = Options {
        from: args.from,
        into: args.into.map(|into| session.folder(&into)).unwrap_or_default(),
        allow_same_name: args.allow_same_name,
    };
    let prepared =
        session.write(terminal, |context: &Context<'_>| prepare(context, notes.export(&read), &options))?;
    if args.dry_run {
        return answer(terminal, prepared.output(), show);
    }
    prepared.check()?;
    if !prepared.link_types().is_empty() {
        session.project.manifest.links.types.extend_from_slice(prepared.link_types());
        session.project.save_manifest()?;
        session.engine.manifest = session.project.manifest.clone();
    }
    let output = session.write(terminal, |context| prepared.write(context))?;
    answer(terminal, &output, show)
}

/// Refuses a folder whose pages are pages of the project already.
fn refuse_own_folder(session: &Session, path: &Path) -> Result<(), Failure> {
    let shown = printable(&path.to_string_lossy());
    let path = std::fs::canonicalize(path).map_err(|error| Error::io(shown.clone(), error))?;
    let pages = &session.project.pages_dir;
    if path == *pages || path == session.project.root {
        let words =
            message!("{shown}: this is the project; its notes are pages already, and need no import", shown);
        return Err(Error::invalid(words).into());
    }
    if path.is_dir() && path.starts_with(pages) {
        let words = message!(
            "{shown}: in the pages folder, so its files are pages already; move it out first",
            shown
        );
        return Err(Error::invalid(words).into());
    }
    Ok(())
}
