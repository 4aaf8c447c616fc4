//! Archives that are hostile, damaged, or written by unusual programs.
#![allow(clippy::unwrap_used)]

use std::io::{Cursor, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::super::tests::{names, opened, packed};

fn refused(bytes: &[u8]) -> String {
    let error = opened(bytes).unwrap_err();
    assert_eq!(error.code(), "invalid_params");
    error.to_string()
}

/// The archive with every occurrence of `from` replaced by `to`, which has the same length.
fn patched(mut bytes: Vec<u8>, from: &[u8], to: &[u8]) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let places: Vec<usize> =
        bytes.windows(from.len()).enumerate().filter(|(_, part)| *part == from).map(|(at, _)| at).collect();
    assert!(!places.is_empty());
    for at in places {
        bytes[at..at + to.len()].copy_from_slice(to);
    }
    bytes
}

#[test]
fn entries_that_lead_out_of_the_archive_are_refused() {
    for (harmless, hostile) in [
        ("xx/evil.md", "../evil.md"),
        ("a/xx/xx/evil.md", "a/../../evil.md"),
        ("xevil.md", "/evil.md"),
        ("xxxa.md", "C:\\a.md"),
        ("xx_evil.md", "..\\evil.md"),
        ("xxhxa.md", "\\\\h\\a.md"),
    ] {
        let bytes = patched(packed(&[(harmless, b"x")]), harmless.as_bytes(), hostile.as_bytes());
        let message = refused(&bytes);
        assert!(message.contains("leads out of the archive"), "{hostile}: {message}");
    }
    let bytes = patched(packed(&[("a_b.md", b"x")]), b"a_b.md", b"a\0b.md");
    assert!(refused(&bytes).contains("leads out"));
}

#[test]
fn an_entry_that_unpacks_to_far_more_than_its_size_is_refused() {
    let zeros = vec![0; 30 << 20];
    assert!(refused(&packed(&[("a.md", &zeros)])).contains("would unpack from"));
    // Many entries, each below the limit of one.
    let some = vec![0; 5 << 20];
    let many: Vec<(String, &[u8])> = (0..4).map(|number| (format!("{number}.md"), some.as_slice())).collect();
    let many: Vec<(&str, &[u8])> = many.iter().map(|(name, bytes)| (name.as_str(), *bytes)).collect();
    assert!(refused(&packed(&many)).contains("would unpack from"));
}

#[test]
fn duplicate_names_are_refused() {
    let bytes = patched(packed(&[("a.md", b"one"), ("b.md", b"two")]), b"b.md", b"a.md");
    assert!(refused(&bytes).contains("the same name"));
}

#[test]
fn archives_nested_too_deeply_are_refused() {
    let mut bytes = packed(&[("a.md", b"x")]);
    for _ in 0..3 {
        bytes = packed(&[("in.zip", &bytes)]);
    }
    assert_eq!(names(&opened(&bytes).unwrap()), ["a.md"]);
    let deeper = packed(&[("in.zip", &bytes)]);
    assert!(refused(&deeper).contains("inside of each other"));
}

#[test]
fn an_encrypted_archive_is_refused() {
    // The first flag of both headers of an entry says that it is encrypted.
    let mut bytes = packed(&[("a.md", b"x")]);
    let central = bytes.windows(4).position(|part| part == b"PK\x01\x02").unwrap();
    bytes[6] |= 1;
    bytes[central + 8] |= 1;
    assert!(refused(&bytes).contains("encrypted"));
}

#[test]
fn a_damaged_archive_is_refused_or_fails_when_read() {
    assert!(refused(b"not an archive").contains("not a valid ZIP archive"));
    let bytes = packed(&[("a.md", b"some text")]);
    assert!(opened(&bytes[..bytes.len() - 30]).is_err());
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    writer.start_file("a.md", stored).unwrap();
    writer.write_all(b"some text").unwrap();
    let bytes = patched(writer.finish().unwrap().into_inner(), b"some text", b"same text");
    let notes = opened(&bytes).unwrap();
    assert!(notes.read("a.md").unwrap_err().to_string().contains("cannot be unpacked"));
}

#[test]
fn symbolic_links_in_an_archive_are_left_out() {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    writer.add_symlink("link.md", "/etc/passwd", SimpleFileOptions::default()).unwrap();
    writer.start_file("a.md", SimpleFileOptions::default()).unwrap();
    let notes = opened(&writer.finish().unwrap().into_inner()).unwrap();
    assert_eq!(names(&notes), ["a.md"]);
    assert_eq!(notes.notices[0].file, "link.md");
}

#[test]
fn names_are_utf8_if_valid_and_otherwise_of_dos() {
    let utf8 = packed(&[("日本é.md", b"x")]);
    // Without the flag for UTF-8, as some systems write it.
    let mut unflagged = utf8.clone();
    let central = unflagged.windows(4).position(|part| part == b"PK\x01\x02").unwrap();
    for at in [7, central + 9] {
        unflagged[at] &= !8;
    }
    for bytes in [utf8, unflagged] {
        assert_eq!(names(&opened(&bytes).unwrap()), ["日本é.md"]);
    }
    let dos = patched(packed(&[("caf_.md", b"x")]), b"caf_.md", b"caf\x82.md");
    assert_eq!(names(&opened(&dos).unwrap()), ["café.md"]);
    let windows = patched(packed(&[("a_b.md", b"x")]), b"a_b.md", b"a\\b.md");
    assert_eq!(names(&opened(&windows).unwrap()), ["a/b.md"]);
}
