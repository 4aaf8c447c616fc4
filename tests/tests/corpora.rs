//! Tests with real vaults, if there are copies in the folder `UBP_CORPORA` (default: `../shared/corpora`).

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use ubp_tests::skipped;
use ubp_tests::terminal::Terminal;

use crate::hostile::hashes;

fn vaults() -> Option<PathBuf> {
    let beside = PathBuf::from("../../shared/corpora");
    let places = std::env::var_os("UBP_CORPORA").map(PathBuf::from).into_iter().chain([beside]);
    places.map(|place| place.join("vaults")).find(|place| place.is_dir())
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() { copy(&path, &target) } else { assert!(fs::copy(&path, &target).is_ok()) }
    }
}

/// Pages by the design's rule: Markdown files outside of dot-folders and `node_modules`, unless the vault ignores them.
fn pages(folder: &Path) -> usize {
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if name.starts_with('.') || name == "node_modules" {
            continue;
        }
        if path.is_dir() {
            count += pages(&path);
        } else {
            let ending = path.extension().map(|ext| ext.to_string_lossy().to_lowercase());
            count += usize::from(matches!(ending.as_deref(), Some("md" | "markdown")));
        }
    }
    count
}

#[test]
fn every_vault_is_indexed_completely_and_not_modified() {
    let Some(vaults) = vaults() else {
        return skipped("real vaults: UBP_CORPORA is not a folder that contains them");
    };
    let mut names: Vec<PathBuf> = fs::read_dir(&vaults).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.retain(|path| path.is_dir());
    names.sort();
    assert!(!names.is_empty());
    for vault in names {
        let name = vault.file_name().unwrap().to_string_lossy().into_owned();
        let terminal = Terminal::vault([]).unwrap();
        copy(&vault, terminal.folder());
        let before = hashes(terminal.folder());
        let begun = Instant::now();
        let ran = terminal.ubp("add --json");
        let seconds = begun.elapsed().as_secs_f64();
        assert!(ran.succeeded(), "{name}: {}", ran.transcript());
        let added = ran.json();
        assert_eq!(added["unreadable"], serde_json::json!([]), "{name}");
        assert_eq!(added["added"].as_array().unwrap().len(), pages(&vault), "{name}: pages");

        let status = terminal.ubp("status --json").json();
        println!(
            "{name}: {} pages, {} links, {} broken, {seconds:.2} s",
            status["page_count"], status["link_count"], status["unresolved_link_count"]
        );
        let again = terminal.ubp("add --json").json();
        for part in ["added", "changed", "removed", "renamed", "written"] {
            assert_eq!(again[part], serde_json::json!([]), "{name}: {part} in the second run");
        }
        assert_eq!(again["embedded"], 0, "{name}");
        assert!(terminal.ubp("doctor").succeeded(), "{name}");
        assert_eq!(hashes(terminal.folder()), before, "{name}: a file changed");
    }
}
