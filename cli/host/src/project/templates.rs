//! `ubp init --templates`: copies the templates that ship with UBP into a project.

use std::fs;
use std::io;

use ubp_core::manifest::{MANIFEST_PATH, TEMPLATES};
use ubp_core::message;
use ubp_core::ports::Source;
use ubp_core::templates::EXAMPLES;
use ubp_core::{Error, Result};

use super::Project;
use crate::atomic;

/// Files that were written, relative to the project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AddedTemplates {
    /// New files, and a new folder, which ends in `/`.
    pub created: Vec<String>,
    /// Changed files.
    pub changed: Vec<String>,
}

/// Writes the templates that ship with UBP to the folder of templates, except for files that exist. If that folder is
/// inside the pages folder, it is first set in the manifest, so that its files are not pages.
///
/// # Errors
/// [`Error::InvalidParams`] if the folder already has pages, [`Error::OutsideProject`] if it is a symbolic link out of
/// the project, [`Error::Io`].
pub fn add_templates(project: &mut Project) -> Result<AddedTemplates> {
    let mut added = AddedTemplates::default();
    let set = project.manifest.templates_folder().map(str::to_owned);
    let folder = set.clone().unwrap_or_else(|| TEMPLATES.to_owned());
    let place = project.root.join(&folder);
    if set.is_none() {
        let pages = project.source().list()?.pages;
        // The default folder is only ever inside the pages folder if that is the project, or `templates` itself.
        let inside = |page: &str| {
            let path = ubp_core::path::join(project.manifest.pages_folder(), page).unwrap_or_default();
            ubp_core::path::is_below(&path, &folder)
        };
        if pages.iter().any(|page| inside(&page.path)) || project.manifest.pages_folder() == folder {
            return Err(Error::invalid_with_hint(
                message!("{folder}/ has pages, which would become templates", folder),
                message!("set `templates_dir` in {file} to another folder", file = MANIFEST_PATH),
            ));
        }
        project.manifest.templates_dir = Some(folder.clone());
        project.save_manifest()?;
        added.changed.push(MANIFEST_PATH.into());
    }
    if !place.is_dir() {
        fs::create_dir_all(&place).map_err(|error| Error::io(&folder, error))?;
        added.created.push(format!("{folder}/"));
    }
    let real = fs::canonicalize(&place).map_err(|error| Error::io(&folder, error))?;
    if !real.starts_with(&project.root) {
        return Err(Error::OutsideProject { path: folder, folder: "project".into() });
    }
    for (name, text) in EXAMPLES {
        let path = format!("{folder}/{name}");
        match atomic::create(&real.join(name), text.as_bytes()) {
            Ok(()) => added.created.push(path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(Error::io(path, error)),
        }
    }
    Ok(added)
}
