//! `ubp rebuild`: make the index anew.

use ubp_core::ops::rebuild::{self, Output, Params};

use crate::output::{CommandResult, Failure, counted};
use crate::session::{Session, Terminal, answer_with};

pub(crate) fn run(terminal: &mut Terminal<'_>, session: &Session) -> CommandResult {
    let output = session.write(terminal, |context| rebuild::run(context, Params::default()))?;
    let json = terminal.json;
    answer_with(terminal, json, &output, |terminal, output| {
        print_report(terminal, output, "Rebuilt the index:")
    })
}

pub(super) fn print_report(terminal: &mut Terminal<'_>, output: &Output, done: &str) -> Result<(), Failure> {
    for entry in &output.unreadable {
        terminal.warn(format!("{}: {}; passed over", entry.filepath, entry.reason));
    }
    for page in &output.written {
        terminal.detail(format!("wrote {page}"));
    }
    let numbers = [
        (output.added.len(), "added"),
        (output.changed.len(), "changed"),
        (output.removed.len(), "removed"),
        (output.renamed.len(), "renamed"),
        (output.written.len(), "written"),
    ];
    let mut parts: Vec<String> = numbers
        .iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, what)| format!("{number} {what}"))
        .collect();
    if parts.is_empty() {
        parts.push("no page changed".into());
    }
    if output.embedded > 0 {
        parts.push(format!("{} computed", counted(output.embedded, "vector", "vectors")));
    }
    if output.index.pending > 0 {
        parts.push(format!("{} without vectors yet", counted(output.index.pending, "section", "sections")));
    }
    terminal.line(format!("{done} {}", parts.join(", ")))
}
