//! Callouts: quotations whose first line is `[!kind] Title`. The parser knows five kinds, without titles; in practice
//! any word is used, and titles are common.

use pulldown_cmark::BlockQuoteKind;

/// The marker of a callout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Callout {
    /// In lower case: ASCII letters, digits and hyphens.
    pub kind: String,
    /// Where the marker ends, in bytes from the start of the quotation; 0 if the parser removed it.
    pub marker: usize,
    /// Whether a title follows the marker on its line.
    pub titled: bool,
}

impl Callout {
    /// Reads the quotation `source`; `kind` is what the parser recognized.
    pub(super) fn read(source: &str, kind: Option<BlockQuoteKind>) -> Option<Self> {
        let known = kind.map(|kind| match kind {
            BlockQuoteKind::Note => "note",
            BlockQuoteKind::Tip => "tip",
            BlockQuoteKind::Important => "important",
            BlockQuoteKind::Warning => "warning",
            BlockQuoteKind::Caution => "caution",
        });
        if let Some(kind) = known {
            return Some(Self { kind: kind.to_owned(), marker: 0, titled: false });
        }
        let start = source.trim_start_matches([' ', '\t', '>']);
        let (inside, rest) = start.strip_prefix("[!")?.split_once(']')?;
        let name = inside.split('|').next().unwrap_or(inside).trim().to_lowercase();
        let fits = !name.is_empty() && name.len() <= 40 && !name.contains(['\n', '\r', '[']);
        let kind: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        let rest = rest.strip_prefix(['+', '-']).unwrap_or(rest);
        let title = rest.split(['\n', '\r']).next().unwrap_or_default();
        fits.then(|| Self { kind, marker: source.len() - rest.len(), titled: !title.trim().is_empty() })
    }

    /// The title of a callout without one.
    pub(super) fn default_title(&self) -> String {
        let mut letters = self.kind.chars();
        letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_first_line_with_a_kind_makes_a_callout() {
        let read = |source| Callout::read(source, None).map(|c| (c.kind, c.marker, c.titled));
        assert_eq!(read("> [!note] Title\n> text"), Some(("note".into(), 9, true)));
        assert_eq!(read("> [!My Kind|x]- \n"), Some(("my-kind".into(), 15, false)));
        assert_eq!(read("> [!]\n"), None);
        assert_eq!(read("> [note] x\n"), None);
        assert_eq!(read("> text [!note]\n"), None);
        let known = Callout::read("> [!TIP]\n", Some(BlockQuoteKind::Tip)).unwrap();
        assert_eq!((known.default_title().as_str(), known.marker), ("Tip", 0));
    }
}
