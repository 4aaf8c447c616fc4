//! temp
use crate::args::ModelArgs;
use crate::output::CommandResult;
use crate::session::Terminal;
use std::path::Path;
pub(crate) fn run(_t: &mut Terminal<'_>, _f: &Path, _a: &ModelArgs) -> CommandResult {
    Ok(crate::ExitStatus::Success)
}
