//! Links to pages of other projects, `[[project:page]]`, which only a hub follows.

use std::collections::{BTreeSet, HashMap};

use super::checks::{BROKEN_LINK, LINK_TO_PROJECT, finding};
use super::{Finding, Severity};
use crate::hub::is_project_name;
use crate::index::questions::links::{self, LinkToProject};
use crate::message;
use crate::ports::PageElsewhere;
use crate::{Caller, Context, Result};

/// The findings about those of these broken links, by target as written, that name a project which a list of projects has.
pub(crate) fn links_to_projects<'a>(
    context: &Context<'_>,
    targets: impl IntoIterator<Item = &'a str>,
) -> HashMap<String, Finding> {
    let targets: BTreeSet<&str> = targets.into_iter().collect();
    let named: Vec<(&str, (String, String))> =
        targets.into_iter().filter_map(|target| Some((target, parts(target)?))).collect();
    if named.is_empty() {
        return HashMap::new();
    }
    let pages: Vec<(String, String)> = named.iter().map(|(_, parts)| parts.clone()).collect();
    let known = context.source.pages_elsewhere(&pages);
    let told = named.into_iter().zip(known).filter_map(|((target, (project, _)), known)| {
        // What another project hides from an agent is not known here.
        let known =
            if context.caller == Caller::Agent { known.map(|_| PageElsewhere::Unknown) } else { known };
        let finding = match known? {
            PageElsewhere::Exists => finding(
                Severity::Info,
                LINK_TO_PROJECT,
                message!("link to another project: '{target}'", target),
            )
            .hint(message!("nothing to do: a hub follows it")),
            PageElsewhere::Unknown => finding(
                Severity::Info,
                LINK_TO_PROJECT,
                message!("link to another project: '{target}', whose pages are not known here", target),
            )
            .hint(message!("a hub follows it, if there is such a page")),
            PageElsewhere::Missing => finding(
                Severity::Warning,
                BROKEN_LINK,
                message!(
                    "broken link to '{target}': the project {project} has no such page",
                    target,
                    project
                ),
            )
            .hint(message!("create the page there, or fix the link")),
        };
        Some((target.to_owned(), finding))
    });
    told.collect()
}

/// The number of links without a page in their own project that lead to another one.
pub(crate) fn count_links_to_projects(context: &Context<'_>) -> Result<usize> {
    let links = context.index.read(links::naming_projects)?;
    let told = links_to_projects(context, links.iter().map(|link| link.target.as_str()));
    let leads_there =
        |link: &&LinkToProject| told.get(&link.target).is_some_and(|finding| finding.code == LINK_TO_PROJECT);
    Ok(links.iter().filter(leads_there).count())
}

/// The finding about a link that leads nowhere in its own project; `None` if it leads to another one.
pub(crate) fn broken_unless_elsewhere(context: &Context<'_>, target: &str) -> Option<Finding> {
    match links_to_projects(context, [target]).remove(target) {
        None => Some(super::broken_link(target)),
        Some(told) => Some(told).filter(|told| told.code == BROKEN_LINK),
    }
}

/// The project and the page that a target names.
fn parts(target: &str) -> Option<(String, String)> {
    let (project, rest) = target.split_once(':')?;
    let page = rest.split('#').next().unwrap_or(rest).trim();
    let is_both = is_project_name(project) && !page.is_empty();
    is_both.then(|| (project.to_owned(), page.to_owned()))
}
