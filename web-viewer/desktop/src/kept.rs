//! What the app remembers between starts: recent projects, and the settings of its windows.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use ubp_host::atomic;

/// Number of remembered projects.
const MOST: usize = 12;

/// Sizes of the pages in windows.
const ZOOM: std::ops::RangeInclusive<f64> = 0.5..=3.0;

/// A project that was opened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recent {
    /// Its folder, without symbolic links.
    pub folder: PathBuf,
    /// The port of its server. Browsers keep settings and drafts by port, so it stays the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
}

/// Everything that is remembered.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Kept {
    /// The projects, the last opened one first.
    pub recent: Vec<Recent>,
    /// Whether servers stay after the last window is closed.
    pub background: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    zoom: Option<f64>,
    #[serde(skip)]
    file: Option<PathBuf>,
}

impl Kept {
    /// Reads the file of a folder; without one, or with a broken one, nothing is remembered yet.
    pub fn read(folder: Option<&Path>) -> Self {
        let file = folder.map(|folder| folder.join("desktop.json"));
        let text = file.as_ref().and_then(|file| fs::read_to_string(file).ok());
        let mut kept: Self = text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        kept.recent.retain(|recent| recent.folder.is_absolute());
        kept.recent.truncate(MOST);
        Self { file, ..kept }
    }

    /// Writes the file. Windows go on without it, so a failure is not reported.
    pub fn write(&self) {
        if let (Some(file), Ok(mut text)) = (&self.file, serde_json::to_vec_pretty(self)) {
            text.push(b'\n');
            let _ = file.parent().map(fs::create_dir_all);
            let _ = atomic::write(file, &text, "desktop.json");
        }
    }

    /// A project was opened.
    pub fn opened(&mut self, folder: &Path, port: u16) {
        self.recent.retain(|recent| recent.folder != folder);
        self.recent.insert(0, Recent { folder: folder.to_owned(), port: Some(port) });
        self.recent.truncate(MOST);
    }

    /// A project is no longer listed.
    pub fn forget(&mut self, folder: &Path) {
        self.recent.retain(|recent| recent.folder != folder);
    }

    /// The folders of the projects.
    pub fn folders(&self) -> Vec<PathBuf> {
        self.recent.iter().map(|recent| recent.folder.clone()).collect()
    }

    /// The last port of a project.
    pub fn port(&self, folder: &Path) -> Option<u16> {
        self.recent.iter().find(|recent| recent.folder == folder)?.port.filter(|port| *port >= 1024)
    }

    /// The size of pages; 1 is the usual one.
    pub fn zoom(&self) -> f64 {
        self.zoom.filter(|zoom| ZOOM.contains(zoom)).unwrap_or(1.0)
    }

    /// Changes the size by steps of a tenth; to the usual one with `None`.
    pub fn set_zoom(&mut self, steps: Option<f64>) -> f64 {
        let wanted = steps.map(|steps| ((self.zoom() + steps / 10.0) * 10.0).round() / 10.0);
        self.zoom = wanted.map(|zoom| zoom.clamp(*ZOOM.start(), *ZOOM.end()));
        self.zoom()
    }
}

/// The names of projects for a list: of their folder, and of the folder above it where two are alike.
pub fn names(folders: &[PathBuf]) -> Vec<String> {
    let name = |path: &Path| {
        path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into())
    };
    let short: Vec<String> = folders.iter().map(|folder| name(folder)).collect();
    let is_twin = |own: &String| short.iter().filter(|other| *other == own).count() > 1;
    let long = |folder: &PathBuf, own: &String| match folder.parent() {
        Some(parent) if is_twin(own) => format!("{own} – {}", name(parent)),
        _ => own.clone(),
    };
    folders.iter().zip(&short).map(|(folder, own)| long(folder, own)).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn the_last_opened_project_is_first_and_listed_once() {
        let folder = tempfile::tempdir().unwrap();
        let mut kept = Kept::read(Some(folder.path()));
        for (name, port) in [("/a", 4747), ("/b", 5000), ("/a", 4748)] {
            kept.opened(Path::new(name), port);
        }
        kept.background = true;
        kept.set_zoom(Some(2.0));
        kept.write();
        let read = Kept::read(Some(folder.path()));
        assert_eq!(read.folders(), [PathBuf::from("/a"), "/b".into()]);
        assert_eq!(read.port(Path::new("/a")), Some(4748));
        assert!(read.background && (read.zoom() - 1.2).abs() < 1e-9);
        kept.forget(Path::new("/a"));
        assert_eq!(kept.folders(), [PathBuf::from("/b")]);
        for number in 0..30 {
            kept.opened(Path::new(&format!("/{number}")), 5000);
        }
        assert_eq!(
            (kept.recent.len(), kept.folders().first().unwrap().clone()),
            (MOST, PathBuf::from("/29"))
        );
    }

    #[test]
    fn a_broken_file_is_no_obstacle() {
        let folder = tempfile::tempdir().unwrap();
        for text in ["", "{", "[]", r#"{"recent": [{"folder": "relative"}], "zoom": 99}"#, r#"{"recent": 1}"#]
        {
            fs::write(folder.path().join("desktop.json"), text).unwrap();
            let kept = Kept::read(Some(folder.path()));
            assert!(kept.recent.is_empty() && (kept.zoom() - 1.0).abs() < 1e-9, "{text}");
        }
        Kept::read(None).write();
    }

    #[test]
    fn zoom_has_limits() {
        let mut kept = Kept::default();
        for _ in 0..50 {
            kept.set_zoom(Some(1.0));
        }
        assert!((kept.zoom() - 3.0).abs() < 1e-9);
        for _ in 0..50 {
            kept.set_zoom(Some(-1.0));
        }
        assert!((kept.zoom() - 0.5).abs() < 1e-9);
        assert!((kept.set_zoom(None) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn alike_names_show_the_folder_above() {
        let folders: Vec<PathBuf> = ["/team/docs", "/own/docs", "/own/notes", "/"].map(Into::into).into();
        assert_eq!(names(&folders), ["docs – team", "docs – own", "notes", "/"]);
    }
}
