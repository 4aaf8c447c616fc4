//! Chooses the built-in model of a new project by the scripts of its pages.
//!
//! all-MiniLM-L6-v2 is faster and ranks English pages better, but supports only Latin script.

use ubp_core::Result;
use ubp_core::embed::{Scripts, is_unfit};
use ubp_core::ports::Source;

use super::known::{BUNDLED, MULTILINGUAL};

/// Number of pages to read, evenly spread.
const SAMPLE: usize = 500;
/// Bytes to read of each page.
const BEGINNING: usize = 16 * 1024;

/// The name of the model for the pages of `source`.
///
/// # Errors
/// [`ubp_core::Error::Io`] if the folder cannot be listed. Unreadable pages are skipped.
pub fn model_for(source: &dyn Source) -> Result<&'static str> {
    let pages = source.list()?.pages;
    let latin = Scripts::only(["Latin"]);
    let (mut unread, mut all) = (0, 0);
    for page in pages.iter().step_by(pages.len().div_ceil(SAMPLE).max(1)) {
        let Ok(mut bytes) = source.read(&page.path) else { continue };
        bytes.truncate(BEGINNING);
        let text = String::from_utf8_lossy(&bytes);
        let is_unread = latin.other_script_of(&text).is_some();
        unread += usize::from(is_unread);
        all += usize::from(is_unread || latin.cover(&text));
    }
    Ok(if is_unfit(unread, all) { MULTILINGUAL } else { BUNDLED })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use ubp_core::ports::MemorySource;

    use super::*;

    #[test]
    fn the_scripts_of_the_pages_decide() {
        let chosen = |pages: &[&str]| {
            let names: Vec<String> = (0..pages.len()).map(|number| format!("{number}.md")).collect();
            let pages = names.iter().map(String::as_str).zip(pages.iter().copied());
            model_for(&MemorySource::with_pages(pages)).unwrap()
        };
        assert_eq!(chosen(&[]), BUNDLED);
        assert_eq!(chosen(&["", "1 + 1"]), BUNDLED);
        assert_eq!(chosen(&["Who may log in?", "Was wurde geändert?"]), BUNDLED);
        assert_eq!(chosen(&["認証フローの設計", "Overview of the API"]), MULTILINGUAL);
        assert_eq!(chosen(&["Кто может войти?", "Who may log in?"]), MULTILINGUAL);
        let mut many = vec!["Who may log in?"; 10];
        many.push("認証フローの設計");
        assert_eq!(chosen(&many), BUNDLED);
    }
}
