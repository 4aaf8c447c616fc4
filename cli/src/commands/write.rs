//! `ubp new`, `ubp mv` and `ubp rm`: pages made, moved and deleted, with their links.

use ubp_core::ops::{create_page, delete_page, rename_page};

use crate::ExitStatus;
use crate::args::{MvArgs, NewArgs, RmArgs};
use crate::output::CommandResult;
use crate::session::{Session, Terminal, answer};

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
    answer(terminal, &output, create_page::show)
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
    answer(terminal, &output, rename_page::show)
}

pub(crate) fn rm(terminal: &mut Terminal<'_>, session: &Session, args: RmArgs) -> CommandResult {
    for page in args.pages {
        let params = delete_page::Params {
            page: terminal.below_pages(&page),
            unlink: args.unlink,
            confirm: true,
            expected_hash: None,
            dry_run: args.dry_run,
        };
        let output = session.write(terminal, |context| delete_page::run(context, params))?;
        answer(terminal, &output, delete_page::show)?;
    }
    Ok(ExitStatus::Success)
}
