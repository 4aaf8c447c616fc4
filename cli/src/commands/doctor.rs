//! `ubp doctor`: what is wrong, and the way out.

use std::collections::BTreeMap;

use ubp_core::ops::doctor::{self, Finding, Output, Params, Severity};

use crate::ExitStatus;
use crate::args::{DoctorArgs, Global};
use crate::output::{CommandResult, Failure, counted, printable};
use crate::session::{Session, Terminal, answer_with};

/// Findings of one kind that are shown unless all are asked for.
const SHOWN: usize = 10;

pub(crate) fn run(
    terminal: &mut Terminal<'_>,
    session: &Session,
    global: &Global,
    args: &DoctorArgs,
) -> CommandResult {
    let output = session.read(terminal, global, |context| doctor::run(context, Params::default()))?;
    let json = terminal.json;
    let most = if args.all { usize::MAX } else { SHOWN };
    answer_with(terminal, json, &output, |terminal, output| print(terminal, output, most))?;
    let bad = output.findings.iter().any(|finding| finding.severity <= Severity::Warning);
    Ok(if bad && args.exit_code { ExitStatus::Finding } else { ExitStatus::Success })
}

fn print(terminal: &mut Terminal<'_>, output: &Output, most: usize) -> Result<(), Failure> {
    let paint = terminal.out;
    if output.findings.is_empty() {
        return terminal.line(paint.good("Nothing to mend."));
    }
    let mut kinds: BTreeMap<(Severity, &str), Vec<&Finding>> = BTreeMap::new();
    for finding in &output.findings {
        kinds.entry((finding.severity, finding.code.as_str())).or_default().push(finding);
    }
    for ((severity, code), findings) in kinds {
        let label = match severity {
            Severity::Error => paint.error("error"),
            Severity::Warning => paint.warning("warning"),
            Severity::Info => paint.faint("info"),
        };
        terminal.line(format!("{label}: {} ({})", paint.strong(code.replace('_', " ")), findings.len()))?;
        for finding in findings.iter().take(most) {
            let place = match (&finding.filepath, finding.line) {
                (Some(path), Some(line)) => {
                    format!("{}:{}: ", paint.path(terminal.path(path)), paint.line(line))
                }
                (Some(path), None) => format!("{}: ", paint.path(terminal.path(path))),
                _ => String::new(),
            };
            terminal.line(format!("  {place}{}", printable(&finding.message)))?;
        }
        if findings.len() > most {
            terminal.line(paint.faint(format!("  and {} more; --all shows them", findings.len() - most)))?;
        }
        if let Some(hint) = findings.first().and_then(|finding| finding.hint.as_ref()) {
            terminal.line(format!("  {} {hint}", paint.good("hint:")))?;
        }
    }
    if !output.wanted_pages.is_empty() {
        terminal.line(paint.strong(format!("Wanted pages ({})", output.wanted_pages.len())))?;
        for wanted in output.wanted_pages.iter().take(most) {
            terminal.line(format!(
                "  {} ({} on {})",
                printable(&wanted.target),
                counted(wanted.links, "link", "links"),
                counted(wanted.pages, "page", "pages")
            ))?;
        }
        if output.wanted_pages.len() > most {
            let more = output.wanted_pages.len() - most;
            terminal.line(paint.faint(format!("  and {more} more; --all shows them")))?;
        }
        let hint = "`ubp add --create-missing` creates them; an alias on a page that is there serves as well";
        terminal.line(format!("  {} {hint}", paint.good("hint:")))?;
    }
    Ok(())
}
