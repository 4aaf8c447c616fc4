//! `ubp status`: the project in numbers.

use ubp_core::freshness::Staleness;
use ubp_core::ops::status::{self, Output, Params};

use crate::args::Global;
use crate::output::{CommandResult, Failure, counted};
use crate::session::{Session, Terminal, answer_with};

pub(crate) fn run(terminal: &mut Terminal<'_>, session: &Session, global: &Global) -> CommandResult {
    let output = session.read(terminal, global, |context| status::run(context, Params::default()))?;
    let json = terminal.json;
    answer_with(terminal, json, &output, print)
}

fn print(terminal: &mut Terminal<'_>, output: &Output) -> Result<(), Failure> {
    let paint = terminal.out;
    let freshness = output.freshness;
    let model = &output.model;
    let state = if model.available { "" } else { ", not on this machine: `ubp model` shows how to get it" };
    let rows = [
        ("Pages", format!("{} ({} sections)", output.page_count, output.section_count)),
        ("Links", format!("{}, and {} that lead nowhere", output.link_count, output.unresolved_link_count)),
        (
            "Vectors",
            format!(
                "{} of {} pages, {} to go",
                output.vectorized_page_count,
                output.page_count,
                counted(output.index.pending, "section", "sections")
            ),
        ),
        ("Model", format!("{} ({} dimensions{state})", model.name, model.dimensions)),
        ("Not indexed", output.unindexed_page_count.to_string()),
        (
            "Freshness",
            format!(
                "{} fresh, {} possibly stale, {} stale, {} untracked",
                freshness.fresh, freshness.possibly_stale, freshness.stale, freshness.untracked
            ),
        ),
    ];
    for (name, value) in rows {
        terminal.line(format!("{} {value}", paint.strong(format!("{name:<12}"))))?;
    }
    for page in &output.stale_pages {
        let label = match page.staleness {
            Staleness::Stale => paint.error("[STALE]"),
            _ => paint.warning("[POSSIBLY STALE]"),
        };
        for stale in &page.stale_refs {
            terminal.line(format!(
                "{label} {} — {}",
                paint.path(terminal.path(&page.filepath)),
                super::stale_ref(stale)
            ))?;
        }
    }
    Ok(())
}
