//! After an interruption at any moment, the next run completes the work.

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use ubp_tests::generator::Random;

use super::{command, equal, forget_index, program, project, state, ubp};

fn soak() -> bool {
    std::env::var_os("UBP_SOAK").is_some()
}

fn send(signal: &str, process: u32) {
    assert!(ubp_tests::signal::send(signal, process));
}

#[test]
fn after_a_kill_the_next_run_gives_the_same_index_as_a_clean_one() {
    let (rounds, pages) = if soak() { (30, 10_000) } else { (5, 2_000) };
    let folder = project(pages);
    let folder = folder.path();
    let begun = Instant::now();
    assert!(ubp(folder, &["add"]).status.success());
    let mut whole_run = begun.elapsed();
    let clean = state(folder);
    let mut random = Random::new(99);
    let mut killed = 0;
    for round in 0..rounds {
        forget_index(folder);
        // Twice in a row: the second run continues where the first one was killed.
        for _ in 0..2 {
            let mut child = command(folder, &["add"]).spawn().unwrap();
            let moment = whole_run.mul_f64(random.fraction() * 0.9);
            std::thread::sleep(moment);
            let _ = child.kill();
            if child.wait().unwrap().signal() == Some(9) {
                killed += 1;
            } else {
                // The first run was slower, because other processes were running.
                whole_run = moment;
            }
        }
        let output = ubp(folder, &["add"]);
        assert!(output.status.success(), "round {round}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(
            !String::from_utf8_lossy(&output.stderr).contains("moved to"),
            "round {round}: nothing was damaged"
        );
        equal(&state(folder), &clean, &format!("round {round}"));
    }
    println!("{killed} of {} runs were killed while they worked", rounds * 2);
    assert!(killed >= rounds / 2, "{killed} of {} runs were killed while they worked", rounds * 2);
}

/// Waits until the index starts to grow.
fn wait_for_work(folder: &Path) {
    let begun = Instant::now();
    while std::fs::metadata(folder.join(".ubp/metadata.db-wal")).map_or(0, |data| data.len()) < 100_000 {
        assert!(begun.elapsed() < Duration::from_secs(60), "the run never began");
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn an_interrupt_ends_with_130_and_loses_nothing() {
    let folder = project(4_000);
    let folder = folder.path();
    for signal in ["-INT", "-TERM"] {
        forget_index(folder);
        let child = command(folder, &["add"]).spawn().unwrap();
        wait_for_work(folder);
        send(signal, child.id());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130), "{signal}: {output:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("interrupted"), "{output:?}");
    }
    let resumed = state(folder);
    forget_index(folder);
    equal(&resumed, &state(folder), "after going on");
}

#[test]
fn a_full_disk_is_an_error_that_damages_nothing() {
    let mount = tempfile::tempdir().unwrap();
    let mounted = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=8m", "tmpfs"])
        .arg(mount.path())
        .output()
        .is_ok_and(|output| output.status.success());
    if !mounted {
        println!("skipped: no small file system can be mounted here, that takes root");
        return;
    }
    let outcome = std::panic::catch_unwind(|| {
        let folder = mount.path();
        let vault = project(900);
        assert!(
            Command::new("cp").arg("-r").arg(vault.path().join(".")).arg(folder).status().unwrap().success()
        );
        let output = ubp(folder, &["add"]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("free some disk space"), "{said}");
        for name in ["area-00", "area-01", "area-02", "area-03"] {
            std::fs::remove_dir_all(folder.join(name)).unwrap();
        }
        assert!(
            Command::new("mount").args(["-o", "remount,size=64m"]).arg(folder).status().unwrap().success()
        );
        assert!(ubp(folder, &["add"]).status.success());
        let resumed = state(folder);
        forget_index(folder);
        equal(&resumed, &state(folder), "after going on");
    });
    assert!(Command::new("umount").arg(mount.path()).status().unwrap().success());
    outcome.unwrap();
}

#[test]
fn a_closed_pipe_is_not_an_error() {
    let folder = project(300);
    let script = format!(
        "set -o pipefail; '{}' -C '{}' list | head -n 1",
        program().display(),
        folder.path().display()
    );
    let output = Command::new("bash").args(["-c", &script]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 1);
}
