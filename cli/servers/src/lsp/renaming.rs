//! Renames: of what the cursor is on, and of files and folders in the editor's explorer. Links follow.

use std::sync::Arc;

use lsp_types::{
    MessageType, PrepareRenameResponse, RenameFilesParams, RenameParams, TextDocumentPositionParams,
    WorkspaceEdit,
};
use ubp_core::editor;
use ubp_core::progress::Cancel;
use ubp_core::writing::renaming::{
    Move, PageEdits, Renamed, plan_moves, plan_rename, settle_moves, settle_rename, text,
};
use ubp_core::{Context, Error, Result, message};

use super::edits::Edits;
use super::projects::{Served, is_outside, real};
use super::requests::{Answer, Call, Refusal};
use super::server::Server;
use super::uri;

pub(super) fn prepare(
    call: &Call<'_>,
    params: TextDocumentPositionParams,
) -> Answer<Option<PrepareRenameResponse>> {
    call.on_page(&params.text_document.uri, |context, subject, open| {
        let lines = call.lines(&open.text);
        let found = editor::renameable(context, &subject.drafts, open, lines.offset(params.position))?;
        Ok(found.map(|found| PrepareRenameResponse::RangeWithPlaceholder {
            range: lines.range(found.range),
            placeholder: found.name,
        }))
    })
}

pub(super) fn rename(call: &Call<'_>, params: RenameParams) -> Answer<Option<WorkspaceEdit>> {
    let at = params.text_document_position;
    call.on_page(&at.text_document.uri, |context, subject, open| {
        let offset = call.offset(&open.text, at.position);
        let Some(found) = editor::renameable(context, &subject.drafts, open, offset)? else {
            return Err(Error::invalid(message!("there is nothing to rename here")));
        };
        let renamed = found.to(&params.new_name);
        let renames_files = call.server.abilities().renames_files;
        let (edits, file) = match &renamed {
            Renamed::Title { path, new } if renames_files => {
                let (edits, new_path) = editor::plan_title(context, path, new, &subject.drafts)?;
                (edits, new_path.map(|new_path| (path.clone(), new_path)))
            }
            Renamed::Page { path, .. } if !renames_files => {
                return Err(Error::invalid(message!(
                    "this editor cannot rename files; rename {path} with `ubp mv`",
                    path
                )));
            }
            other => {
                let edits = plan_rename(context, other, &subject.drafts)?;
                let file = match other {
                    Renamed::Page { path, new_path } => Some((path.clone(), new_path.clone())),
                    _ => None,
                };
                (edits, file)
            }
        };
        if call.server.may_write() {
            // Before the editor saves the new name of a heading that other pages have reviewed.
            settle_rename(context, &renamed, &subject.drafts)?;
        }
        let mut all = collected(call, context, &subject.served, edits, &subject.drafts)?;
        if let Some((path, new_path)) = &file {
            all.rename(&subject.served, path, new_path);
        }
        Ok(all.finish())
    })
}

fn collected<'c>(
    call: &'c Call<'c>,
    context: &Context<'_>,
    served: &Served,
    edits: Vec<PageEdits>,
    drafts: &ubp_core::drafts::Drafts,
) -> Result<Edits<'c>> {
    let mut all = Edits::new(call);
    for page in edits {
        let text = text(context, drafts, &page.path)?;
        all.replace(served, &page.path, &text, page.edits);
    }
    Ok(all)
}

/// The edits of pages that have to be made before files or folders get other names.
pub(super) fn will_rename_files(call: &Call<'_>, params: RenameFilesParams) -> Answer<Option<WorkspaceEdit>> {
    let Some((served, moves)) = moves(call, &params)? else { return Ok(None) };
    let drafts = served.drafts(&call.documents().all());
    // All changes that the system reported count: a link that is missed would lead nowhere afterwards.
    let all = call.fresh(&served, |context| {
        let edits = plan_moves(context, &moves, &drafts)?;
        collected(call, context, &served, edits, &drafts)
    })?;
    Ok(all.finish())
}

/// Lets reviews, decisions and favourites follow files and folders that the editor has moved.
pub(super) fn did_rename_files(server: &Server, params: &RenameFilesParams) {
    let cancel = Cancel::default();
    let call = Call { server, cancel: &cancel };
    if !server.may_write() {
        return;
    }
    let Ok(Some((served, moves))) = moves(&call, params) else { return };
    if let Err(error) = call.fresh(&served, |context| settle_moves(context, &moves)) {
        server.client.log(MessageType::WARNING, error.message().in_language(server.abilities().language));
    }
    super::watching::changed(server);
}

type Moves = (Arc<Served>, Vec<Move>);

/// The files of the first project among them, as it names them. What is in no project, or leaves it, takes no links along.
fn moves(call: &Call<'_>, params: &RenameFilesParams) -> Answer<Option<Moves>> {
    let mut served: Option<Arc<Served>> = None;
    let mut moves = Vec::new();
    for file in &params.files {
        let paths = uri::path_of(&file.old_uri).zip(uri::path_of(&file.new_uri));
        let (old, new) = paths.ok_or_else(|| Refusal::invalid("`oldUri` and `newUri` must be files"))?;
        let project = match call.server.project(&old) {
            Ok(project) => project,
            Err(error) if is_outside(&error) => continue,
            Err(error) => return Err(error.into()),
        };
        if served.as_ref().is_some_and(|served| served.root != project.root) {
            continue;
        }
        let (from, to) = (project.relative(&real(&old)), project.relative(&real(&new)));
        served = Some(project);
        moves.extend(from.zip(to).map(|(from, to)| Move { from, to }));
    }
    Ok(served.filter(|_| !moves.is_empty()).map(|served| (served, moves)))
}
