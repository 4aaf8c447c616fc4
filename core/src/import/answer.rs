//! What an import says it did, or would do.

use crate::message::Message;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Kind, Notice, NoticeKind};
use crate::Error;
use crate::hint::Next;
use crate::message;
use crate::show::{Page, Span, counted};
use crate::writing::names::{MovedLink, moving_to_imported};

/// Maximum number of notices of one kind that are shown; JSON has all.
const MOST_SHOWN: usize = 20;

/// A number before and after.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Counts {
    /// In the export.
    pub before: usize,
    /// In the pages.
    pub after: usize,
}

/// What happens to an imported file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It is written.
    New,
    /// It is there already.
    Unchanged,
    /// Another file has its path, or the path cannot be used.
    NotWritten,
}

/// An imported file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Placed {
    /// Path in the export.
    pub from: String,
    /// Path relative to the pages folder.
    pub filepath: String,
    /// What happens to it.
    pub state: State,
}

/// The answer.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// The program that the notes come from.
    pub kind: Kind,
    /// Whether this is a dry run, which writes nothing.
    pub dry_run: bool,
    /// What the pages were in the export, and how many of each.
    pub made_of: Vec<(String, usize)>,
    /// Links to pages of the export: those that led to one, and those that do now.
    pub links: Counts,
    /// Links to other files of the export, such as pictures.
    pub attachment_links: Counts,
    /// Pages, sorted by path.
    pub pages: Vec<Placed>,
    /// Other files.
    pub attachments: Vec<Placed>,
    /// Links of existing pages that would lead to imported pages.
    pub moved_links: Vec<MovedLink>,
    /// Link types added to the project.
    pub link_types: Vec<String>,
    /// What was not carried over unchanged, sorted by kind, file and line.
    pub notices: Vec<Notice>,
    /// Id of the change in the audit log; absent when nothing was written.
    pub audit_id: Option<String>,
    /// Why the index was not updated after the change was written.
    pub index_error: Option<Message>,
}

/// The error for an import that would change where links of existing pages lead.
pub(super) fn refusal(moved: &[MovedLink]) -> Error {
    moving_to_imported(moved)
}

fn count(placed: &[Placed], state: State) -> usize {
    placed.iter().filter(|file| file.state == state).count()
}

/// Shows the census, and what was not carried over.
pub fn show(output: &Output, page: &mut dyn Page) {
    let parts = output.made_of.iter().filter(|(_, count)| *count > 0);
    let parts = parts.map(|(what, count)| match what.as_str() {
        "journals" => counted(*count, "journal", "journals"),
        "databases" => counted(*count, "database", "databases"),
        "rows without a page" => counted(*count, "row without a page", "rows without a page"),
        _ => counted(*count, "page", "pages"),
    });
    let parts = Message::joined(parts.collect(), ", ");
    page.heading(&[Span::strong(&output.kind.described()), Span::Text(": "), Span::said(&parts)]);
    let expected: usize = output.made_of.iter().map(|(_, count)| count).sum();
    let voice = page.voice();
    let row = |name: Message, before: usize, after: usize, note: Message| {
        vec![name.told(voice), before.to_string(), after.to_string(), note.told(voice)]
    };
    let states = |placed: &[Placed]| {
        let told = [State::New, State::Unchanged, State::NotWritten].into_iter().filter_map(|state| {
            let count = count(placed, state);
            let told = match state {
                State::New if output.dry_run => message!("{count} would be written", count),
                State::New => message!("{count} written", count),
                State::Unchanged => message!("{count} unchanged", count),
                State::NotWritten => message!("{count} not written", count),
            };
            (count > 0).then_some(told)
        });
        Message::joined(told.collect(), ", ")
    };
    let rows = [
        row(message!("pages"), expected, output.pages.len(), states(&output.pages)),
        row(message!("links between pages"), output.links.before, output.links.after, Message::verbatim("")),
        row(
            message!("attachments"),
            output.attachments.len(),
            output.attachments.len(),
            states(&output.attachments),
        ),
        row(
            message!("links to attachments"),
            output.attachment_links.before,
            output.attachment_links.after,
            Message::verbatim(""),
        ),
    ];
    page.table(
        &[Message::verbatim(""), message!("export"), message!("project"), Message::verbatim("")],
        &rows,
    );
    if !output.link_types.is_empty() {
        let types = output.link_types.join(", ");
        page.line(&[Span::said(&match output.dry_run {
            true => message!("link types to add to the project: {types}", types),
            false => message!("link types added to the project: {types}", types),
        })]);
    }
    let groups = [
        (NoticeKind::NotWritten, message!("Not written")),
        (NoticeKind::LostLink, message!("Links that could not be kept")),
        (NoticeKind::LeftOut, message!("Left out")),
        (NoticeKind::KeptAsText, message!("Kept as text")),
        (NoticeKind::Broken, message!("Broken in the export already")),
    ];
    for (kind, heading) in groups {
        let found: Vec<&Notice> = output.notices.iter().filter(|notice| notice.kind == kind).collect();
        if found.is_empty() {
            continue;
        }
        page.gap();
        page.line(&[Span::strong(&heading), Span::Text(&format!(" ({})", found.len()))]);
        for notice in found.iter().take(MOST_SHOWN) {
            let place = match notice.line {
                Some(line) => format!("{}:{line}", notice.file),
                None => notice.file.clone(),
            };
            page.item(&[Span::Code(&place), Span::Text(": "), Span::said(&notice.message)]);
        }
        if found.len() > MOST_SHOWN {
            page.item(&[Span::faint(&message!(
                "and {value} more; --json lists all",
                value = found.len() - MOST_SHOWN
            ))]);
        }
    }
    let new = count(&output.pages, State::New) + count(&output.attachments, State::New);
    if let (true, Some(link)) = (output.dry_run, output.moved_links.first()) {
        let links = counted(output.moved_links.len(), "link", "links");
        let first = format!("'{}' at {}:{}", link.target, link.filepath, link.line);
        page.warn(&[Span::said(&message!(
            "{links} of existing pages would lead to imported pages: {first}",
            links,
            first
        ))]);
    }
    if let Some(error) = &output.index_error {
        page.warn(&[Span::said(&message!(
            "the files were written, but the index was not updated: {error}",
            error
        ))]);
    }
    if output.dry_run {
        page.note(&[Span::said(&message!("dry run: nothing was written"))]);
    } else if new == 0 {
        page.note(&[Span::said(&message!("nothing to write: everything is there already"))]);
    }
    if let Some(id) = &output.audit_id {
        let undo = page.voice().ask(&Next::call("undo").with("entry", id.as_str()));
        page.note(&[Span::said(&message!("{undo} undoes this", undo))]);
    }
}
