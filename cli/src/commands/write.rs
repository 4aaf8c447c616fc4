//! `ubp new`, `ubp mv` and `ubp rm`: pages made, moved and deleted, with their links.

use ubp_core::ops::{Edited, create_page, delete_page, rename_page};
use ubp_core::writing::ChangedFile;

use crate::args::{MvArgs, NewArgs, RmArgs};
use crate::output::{CommandResult, Failure, counted, printable};
use crate::session::{Session, Terminal, answer_with};

pub(crate) fn new(terminal: &mut Terminal<'_>, session: &Session, args: NewArgs) -> CommandResult {
    let params = create_page::Params {
        title: args.title,
        path: args.path.map(|path| terminal.below_pages(&path)),
        folder: args.folder.map(|folder| terminal.below_pages(&folder)),
        content: String::new(),
        doc_type: args.doc_type,
        tags: args.tags,
        source_refs: args.sources,
        dry_run: args.dry_run,
    };
    let output = session.write(terminal, |context| create_page::run(context, params))?;
    let json = terminal.json;
    answer_with(terminal, json, &output, |terminal, output| {
        print_diff(terminal, &output.edited.diff, output.edited.dry_run)?;
        if !output.edited.dry_run {
            let path = terminal.path(&output.edited.page.filepath);
            let path = terminal.out.path(path);
            terminal.line(format!("Created {path}"))?;
        }
        for (pages, what) in
            [(&output.same_name, "has this name too"), (&output.similar, "has a similar name")]
        {
            for page in pages {
                let page = terminal.path(page);
                terminal.warn(format!("{page} {what}"));
            }
        }
        Ok(())
    })
}

pub(crate) fn mv(terminal: &mut Terminal<'_>, session: &Session, args: MvArgs) -> CommandResult {
    let is_path = |to: &str| to.contains('/') || ubp_core::path::is_page(to);
    let (path, title) = match args.to {
        Some(to) if is_path(&to) => (Some(terminal.below_pages(&to)), args.title),
        to => (None, args.title.or(to)),
    };
    let params = rename_page::Params {
        page: terminal.below_pages(&args.page),
        path,
        title,
        expected_hash: None,
        dry_run: args.dry_run,
    };
    let output = session.write(terminal, |context| rename_page::run(context, params))?;
    let json = terminal.json;
    answer_with(terminal, json, &output, |terminal, output| {
        let edited = &output.edited;
        print_diff(terminal, &edited.diff, edited.dry_run)?;
        if edited.dry_run {
            return Ok(());
        }
        if edited.changed.is_empty() {
            return terminal.line("Nothing to change");
        }
        let (from, to) = (terminal.path(&output.previous_path), terminal.path(&edited.page.filepath));
        let paint = terminal.out;
        if output.previous_path == edited.page.filepath {
            let (was, is) = (printable(&output.previous_title), printable(&edited.page.title));
            terminal.line(format!("{}: {was} -> {}", paint.path(to), paint.strong(is)))?;
        } else {
            terminal.line(format!("{from} -> {}", paint.path(to)))?;
        }
        print_others(terminal, edited, "links rewritten in")
    })
}

fn print_others(terminal: &mut Terminal<'_>, edited: &Edited, what: &str) -> Result<(), Failure> {
    for file in edited.changed.iter().filter(|file| file.filepath != edited.page.filepath) {
        let path = terminal.path(&file.filepath);
        let path = terminal.out.path(path);
        terminal.line(format!("  {what} {path}"))?;
    }
    hint_undo(terminal, edited.audit_id.as_deref());
    Ok(())
}

pub(crate) fn rm(terminal: &mut Terminal<'_>, session: &Session, args: RmArgs) -> CommandResult {
    let mut result = Ok(crate::ExitStatus::Success);
    for page in args.pages {
        let params = delete_page::Params {
            page: terminal.below_pages(&page),
            unlink: args.unlink,
            confirm: true,
            expected_hash: None,
            dry_run: args.dry_run,
        };
        let output = session.write(terminal, |context| delete_page::run(context, params))?;
        let json = terminal.json;
        result = answer_with(terminal, json, &output, |terminal, output| {
            print_deleted(terminal, output, args.unlink)
        });
    }
    result
}

fn print_deleted(
    terminal: &mut Terminal<'_>,
    output: &delete_page::Output,
    unlink: bool,
) -> Result<(), Failure> {
    print_diff(terminal, &output.diff, output.dry_run)?;
    if let Some(trash) = &output.trash {
        let path = terminal.path(&output.page.filepath);
        let path = terminal.out.path(path);
        terminal.line(format!("{path} is in .ubp/trash/{}", printable(trash)))?;
    }
    for link in &output.links {
        let place = format!("{}:{}", terminal.path(&link.filepath), link.line);
        let target = printable(&link.target);
        match (&link.leads_to, unlink) {
            (_, true) => terminal.line(format!("  {place}: '{target}' is plain text now"))?,
            (Some(other), false) => {
                let other = terminal.path(other);
                terminal.warn(format!("{place}: the link to '{target}' leads to {other} now"));
            }
            (None, false) => terminal.warn(format!("{place}: the link to '{target}' leads nowhere now")),
        }
    }
    if !unlink && !output.links.is_empty() {
        let links = counted(output.links.len(), "link", "links");
        let hint = terminal.err.faint(format!("{links} left behind; --unlink turns them into plain text"));
        terminal.note(hint);
    }
    hint_undo(terminal, output.audit_id.as_deref());
    Ok(())
}

/// How to take it back.
pub(super) fn hint_undo(terminal: &mut Terminal<'_>, audit_id: Option<&str>) {
    if let Some(id) = audit_id {
        let hint = terminal.err.faint(format!("`ubp undo {id}` takes it back"));
        terminal.note(hint);
    }
}

/// The files that a change touched.
pub(super) fn print_files(terminal: &mut Terminal<'_>, changed: &[ChangedFile]) -> Result<(), Failure> {
    for file in changed {
        let path = terminal.path(&file.filepath);
        let shown = terminal.out.path(path);
        let from = file.moved_from.as_deref().map(|from| terminal.path(from));
        let what = match (&file.previous_hash, &file.content_hash, from) {
            (_, _, Some(from)) => format!("{from} -> {shown}"),
            (None, _, _) => format!("{shown} is there again"),
            (_, None, _) => format!("{shown} is in the trash"),
            _ => format!("{shown} is as it was"),
        };
        terminal.line(what)?;
    }
    Ok(())
}

/// A diff, when nothing was written or somebody asked for it.
pub(super) fn print_diff(terminal: &mut Terminal<'_>, diff: &str, wanted: bool) -> Result<(), Failure> {
    let paint = terminal.out;
    for line in diff.lines().filter(|_| wanted) {
        let text = printable(line);
        terminal.line(match line.as_bytes().first() {
            _ if line.starts_with("+++") || line.starts_with("---") => paint.strong(text),
            Some(b'+') => paint.good(text),
            Some(b'-') => paint.error(text),
            Some(b'@') => paint.faint(text),
            _ => text,
        })?;
    }
    Ok(())
}
