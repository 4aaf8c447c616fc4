//! `ubp init`: make a folder a project.

use crate::args::choice::{self, one_of};
use clap::Args;
use std::path::Path;

use ubp_core::graph::PipedLinks;
use ubp_core::manifest::{FrontMatterMode, LinkOrder, MANIFEST_PATH};
use ubp_host::{InitOptions, SystemClock, init};

use crate::ExitStatus;
use crate::output::{CommandResult, Failure, counted};
use crate::session::{Session, Terminal};

/// `ubp init`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp init                        pages live in pages/\n  \
    ubp init --pages-dir docs       pages live in docs/\n  \
    ubp init --pages-dir .          the whole folder is the vault\n\n\
    On an empty pages folder UBP completes front matter (id, title, times) when you add pages;\n\
    over existing pages it never writes to a file unless you edit that page through it.")]
pub struct InitArgs {
    /// Folder of the pages, relative to the project
    #[arg(long, value_name = "DIR")]
    pub pages_dir: Option<String>,
    /// Who completes front matter; chosen by whether there are pages already
    #[arg(long, value_name = "MODE", value_parser = one_of::<FrontMatterMode>(choice::FRONT_MATTER))]
    pub frontmatter: Option<FrontMatterMode>,
}

pub(crate) fn run(terminal: &mut Terminal<'_>, folder: &Path, args: &InitArgs) -> CommandResult {
    let options = InitOptions { pages_dir: args.pages_dir.clone(), frontmatter: args.frontmatter };
    let summary = init(folder, &options, &SystemClock::default())?;
    // The index is made here so that the first search finds it, and so that trouble shows at once.
    let mut session = Session::open(terminal, &summary.project.root)?;
    let report = session.write(terminal, |context| context.refresh(false))?;
    let label_first = match summary.already {
        true => None,
        false => adopt_link_order(terminal, &mut session)?,
    };
    let manifest = &session.project.manifest;
    if terminal.json {
        let value = serde_json::json!({
            "root": session.project.root,
            "already": summary.already,
            "pages_dir": manifest.pages_dir,
            "frontmatter": manifest.frontmatter.as_str(),
            "link_order": manifest.links.order,
            "page_count": report.added.len().max(summary.existing_pages),
            "notes_elsewhere": summary.notes_elsewhere,
            "created": summary.created,
            "changed": summary.changed,
        });
        terminal.print_json(&value)?;
        return Ok(ExitStatus::Success);
    }
    let what = if summary.already { "Already a project" } else { "Started a project" };
    let heading = terminal.out.strong(format!("{what}: {}", session.project.root.display()));
    terminal.line(heading)?;
    for path in &summary.created {
        terminal.line(format!("  made     {path}"))?;
    }
    for path in &summary.changed {
        terminal.line(format!("  changed  {path}"))?;
    }
    if let Some(enclosing) = &summary.enclosing {
        terminal.warn(format!("this project lies inside another one, {}", enclosing.display()));
    }
    let pages = counted(summary.existing_pages, "page", "pages");
    let mode = match manifest.frontmatter {
        FrontMatterMode::Managed => "front matter is completed when you add pages",
        FrontMatterMode::Preserved => "your files are never written unless you edit them through ubp",
    };
    terminal.line(format!("  {pages} in {}; {mode}", manifest.pages_dir))?;
    if let Some(links) = label_first {
        terminal.line(format!("  links are read label first, [[label|target]]: {}", links.told()))?;
        terminal.line(format!(
            "  (\"links\": {{\"order\": \"target_first\"}} in {MANIFEST_PATH} changes that)"
        ))?;
    }
    if summary.notes_elsewhere > 0 {
        let notes = counted(summary.notes_elsewhere, "Markdown file", "Markdown files");
        terminal.line(format!(
            "  {notes} outside of {0}/ will be no page: to take them in, write \"pages_dir\": \".\", or the folder \
             they are in, in {MANIFEST_PATH} (next time: `ubp init --pages-dir .`)",
            manifest.pages_dir
        ))?;
    }
    let next = if summary.existing_pages == 0 {
        format!("Write a page in {}/, then run `ubp add`.", manifest.pages_dir)
    } else {
        "Next: `ubp add` computes the vectors, `ubp search \"…\"` asks, `ubp doctor` looks for broken links."
            .into()
    };
    terminal.line(next)?;
    Ok(ExitStatus::Success)
}

/// Has links read as the notes write them, where most of them lead nowhere otherwise. No note is touched.
fn adopt_link_order(
    terminal: &mut Terminal<'_>,
    session: &mut Session,
) -> Result<Option<PipedLinks>, Failure> {
    let links = session.engine.index.read(PipedLinks::count)?;
    if !links.are_label_first() {
        return Ok(None);
    }
    session.project.manifest.links.order = LinkOrder::LabelFirst;
    session.project.save_manifest()?;
    session.engine.manifest = session.project.manifest.clone();
    session.write(terminal, |context| context.refresh(false))?;
    Ok(Some(links))
}
