//! Vectors that processes share give the same answers as a process's own, whatever the cache contains.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use super::*;
use crate::index::changes::{Changed, VECTOR_GENERATION, bump};
use crate::index::connection::counter;
use crate::index::vector_state;
use crate::ports::{Cache, CachedBytes, MemoryCache};

/// So many that a few sections reach the minimum size for sharing.
const DIMENSIONS: usize = 6_000;
const SECTIONS: i64 = 200;

/// A cache shared by several indexes, as by several processes.
#[derive(Clone, Default)]
struct Common(Arc<Inner>);

#[derive(Default)]
struct Inner {
    kept: MemoryCache,
    refuses: AtomicBool,
    puts: AtomicUsize,
    /// If set, returned for every name instead of the stored bytes.
    forged: Mutex<Option<Vec<u8>>>,
    names: Mutex<Vec<String>>,
}

impl Cache for Common {
    fn get(&self, name: &str) -> Option<CachedBytes> {
        match &*self.0.forged.lock().unwrap() {
            Some(forged) => Some(Arc::new(forged.clone())),
            None => self.0.kept.get(name),
        }
    }

    fn put(
        &self,
        name: &str,
        write: &mut dyn FnMut(&mut dyn io::Write) -> io::Result<()>,
    ) -> Option<CachedBytes> {
        if self.0.refuses.load(Ordering::Relaxed) {
            return None;
        }
        self.0.puts.fetch_add(1, Ordering::Relaxed);
        self.0.names.lock().unwrap().push(name.into());
        self.0.kept.put(name, write)
    }
}

impl Common {
    fn puts(&self) -> usize {
        self.0.puts.load(Ordering::Relaxed)
    }

    fn names(&self) -> Vec<String> {
        self.0.names.lock().unwrap().clone()
    }
}

fn vectors() -> Vec<(i64, Vec<f32>)> {
    (0..SECTIONS).map(|section| (section, unit_towards(section))).collect()
}

/// A vector with a different direction for each section.
fn unit_towards(section: i64) -> Vec<f32> {
    let mut vector = vec![0.001; DIMENSIONS];
    vector[usize::try_from(section).unwrap() * 7 % DIMENSIONS] = 1.0;
    unit(vector)
}

fn nearest(index: &Index, section: i64) -> Vec<i64> {
    closest(index, &unit_towards(section), 3, |_| true).iter().map(|close| close.section).collect()
}

fn is_shared(index: &Index) -> bool {
    matches!(*index.view().vectors("made-up").unwrap().bytes, Bytes::Cached(_))
}

/// The index as opened by another process.
fn opened_again(index: &Index, cache: &Common) -> Index {
    let copy = index.to_bytes();
    Index::from_bytes(copy.as_slice(), copy.len()).unwrap().sharing_through(Box::new(cache.clone()))
}

#[test]
fn one_process_stores_the_vectors_and_all_use_them() {
    let plain = index(DIMENSIONS, &vectors());
    let cache = Common::default();
    let first = index(DIMENSIONS, &vectors()).sharing_through(Box::new(cache.clone()));
    assert!(is_shared(&first));
    assert_eq!(cache.puts(), 1);
    let second = opened_again(&first, &cache);
    assert!(is_shared(&second));
    assert_eq!(cache.puts(), 1, "the second index finds the stored bytes");
    for section in [0, 5, SECTIONS - 1] {
        assert_eq!(nearest(&first, section), nearest(&plain, section));
        assert_eq!(nearest(&second, section), nearest(&plain, section));
        let query = unit_towards(section);
        let similarity = |index: &Index| index.view().vectors("made-up").unwrap().similarity(section, &query);
        assert_eq!(similarity(&second), similarity(&plain));
    }
    assert_eq!(
        second.view().vectors("made-up").unwrap().len(),
        plain.view().vectors("made-up").unwrap().len()
    );
}

#[test]
fn a_few_vectors_are_not_shared() {
    let cache = Common::default();
    let small = index(4, &[(1, vec![1.0, 0.0, 0.0, 0.0])]).sharing_through(Box::new(cache.clone()));
    assert!(!is_shared(&small));
    small.share_vectors().unwrap();
    assert_eq!(cache.puts(), 0);
}

#[test]
fn an_index_without_a_cache_has_no_token() {
    let plain = index(DIMENSIONS, &vectors());
    plain.view().vectors("made-up").unwrap();
    plain.write(|db| bump(db, VECTOR_GENERATION, Changed::Anything)).unwrap();
    assert!(!plain.read(vector_state::has_begun).unwrap());
}

#[test]
fn shared_vectors_are_replaced_after_every_change() {
    let cache = Common::default();
    let shared = index(DIMENSIONS, &vectors()).sharing_through(Box::new(cache.clone()));
    assert_eq!(nearest(&shared, 9)[0], 9);
    shared
        .write(|db| {
            db.execute("DELETE FROM section_vectors WHERE section = 9", [])?;
            bump(db, VECTOR_GENERATION, Changed::Anything)
        })
        .unwrap();
    assert_ne!(nearest(&shared, 9)[0], 9);
    assert_eq!(shared.view().vectors("made-up").unwrap().len(), vectors().len() - 1);
    let names = cache.names();
    assert_eq!(names.len(), 2);
    assert_ne!(names[0], names[1]);
}

#[test]
fn copies_of_an_index_with_different_changes_share_nothing() {
    let cache = Common::default();
    let first = index(DIMENSIONS, &vectors()).sharing_through(Box::new(cache.clone()));
    first.view().vectors("made-up").unwrap();
    // The same change of the same counters, in the original and in the copy.
    let state = |index: &Index| index.read(|db| Ok(VectorState::of(db, "made-up")?.unwrap())).unwrap();
    let before = state(&first);
    let copy = first.to_bytes();
    first.write(|db| bump(db, VECTOR_GENERATION, Changed::Anything)).unwrap();
    let after = state(&first);
    let mut other = Connection::open_in_memory().unwrap();
    other.deserialize_read_exact("main", copy.as_slice(), copy.len(), false).unwrap();
    assert_eq!(VectorState::of(&other, "made-up").unwrap().unwrap(), before);
    bump(&other, VECTOR_GENERATION, Changed::Anything).unwrap();
    let elsewhere = VectorState::of(&other, "made-up").unwrap().unwrap();
    assert_eq!(counter(&other, VECTOR_GENERATION).unwrap(), 1);
    assert!(before != after && after != elsewhere && before != elsewhere);
}

#[test]
fn vectors_are_never_shared_with_another_model() {
    let cache = Common::default();
    let shared = index(DIMENSIONS, &vectors()).sharing_through(Box::new(cache.clone()));
    shared.view().vectors("made-up").unwrap();
    shared
        .write(|db| {
            db.execute("INSERT INTO models VALUES (8, 'another', ?1)", [DIMENSIONS])?;
            Ok(())
        })
        .unwrap();
    assert!(shared.view().vectors("another").unwrap().is_empty());
    assert!(shared.view().vectors("nobody's").unwrap().is_empty());
    assert_eq!(shared.view().vectors("made-up").unwrap().len(), vectors().len());
}

#[test]
fn sharing_is_retried_after_the_cache_refused() {
    let cache = Common::default();
    cache.0.refuses.store(true, Ordering::Relaxed);
    let shared = index(DIMENSIONS, &vectors()).sharing_through(Box::new(cache.clone()));
    assert!(!is_shared(&shared));
    assert_eq!(nearest(&shared, 3)[0], 3);
    cache.0.refuses.store(false, Ordering::Relaxed);
    shared.share_vectors().unwrap();
    assert_eq!(cache.puts(), 1);
    assert!(is_shared(&shared));
    shared.share_vectors().unwrap();
    assert_eq!(cache.puts(), 1, "nothing is left to share");
}

#[test]
fn sharing_is_retried_although_a_page_changed_meanwhile() {
    let cache = Common::default();
    cache.0.refuses.store(true, Ordering::Relaxed);
    let shared = index(DIMENSIONS, &vectors()).sharing_through(Box::new(cache.clone()));
    assert!(!is_shared(&shared));
    let page = [1].into();
    shared.write(|db| bump(db, VECTOR_GENERATION, Changed::Pages(&page))).unwrap();
    assert!(!is_shared(&shared));
    cache.0.refuses.store(false, Ordering::Relaxed);
    shared.share_vectors().unwrap();
    assert!(is_shared(&shared));
}

#[test]
fn outdated_vectors_are_discarded_and_never_shared() {
    let cache = Common::default();
    cache.0.refuses.store(true, Ordering::Relaxed);
    let shared = index(DIMENSIONS, &vectors()).sharing_through(Box::new(cache.clone()));
    shared.view().vectors("made-up").unwrap();
    shared.write(|db| bump(db, VECTOR_GENERATION, Changed::Anything)).unwrap();
    cache.0.refuses.store(false, Ordering::Relaxed);
    shared.share_vectors().unwrap();
    assert_eq!(cache.puts(), 0);
    assert!(!shared.holds_vectors());
}

#[test]
fn invalid_bytes_in_the_cache_are_not_used() {
    let cache = Common::default();
    let shared = index(DIMENSIONS, &vectors()).sharing_through(Box::new(cache.clone()));
    assert!(is_shared(&shared));
    let good = (*cache.get(&cache.names()[0]).unwrap()).as_ref().to_vec();
    let changed = |at: usize| {
        let mut bytes = good.clone();
        bytes[at] ^= 1;
        bytes
    };
    for (what, forged) in [
        ("nothing", Vec::new()),
        ("a few bytes", good[..20].to_vec()),
        ("another version", changed(7)),
        ("another state", changed(20)),
        ("other dimensions", changed(40)),
        ("half a record", good[..good.len() - 1].to_vec()),
        ("too many bytes", [&good[..], &[0]].concat()),
    ] {
        *cache.0.forged.lock().unwrap() = Some(forged);
        let before = cache.puts();
        let other = opened_again(&shared, &cache);
        assert_eq!(nearest(&other, 4), nearest(&shared, 4), "{what}");
        assert!(cache.puts() > before, "{what}: the vectors are stored again");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn no_content_of_the_cache_causes_a_panic(seed in any::<[u8; 32]>(), limit in 0_usize..40) {
        let cache = Common::default();
        let shared = index(DIMENSIONS, &vectors()).sharing_through(Box::new(cache.clone()));
        prop_assert!(is_shared(&shared));
        let mut bytes = (*cache.get(&cache.names()[0]).unwrap()).as_ref().to_vec();
        for (at, byte) in bytes.iter_mut().enumerate().skip(64) {
            *byte = seed[at % 32].wrapping_mul((at / 32) as u8 | 1);
        }
        *cache.0.forged.lock().unwrap() = Some(bytes);
        let other = opened_again(&shared, &cache);
        prop_assert!(is_shared(&other));
        let found = closest(&other, &unit_towards(1), limit, |_| true);
        prop_assert!(found.len() <= limit);
        let matrix = other.view().vectors("made-up").unwrap();
        for section in [i64::MIN, -1, 0, 7, i64::MAX] {
            let _ = matrix.similarity(section, &unit_towards(2));
        }
    }
}
