//! Random changes of three windows and the disk, and changes that are refused.

#![allow(clippy::unwrap_used)]

use std::collections::HashSet;

use super::*;

/// A window, as CodeMirror's collaboration works.
struct Window {
    name: String,
    version: u64,
    text: Units,
    unconfirmed: Vec<Changes>,
}

impl Window {
    fn new(name: &str, authority: &Authority) -> Self {
        let text = authority.text().encode_utf16().collect();
        Self { name: name.to_owned(), version: authority.version(), text, unconfirmed: Vec::new() }
    }

    fn edit(&mut self, change: Changes) {
        self.text = change.apply(&self.text).unwrap();
        self.unconfirmed.push(change);
    }

    /// Takes the next updates of the server, at most `most`.
    fn pull(&mut self, authority: &Authority, most: usize) {
        let updates: Vec<Update> = authority.since(self.version).unwrap().take(most).cloned().collect();
        for update in updates {
            self.version += 1;
            if update.client == self.name {
                self.unconfirmed.remove(0);
                continue;
            }
            let mut theirs = update.changes;
            for ours in &mut self.unconfirmed {
                let moved = ours.map(&theirs, false).unwrap();
                theirs = theirs.map(ours, true).unwrap();
                *ours = moved;
            }
            self.text = theirs.apply(&self.text).unwrap();
        }
    }
}

struct Random(u32);

impl Random {
    fn below(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) as usize % below.max(1)
    }
}

/// Letters that were put somewhere and taken away somewhere. Every letter is used once.
#[derive(Default)]
struct Letters {
    next: u32,
    put: Vec<char>,
    gone: HashSet<char>,
}

impl Letters {
    /// A random edit of a text: a letter, sometimes of two units, a line break, or a deletion.
    fn edit(&mut self, text: &[u16], random: &mut Random) -> Changes {
        let text = String::from_utf16(text).unwrap();
        let characters: Vec<char> = text.chars().collect();
        let at = random.below(characters.len() + 1);
        let deleted = if random.below(3) == 0 { random.below(3).min(characters.len() - at) } else { 0 };
        let size =
            |characters: &[char]| characters.iter().map(|character| character.len_utf16()).sum::<usize>();
        self.gone.extend(&characters[at..at + deleted]);
        let mut put = String::new();
        if deleted == 0 {
            for _ in 0..=random.below(2) {
                self.next += 1;
                let base = if random.below(4) == 0 { 0x20000 } else { 0x4e00 };
                let letter = char::from_u32(base + self.next).unwrap();
                self.put.push(letter);
                put.push(letter);
                if random.below(5) == 0 {
                    put.push('\n');
                }
            }
        }
        let mut changes = Changes::default();
        changes.keep(size(&characters[..at]));
        changes.replace(size(&characters[at..at + deleted]), &put.encode_utf16().collect::<Units>());
        changes.keep(size(&characters[at + deleted..]));
        changes
    }

    fn check(&self, text: &str, seed: u32) {
        for letter in &self.put {
            let count = text.chars().filter(|found| found == letter).count();
            // A change on disk may be taken for one that writes a letter again which somebody deleted meanwhile.
            let expected = usize::from(!self.gone.contains(letter))..=1;
            assert!(expected.contains(&count), "seed {seed}: {letter} in {text:?}");
        }
    }
}

#[test]
fn three_windows_and_the_disk_end_with_the_same_text_and_no_letter_is_lost() {
    for seed in 0..400 {
        let mut random = Random(seed);
        let mut letters = Letters::default();
        let start = "\u{3400}\u{3401}\n\u{3402}\n";
        let mut disk = start.to_owned();
        let mut authority = Authority::new(disk.clone(), 0);
        let mut windows: Vec<Window> = ["a", "b", "c"].map(|name| Window::new(name, &authority)).into();
        // What a window sent, to send it again after a lost answer.
        let mut sent: Vec<(usize, u64, Vec<Changes>)> = Vec::new();
        for _ in 0..120 {
            let which = random.below(3);
            let window = windows.get_mut(which).unwrap();
            match random.below(9) {
                0..=2 => {
                    let change = letters.edit(&window.text, &mut random);
                    window.edit(change);
                }
                3 | 4 => {
                    authority.push(window.version, &window.name, window.unconfirmed.clone()).unwrap();
                    sent.push((which, window.version, window.unconfirmed.clone()));
                }
                5 => window.pull(&authority, random.below(4)),
                6 => {
                    let Some((which, version, changes)) = sent.pop() else { continue };
                    let name = windows.get(which).unwrap().name.clone();
                    let again = authority.push(version, &name, changes).unwrap();
                    assert_eq!(again, [], "seed {seed}: changes are taken once");
                }
                7 => {
                    let units: Units = disk.encode_utf16().collect();
                    let change = letters.edit(&units, &mut random);
                    disk = String::from_utf16(&change.apply(&units).unwrap()).unwrap();
                    if random.below(2) == 0 {
                        authority.found(disk.clone()).unwrap();
                    }
                }
                _ => {
                    // As the server saves: only if the file is as it knows it.
                    if authority.file() != disk {
                        authority.found(disk.clone()).unwrap();
                    }
                    let (_, text) = authority.write();
                    if random.below(2) == 0 {
                        // Somebody types while the file is written.
                        let change = letters.edit(&window.text, &mut random);
                        window.edit(change);
                        authority.push(window.version, &window.name, window.unconfirmed.clone()).unwrap();
                    }
                    if random.below(6) == 0 {
                        authority.not_written();
                    } else {
                        disk = text;
                        authority.written();
                    }
                }
            }
            let file: Units = authority.file().encode_utf16().collect();
            let text = authority.pending().apply(&file).map(|text| String::from_utf16(&text).unwrap());
            assert_eq!(text, Ok(authority.text()), "seed {seed}");
        }
        authority.found(disk.clone()).unwrap();
        for window in &mut windows {
            window.pull(&authority, usize::MAX);
            authority.push(window.version, &window.name, window.unconfirmed.clone()).unwrap();
        }
        let (_, text) = authority.write();
        authority.written();
        assert!(authority.is_saved());
        letters.check(&text, seed);
        for window in &mut windows {
            window.pull(&authority, usize::MAX);
            assert_eq!(window.unconfirmed, []);
            assert_eq!(String::from_utf16(&window.text).unwrap(), text, "seed {seed}");
        }
    }
}

fn change(json: &str) -> Changes {
    Changes::read(&serde_json::from_str(json).unwrap()).unwrap()
}

#[test]
fn invalid_changes_are_refused_and_change_nothing() {
    let mut authority = Authority::new("ab\u{1f600}".into(), 7);
    authority.push(7, "a", vec![change("[2,[0,\"x\"],2]")]).unwrap();
    let before = authority.text();
    for (version, changes, why) in [
        (9, vec![], Refused::Version),
        (6, vec![], Refused::Version),
        (u64::MAX, vec![], Refused::Version),
        (8, vec![change("[4]")], Refused::Invalid),
        (8, vec![change("[5]"), change("[6]")], Refused::Invalid),
        (8, vec![change("[5,[0,\"y\"]]"), change("[5]")], Refused::Invalid),
        (7, vec![change("[5]")], Refused::Invalid),
        (7, vec![change("[4,[4294967295]]")], Refused::Invalid),
        (8, vec![change("[4,[1]]")], Refused::Invalid),
    ] {
        assert_eq!(authority.push(version, "b", changes).err(), Some(why));
        assert_eq!((authority.text(), authority.version()), (before.clone(), 8));
    }
    let long = format!("[5,[0,\"{}\"]]", "x".repeat(LONGEST));
    assert_eq!(authority.push(8, "b", vec![change(&long)]).err(), Some(Refused::TooLong));
}

#[test]
fn a_window_that_was_away_for_too_long_is_told_so() {
    let mut authority = Authority::new(String::new(), 0);
    for length in 0..=MOST_UPDATES {
        authority.push(length as u64, "a", vec![change(&format!("[{length},[0,\"x\"]]"))]).unwrap();
    }
    assert!(authority.since(0).is_none());
    assert_eq!(authority.since(1).unwrap().count(), MOST_UPDATES);
    assert_eq!(authority.push(0, "b", vec![]).err(), Some(Refused::Version));
}

#[test]
fn a_change_on_disk_keeps_what_was_typed_beside_it() {
    let mut authority = Authority::new("first\nsecond\n".into(), 0);
    authority.push(0, "a", vec![change("[5,[0,\" typed\"],8]")]).unwrap();
    authority.found("first on disk\nsecond\nthird\n".into()).unwrap();
    assert_eq!(authority.text(), "first on disk typed\nsecond\nthird\n");
    assert!(!authority.is_saved());
}
