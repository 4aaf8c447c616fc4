//! A cache for the vectors of recent queries. People and agents repeat queries, page through results, and change
//! filters, and then the model need not run again.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use ubp_core::Result;
use ubp_core::ports::{Embedder, ModelInfo, TextKind};

/// Maximum number of cached queries.
const QUERIES: usize = 128;
/// Maximum length of a cached query in bytes; together with [`QUERIES`], this limits the memory.
const LONGEST: usize = 1024;

/// An embedder that caches the vectors of recent queries. Passages are not cached: the index stores their vectors.
pub struct QueryCache<E> {
    embedder: E,
    /// Text and vector, least recently used first.
    latest: Mutex<Vec<(Box<str>, Vec<f32>)>>,
}

impl<E: Embedder> QueryCache<E> {
    /// An empty cache.
    pub fn new(embedder: E) -> Self {
        Self { embedder, latest: Mutex::default() }
    }

    fn known(&self, query: &str) -> Option<Vec<f32>> {
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        let at = latest.iter().rposition(|(text, _)| **text == *query)?;
        let found = latest.remove(at);
        let vector = found.1.clone();
        latest.push(found);
        Some(vector)
    }

    fn remember(&self, query: &str, vector: &[f32]) {
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have computed the same query in the meantime.
        latest.retain(|(text, _)| **text != *query);
        if latest.len() >= QUERIES {
            latest.remove(0);
        }
        latest.push((query.into(), vector.to_vec()));
    }
}

impl<E: Embedder> Embedder for QueryCache<E> {
    fn model(&self) -> &ModelInfo {
        self.embedder.model()
    }

    fn embed(&self, kind: TextKind, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        let ([query], TextKind::Query) = (texts, kind) else {
            return self.embedder.embed(kind, texts);
        };
        if query.len() > LONGEST {
            return self.embedder.embed(kind, texts);
        }
        if let Some(vector) = self.known(query) {
            return Ok(vec![vector]);
        }
        // Computed without the lock, so that other queries do not wait for the model.
        let vectors = self.embedder.embed(kind, texts)?;
        if let [vector] = vectors.as_slice() {
            self.remember(query, vector);
        }
        Ok(vectors)
    }

    fn release(&self) {
        self.embedder.release();
    }

    fn rest(&self) {
        self.embedder.rest();
    }

    fn token_ranges(&self, text: &str) -> Result<Vec<Range<usize>>> {
        self.embedder.token_ranges(text)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    use super::*;
    use ubp_core::Error;
    use ubp_testing::HashEmbedder;

    #[derive(Default)]
    struct Counting {
        inner: HashEmbedder,
        texts: AtomicUsize,
        broken: AtomicBool,
    }

    impl Embedder for Counting {
        fn model(&self) -> &ModelInfo {
            self.inner.model()
        }

        fn embed(&self, kind: TextKind, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
            self.texts.fetch_add(texts.len(), Ordering::Relaxed);
            if self.broken.load(Ordering::Relaxed) {
                return Err(Error::Cancelled);
            }
            self.inner.embed(kind, texts)
        }

        fn token_ranges(&self, text: &str) -> Result<Vec<Range<usize>>> {
            self.inner.token_ranges(text)
        }
    }

    impl QueryCache<Counting> {
        fn ask(&self, query: &str) -> Vec<f32> {
            self.embed(TextKind::Query, &[query]).unwrap().remove(0)
        }

        fn runs(&self) -> usize {
            self.embedder.texts.load(Ordering::Relaxed)
        }
    }

    #[test]
    fn the_same_query_runs_the_model_once() {
        let cache = QueryCache::new(Counting::default());
        let first = cache.ask("login flow");
        assert_eq!(cache.ask("login flow"), first);
        assert_eq!(first, HashEmbedder::default().embed(TextKind::Query, &["login flow"]).unwrap()[0]);
        assert_eq!(cache.runs(), 1);
        assert_ne!(cache.ask("login flows"), first);
        assert_eq!(cache.runs(), 2);
    }

    #[test]
    fn passages_and_several_texts_are_not_cached() {
        let cache = QueryCache::new(Counting::default());
        for _ in 0..2 {
            cache.embed(TextKind::Passage, &["login"]).unwrap();
            cache.embed(TextKind::Query, &["login", "logout"]).unwrap();
        }
        assert_eq!(cache.runs(), 6);
        // The vector of a query may differ from that of a passage with the same text.
        cache.ask("login");
        assert_eq!(cache.runs(), 7);
    }

    #[test]
    fn the_least_recently_used_query_is_removed_first() {
        let cache = QueryCache::new(Counting::default());
        for number in 0..QUERIES {
            cache.ask(&format!("query {number}"));
        }
        cache.ask("query 0");
        assert_eq!(cache.runs(), QUERIES);
        cache.ask("one more");
        cache.ask("query 0");
        assert_eq!(cache.runs(), QUERIES + 1);
        cache.ask("query 1");
        assert_eq!(cache.runs(), QUERIES + 2);
        assert_eq!(cache.latest.lock().unwrap().len(), QUERIES);
    }

    #[test]
    fn long_queries_and_errors_are_not_cached() {
        let cache = QueryCache::new(Counting::default());
        let long = "long ".repeat(LONGEST);
        assert_eq!(cache.ask(&long), cache.ask(&long));
        assert_eq!(cache.runs(), 2);
        cache.embedder.broken.store(true, Ordering::Relaxed);
        assert!(cache.embed(TextKind::Query, &["login"]).is_err());
        cache.embedder.broken.store(false, Ordering::Relaxed);
        cache.ask("login");
        assert_eq!(cache.runs(), 4);
    }

    #[test]
    fn threads_share_the_cache() {
        let cache = QueryCache::new(Counting::default());
        let expected: Vec<Vec<f32>> = (0..20).map(|number| cache.ask(&format!("query {number}"))).collect();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for (number, expected) in expected.iter().enumerate() {
                        assert_eq!(&cache.ask(&format!("query {number}")), expected);
                    }
                });
            }
        });
        assert_eq!(cache.runs(), 20);
    }

    #[test]
    fn the_cache_conforms_to_the_embedder_port() {
        ubp_testing::conformance::embedder(&QueryCache::new(HashEmbedder::default()));
    }
}
