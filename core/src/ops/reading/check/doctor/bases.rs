//! Bases with errors.

use super::checks::finding;
use super::{Finding, Severity};
use crate::page::decode;
use crate::path::is_base;
use crate::query::{Base, Problem};
use crate::{Context, Error, Result, message};

/// Adds what is wrong with the files that are bases.
pub(super) fn files(context: &Context<'_>, findings: &mut Vec<Finding>) -> Result<()> {
    for file in context.source.match_sources(&["**".into()])?.into_iter().filter(|file| is_base(file)) {
        context.cancel.check()?;
        let problems = match context.source.read_source(&file) {
            Ok(bytes) => {
                Base::parse(&decode(&bytes).0).map_or_else(|problem| vec![problem], |base| base.problems())
            }
            Err(Error::Io { .. } | Error::OutsideProject { .. }) => continue,
            Err(error) => return Err(error),
        };
        for Problem { line, message: problem } in problems {
            let mut found = finding(
                Severity::Warning,
                "base",
                message!("{place}: {problem}", place = format!("{file}:{line}"), problem),
            );
            found.line = Some(line);
            findings
                .push(found.hint(message!("correct the base; a view that needs this line has no answer")));
        }
    }
    Ok(())
}
