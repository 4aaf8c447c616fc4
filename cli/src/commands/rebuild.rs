//! `ubp rebuild`: rebuild the index from the files.

use ubp_core::ops::rebuild::{self, Params};

use crate::output::CommandResult;
use crate::session::Session;
use crate::terminal::{Terminal, answer};

pub(crate) fn run(terminal: &mut Terminal<'_>, session: &Session) -> CommandResult {
    let output = session.write_vectors(terminal, |context| rebuild::run(context, Params::default()))?;
    answer(terminal, &output, rebuild::show)
}
