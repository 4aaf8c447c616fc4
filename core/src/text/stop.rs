//! Words of a question that do not say what it is about.

use super::fold::is_hiragana;

const ENGLISH: [&str; 52] = [
    "a", "about", "an", "and", "are", "as", "at", "be", "been", "by", "can", "could", "did", "do", "does",
    "for", "from", "had", "has", "have", "how", "i", "if", "in", "into", "is", "it", "its", "me", "my", "of",
    "on", "or", "so", "that", "the", "their", "there", "these", "they", "this", "to", "was", "we", "were",
    "what", "when", "where", "which", "who", "will", "with",
];

/// Whether `word`, in lower case, is a function word of English.
pub(super) fn is_stop_word(word: &str) -> bool {
    ENGLISH.binary_search(&word).is_ok()
}

/// Whether a pair is hiragana only: an ending or a particle, seldom searched for.
pub(super) fn is_weak_pair(first: char, second: char) -> bool {
    is_hiragana(first) && is_hiragana(second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_for_binary_search() {
        assert!(ENGLISH.is_sorted());
        assert!(is_stop_word("the") && is_stop_word("a") && is_stop_word("with"));
        assert!(!is_stop_word("aircraft"));
    }
}
