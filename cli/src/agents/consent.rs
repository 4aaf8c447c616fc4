//! Shows a change of settings, and writes it unless a person says no.

use clap::Args;
use serde_json::json;
use ubp_core::message;
use ubp_core::show::Page as _;

use super::SettingsFile;
use crate::output::Failure;
use crate::page::TerminalPage;
use crate::questions;
use crate::terminal::Terminal;

/// How a change of settings is agreed to.
#[derive(Debug, Clone, Default, Args)]
pub struct Consent {
    /// Show the change, but write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Write without asking
    #[arg(short, long)]
    pub yes: bool,
}

impl Consent {
    /// Returns whether the change was written.
    pub(crate) fn settle(&self, terminal: &mut Terminal<'_>, plan: &SettingsFile) -> Result<bool, Failure> {
        let is_done = plan.is_done();
        let path = &plan.shown;
        let diff = if is_done { String::new() } else { plan.diff() };
        if !terminal.json {
            if is_done {
                terminal.line(message!("{file} is as it should be", file = path))?;
                return Ok(false);
            }
            let mut page = TerminalPage::new(terminal);
            page.diff(&diff);
            page.finish()?;
        }
        let asks = !is_done && !self.dry_run && !self.yes && terminal.can_ask();
        let writes = !is_done && !self.dry_run && (!asks || questions::write(terminal, path)?);
        if writes {
            plan.write()?;
        }
        if terminal.json {
            terminal.print_json(&json!({ "file": path, "diff": diff, "written": writes }))?;
        } else if writes {
            terminal.line(match plan.is_new() {
                true => message!("  created  {path}", path),
                false => message!("  changed  {path}", path),
            })?;
        } else {
            terminal.note(message!("nothing was written"));
        }
        Ok(writes)
    }
}
