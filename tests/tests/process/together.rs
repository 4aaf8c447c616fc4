//! Concurrent runs on one project, and read-only projects.

use std::thread;

use super::{command, equal, forget_index, json, project, state, ubp};

#[test]
fn two_runs_at_once_both_succeed() {
    let folder = project(1_500);
    let folder = folder.path();
    for _ in 0..3 {
        forget_index(folder);
        let children: Vec<_> = (0..2).map(|_| command(folder, &["add"]).spawn().unwrap()).collect();
        let reader = thread::spawn({
            let folder = folder.to_path_buf();
            move || (0..3).map(|_| ubp(&folder, &["search", "session token", "-l"])).collect::<Vec<_>>()
        });
        for child in children {
            let output = child.wait_with_output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
        for output in reader.join().unwrap() {
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
        assert_eq!(json(folder, &["status", "--json"])["page_count"], 1_500);
    }
    let together = state(folder);
    forget_index(folder);
    equal(&together, &state(folder), "one after the other");
}

#[cfg(unix)]
#[test]
fn a_read_only_project_answers_and_stays_unchanged() {
    use std::os::unix::fs::PermissionsExt;
    use std::process::Command;
    let folder = project(20);
    let own = folder.path().join(".ubp");
    let set = |mode| std::fs::set_permissions(&own, std::fs::Permissions::from_mode(mode)).unwrap();
    let answers = |folder: &std::path::Path| {
        let output = ubp(folder, &["search", "token", "-l", "--no-refresh"]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(0), "{said}");
        assert!(said.starts_with("warning: ") && said.contains("in memory"), "{said}");
        assert!(String::from_utf8_lossy(&output.stdout).contains(".md"));
        for command in ["add", "rebuild"] {
            let output = ubp(folder, &[command]);
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(2), "{command}: {said}");
            assert!(said.contains("cannot be written to") && output.stdout.is_empty(), "{command}: {said}");
        }
    };
    set(0o555);
    if std::fs::write(own.join("probe"), "").is_err() {
        answers(folder.path());
        set(0o755);
        return;
    }
    // This user may write everywhere except on a read-only file system.
    std::fs::remove_file(own.join("probe")).unwrap();
    set(0o755);
    let mount = |arguments: &[&str]| {
        Command::new("mount")
            .args(arguments)
            .arg(folder.path())
            .output()
            .is_ok_and(|output| output.status.success())
    };
    let path = folder.path().to_string_lossy().into_owned();
    if !mount(&["--bind", &path]) {
        println!("skipped: this user may write everywhere, and mount nothing");
        return;
    }
    let outcome = std::panic::catch_unwind(|| {
        assert!(mount(&["-o", "remount,bind,ro"]));
        answers(folder.path());
    });
    assert!(Command::new("umount").arg(folder.path()).status().unwrap().success());
    outcome.unwrap();
    assert!(!own.join("metadata.db").exists());
    assert!(ubp(folder.path(), &["search", "token"]).status.success());
}
