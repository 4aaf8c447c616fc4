//! Words of a question that do not say what it is about.

use super::fold::is_hiragana;

const ENGLISH: [&str; 83] = [
    "a", "about", "am", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can", "could",
    "did", "do", "does", "each", "for", "from", "had", "has", "have", "he", "her", "him", "his", "how", "i",
    "if", "in", "into", "is", "it", "its", "may", "me", "might", "must", "my", "of", "on", "or", "our",
    "out", "shall", "she", "should", "so", "some", "such", "than", "that", "the", "their", "them", "then",
    "there", "these", "they", "this", "those", "through", "to", "up", "us", "via", "was", "we", "were",
    "what", "when", "where", "which", "while", "who", "why", "will", "with", "would", "you", "your",
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
