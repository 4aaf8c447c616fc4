//! Limits on what answers repeat of a page: a title of 200 kB must not crowd out all other pages.

/// Maximum characters of a title or heading.
const TITLE: usize = 200;

/// Maximum characters of a sentence that quotes a page.
const SENTENCE: usize = 600;

/// Maximum characters of a type.
const LABEL: usize = 100;

/// Maximum tags on one line.
const TAGS: usize = 20;

/// A title or heading, cut to its maximum length.
pub(crate) fn title(title: String) -> String {
    bounded(title, TITLE)
}

/// A sentence that quotes a page, cut to its maximum length.
pub(crate) fn sentence(sentence: String) -> String {
    bounded(sentence, SENTENCE)
}

/// A page's type, cut to its maximum length.
pub(crate) fn label(label: String) -> String {
    bounded(label, LABEL)
}

/// Tags on one line, with the number of omitted ones.
pub(crate) fn tag_line(tags: &[String]) -> String {
    let shown: Vec<String> = tags.iter().take(TAGS).map(|tag| label(tag.clone())).collect();
    let more = tags.len().saturating_sub(TAGS);
    if more > 0 { format!("{} and {more} more", shown.join(", ")) } else { shown.join(", ") }
}

/// Truncates the tags to one line's worth. Returns whether there were more.
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
        // A few more characters are shorter than the note that they are missing.
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
    fn a_long_title_is_cut_and_states_its_length() {
        assert_eq!(title("題".repeat(200)), "題".repeat(200));
        assert_eq!(title("題".repeat(5_000)), format!("{}… (5000 characters)", "題".repeat(200)));
    }

    #[test]
    fn many_tags_fit_on_one_line() {
        let mut tags: Vec<String> = (0..20_000).map(|number| format!("t{number}")).collect();
        assert!(tag_line(&tags).ends_with("t19 and 19980 more"));
        assert!(few_tags(&mut tags) && tags.len() == TAGS);
        assert!(!few_tags(&mut tags));
        assert!(few_tags(&mut vec!["t".repeat(10_000)]));
    }
}
