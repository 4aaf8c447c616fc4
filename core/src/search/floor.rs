//! Whether a query is about anything in the project. Some page is always the closest, also to a question about something
//! else; but then all pages are about equally far.

use crate::index::Closest;

/// What words that fit perfectly count for, relative to the contrast of similarities.
const WORDS: f64 = 1.25;
/// The same for a section with the same meaning.
const MEANING: f64 = 0.3;
/// The evidence that is enough. Over 18 collections and vaults, each with one of two models, 0.4 % of 6,023 real questions
/// find nothing, and 4.9 % of 4,872 questions about other collections, random words and random letters find something.
/// Over 15 smaller ones (70 to 1,500 texts, some of them encyclopedic), it is 0.9 % of 1,167 and 18 % of 4,335; the mean
/// of the similarities, how far the best one stands out and the share of known words do not improve this.
const ENOUGH: f64 = 1.03;
/// With fewer vectors, nothing can be said about what is usual.
const FEWEST: usize = 12;
/// With this many vectors, half of the evidence is enough: few vectors say little about what is usual.
const FEW: f64 = 12.0;

/// Whether words or vectors show that the query is about something in the project. `words` is the score of the best match.
///
/// ```text
/// contrast + 1.25 * best word score + 0.3 * best vector score >= 1.03 * vectors / (vectors + 12)
/// ```
///
/// Contrast is the deviation of the query's similarities divided by that among the sections themselves, so the rule holds
/// for any model and any project. With fewer than 12 vectors, it always is.
pub(super) fn is_reached(closest: &Closest, words: f64) -> bool {
    let best = closest.sections.iter().map(|one| f64::from(one.similarity)).fold(0.0, f64::max);
    let background = f64::from(closest.background).clamp(0.0, 0.99);
    let meaning = ((best - background) / (1.0 - background)).max(0.0);
    if closest.compared < FEWEST {
        return true;
    }
    let vectors = closest.compared as f64;
    f64::from(closest.contrast) + WORDS * words + MEANING * meaning >= ENOUGH * vectors / (vectors + FEW)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::Close;

    fn closest(contrast: f32, similarity: f32, compared: usize) -> Closest {
        let sections = vec![Close { section: 1, page: 1, similarity }];
        Closest { sections, background: 0.1, contrast, compared }
    }

    #[test]
    fn similarities_that_differ_little_need_words() {
        let far = closest(0.5, 0.3, 1000);
        assert!(!is_reached(&far, 0.0));
        assert!(!is_reached(&far, 0.2));
        assert!(is_reached(&far, 0.6));
        assert!(is_reached(&closest(1.0, 0.4, 1000), 0.0));
    }

    #[test]
    fn a_few_sections_need_less() {
        assert!(is_reached(&closest(0.5, 0.3, 12), 0.0));
        assert!(!is_reached(&closest(0.1, 0.1, 12), 0.0));
        assert!(is_reached(&closest(0.0, 0.0, 11), 0.0));
    }
}
