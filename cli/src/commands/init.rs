//! `ubp init`: start a project in a folder.

use crate::args::choice::{self, one_of};
use clap::Args;
use std::path::Path;
use ubp_core::message::Message;

use ubp_core::graph::PipedLinks;
use ubp_core::import::{Kind, detect};
use ubp_core::manifest::{FrontMatterMode, LinkOrder, MANIFEST_PATH};
use ubp_core::message;
use ubp_host::models::known::BUNDLED;
use ubp_host::{
    DATABASE, InitOptions, InitSummary, PagesFolder, SystemClock, UBP_DIR, add_templates, init, pages_folders,
};

use crate::ExitStatus;
use crate::agents::instructions;
use crate::commit_hook::{self, Hook};
use crate::output::{CommandResult, Failure, counted, printable};
use crate::questions;
use crate::session::Session;
use crate::terminal::Terminal;

/// `ubp init`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp init                        ask which folder has the pages\n  \
    ubp init --yes                  use the proposed folder\n  \
    ubp init --pages-dir docs       use the pages in docs/\n  \
    ubp init --pages-dir .          use the whole folder (Obsidian vault)\n  \
    ubp init --hook                 check pages before every commit\n  \
    ubp init --templates            add templates for pages, such as decisions\n  \
    ubp init --agents               tell coding agents about them, in AGENTS.md\n\n\
    Without --pages-dir, the folder with your Markdown files is proposed: a vault\n\
    or a folder of notes as a whole, otherwise pages/ or docs/. In a project, init\n\
    changes the pages folder; it does not change pages.\n\n\
    In a project without pages, `ubp add` later completes front matter (id, title,\n\
    times). Existing pages are never written to unless you edit them through ubp.")]
pub struct InitArgs {
    /// Folder of the pages, relative to the project
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    pub pages_dir: Option<String>,
    /// Who completes front matter [default: managed if there are no pages yet, otherwise preserved]
    #[arg(long, value_name = "MODE", value_parser = one_of::<FrontMatterMode>(choice::FRONT_MATTER))]
    pub frontmatter: Option<FrontMatterMode>,
    /// Create a git hook that stops a commit if it makes pages out of date
    #[arg(long)]
    pub hook: bool,
    /// Add templates for decisions (ADR), runbooks, APIs, features and meetings
    #[arg(long)]
    pub templates: bool,
    /// Add a section to AGENTS.md that tells coding agents how to use the pages
    #[arg(long)]
    pub agents: bool,
    /// Ask nothing and use the proposed settings
    #[arg(short, long)]
    pub yes: bool,
}

pub(crate) fn run(terminal: &mut Terminal<'_>, folder: &Path, args: &InitArgs) -> CommandResult {
    let asks = terminal.can_ask() && !args.yes;
    let is_new = !folder.join(MANIFEST_PATH).exists();
    let mut others = Vec::new();
    let mut pages_dir = args.pages_dir.clone();
    if is_new && pages_dir.is_none() {
        let folders = pages_folders(folder)?;
        if asks {
            pages_dir = questions::pages_folder(terminal, &folders)?;
        } else {
            pages_dir = folders.first().map(|first| first.dir.clone());
            others = folders.into_iter().skip(1).filter(|other| other.files > 0).collect();
        }
    }
    let options = InitOptions { pages_dir, frontmatter: args.frontmatter, leave_reviews: args.yes };
    let mut summary = init(folder, &options, &SystemClock::default())?;
    if args.templates {
        let added = add_templates(&mut summary.project)?;
        summary.created.extend(added.created);
        summary.changed.extend(added.changed);
    }
    if args.agents {
        let plan = instructions::plan(&summary.project.root, &summary.project.manifest.pages_dir)?;
        if !plan.is_done() {
            plan.write()?;
            let list = if plan.is_new() { &mut summary.created } else { &mut summary.changed };
            list.push(instructions::FILE.into());
        }
    }
    if !summary.project.database.exists() {
        summary.created.push(format!("{UBP_DIR}/{DATABASE}"));
    }
    // Build the index now, so that the first search is fast and problems show at once.
    let mut session = Session::open(terminal, &summary.project.root)?;
    let report = session.write(terminal, |context| context.refresh(false))?;
    if !session.project.database.exists() {
        summary.created.pop();
    }
    let is_settled = summary.already && summary.moved_from.is_none();
    let hook = match Hook::of(&summary.project.root) {
        Err(failure) if args.hook => return Err(failure),
        hook => hook.unwrap_or_default(),
    };
    let about_hook =
        if args.hook { commit_hook::install(hook.as_ref(), &mut summary.created)? } else { None };
    if let Some(kind) = exported(&session).filter(|_| !is_settled) {
        terminal.warn(message!("these files look like {described}: `ubp import` turns them into pages with whole links. Run `ubp init` in another \
             folder, and there `ubp import` with the path of this one", described = kind.described()));
    }
    let label_first = if is_settled { None } else { adopt_link_order(terminal, &mut session)? };
    if terminal.json {
        let manifest = &session.project.manifest;
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
        about_hook.iter().for_each(|lines| terminal.note(lines.clone()));
        terminal.print_json(&value)?;
        return Ok(ExitStatus::Success);
    }
    tell(terminal, &session, &summary, &others)?;
    if let Some(links) = label_first {
        terminal
            .line(message!("  links are read label first, [[label|target]]: {told}", told = links.told()))?;
        terminal.line(message!(
            "  (\"links\": {{\"order\": \"target_first\"}} in {manifest_path} changes that)",
            manifest_path = MANIFEST_PATH
        ))?;
    }
    if let Some(lines) = about_hook {
        terminal.line(message!("  {lines}", lines))?;
    }
    let (mut is_connected, mut is_hooked) = (summary.already, summary.already || args.hook);
    if asks && !is_settled {
        is_connected = questions::client(terminal, &session.project.root)?;
        is_hooked = args.hook || commit_hook::offer(terminal, hook.as_ref())?;
        if !args.templates && questions::templates(terminal)? {
            let added = add_templates(&mut summary.project)?;
            for path in added.created.iter().filter(|path| !path.ends_with('/')) {
                terminal.line(message!("  created  {path}", path))?;
            }
            for path in &added.changed {
                terminal.line(message!("  changed  {path}", path))?;
            }
            terminal.line(message!("  `ubp new --templates` lists them with their fields"))?;
        }
    }
    let needs_hook = !is_hooked && hook.is_some_and(|hook| !hook.has_check);
    tell_next(terminal, &summary, is_connected, needs_hook)?;
    Ok(ExitStatus::Success)
}

/// Reports what was created or changed.
fn tell(
    terminal: &mut Terminal<'_>,
    session: &Session,
    summary: &InitSummary,
    others: &[PagesFolder],
) -> Result<(), Failure> {
    let manifest = &session.project.manifest;
    let root = printable(&session.project.root.to_string_lossy());
    let what = match (&summary.moved_from, summary.already) {
        (Some(_), _) => message!("Changed the project: {root}", root),
        (None, true) => message!("Already a project: {root}", root),
        (None, false) => message!("Started a project: {root}", root),
    };
    let heading = terminal.out.strong(terminal.told(&what));
    terminal.put(heading)?;
    for path in &summary.created {
        terminal.line(message!("  created  {path}", path))?;
    }
    for path in &summary.changed {
        terminal.line(message!("  changed  {path}", path))?;
    }
    if let Some(path) = &summary.removed {
        terminal.line(message!("  removed  {path}/ (empty)", path))?;
    }
    if let Some(enclosing) = &summary.enclosing {
        terminal.warn(message!(
            "this project is inside another one, {enclosing}",
            enclosing = enclosing.display()
        ));
    }
    let pages = counted(summary.existing_pages, "page", "pages");
    let mode = match manifest.frontmatter {
        FrontMatterMode::Managed => message!("`ubp add` completes their front matter"),
        FrontMatterMode::Preserved => {
            message!("your files are never written unless you edit them through ubp")
        }
    };
    let folder = place(&manifest.pages_dir);
    terminal.line(message!("  {pages} in {folder}; {mode}", pages, folder, mode))?;
    if !summary.already && manifest.embedding_model.name != BUNDLED {
        let model = &manifest.embedding_model.name;
        terminal
            .line(message!("  the model is {model}, because pages are in other scripts than Latin", model))?;
    }
    for other in others.iter().filter(|other| other.dir != manifest.pages_dir) {
        let files = counted(other.files, "Markdown file", "Markdown files");
        let dir = quoted(&other.dir);
        terminal.line(match other.dir.as_str() {
            "." => message!(
                "  `ubp init --pages-dir {dir}` uses {files} in the whole folder instead",
                dir,
                files
            ),
            _ => message!("  `ubp init --pages-dir {dir}` uses {files} instead", dir, files),
        })?;
    }
    if others.is_empty() && summary.notes_elsewhere > 0 {
        let notes = counted(summary.notes_elsewhere, "Markdown file", "Markdown files");
        terminal.line(message!(
            "  {notes} outside {pages_dir}/ ignored; `ubp init --pages-dir .` includes them",
            notes,
            pages_dir = manifest.pages_dir
        ))?;
    }
    Ok(())
}

/// The program that the files of the project are exported from, if they would be better pages after an import.
fn exported(session: &Session) -> Option<Kind> {
    let pages = session.engine.source.list().ok()?.pages;
    let config = "logseq/config.edn";
    let is_graph = session.project.pages_dir.join(config).is_file();
    let paths = pages.iter().map(|page| page.path.as_str()).chain(is_graph.then_some(config));
    detect(paths).map(|(kind, _)| kind)
}

/// Suggests the next commands.
fn tell_next(
    terminal: &mut Terminal<'_>,
    summary: &InitSummary,
    is_connected: bool,
    needs_hook: bool,
) -> Result<(), Failure> {
    if terminal.quiet {
        return Ok(());
    }
    let next = terminal.out.strong(terminal.told(&message!("Next")));
    terminal.put(next)?;
    if summary.existing_pages == 0 {
        terminal.line(message!("  `ubp new \"My first page\"` creates a page"))?;
        terminal.line(message!("  `ubp viewer` opens an editor in the browser"))?;
    } else {
        terminal.line(message!(
            "  `ubp search \"a question\"` finds pages; `ubp add` computes all vectors for it now"
        ))?;
        terminal.line(message!("  `ubp viewer` opens the pages in the browser"))?;
        terminal.line(message!("  `ubp doctor` lists broken links and other problems"))?;
    }
    if !is_connected {
        terminal
            .line(message!("  `ubp mcp install claude-code` connects an AI agent, such as Claude Code"))?;
    }
    if needs_hook {
        terminal.line(message!("  `ubp init --hook` lets git check pages before every commit"))?;
    }
    terminal.line(message!("  `ubp` shows the state of the project"))
}

/// The pages folder, for use in a sentence.
pub(crate) fn place(dir: &str) -> Message {
    match dir {
        "." => message!("this folder"),
        dir => Message::verbatim(format!("{}/", printable(dir))),
    }
}

/// The folder, quoted for the shell if it must be.
fn quoted(dir: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-".contains(c);
    if dir.chars().all(plain) { dir.into() } else { format!("'{}'", printable(dir).replace('\'', "'\\''")) }
}

/// Changes the link order of the project if most links of the notes would be broken otherwise. No note is changed.
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
