//! Lists of what expires: tokens and links.

use ubp_core::message;
use ubp_core::message::Message;

use crate::output::Failure;
use crate::page::TerminalPage;
use crate::terminal::Terminal;

/// Columns of a cell.
const WIDEST: usize = 60;

/// The day of a time.
pub(super) fn day(time: &str) -> String {
    time.get(..10).unwrap_or(time).to_owned()
}

/// When something expires or has expired; `None` for never.
pub(super) fn end(expires_at: Option<&str>, expired: bool) -> Message {
    match expires_at {
        None => message!("never"),
        Some(end) if expired => message!("expired on {day}", day = day(end)),
        Some(end) => Message::verbatim(day(end)),
    }
}

/// Prints a list, and the number of its rows below it.
pub(super) fn list(
    terminal: &mut Terminal<'_>,
    columns: &[Message],
    rows: &[Vec<String>],
    count: Message,
) -> Result<(), Failure> {
    let mut page = TerminalPage::new(terminal);
    if !rows.is_empty() {
        page.columns(columns, rows, WIDEST);
    }
    page.finish()?;
    terminal.note(count);
    Ok(())
}
