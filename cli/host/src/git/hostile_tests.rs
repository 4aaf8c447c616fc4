//! A project unpacked with a malicious `.git` folder.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use std::os::unix::fs::PermissionsExt;

use super::tests::{Scratch, run};
use super::*;
use ubp_testing::conformance::Repository;

/// Sets every setting that could run `trap`, a script that writes to `mark` and copies its input.
fn arm(scratch: &mut Scratch, trap: &Path, mark: &Path) {
    fs::write(trap, format!("#!/bin/sh\necho \"$0 $*\" >> '{}'\ncat\n", mark.display())).unwrap();
    fs::set_permissions(trap, fs::Permissions::from_mode(0o755)).unwrap();
    let command = trap.to_string_lossy().into_owned();
    for setting in [
        "core.fsmonitor",
        "core.pager",
        "core.sshCommand",
        "core.editor",
        "diff.external",
        "diff.trap.textconv",
        "diff.trap.command",
        "filter.trap.clean",
        "Filter.A.B c.clean",
        "filter.two.process",
        "gpg.program",
        "gpg.ssh.program",
        "pager.log",
        "pager.status",
        "remote.origin.uploadpack",
        "alias.log",
        "alias.status",
    ] {
        scratch.git(&["config", setting, &command]);
    }
    for setting in ["filter.trap.required", "filter.two.required", "log.showSignature", "log.follow"] {
        scratch.git(&["config", setting, "true"]);
    }
    let hooks = scratch.path("../hooks");
    fs::create_dir_all(&hooks).unwrap();
    for hook in ["post-index-change", "fsmonitor-watchman", "reference-transaction"] {
        fs::copy(trap, hooks.join(hook)).unwrap();
    }
    scratch.git(&["config", "core.hooksPath", &hooks.to_string_lossy()]);
}

#[test]
fn settings_of_a_repository_run_no_commands() {
    let place = tempfile::tempdir().unwrap();
    let (trap, mark) = (place.path().join("trap"), place.path().join("mark"));
    let mut scratch = Scratch::new("app");
    let attributes = "a.rs filter=trap diff=trap\nb.rs filter=two\nc.rs filter=\"A.B c\"\n";
    let files = [("a.rs", "1"), ("b.rs", "1"), ("c.rs", "1"), (".gitattributes", attributes)];
    scratch.commit(&files, Timestamp::from_second(1_700_000_000).unwrap());
    arm(&mut scratch, &trap, &mark);
    // Only times have changed, so git must read the files, through filters.
    std::thread::sleep(std::time::Duration::from_millis(20));
    for (path, text) in &files[..3] {
        scratch.edit(path, text);
    }

    let asked: Vec<String> = ["a.rs", "b.rs", "c.rs", "new.rs"].map(String::from).to_vec();
    let found = scratch.history().last_changes(&asked).unwrap();
    assert!(scratch.history().head().unwrap().is_some());
    assert_eq!(scratch.history().versions("a.rs", 5).unwrap().len(), 1);
    assert!(matches!(found["a.rs"], SourceChange::Committed(_)), "{found:?}");
    assert_eq!(found.len(), 3);
    let ran = fs::read_to_string(&mark).unwrap_or_default();
    assert_eq!(ran, "");

    // The traps work: plain git triggers them.
    let _ = std::process::Command::new("git")
        .args(["-C", &scratch.dir.path().to_string_lossy(), "status", "--short"])
        .output();
    let ran = fs::read_to_string(&mark).unwrap_or_default();
    assert!(ran.contains("trap"), "{ran}");
}

#[test]
fn settings_of_a_submodule_run_no_commands() {
    let place = tempfile::tempdir().unwrap();
    let (trap, mark) = (place.path().join("trap"), place.path().join("mark"));
    let mut library = Scratch::new("");
    let time = Timestamp::from_second(1_700_000_000).unwrap();
    library.commit(&[("lib.rs", "1")], time);
    let mut scratch = Scratch::new("");
    scratch.git(&["submodule", "--quiet", "add", &library.dir.path().to_string_lossy(), "lib"]);
    scratch.commit(&[("a.rs", "1")], time);
    fs::write(&trap, format!("#!/bin/sh\necho ran >> '{}'\n", mark.display())).unwrap();
    fs::set_permissions(&trap, fs::Permissions::from_mode(0o755)).unwrap();
    let command = trap.to_string_lossy().into_owned();
    run(&scratch.path("lib"), &["config", "core.fsmonitor", &command]);

    let found = scratch.history().last_changes(&["a.rs".into(), "lib/lib.rs".into()]).unwrap();
    assert_eq!(found.len(), 2);
    assert!(!mark.exists());
    run(&scratch.path("lib"), &["status"]);
    assert!(mark.exists(), "the trap works");
}

#[test]
fn a_folder_that_looks_like_a_bare_repository_is_ignored() {
    let place = tempfile::tempdir().unwrap();
    let (trap, mark) = (place.path().join("trap"), place.path().join("mark"));
    let mut scratch = Scratch::new("");
    scratch.commit(&[("a.rs", "1")], Timestamp::from_second(1_700_000_000).unwrap());
    scratch.git(&["clone", "--quiet", "--bare", ".", "fake"]);
    let fake = scratch.path("fake");
    fs::write(&trap, format!("#!/bin/sh\necho ran >> '{}'\n", mark.display())).unwrap();
    fs::set_permissions(&trap, fs::Permissions::from_mode(0o755)).unwrap();
    run(&fake, &["config", "core.fsmonitor", &trap.to_string_lossy()]);
    run(&fake, &["config", "core.bare", "false"]);
    run(&fake, &["config", "core.worktree", ".."]);
    let history = GitHistory::new(&fake);
    assert_eq!(history.head().unwrap(), None);
    assert!(history.last_changes(&["a.rs".into()]).unwrap().is_empty());
    assert!(!mark.exists());
}

#[test]
fn a_filter_that_cannot_be_disabled_is_an_error() {
    let mut scratch = Scratch::new("");
    scratch.commit(&[("a.rs", "1")], Timestamp::from_second(1_700_000_000).unwrap());
    let config = scratch.path(".git/config");
    let text = fs::read_to_string(&config).unwrap();
    fs::write(&config, format!("{text}[filter \"x=y\"]\n\tclean = touch /nowhere\n")).unwrap();
    let error = scratch.history().last_changes(&["a.rs".into()]).unwrap_err();
    assert!(error.to_string().contains("x=y"), "{error}");
}
