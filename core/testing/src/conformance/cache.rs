//! Conformance suite for caches.

use std::io::{Error, Write};

use ubp_core::ports::{Cache, CachedBytes};

/// Entries are complete or missing, and do not change while they are held. `fresh` creates an empty cache that does not
/// limit the rate of writes.
pub fn cache<C: Cache>(fresh: impl Fn() -> C) {
    whole_or_not_at_all(&fresh());
    what_is_held_stays(&fresh());
    only_names_are_names(&fresh());
}

fn put(cache: &dyn Cache, name: &str, bytes: &[u8]) -> Option<CachedBytes> {
    cache.put(name, &mut |out| out.write_all(bytes))
}

fn bytes(cached: Option<CachedBytes>) -> Option<Vec<u8>> {
    cached.map(|cached| (*cached).as_ref().to_vec())
}

fn whole_or_not_at_all(cache: &dyn Cache) {
    assert!(cache.get("a").is_none(), "a new cache is empty");
    let large: Vec<u8> = (0..1_000_003_u32).map(|n| (n % 251) as u8).collect();
    for content in [&b""[..], b"x", &large] {
        let name = format!("n{}", content.len());
        assert_eq!(
            bytes(put(cache, &name, content)).as_deref(),
            Some(content),
            "the stored bytes are returned"
        );
        assert_eq!(bytes(cache.get(&name)).as_deref(), Some(content), "and found later");
    }
    let mut asked = 0;
    let pieces = cache.put("pieces", &mut |out: &mut dyn Write| {
        asked += 1;
        large.chunks(7_919).try_for_each(|piece| out.write_all(piece))
    });
    assert_eq!((bytes(pieces).as_ref(), asked), (Some(&large), 1), "written in pieces, in one call");

    let broken = cache.put("broken", &mut |out| {
        out.write_all(b"half of it")?;
        Err(Error::other("no more"))
    });
    assert!(broken.is_none() && cache.get("broken").is_none(), "an incomplete entry is not stored");
    assert_eq!(
        bytes(put(cache, "broken", b"whole")).as_deref(),
        Some(&b"whole"[..]),
        "and can be stored later"
    );
}

fn what_is_held_stays(cache: &dyn Cache) {
    let first = put(cache, "first", b"first").unwrap();
    for round in 0..3 {
        put(cache, &format!("other{round}"), b"another").unwrap();
    }
    assert_eq!((*first).as_ref(), b"first", "bytes stay while they are held");
    // A name always has the same bytes, so the second write may be skipped.
    assert_eq!(bytes(put(cache, "other2", b"another")).as_deref(), Some(&b"another"[..]));
}

fn only_names_are_names(cache: &dyn Cache) {
    for name in ["", ".", "..", "a/b", "../a", "a\\b", "A", "a b", "a-b", "ä", "a\0", &"a".repeat(65)] {
        assert!(put(cache, name, b"x").is_none(), "{name:?} is not a valid name");
        assert!(cache.get(name).is_none(), "{name:?} is not a valid name");
    }
}
