//! Which projects a question is about.

use serde_json::Value;

use super::{PROJECTS, Project};
use crate::globs::Globs;
use crate::message;
use crate::{Error, Result};

/// Whether `name` can name a project: letters, digits, `-`, `_`, `.` and `/`, so that `name:page` is clear.
pub fn is_project_name(name: &str) -> bool {
    let is_allowed = |c: char| c.is_alphanumeric() || "-_./@".contains(c);
    // In an address, these would mean a folder.
    let is_folder = matches!(name, "." | "..");
    !name.is_empty() && name.len() <= 100 && !is_folder && name.chars().all(is_allowed)
}

/// The positions of the projects that `given` selects: names, globs and `#tag`, a list or one; all if it is absent.
pub(super) fn select(projects: &[Project<'_>], given: Option<Value>) -> Result<Vec<usize>> {
    let wanted = match given {
        None | Some(Value::Null) => return Ok((0..projects.len()).collect()),
        Some(Value::String(one)) => one.split(',').map(|name| name.trim().to_owned()).collect(),
        Some(list) => serde_json::from_value::<Vec<String>>(list)
            .map_err(|_| Error::invalid(message!("`{name}` must be a list of names", name = PROJECTS)))?,
    };
    if wanted.is_empty() {
        return Ok((0..projects.len()).collect());
    }
    let mut chosen = vec![false; projects.len()];
    for one in &wanted {
        let globs = Globs::new(&[one])?;
        let is_meant = |project: &Project<'_>| match one.strip_prefix('#') {
            Some(tag) => project.tags.iter().any(|own| own == tag),
            None => project.name == one || globs.is_match(project.name),
        };
        let mut is_known = false;
        for (chosen, project) in chosen.iter_mut().zip(projects) {
            let is_meant = is_meant(project);
            *chosen |= is_meant;
            is_known |= is_meant;
        }
        if !is_known {
            let known: Vec<&str> = projects.iter().map(|project| project.name).collect();
            return Err(Error::invalid(message!(
                "no project is called '{one}'; the projects are {known}",
                one,
                known = known.join(", ")
            )));
        }
    }
    Ok((0..projects.len()).filter(|at| chosen[*at]).collect())
}
