//! Whether a query is about anything in the project. Some page is always the closest, also to a question about something
//! else; but then all pages are about equally far.

use super::texts::Texts;
use crate::Result;
use crate::index::Closest;
use crate::text::Query;

/// What words that fit perfectly count for, relative to a section with the same meaning.
const WORDS: f64 = 0.7;
/// What the contrast of similarities counts for.
const CONTRAST: f64 = 0.15;
/// The evidence that is enough for a query in the language of the pages. Over 12 collections of 70 to 1,600 texts, each with
/// one of two models, 0.4 % of 842 real questions find nothing, and 14 % of 2,451 about other collections, random words and
/// random letters find something. With these weights, 0.54 would lose 1.1 % of the former. How close the best section is
/// compared with its similarity to other sections, how many words are known, and how many are in one text add nothing.
const ENOUGH: f64 = 0.51;
/// The same for one in another language: models put texts in different languages farther apart, and words seldom match.
/// 2.3 % of 705 real questions find nothing then.
const ENOUGH_ACROSS: f64 = 0.43;
/// A function word of the query that at least this share of the texts has is of their language. In nine collections
/// nearly all English questions about English pages have one, 9 of 10 Japanese ones about Japanese pages, and hardly any in
/// another language.
const COMMON: f64 = 0.15;
/// With fewer vectors, nothing can be said about what is usual.
const FEWEST: usize = 12;
/// With this many vectors, half of the evidence is enough: few vectors say little about what is usual.
const FEW: f64 = 12.0;

/// Whether words or vectors show that the query is about something in the project. `words` is the score of the best match.
///
/// ```text
/// best vector score + 0.7 * best word score + 0.15 * contrast >= enough * vectors / (vectors + 12)
/// ```
///
/// Enough is 0.51, or 0.43 if the query is in another language than the pages. The vector score is measured from the
/// background ([`super::blend`]), and contrast is the deviation of the query's similarities divided by that among the
/// sections themselves, so the rule holds for any model and any project. With fewer than 12 vectors, it always is.
///
/// # Errors
/// [`crate::Error::Database`].
pub(super) fn is_reached(query: &Query, texts: &dyn Texts, closest: &Closest, words: f64) -> Result<bool> {
    if closest.compared < FEWEST {
        return Ok(true);
    }
    let evidence = evidence(closest, words);
    // Function words are in many texts, so they are counted only if it depends on them.
    Ok(evidence >= ENOUGH || (evidence >= ENOUGH_ACROSS && is_in_another_language(query, texts)?))
}

/// The evidence, divided by the share of it that so many vectors need.
fn evidence(closest: &Closest, words: f64) -> f64 {
    let best = closest.sections.iter().map(|one| f64::from(one.similarity)).fold(0.0, f64::max);
    let background = f64::from(closest.background).clamp(0.0, 0.99);
    let meaning = ((best - background) / (1.0 - background)).max(0.0);
    let vectors = closest.compared as f64;
    (meaning + WORDS * words + CONTRAST * f64::from(closest.contrast)) * (vectors + FEW) / vectors
}

/// Whether the query has function words, all of which are rare in the pages.
fn is_in_another_language(query: &Query, texts: &dyn Texts) -> Result<bool> {
    let least = COMMON * texts.rows()? as f64;
    let mut has_any = false;
    for word in query.function_words() {
        if texts.rows_with(&word)? as f64 >= least {
            return Ok(false);
        }
        has_any = true;
    }
    Ok(has_any)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::texts::Own;
    use super::*;
    use crate::index::Close;
    use crate::index::tests::Project;

    fn closest(contrast: f32, similarity: f32, compared: usize) -> Closest {
        let sections = vec![Close { section: 1, page: 1, similarity }];
        Closest { sections, background: 0.1, contrast, compared, ..Closest::default() }
    }

    fn is_enough(closest: &Closest, words: f64) -> bool {
        evidence(closest, words) >= ENOUGH
    }

    #[test]
    fn similarities_that_differ_little_need_words() {
        let far = closest(0.5, 0.3, 1000);
        assert!(!is_enough(&far, 0.0));
        assert!(!is_enough(&far, 0.2));
        assert!(is_enough(&far, 0.6));
        assert!(is_enough(&closest(1.0, 0.5, 1000), 0.0));
    }

    #[test]
    fn a_few_sections_need_less() {
        assert!(is_enough(&closest(0.5, 0.3, 12), 0.0));
        assert!(!is_enough(&closest(0.1, 0.1, 12), 0.0));
    }

    #[test]
    fn the_function_words_of_a_question_tell_its_language() {
        let project = Project::with_pages([
            ("one.md", "# One\n\nThe harbour is old, and the lantern is what ships look for.\n"),
            ("two.md", "# Two\n\nA walrus sells copper in the market.\n"),
        ]);
        let context = project.context();
        let is_other = |text: &str| {
            let query = Query::parse(text);
            let is = |db: &_| is_in_another_language(&query, &Own { db, index: context.index.index() });
            context.index.read(is).unwrap()
        };
        assert!(!is_other("what is the price of copper?"));
        assert!(is_other("港にはどんな灯りがありますか"));
        assert!(!is_other("copper price"), "no function words: nothing is known");
    }
}
