//! What the store returns, and what it deletes.

use rusqlite::Connection;

use super::*;
use crate::embed::Scripts;

const DIMENSIONS: usize = 64;

fn model(identity: &str) -> ModelInfo {
    ModelInfo {
        name: "model".into(),
        identity: identity.into(),
        dimensions: DIMENSIONS,
        window: 64,
        scripts: Scripts::default(),
    }
}

fn vector(number: usize) -> Vec<f32> {
    (0..DIMENSIONS).map(|at| (number * DIMENSIONS + at) as f32).collect()
}

fn keep(store: &VectorStore, model: &ModelInfo, numbers: std::ops::Range<usize>, today: i64) {
    let numbers: Vec<usize> = numbers.collect();
    for batch in numbers.chunks(50) {
        let texts: Vec<String> = batch.iter().map(usize::to_string).collect();
        let vectors: Vec<_> = batch.iter().map(|number| vector(*number)).collect();
        let both: Vec<_> = texts.iter().map(String::as_str).zip(vectors.iter().map(Vec::as_slice)).collect();
        store.keep(model, &both, today).unwrap();
    }
}

fn known(store: &VectorStore, model: &ModelInfo, numbers: std::ops::Range<usize>, today: i64) -> Vec<bool> {
    numbers
        .map(|number| {
            let found = store.find(model, &[&number.to_string()], today).unwrap().remove(0);
            assert!(found.as_ref().is_none_or(|found| *found == vector(number)));
            found.is_some()
        })
        .collect()
}

#[test]
fn vectors_are_found_by_text_and_model_by_every_process() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let first = VectorStore::open(&path, 1 << 20).unwrap();
    let second = VectorStore::open(&path, 1 << 20).unwrap();
    keep(&first, &model("a"), 0..3, 1);
    assert_eq!(known(&second, &model("a"), 0..4, 1), [true, true, true, false]);
    assert_eq!(known(&second, &model("b"), 0..1, 1), [false]);
    let shorter = ModelInfo { dimensions: 8, ..model("a") };
    assert_eq!(second.find(&shorter, &["0"], 1).unwrap(), [None]);
}

#[test]
fn what_was_not_used_for_longest_is_deleted_first_and_the_file_stays_small() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let limit = 200_000;
    let store = VectorStore::open(&path, limit).unwrap();
    keep(&store, &model("a"), 0..250, 1);
    assert_eq!(known(&store, &model("a"), 0..100, 2), [true; 100]);
    keep(&store, &model("a"), 400..1_200, 2);
    assert!(known(&store, &model("a"), 100..250, 3).iter().all(|known| !known), "they were used on day 1");
    assert!(known(&store, &model("a"), 1_150..1_200, 3).iter().all(|known| *known), "the latest stay");
    assert!(store.size().unwrap().bytes <= limit + 65_536);
    drop(store);
    let smaller = VectorStore::open(&path, limit / 4).unwrap();
    keep(&smaller, &model("a"), 2_000..2_001, 4);
    assert!(smaller.size().unwrap().bytes <= limit / 4 + 65_536, "{:?}", smaller.size());
    assert_eq!(known(&smaller, &model("a"), 2_000..2_001, 4), [true]);
}

#[test]
fn changed_bytes_are_never_taken_for_a_vector() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let store = VectorStore::open(&path, 1 << 20).unwrap();
    keep(&store, &model("a"), 0..2, 1);
    let other = Connection::open(&path).unwrap();
    let swapped =
        "UPDATE vectors SET (sum, data) = (SELECT sum, data FROM vectors WHERE vector = 2) WHERE vector = 1";
    assert_eq!(other.execute(swapped, []).unwrap(), 1);
    assert_eq!(known(&store, &model("a"), 0..2, 1), [false, true]);
    keep(&store, &model("a"), 0..1, 1);
    assert_eq!(known(&store, &model("a"), 0..2, 1), [true, true]);
}

#[test]
#[allow(clippy::disallowed_methods)]
fn other_files_are_refused_and_not_changed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    std::fs::write(&path, "no database at all, but long enough to be one".repeat(100)).unwrap();
    let before = std::fs::read(&path).unwrap();
    assert!(VectorStore::open(&path, 1 << 20).is_err());
    assert_eq!(std::fs::read(&path).unwrap(), before);
    let theirs = folder.path().join("theirs.db");
    Connection::open(&theirs).unwrap().execute_batch("CREATE TABLE mine(x)").unwrap();
    let before = std::fs::read(&theirs).unwrap();
    assert!(VectorStore::open(&theirs, 1 << 20).is_err());
    assert_eq!(std::fs::read(&theirs).unwrap(), before);
}

#[test]
fn processes_that_write_at_once_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    std::thread::scope(|scope| {
        for part in 0..4 {
            let path = &path;
            scope.spawn(move || {
                let store = VectorStore::open(path, 1 << 24).unwrap();
                keep(&store, &model("a"), part * 25..part * 25 + 50, 1);
            });
        }
    });
    let store = VectorStore::open(&path, 1 << 24).unwrap();
    assert_eq!(known(&store, &model("a"), 0..125, 1), [true; 125]);
    assert_eq!(store.size().unwrap().vectors, 125);
}
