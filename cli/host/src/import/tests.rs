//! Folders and archives of notes.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::io::{Cursor, Write};
use std::path::Path;

use tempfile::TempDir;
use ubp_core::progress::Cancel;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::*;

/// An archive with these entries.
pub(super) fn packed(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in entries {
        writer.start_file(*name, SimpleFileOptions::default()).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// Opens the archive with these bytes.
pub(super) fn opened(bytes: &[u8]) -> Result<Notes> {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("notes.zip");
    fs::write(&path, bytes).unwrap();
    Notes::open(&path, &Cancel::default())
}

pub(super) fn names(notes: &Notes) -> Vec<&str> {
    notes.files.iter().map(|file| file.path.as_str()).collect()
}

fn put(folder: &Path, path: &str, text: &[u8]) {
    let file = folder.join(path);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
}

#[test]
fn a_folder_is_listed_without_git_and_symbolic_links() {
    let folder = TempDir::new().unwrap();
    put(folder.path(), "a/b.md", b"text");
    put(folder.path(), ".obsidian/app.json", b"{}");
    put(folder.path(), ".git/config", b"x");
    #[cfg(unix)]
    std::os::unix::fs::symlink("/etc/passwd", folder.path().join("link.md")).unwrap();
    let notes = Notes::open(folder.path(), &Cancel::default()).unwrap();
    assert_eq!(names(&notes), [".obsidian/app.json", "a/b.md"]);
    assert_eq!(notes.read("a/b.md").unwrap(), b"text");
    assert_eq!(notes.read("../b.md").unwrap_err().code(), "io");
    if cfg!(unix) {
        assert_eq!(notes.notices[0].file, "link.md");
    }
}

#[test]
fn parts_of_an_export_are_read_packed_once_or_twice() {
    let part = |name: &str| packed(&[(name, b"text"), ("shared.png", b"same")]);
    let (one, two) = (part("a.md"), part("b/c.md"));
    let outer = packed(&[("Part-1.zip", &one), ("Part-2.zip", &two), ("index.html", b"list")]);
    let notes = opened(&outer).unwrap();
    assert_eq!(names(&notes), ["a.md", "b/c.md", "shared.png"]);
    assert_eq!(notes.read("b/c.md").unwrap(), b"text");
    assert!(notes.notices.is_empty());

    let folder = TempDir::new().unwrap();
    put(folder.path(), "Export-1-Part-1.zip", &one);
    put(folder.path(), "Export-1-Part-2.zip", &two);
    let notes = Notes::open(folder.path(), &Cancel::default()).unwrap();
    assert_eq!(names(&notes), ["a.md", "b/c.md", "shared.png"]);
}

#[test]
fn an_archive_beside_notes_is_an_attachment() {
    let attachment = packed(&[("inside.md", b"x")]);
    let notes = opened(&packed(&[("a.md", b"text"), ("files/b.zip", &attachment)])).unwrap();
    assert_eq!(names(&notes), ["a.md", "files/b.zip"]);
    assert_eq!(notes.read("files/b.zip").unwrap(), attachment);
}

#[test]
fn parts_with_different_files_of_one_name_are_reported() {
    let one = packed(&[("a.md", b"one")]);
    let two = packed(&[("a.md", b"two")]);
    let notes = opened(&packed(&[("1.zip", &one), ("2.zip", &two)])).unwrap();
    assert_eq!(notes.read("a.md").unwrap(), b"one");
    assert!(notes.notices[0].message.to_string().contains("2.zip"), "{:?}", notes.notices);
}
