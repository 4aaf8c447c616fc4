//! `ubp audit` and `ubp undo`: what was changed through UBP, and taking it back.

use ubp_core::Caller;
use ubp_core::ops::audit::{self, AuditEntry, Output, Params};
use ubp_core::ops::undo;
use ubp_core::writing::audit::OutcomeKind;

use super::write::{hint_undo, print_diff, print_files};
use crate::args::{AuditArgs, UndoArgs};
use crate::output::{CommandResult, Failure, printable};
use crate::session::{Session, Terminal, answer_with};

pub(crate) fn run(terminal: &mut Terminal<'_>, session: &Session, args: AuditArgs) -> CommandResult {
    let whole = args.entry.is_some();
    let params = Params {
        page: args.page.map(|page| terminal.below_pages(&page)),
        entry: args.entry,
        limit: args.limit,
    };
    let output = session.write(terminal, |context| audit::run(context, params))?;
    let json = terminal.json;
    answer_with(terminal, json, &output, |terminal, output| print(terminal, output, whole))
}

fn print(terminal: &mut Terminal<'_>, output: &Output, whole: bool) -> Result<(), Failure> {
    for entry in &output.entries {
        let text = line(terminal, entry);
        terminal.line(text)?;
        print_diff(terminal, &entry.diff, whole)?;
    }
    if output.entries.is_empty() {
        terminal.note("nothing was changed through ubp yet");
    } else if output.total > output.entries.len() {
        let note = format!("{} of {}; -n shows more", output.entries.len(), output.total);
        let note = terminal.err.faint(note);
        terminal.note(note);
    }
    Ok(())
}

fn line(terminal: &Terminal<'_>, entry: &AuditEntry) -> String {
    let paint = terminal.out;
    let time = entry.at.get(..19).unwrap_or(&entry.at).replace('T', " ");
    let who = match (entry.caller, &entry.agent) {
        (Caller::Person, _) => "person".to_owned(),
        (Caller::Agent, Some(name)) => format!("agent {}", printable(name)),
        (Caller::Agent, None) => "agent".to_owned(),
    };
    let path = paint.path(terminal.path(&entry.filepath));
    let path = match &entry.moved_from {
        Some(from) => format!("{} -> {path}", terminal.path(from)),
        None => path,
    };
    let state = match (entry.outcome, &entry.undone_by) {
        (_, Some(_)) => paint.faint("  [taken back]"),
        (OutcomeKind::Done, None) => String::new(),
        (OutcomeKind::Failed, None) => paint.faint("  [failed, nothing changed]"),
        (OutcomeKind::HalfDone, None) => paint.error("  [half done]"),
        (OutcomeKind::Unfinished, None) => paint.warning("  [unfinished]"),
    };
    format!("{}  {time}  {who}  {}  {path}{state}", paint.line(&entry.id), printable(&entry.operation))
}

pub(crate) fn undo(terminal: &mut Terminal<'_>, session: &Session, args: UndoArgs) -> CommandResult {
    let params = undo::Params { entry: args.entry, dry_run: args.dry_run };
    let output = session.write(terminal, |context| undo::run(context, params))?;
    let json = terminal.json;
    answer_with(terminal, json, &output, |terminal, output| {
        print_diff(terminal, &output.diff, output.dry_run)?;
        if !output.dry_run {
            print_files(terminal, &output.changed)?;
            hint_undo(terminal, output.audit_id.as_deref());
        }
        Ok(())
    })
}
