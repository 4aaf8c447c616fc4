//! What a project knows of others without a hub: by the `hub.json` in or above its folder, and their indexes.

use std::collections::BTreeMap;
use std::path::Path;

use ubp_core::hub::pages_in;
use ubp_core::ports::PageElsewhere;

use super::{HubManifest, Place, manifest};
use crate::{DATABASE, Environment, UBP_DIR};

/// What is known of pages of other projects, each named by project and page, for the project in `root`; `None` if no list of
/// projects has both projects.
pub(crate) fn pages_elsewhere(root: &Path, named: &[(String, String)]) -> Vec<Option<PageElsewhere>> {
    let places = listed_with(root).unwrap_or_default();
    let mut asked: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (project, page) in named {
        asked.entry(project).or_default().push(page);
    }
    let mut known: BTreeMap<(&str, &str), PageElsewhere> = BTreeMap::new();
    for place in places.iter().filter(|place| place.root != root) {
        let Some(pages) = asked.get(place.name.as_str()) else { continue };
        let index = place.root.join(UBP_DIR).join(DATABASE);
        let found = match index.is_file() {
            true => pages_in(&index, pages).unwrap_or_default(),
            false => Vec::new(),
        };
        for (at, page) in pages.iter().enumerate() {
            let state = found.get(at).copied().unwrap_or(PageElsewhere::Unknown);
            known.insert((place.name.as_str(), page), state);
        }
    }
    named.iter().map(|(project, page)| known.get(&(project.as_str(), page.as_str())).copied()).collect()
}

/// The projects of the closest list, if it has the project in `root`.
fn listed_with(root: &Path) -> Option<Vec<Place>> {
    let file = manifest::above(root)?;
    let places = HubManifest::read(&file).ok()?.places(file.parent()?, &Environment::of_process()).ok()?;
    places.iter().any(|place| place.root == root).then_some(places)
}
