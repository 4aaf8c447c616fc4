//! The language of a request: what the web app shows, or what the browser's user prefers.

use axum::http::{HeaderMap, header};
use ubp_core::hint::Buttons;
use ubp_core::message::Language;

/// The words for the reader of an answer: the first language of the request that is English or one of `languages`.
/// Browsers send the preferred one first.
pub(crate) fn voice(headers: &HeaderMap, languages: &[Language]) -> Buttons {
    let wanted =
        headers.get(header::ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let known = |tag: &str| {
        let primary = tag.split(['-', ';']).next().unwrap_or_default().trim();
        let all = || [Language::ENGLISH].into_iter().chain(languages.iter().copied());
        all().find(|language| language.tag().eq_ignore_ascii_case(primary))
    };
    Buttons(wanted.split(',').find_map(known).unwrap_or_default())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_first_known_language_counts() {
        let languages = [Language::new("ja", |_| None, |_| None)];
        for (accepts, expected) in [
            ("", "en"),
            ("ja", "ja"),
            ("JA-jp", "ja"),
            ("fr, ja;q=0.8, en;q=0.5", "ja"),
            ("en-GB,en;q=0.9,ja;q=0.8", "en"),
            ("jam, *;q=0.1", "en"),
            (";,-", "en"),
        ] {
            let headers = HeaderMap::from_iter([(header::ACCEPT_LANGUAGE, accepts.parse().unwrap())]);
            assert_eq!(voice(&headers, &languages).0.tag(), expected, "{accepts}");
        }
        assert_eq!(voice(&HeaderMap::new(), &languages).0.tag(), "en");
    }
}
