//! Bounds of the words that answers repeat of a page: a title of 200 kB must not take the room of all other pages.

/// Characters of a title or heading.
const TITLE: usize = 200;

/// Characters of a sentence about a page, which quotes it.
const SENTENCE: usize = 600;

/// Characters of a type.
const LABEL: usize = 100;

/// Tags in one line.
const TAGS: usize = 20;

/// A title or heading, cut where it is longer than anybody reads.
pub(crate) fn title(title: String) -> String {
    bounded(title, TITLE)
}

/// A sentence that quotes a page.
pub(crate) fn sentence(sentence: String) -> String {
    bounded(sentence, SENTENCE)
}

/// A page's type.
pub(crate) fn label(label: String) -> String {
    bounded(label, LABEL)
}

/// Tags in one line, with the number of those that are left out.
pub(crate) fn tag_line(tags: &[String]) -> String {
    let shown: Vec<String> = tags.iter().take(TAGS).map(|tag| label(tag.clone())).collect();
    let more = tags.len().saturating_sub(TAGS);
    if more > 0 { format!("{} and {more} more", shown.join(", ")) } else { shown.join(", ") }
}

/// Leaves no more tags than a line has. Returns whether there were more.
pub(crate) fn few_tags(tags: &mut Vec<String>) -> bool {
    let mut cut = tags.len() > TAGS;
    tags.truncate(TAGS);
    for tag in tags {
        let short = label(tag.clone());
        cut |= short != *tag;
        *tag = short;
    }
    cut
}

fn bounded(text: String, most: usize) -> String {
    match text.char_indices().nth(most) {
        // A few characters more are shorter than saying that they are missing.
        Some((end, _)) if text.chars().count() > most + 20 => {
            format!("{}… ({} characters)", &text[..end], text.chars().count())
        }
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_title_is_cut_and_says_how_long_it_is() {
        assert_eq!(title("題".repeat(200)), "題".repeat(200));
        assert_eq!(title("題".repeat(5_000)), format!("{}… (5000 characters)", "題".repeat(200)));
    }

    #[test]
    fn many_tags_take_one_line() {
        let mut tags: Vec<String> = (0..20_000).map(|number| format!("t{number}")).collect();
        assert!(tag_line(&tags).ends_with("t19 and 19980 more"));
        assert!(few_tags(&mut tags) && tags.len() == TAGS);
        assert!(!few_tags(&mut tags));
        assert!(few_tags(&mut vec!["t".repeat(10_000)]));
    }
}
