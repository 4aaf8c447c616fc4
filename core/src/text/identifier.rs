//! Splits identifiers into words: at changes of case and before digits.

/// Calls `part` with the byte ranges of the words in `word` if there are at least two, and returns
/// whether there were. `UserDB` contains `User` and `DB`, `HTTPServer2` contains `HTTP`, `Server` and `2`.
/// Single letters stay with their neighbour (`mRNA`, `PhD`, `xAxis`), a plural `s` with its
/// abbreviation (`APIs`), and digits with parts too short to be a word (`b12`, `v0`).
pub(super) fn parts(word: &str, mut part: impl FnMut(usize, usize)) -> bool {
    if !is_mixed(word) {
        return false;
    }
    let (mut from, mut pending) = (0, None);
    let mut found = false;
    // A boundary is accepted once the part after it is long enough.
    for (at, digits) in boundaries(word).chain(std::iter::once((word.len(), false))) {
        if let Some((cut, cut_digits)) = pending {
            let left = letters(word, from, cut);
            let enough = if cut_digits { left >= 3 } else { left >= 2 && letters(word, cut, at) >= 2 };
            if enough {
                part(from, cut);
                (from, found) = (cut, true);
            }
        }
        pending = Some((at, digits));
    }
    if found {
        part(from, word.len());
    }
    found
}

/// A word is plain if it is all lower case except for its first letter, or all upper case, and has no digits.
fn is_mixed(word: &str) -> bool {
    let mut rest = word.chars();
    let first_upper = rest.next().is_some_and(char::is_uppercase);
    let (mut upper, mut lower, mut digit) = (false, !first_upper, false);
    for c in rest {
        match c {
            'a'..='z' => lower = true,
            'A'..='Z' => upper = true,
            '0'..='9' => digit = true,
            _ if c.is_uppercase() => upper = true,
            _ => lower = true,
        }
    }
    digit || (upper && lower)
}

fn letters(word: &str, from: usize, to: usize) -> usize {
    word.get(from..to).map_or(0, |part| part.chars().count())
}

/// Byte positions at which a part may start, and whether it starts with a digit.
fn boundaries(word: &str) -> impl Iterator<Item = (usize, bool)> {
    let mut chars = word.char_indices().peekable();
    let mut before: Option<char> = None;
    std::iter::from_fn(move || {
        while let Some((at, c)) = chars.next() {
            let Some(left) = before.replace(c) else { continue };
            if c.is_ascii_digit() {
                if left.is_alphabetic() {
                    return Some((at, true));
                }
            } else if c.is_uppercase() {
                let follows = chars
                    .peek()
                    .is_some_and(|&(next, n)| n.is_lowercase() && !(n == 's' && next + 1 == word.len()));
                if !left.is_uppercase() || follows {
                    return Some((at, false));
                }
            }
        }
        None
    })
}
