//! temp
use std::path::Path;
use crate::args::ModelArgs;
use crate::output::CommandResult;
use crate::session::Terminal;
pub(crate) fn run(_t: &mut Terminal<'_>, _f: &Path, _a: &ModelArgs) -> CommandResult { Ok(crate::ExitStatus::Success) }
