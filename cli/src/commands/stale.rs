//! `ubp stale`: the pages that code overtook.

use ubp_core::freshness::Staleness;
use ubp_core::ops::check_staleness::{self, CheckedPage, Output, Params};

use crate::ExitStatus;
use crate::args::{Global, StaleArgs};
use crate::output::{CommandResult, Failure, counted, printable};
use crate::session::{Session, Terminal, answer};

pub(crate) fn run(
    terminal: &mut Terminal<'_>,
    session: &Session,
    global: &Global,
    args: StaleArgs,
) -> CommandResult {
    let params = Params {
        only: args.only.map(super::staleness),
        changed_since: args.changed_since,
        ..Params::default()
    };
    let output = session.read(terminal, global, |context| check_staleness::run(context, params))?;
    let json = terminal.json;
    answer(terminal, json, &output, print)?;
    for problem in &output.lock_problems {
        terminal.warn(format!(".ubp/refs.lock:{}: {}", problem.line, problem.message));
    }
    let found = output.pages.iter().any(|page| page.page.staleness > Staleness::Fresh);
    Ok(if found && args.exit_code { ExitStatus::Finding } else { ExitStatus::Success })
}

fn print(terminal: &mut Terminal<'_>, output: &Output) -> Result<(), Failure> {
    let paint = terminal.out;
    for checked in &output.pages {
        let path = paint.path(terminal.path(&checked.page.filepath));
        let label = match checked.page.staleness {
            Staleness::Stale => paint.error("[STALE]"),
            Staleness::PossiblyStale => paint.warning("[POSSIBLY STALE]"),
            Staleness::Fresh | Staleness::Untracked => paint.faint("[SUSPECT]"),
        };
        for stale in &checked.stale_ref_details {
            terminal.line(format!("{label} {path} — {}", super::stale_ref(stale)))?;
        }
        if let [_, way @ ..] = checked.suspect_path.as_slice()
            && !way.is_empty()
        {
            let way: Vec<String> = way.iter().map(|page| printable(page)).collect();
            terminal.line(format!("{label} {path} — depends on {}", way.join(", which depends on ")))?;
        }
    }
    let footer = footer(output);
    let footer = terminal.err.faint(footer);
    terminal.note(footer);
    let settle = output.pages.iter().find_map(|page: &CheckedPage| page.settle_with.as_ref());
    if let Some(settle) = settle {
        let label = terminal.err.good("hint:");
        terminal.note(format!("{label} read the page, mend it, then record that: {}", printable(settle)));
    }
    Ok(())
}

fn footer(output: &Output) -> String {
    let counts = output.counts;
    let tracked = counts.fresh + counts.possibly_stale + counts.stale;
    let mut footer = format!(
        "{} with sources: {} fresh, {} possibly stale, {} stale",
        counted(tracked, "page", "pages"),
        counts.fresh,
        counts.possibly_stale,
        counts.stale
    );
    if output.unreviewed_page_count > 0 {
        footer.push_str(&format!("; {} never reviewed, judged by times", output.unreviewed_page_count));
    }
    footer
}
