//! Downloads from a hub that fails in many ways.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};
use tempfile::TempDir;
use ubp_core::progress::Cancel;

use super::hub_server::{Behaviour, Hub};
use super::{Failure, Order, Route, fetch};
use crate::Environment;
use crate::models::hex;

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

struct Case {
    folder: TempDir,
    hub: Hub,
    content: Vec<u8>,
}

impl Case {
    fn new(behaviour: Behaviour) -> Self {
        let content: Vec<u8> = (0..300_000_u32).flat_map(|n| n.to_le_bytes()).collect();
        let files = [("/file".to_owned(), content.clone())].into();
        let hub = Hub::start(Behaviour { files, ..behaviour });
        Self { folder: tempfile::tempdir().unwrap(), hub, content }
    }

    fn target(&self) -> PathBuf {
        self.folder.path().join("file")
    }

    fn part(&self) -> Option<Vec<u8>> {
        fs::read(self.folder.path().join("file.part")).ok()
    }

    fn sum(&self) -> String {
        hex(&Sha256::digest(&self.content))
    }

    fn get(&self, sha256: Option<&str>, limit: u64, cancel: &Cancel) -> Result<String, Failure> {
        let target = self.target();
        let order = Order { url: format!("{}/file", self.hub.url), target: &target, sha256, limit };
        fetch(&order, &Route::of(&Environment::default()), cancel, &|_, _| {})
    }

    fn try_it(&self) -> Result<String, Failure> {
        self.get(None, u64::MAX, &Cancel::default())
    }

    #[track_caller]
    fn is_whole(&self) {
        assert_eq!(fs::read(self.target()).unwrap(), self.content);
        assert_eq!(names(self.folder.path()), ["file"], "no part file is left");
    }
}

#[test]
fn a_file_is_downloaded() {
    for (silent, no_length) in [(false, false), (true, false), (false, true)] {
        let case = Case::new(Behaviour { silent, no_length, ..Behaviour::default() });
        assert_eq!(case.try_it().unwrap(), case.sum());
        case.is_whole();
    }
}

#[test]
fn a_broken_connection_is_resumed_at_once() {
    let case = Case::new(Behaviour { cut: Some(200_000), ..Behaviour::default() });
    assert_eq!(case.try_it().unwrap(), case.sum());
    assert_eq!(case.hub.requests(), ["/file", "/file 200000-"]);
    case.is_whole();
}

#[test]
fn the_part_is_kept_and_resumed_later_if_the_hub_goes_down() {
    let down = Behaviour { cut: Some(200_000), down_after_cut: true, ..Behaviour::default() };
    let case = Case::new(down);
    let failure = case.try_it().unwrap_err();
    assert!(matches!(failure, Failure::Connection { kept: 200_000, .. }), "{failure:?}");
    assert_eq!(case.part().unwrap(), case.content[..200_000]);
    case.hub.change(|hub| hub.down_after_cut = false);
    assert_eq!(case.try_it().unwrap(), case.sum());
    assert_eq!(case.hub.requests().last().unwrap(), "/file 200000-");
    case.is_whole();
}

#[test]
fn a_part_of_a_changed_file_is_not_resumed() {
    let down = Behaviour { cut: Some(200_000), down_after_cut: true, ..Behaviour::default() };
    let mut case = Case::new(down);
    case.try_it().unwrap_err();
    case.content = vec![7; 250_000];
    case.hub.change(|hub| {
        hub.down_after_cut = false;
        hub.files.insert("/file".into(), case.content.clone());
    });
    assert_eq!(case.try_it().unwrap(), case.sum());
    case.is_whole();
}

#[test]
fn without_ranges_or_tags_the_download_starts_again() {
    for (silent, whole_only) in [(true, false), (false, true)] {
        let case = Case::new(Behaviour { cut: Some(200_000), silent, whole_only, ..Behaviour::default() });
        assert_eq!(case.try_it().unwrap(), case.sum());
        case.is_whole();
    }
}

#[test]
fn a_part_that_is_already_complete_is_used() {
    let case = Case::new(Behaviour::default());
    fs::write(case.folder.path().join("file.part"), &case.content).unwrap();
    fs::write(case.folder.path().join("file.part.tag"), case.sum()).unwrap();
    assert_eq!(case.try_it().unwrap(), case.sum());
    assert_eq!(case.hub.requests().len(), 1);
    case.is_whole();
}

#[test]
fn a_damaged_part_is_detected_and_removed() {
    let case = Case::new(Behaviour::default());
    fs::write(case.folder.path().join("file.part"), [0; 1000]).unwrap();
    fs::write(case.folder.path().join("file.part.tag"), case.sum()).unwrap();
    assert!(matches!(case.try_it().unwrap_err(), Failure::Checksum { .. }));
    assert_eq!(names(case.folder.path()), [""; 0]);
    assert_eq!(case.try_it().unwrap(), case.sum());
}

#[test]
fn a_wrong_checksum_leaves_no_file() {
    let wrong = "a".repeat(64);
    let told = Case::new(Behaviour { checksum: Some(wrong.clone()), ..Behaviour::default() });
    let Failure::Checksum { expected, found } = told.try_it().unwrap_err() else { panic!() };
    assert_eq!((expected, found), (wrong.clone(), told.sum()));
    assert_eq!(names(told.folder.path()), [""; 0]);
    // With a known checksum: refused by the headers if the hub sends one, otherwise at the end.
    for silent in [false, true] {
        let known = Case::new(Behaviour { silent, ..Behaviour::default() });
        let failure = known.get(Some(&wrong), u64::MAX, &Cancel::default()).unwrap_err();
        assert!(matches!(failure, Failure::Checksum { .. }), "{failure:?}");
        assert_eq!(names(known.folder.path()), [""; 0]);
    }
}

#[test]
fn redirects_keep_the_hubs_checksum_and_must_be_allowed() {
    let inside = Case::new(Behaviour { redirect: Some("/store".into()), ..Behaviour::default() });
    assert_eq!(inside.try_it().unwrap(), inside.sum());
    assert_eq!(inside.hub.requests(), ["/file", "/store/file"]);
    for outside in ["http://hub.example", "ftp://127.0.0.1", "file://"] {
        let case = Case::new(Behaviour { redirect: Some(outside.into()), ..Behaviour::default() });
        let failure = case.try_it().unwrap_err();
        assert!(matches!(&failure, Failure::Insecure(to) if to.starts_with(outside)), "{failure:?}");
    }
    let circle = Case::new(Behaviour { redirect: Some(String::new()), ..Behaviour::default() });
    assert!(matches!(circle.try_it().unwrap_err(), Failure::Connection { kept: 0, .. }));
    assert_eq!(circle.hub.requests().len(), 6);
}

#[test]
fn a_file_above_the_limit_is_refused() {
    for no_length in [false, true] {
        let case = Case::new(Behaviour { no_length, ..Behaviour::default() });
        assert!(matches!(case.get(None, 100_000, &Cancel::default()), Err(Failure::TooLarge)));
        assert_eq!(names(case.folder.path()), [""; 0]);
    }
}

#[test]
fn cancelling_is_quick_and_keeps_the_part() {
    let case = Case::new(Behaviour { stall: Some(131_072), ..Behaviour::default() });
    let cancel = Cancel::default();
    let begun = Instant::now();
    let failure = std::thread::scope(|scope| {
        let download = scope.spawn(|| case.get(None, u64::MAX, &cancel));
        while case.part().is_none_or(|part| part.len() < 131_072) && begun.elapsed().as_secs() < 20 {
            std::thread::sleep(Duration::from_millis(10));
        }
        cancel.request();
        download.join().unwrap().unwrap_err()
    });
    assert!(matches!(failure, Failure::Cancelled), "{failure:?}");
    assert!(begun.elapsed() < Duration::from_secs(20));
    assert_eq!(case.part().unwrap(), case.content[..131_072]);
    case.hub.change(|hub| hub.stall = None);
    assert_eq!(case.try_it().unwrap(), case.sum());
    assert_eq!(case.hub.requests().last().unwrap(), "/file 131072-");
}

#[test]
fn an_unreachable_hub_and_an_error_status_are_distinguished() {
    let case = Case::new(Behaviour::default());
    case.hub.change(|hub| hub.files.clear());
    assert!(matches!(case.try_it().unwrap_err(), Failure::Status(404)));
    let target = case.target();
    let order = Order { url: "http://127.0.0.1:1/file".into(), target: &target, sha256: None, limit: 10 };
    let route = Route::of(&Environment::default());
    let failure = fetch(&order, &route, &Cancel::default(), &|_, _| {}).unwrap_err();
    assert!(matches!(failure, Failure::Connection { kept: 0, .. }), "{failure:?}");
    assert_eq!(names(case.folder.path()), [""; 0]);
}
