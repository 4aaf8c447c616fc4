//! Compares an imported file with the one in its place. A page to which only fields were added in front is the imported
//! page: `ubp add` completes front matter.

use crate::message::Message;
use crate::page::{FrontMatter, LinkTypes, decode, parse};

/// The state of the place of an imported file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    /// Nothing is there.
    Free,
    /// The same file is there.
    Same,
    /// Another file is there, or the place cannot be used; the reason.
    Taken(Message),
}

/// Whether `found` is the page `new`, with more front matter or not.
pub(super) fn is_same_page(new: &[u8], found: &[u8]) -> bool {
    if new == found {
        return true;
    }
    let (new, found) = (decode(new).0, decode(found).0);
    let (before, after) = (front(&new), front(&found));
    let body = |text: &str, front: &FrontMatter| text.get(front.range.end..).map(str::to_owned);
    let kept = before.fields.iter().all(|(key, value)| after.get(key) == Some(value));
    kept && body(&new, &before) == body(&found, &after)
}

fn front(text: &str) -> FrontMatter {
    parse(text, &LinkTypes::default()).front_matter
}

#[cfg(test)]
mod tests {
    use super::is_same_page;

    #[test]
    fn added_fields_do_not_make_another_page() {
        let new = b"---\na: 1\n---\n# T\n";
        assert!(is_same_page(new, new));
        assert!(is_same_page(new, b"---\na: 1\nid: x\n---\n# T\n"));
        assert!(is_same_page(b"# T\n", b"---\nid: x\n---\n# T\n"));
        assert!(!is_same_page(new, b"---\na: 2\nid: x\n---\n# T\n"));
        assert!(!is_same_page(new, b"---\na: 1\n---\n# T\n\nmore\n"));
        assert!(!is_same_page(new, b"# T\n"));
    }
}
