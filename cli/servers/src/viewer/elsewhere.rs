//! Links of a page to other projects of its hub: `[[project:page]]`.

use serde_json::{Value, json};
use ubp_core::Caller;
use ubp_core::hub::{PageAddress, page_address};
use ubp_core::progress::Cancel;
use ubp_host::hub::{Hub, OpenProject};

/// Completes an answer of `resolve_links`: links that lead nowhere in their own project and name a page of another one. Its
/// path becomes `project:path`.
pub(super) fn resolve(hub: &Hub, answer: &mut Value, cancel: &Cancel) {
    let Some(links) = answer.get_mut("links").and_then(Value::as_array_mut) else { return };
    let ends = ["filepath", "source_path", "file_url"];
    let leads_nowhere = |link: &&mut Value| {
        link.is_object() && link["kind"] != "embed" && ends.iter().all(|end| link[*end].is_null())
    };
    let mut projects: Option<Vec<OpenProject>> = None;
    for link in links.iter_mut().filter(leads_nowhere) {
        let Some(target) = link["target"].as_str().filter(|target| target.contains(':')) else { continue };
        let target = target.to_owned();
        let projects = projects.get_or_insert_with(|| hub.projects());
        let Some((project, page)) = page_of(projects, &target, cancel) else { continue };
        link["filepath"] = format!("{project}:{}", page.filepath).into();
        link["anchor"] = json!(page.anchor);
        link["place"] = json!(page.place);
    }
}

/// The page that `target` names as `project:page`, with the name of its project.
pub(super) fn page_of<'t>(
    projects: &[OpenProject],
    target: &'t str,
    cancel: &Cancel,
) -> Option<(&'t str, PageAddress)> {
    let (name, page) = target.split_once(':')?;
    let project = projects.iter().find(|project| project.place.name == name)?;
    let live = project.live.as_ref().ok()?;
    let found = live.with_at_once(Caller::Person, cancel, |context| page_address(context, page));
    found.ok().flatten().map(|page| (name, page))
}
