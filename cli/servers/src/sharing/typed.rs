//! What guests type, collected until it is recorded in the audit log: an entry for each save would push out the others.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ubp_core::Caller;
use ubp_core::progress::{Cancel, Silent};
use ubp_core::writing::typing::{Typing, record};
use ubp_host::live::Live;

/// An entry is recorded this long after the last save.
const AFTER: Duration = Duration::from_secs(30);
/// The same while saves go on.
const AT_MOST: Duration = Duration::from_mins(10);

/// Pages that guests typed into.
#[derive(Default)]
pub(crate) struct Typed {
    pages: Mutex<HashMap<String, Stretch>>,
    /// Stretches that ended because somebody else wrote the page.
    ended: Mutex<Vec<(String, Stretch)>>,
}

/// Saves of a page, one after the other.
struct Stretch {
    before: Vec<u8>,
    after: Vec<u8>,
    authors: BTreeSet<String>,
    first: Instant,
    last: Instant,
}

/// What some guests type.
pub(crate) struct By<'a> {
    typed: &'a Typed,
    names: Vec<&'a str>,
}

impl Typing for By<'_> {
    fn saved(&self, path: &str, before: &[u8], after: &[u8]) {
        self.typed.saved(&self.names, path, before, after, Instant::now());
    }
}

impl Typed {
    /// Collects what the guests of these names type.
    pub(crate) fn by<'a>(&'a self, names: Vec<&'a str>) -> By<'a> {
        By { typed: self, names }
    }

    fn pages(&self) -> MutexGuard<'_, HashMap<String, Stretch>> {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn saved(&self, names: &[&str], path: &str, before: &[u8], after: &[u8], now: Instant) {
        let mut pages = self.pages();
        if pages.get(path).is_some_and(|stretch| stretch.after != before)
            && let Some(ended) = pages.remove_entry(path)
        {
            self.ended.lock().unwrap_or_else(PoisonError::into_inner).push(ended);
        }
        let stretch = pages.entry(path.to_owned()).or_insert_with(|| Stretch {
            before: before.to_vec(),
            after: Vec::new(),
            authors: BTreeSet::new(),
            first: now,
            last: now,
        });
        after.clone_into(&mut stretch.after);
        stretch.authors.extend(names.iter().map(|name| (*name).to_owned()));
        stretch.last = now;
    }

    /// Records what was typed a while ago.
    pub(super) fn record_old(&self, live: &Live) {
        self.record(live, Instant::now(), |stretch, now| {
            now.saturating_duration_since(stretch.last) >= AFTER
                || now.saturating_duration_since(stretch.first) >= AT_MOST
        });
    }

    /// Records everything, because the server ends.
    pub(crate) fn record_all(&self, live: &Live) {
        self.record(live, Instant::now(), |_, _| true);
    }

    fn record(&self, live: &Live, now: Instant, is_due: impl Fn(&Stretch, Instant) -> bool) {
        let mut due = std::mem::take(&mut *self.ended.lock().unwrap_or_else(PoisonError::into_inner));
        due.extend(self.pages().extract_if(|_, stretch| is_due(stretch, now)));
        for (path, Stretch { before, after, authors, .. }) in due {
            let authors = authors.into_iter().collect::<Vec<_>>().join(", ");
            if before != after {
                // The page is saved, whatever happens to the log.
                let _ = live.with_at_once(Caller::Agent, &Cancel::default(), |context| {
                    let context = ubp_core::Context { progress: &Silent, ..*context };
                    record(&context, &authors, &path, before, after)
                });
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn saves_one_after_the_other_are_one_stretch_unless_somebody_else_wrote_in_between() {
        let (typed, now) = (Typed::default(), Instant::now());
        typed.saved(&["Mina"], "a.md", b"", b"1", now);
        typed.saved(&["Ken", "Mina"], "a.md", b"1", b"12", now + AFTER / 2);
        typed.saved(&["Mina"], "b.md", b"x", b"y", now);
        let authors = |path: &str| typed.pages()[path].authors.iter().cloned().collect::<Vec<_>>().join(", ");
        assert_eq!((authors("a.md"), authors("b.md")), ("Ken, Mina".into(), "Mina".into()));
        typed.saved(&["Mina"], "a.md", b"other", b"other 3", now + AFTER);
        let ended = typed.ended.lock().unwrap();
        let [(path, stretch)] = ended.as_slice() else { panic!("one stretch has ended") };
        assert_eq!((path.as_str(), &*stretch.before, &*stretch.after), ("a.md", &b""[..], &b"12"[..]));
        assert_eq!(&*typed.pages()["a.md"].before, b"other");
    }
}
