//! Moments as people name them: a time, a date, or how long ago.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};

use crate::message;
use crate::{Error, Result};

/// The moment that `text` names: RFC 3339, a date (its beginning in UTC), or a span before `now`, such as `7d` or `12h`.
///
/// # Errors
/// [`Error::InvalidParams`].
pub(crate) fn moment(name: &str, text: &str, now: Timestamp) -> Result<Timestamp> {
    let text = text.trim();
    let utc = TimeZone::UTC;
    let ago = || {
        let span: Span = text.trim_end_matches(" ago").parse().ok()?;
        Some(now.to_zoned(utc.clone()).checked_sub(span.abs()).ok()?.timestamp())
    };
    let date = || Some(text.parse::<Date>().ok()?.to_zoned(utc.clone()).ok()?.timestamp());
    let found = text.parse::<Timestamp>().ok().or_else(|| if text.len() == 10 { date() } else { None });
    found.or_else(ago).ok_or_else(|| {
        Error::invalid(message!(
            "{name} is '{text}'; it must be a date such as 2026-01-31, a time in RFC 3339, or a span such as 7d or 12h",
            name,
            text
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(text: &str) -> Option<String> {
        let now: Timestamp = "2026-03-10T12:00:00Z".parse().unwrap();
        moment("since", text, now).ok().map(|moment| moment.to_string())
    }

    #[test]
    fn a_moment_is_a_time_a_date_or_a_span() {
        assert_eq!(named("2026-03-01T08:30:00+01:00").as_deref(), Some("2026-03-01T07:30:00Z"));
        assert_eq!(named(" 2026-03-01 ").as_deref(), Some("2026-03-01T00:00:00Z"));
        assert_eq!(named("7d").as_deref(), Some("2026-03-03T12:00:00Z"));
        assert_eq!(named("90m").as_deref(), Some("2026-03-10T10:30:00Z"));
        assert_eq!(named("2 weeks ago").as_deref(), Some("2026-02-24T12:00:00Z"));
        assert_eq!(named("1mo").as_deref(), Some("2026-02-10T12:00:00Z"));
    }

    #[test]
    fn other_words_are_refused() {
        for text in ["", "yesterday", "2026-02-30", "7", "99999999999999y", "d", "\u{0}"] {
            assert_eq!(named(text), None, "{text}");
        }
    }
}
