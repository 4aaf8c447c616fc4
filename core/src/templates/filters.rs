//! The filters of templates: `slug`, `date`, `lower` and `upper`.

use jiff::civil::{Date, DateTime};
use jiff::fmt::strtime;
use minijinja::{Environment, Error, ErrorKind};

use crate::reported;

/// The names of the filters.
pub(super) const NAMES: [&str; 4] = ["slug", "date", "lower", "upper"];

/// Adds the filters.
pub(super) fn add_to(environment: &mut Environment<'_>) {
    environment.add_filter("slug", |text: &str| crate::page::slug(text));
    environment.add_filter("lower", |text: &str| text.to_lowercase());
    environment.add_filter("upper", |text: &str| text.to_uppercase());
    environment.add_filter("date", date);
}

/// A date such as `2026-02-07`, written in the format of `strftime`, such as `%d %B %Y`.
fn date(text: &str, format: &str) -> Result<String, Error> {
    let wrong = |message: String| Error::new(ErrorKind::InvalidOperation, message);
    let given: DateTime = text
        .parse::<DateTime>()
        .or_else(|_| text.parse::<Date>().map(|date| date.at(0, 0, 0, 0)))
        .map_err(|_| wrong(reported!("'{text}' is not a date such as 2026-02-07")))?;
    // A width such as `%999999999d` would allocate it.
    if format.len() > 100
        || format.split('%').skip(1).any(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    {
        return Err(wrong(reported!(
            "'{format}' is not a format of dates such as %d %B %Y",
            format = short(format)
        )));
    }
    strtime::format(format, given).map_err(|error| {
        wrong(reported!("'{format}' is not a format of dates such as %d %B %Y: {reason}", reason = error))
    })
}

fn short(text: &str) -> String {
    text.chars().take(40).collect()
}
