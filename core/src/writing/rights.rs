//! Refuses changes by agents that the rights in the manifest, or of their token, do not allow.

use super::Plan;
use crate::manifest::Right;
use crate::message;
use crate::{Caller, Context, Error, Result, path};

/// The smallest right to the files of the plan, at least [`Right::Propose`].
///
/// # Errors
/// [`Error::Forbidden`] for a file that the agent may only read, or not see.
pub(super) fn permit(context: &Context<'_>, plan: &Plan) -> Result<Right> {
    let versions = plan.changes.iter().flat_map(|change| [&change.before, &change.after]).flatten();
    let pages = versions.map(|version| version.path.as_str()).chain(plan.about.iter().map(String::as_str));
    let mut least = Right::Apply;
    for page in pages {
        least = least.min(require(context, page)?);
    }
    if least == Right::Propose && context.proposing.is_none() {
        return Err(only_proposed());
    }
    Ok(least)
}

/// Refuses a change of a page that an agent may not make at once, by operations that propose nothing.
///
/// # Errors
/// [`Error::Forbidden`], [`Error::InvalidParams`].
pub(crate) fn require_apply(context: &Context<'_>, page: &str) -> Result<()> {
    match require(context, page)? {
        Right::Apply => Ok(()),
        _ => Err(only_proposed()),
    }
}

/// Refuses comments of an agent on a page that it may only read, or not see.
///
/// # Errors
/// [`Error::Forbidden`].
pub(crate) fn require_commenting(context: &Context<'_>, page: &str) -> Result<()> {
    at_least(context, page, Right::Comment).map(drop)
}

fn only_proposed() -> Error {
    Error::invalid(message!("changes can only be proposed here, and this server does not take proposals"))
}

/// The right to change a page, at least [`Right::Propose`].
///
/// # Errors
/// [`Error::Forbidden`].
pub(crate) fn require(context: &Context<'_>, page: &str) -> Result<Right> {
    at_least(context, page, Right::Propose)
}

fn at_least(context: &Context<'_>, page: &str, least: Right) -> Result<Right> {
    let Some(rights) = context.rights.filter(|_| context.caller == Caller::Agent) else {
        return Ok(Right::Apply);
    };
    let file = path::join(context.pages_dir(), page);
    let real = file.map(|file| context.source.real_source(&file)).transpose()?.flatten();
    // A symbolic link leads to a file with rights of its own.
    let right = real.map_or(Right::Apply, |real| rights.file(&real)).min(rights.page(page));
    if right >= least {
        return Ok(right);
    }
    let (path, author) = (page.to_owned(), rights.name().to_owned());
    let message = match right {
        Right::Hide => return Err(rights.no_access(page)),
        Right::Comment => message!("{path}: {author} may only read and comment on this", path, author),
        _ => message!("{path}: {author} may only read this", path, author),
    };
    Err(Error::Forbidden { message })
}
