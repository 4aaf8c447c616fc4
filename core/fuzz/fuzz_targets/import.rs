//! Any export can be imported: each file becomes a page or an attachment, or a notice names it, and no link is lost unsaid.
#![no_main]

use std::collections::BTreeMap;

use libfuzzer_sys::fuzz_target;
use ubp_core::import::{Export, ExportFile, Kind, NoticeKind, Options, prepare};
use ubp_core::index::Index;
use ubp_core::manifest::{FrontMatterMode, Manifest};
use ubp_core::path;
use ubp_core::ports::{FixedClock, MemorySource, NoHistory, NoSymbols};
use ubp_core::progress::{Cancel, Silent};
use ubp_core::{Caller, Engine, Error};

/// The input is the number of a program, then a path and a text by turns, with a NUL byte after each.
fuzz_target!(|bytes: &[u8]| {
    let Some((number, rest)) = bytes.split_first() else { return };
    let kind = Kind::ALL[usize::from(*number) % Kind::ALL.len()];
    let parts: Vec<&[u8]> = rest.split(|byte| *byte == 0).collect();
    let mut files: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    for pair in parts.chunks_exact(2).take(20) {
        let Some(path) = std::str::from_utf8(pair[0]).ok().and_then(|name| path::join("", name)) else {
            continue;
        };
        let is_folder =
            |one: &str, other: &str| one.strip_prefix(other).is_some_and(|rest| rest.starts_with('/'));
        if !path.is_empty() && !files.keys().any(|file| is_folder(file, &path) || is_folder(&path, file)) {
            files.insert(path, pair[1].to_vec());
        }
    }

    let now = jiff::Timestamp::UNIX_EPOCH;
    let engine = Engine {
        index: Index::in_memory().unwrap(),
        source: Box::new(MemorySource::default().in_folder("pages")),
        history: Box::new(NoHistory),
        symbols: Box::new(NoSymbols),
        clock: Box::new(FixedClock::at(now)),
        embedder: None,
        manifest: Manifest::default_for("pages", FrontMatterMode::Preserved, now).unwrap(),
    };
    let cancel = Cancel::default();
    let context = engine.context(Caller::Person, true, &Silent, &cancel);
    let read = |path: &str| files.get(path).cloned().ok_or_else(|| Error::Internal("no such file".into()));
    let listed =
        files.iter().map(|(path, bytes)| ExportFile { path: path.clone(), size: bytes.len() as u64 });
    let export = Export { files: listed.collect(), read: &read, notices: Vec::new() };
    let options = Options { from: Some(kind), ..Options::default() };
    let output = prepare(&context, export, &options).unwrap().write(&context).unwrap();

    let lost = output.notices.iter().filter(|notice| notice.kind == NoticeKind::LostLink).count();
    let before = output.links.before + output.attachment_links.before;
    assert_eq!(before, output.links.after + output.attachment_links.after + lost);
    for file in files.keys() {
        let top = file.split('/').next().unwrap_or_default();
        let is_placed = output.pages.iter().chain(&output.attachments).any(|placed| placed.from == *file);
        let is_told =
            output.notices.iter().any(|notice| notice.file == *file || notice.file == format!("{top}/"));
        // The rows of a table are pages, or it is a second listing of the same rows.
        let is_table = kind == Kind::Notion && file.to_lowercase().ends_with(".csv");
        assert!(is_placed || is_told || is_table, "{file}");
    }
});
