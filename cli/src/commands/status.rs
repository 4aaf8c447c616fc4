//! `ubp status`: counts, freshness and the state of the index.

use ubp_core::ops::status::{self, Params};

use crate::args::Global;
use crate::output::CommandResult;
use crate::session::Session;
use crate::terminal::{Terminal, answer};

pub(crate) fn run(terminal: &mut Terminal<'_>, session: &Session, global: &Global) -> CommandResult {
    let output = session.read(terminal, global, |context| status::run(context, Params::default()))?;
    let told = answer(terminal, &output, status::show)?;
    if !terminal.json {
        super::model::show_shared_vectors(terminal)?;
    }
    Ok(told)
}
