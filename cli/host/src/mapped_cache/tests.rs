//! Damaged files, files of other programs, and concurrent processes.
#![allow(clippy::unwrap_used)]

use std::fs::FileTimes;
use std::time::SystemTime;

use ubp_testing::conformance;

use super::*;

fn cache(folder: &Path) -> MappedCache {
    MappedCache::beside(&folder.join("metadata.db")).with_pause(Duration::ZERO)
}

fn put(cache: &MappedCache, name: &str, bytes: &[u8]) -> Option<CachedBytes> {
    cache.put(name, &mut |out| out.write_all(bytes))
}

fn bytes(cached: Option<CachedBytes>) -> Option<Vec<u8>> {
    cached.map(|cached| (*cached).as_ref().to_vec())
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn make_old(path: &Path, age: Duration) {
    let times = FileTimes::new().set_modified(SystemTime::now() - age);
    File::options().write(true).open(path).unwrap().set_times(times).unwrap();
}

#[test]
fn conforms() {
    let dir = tempfile::tempdir().unwrap();
    conformance::cache(|| cache(&tempfile::tempdir_in(dir.path()).unwrap().keep()));
}

#[test]
fn a_damaged_file_is_ignored_and_rewritten() {
    let content: Vec<u8> = (0..100_000_u32).map(|n| (n % 253) as u8).collect();
    let dir = tempfile::tempdir().unwrap();
    let cache = cache(dir.path());
    put(&cache, "a1", &content).unwrap();
    let path = cache.path("a1").unwrap();
    let good = fs::read(&path).unwrap();
    let changed = |at: usize| {
        let mut bytes = good.clone();
        bytes[at] ^= 0x10;
        bytes
    };
    for (what, damaged) in [
        ("nothing", Vec::new()),
        ("a few bytes", b"UBP".to_vec()),
        ("cut short", good[..good.len() - 1].to_vec()),
        ("half", good[..good.len() / 2].to_vec()),
        ("a trailer alone", good[good.len() - TRAILER..].to_vec()),
        ("zeros", vec![0; good.len()]),
        ("zeros at its end", [&good[..60_000], &vec![0; good.len() - 60_000]].concat()),
        ("one bit", changed(50_000)),
        ("the first bit", changed(0)),
        ("the mark", changed(good.len() - TRAILER)),
        ("the length", changed(good.len() - 12)),
        ("the checksum", changed(good.len() - 1)),
        ("more", [&good[..], b"more"].concat()),
        ("text", b"<html>".repeat(1_000)),
    ] {
        fs::write(&path, damaged).unwrap();
        assert!(cache.get("a1").is_none(), "{what}");
        assert_eq!(bytes(put(&cache, "a1", &content)).as_ref(), Some(&content), "{what}");
    }
}

#[cfg(unix)]
#[test]
fn only_regular_files_are_read() {
    let dir = tempfile::tempdir().unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let (ours, others) = (cache(dir.path()), cache(elsewhere.path()));
    put(&others, "a1", b"secret").unwrap();
    let path = ours.path("a1").unwrap();
    std::os::unix::fs::symlink(others.path("a1").unwrap(), &path).unwrap();
    assert!(ours.get("a1").is_none(), "a link is not followed");
    assert_eq!(bytes(put(&ours, "a1", b"ours")).unwrap(), b"ours");
    assert_eq!(bytes(others.get("a1")).unwrap(), b"secret", "and not written through");

    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert!(ours.get("a1").is_none());
    assert!(put(&ours, "a1", b"ours").is_none(), "a folder is not removed");
    fs::remove_dir(&path).unwrap();

    // Opening a pipe without a writer would block.
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    assert!(ours.get("a1").is_none());
}

#[test]
fn without_a_folder_nothing_is_cached() {
    let dir = tempfile::tempdir().unwrap();
    let cache = cache(&dir.path().join("gone"));
    assert!(cache.get("a1").is_none());
    assert!(put(&cache, "a1", b"x").is_none());
    assert!(names(dir.path()).is_empty());
}

#[test]
fn old_cache_files_are_removed_and_other_files_kept() {
    let dir = tempfile::tempdir().unwrap();
    let cache = cache(dir.path());
    for name in ["metadata.db", "metadata.db-wal", "metadata.db-cach", "refs.lock", "other.db-cache-a1"] {
        fs::write(dir.path().join(name), name).unwrap();
    }
    let others = names(dir.path());
    let (writing, abandoned) =
        (dir.path().join("metadata.db-cache-x1.tmp"), dir.path().join("metadata.db-cache-x2.tmp"));
    fs::write(&writing, "half").unwrap();
    fs::write(&abandoned, "half").unwrap();
    make_old(&abandoned, ABANDONED * 2);
    let held = put(&cache, "a1", b"first").unwrap();
    put(&cache, "a2", b"second").unwrap();
    let mut left = names(dir.path());
    left.retain(|name| !others.contains(name));
    // Windows keeps files that are mapped.
    if cfg!(windows) {
        assert_eq!(left.remove(0), "metadata.db-cache-a1");
    }
    assert_eq!(left, ["metadata.db-cache-a2", "metadata.db-cache-x1.tmp"]);
    assert_eq!((*held).as_ref(), b"first");
    drop(held);
    put(&cache, "a3", b"third").unwrap();
    assert!(!names(dir.path()).contains(&"metadata.db-cache-a1".to_string()));
}

#[test]
fn the_cache_is_not_written_more_often_than_the_interval() {
    let dir = tempfile::tempdir().unwrap();
    let cache = MappedCache::beside(&dir.path().join("metadata.db"));
    put(&cache, "a1", b"first").unwrap();
    assert!(put(&cache, "a2", b"second").is_none());
    assert_eq!(bytes(put(&cache, "a1", b"first")).unwrap(), b"first", "the existing file is returned");
    make_old(&cache.path("a1").unwrap(), PAUSE * 2);
    assert_eq!(bytes(put(&cache, "a2", b"second")).unwrap(), b"second");
    // A modification time in the future (clock set back) must not block writes forever.
    let times = FileTimes::new().set_modified(SystemTime::now() + PAUSE * 1_000);
    File::options().write(true).open(cache.path("a2").unwrap()).unwrap().set_times(times).unwrap();
    assert!(put(&cache, "a3", b"third").is_some());
}

#[test]
fn concurrent_writers_share_one_file() {
    let dir = tempfile::tempdir().unwrap();
    let content: Vec<u8> = (0..300_000_u32).map(|n| (n % 249) as u8).collect();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let cache = cache(dir.path());
                for round in 0..20 {
                    let cached = put(&cache, &format!("n{round}"), &content);
                    // Another thread may already have removed the file that this one wrote.
                    assert!(cached.is_none_or(|cached| (*cached).as_ref() == content));
                }
            });
        }
    });
    assert!(names(dir.path()).iter().all(|name| !name.ends_with(UNFINISHED)));
    assert_eq!(bytes(put(&cache(dir.path()), "last", &content)).as_ref(), Some(&content));
    assert_eq!(names(dir.path()), ["metadata.db-cache-last"]);
}
