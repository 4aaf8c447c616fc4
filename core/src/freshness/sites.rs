//! Where the names of symbols stand outside of their definitions, such as in calls. If a new name stands where an old one
//! stood, and nothing around it differs, the symbol was renamed.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use super::successor::{FileChange, last, words};
use crate::ports::Symbol;

/// Words on each side of a name that tell a place from others.
const AROUND: usize = 4;

/// Places that names left, and places that names came to.
#[derive(Debug, Default)]
pub(super) struct Sites {
    left: HashMap<Vec<u8>, HashSet<u64>>,
    came: HashMap<Vec<u8>, HashSet<u64>>,
}

type Places<'a> = HashMap<&'a [u8], HashSet<u64>>;

impl Sites {
    /// Of these last names of symbols that a change removed or added.
    pub fn of(files: &[FileChange<'_>], names: &HashSet<&str>) -> Self {
        let mut sites = Self::default();
        let wanted: HashSet<&[u8]> = names.iter().map(|name| name.as_bytes()).collect();
        for (number, file) in files.iter().enumerate() {
            if file.before.0 == file.after.0 || (file.before.1.is_empty() && file.after.1.is_empty()) {
                continue;
            }
            let [before, after] = [file.before, file.after].map(|side| places(side, &wanted, number));
            take_new(&before, &after, &mut sites.left);
            take_new(&after, &before, &mut sites.came);
        }
        sites
    }

    /// Whether `new` stands where `old` stood, at least in every third place.
    pub fn is_replaced(&self, old: &str, new: &str) -> bool {
        let (Some(left), Some(came)) = (self.left.get(old.as_bytes()), self.came.get(new.as_bytes())) else {
            return false;
        };
        let common = left.intersection(came).count();
        old != new && common > 0 && 3 * common >= left.len()
    }
}

/// Adds the places of each name in `own` that it does not have in `other`.
fn take_new(own: &Places<'_>, other: &Places<'_>, into: &mut HashMap<Vec<u8>, HashSet<u64>>) {
    for (name, places) in own {
        let same = other.get(name);
        let new = places.iter().filter(|place| same.is_none_or(|same| !same.contains(place)));
        into.entry(name.to_vec()).or_default().extend(new);
    }
}

/// The places of the wanted names in one side of a file, without those in definitions of the name.
fn places<'a>(
    (bytes, symbols): (&'a [u8], &'a [Symbol]),
    wanted: &HashSet<&[u8]>,
    file: usize,
) -> Places<'a> {
    let mut defined: HashMap<&[u8], Vec<std::ops::Range<usize>>> = HashMap::new();
    for symbol in symbols {
        let name = last(&symbol.name).as_bytes();
        if wanted.contains(name) {
            let heads = symbol.parts.iter().map(|part| part.signature.clone());
            defined.entry(name).or_default().extend(heads);
        }
    }
    let all: Vec<&[u8]> = words(bytes).collect();
    let start = bytes.as_ptr().addr();
    let mut places = Places::new();
    for (at, word) in all.iter().enumerate().filter(|(_, word)| wanted.contains(*word)) {
        let offset = word.as_ptr().addr() - start;
        if defined.get(word).is_some_and(|heads| heads.iter().any(|head| head.contains(&offset))) {
            continue;
        }
        let mut hasher = DefaultHasher::new();
        file.hash(&mut hasher);
        all.get(at.saturating_sub(AROUND)..at).hash(&mut hasher);
        all.get(at + 1..(at + 1 + AROUND).min(all.len())).hash(&mut hasher);
        places.entry(word).or_default().insert(hasher.finish());
    }
    places
}
