//! The fields of the Open Knowledge Format 0.2 in front matter: what a page was made from, who confirmed it and when, and
//! how long it is expected to be true. Pages without them are as good as others; UBP writes at most `verified`.

use crate::ops::provenance::{Event, Provenance, Trust};
use crate::page::Value;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};

/// Fields of front matter in their order, as [`crate::page::FrontMatter::fields`].
pub(crate) type Fields = [(String, Value)];

impl Provenance {
    /// What these fields say; `None` without any of them.
    pub(crate) fn of(fields: &Fields) -> Option<Self> {
        let known = ["verified", "generated", "stale_after"];
        let is_okf = known.iter().any(|key| get(fields, key).is_some());
        let status = get(fields, "status").and_then(text).filter(|status| STATUSES.contains(status));
        if !is_okf && status.is_none() {
            return None;
        }
        let verified = events(fields, "verified");
        let trust = match verified.is_empty() {
            true => Trust::Unverified,
            false if verified.iter().any(|event| event.by.starts_with("human:")) => Trust::HumanReviewed,
            false => Trust::MachineConfirmed,
        };
        Some(Self {
            trust,
            generated: events(fields, "generated").into_iter().next(),
            status: status.map(str::to_owned),
            stale_at: expiry(fields).map(|time| time.to_string()),
            verified,
        })
    }
}

/// Values of `status`.
pub(crate) const STATUSES: [&str; 3] = ["draft", "stable", "deprecated"];

pub(crate) fn get<'f>(fields: &'f Fields, key: &str) -> Option<&'f Value> {
    fields.iter().find(|(name, _)| name == key).map(|(_, value)| value)
}

/// A scalar that is not empty.
pub(crate) fn text(value: &Value) -> Option<&str> {
    match value {
        Value::Text(text) => Some(text.trim()).filter(|text| !text.is_empty()),
        _ => None,
    }
}

/// The maps in a list, or a single map.
pub(crate) fn maps(value: &Value) -> Vec<&Fields> {
    match value {
        Value::Map(fields) => vec![fields.as_slice()],
        Value::List(items) => items.iter().filter_map(|item| maps(item).into_iter().next()).collect(),
        Value::Text(_) => Vec::new(),
    }
}

/// The events of `verified` or `generated`, without those that name nobody.
pub(crate) fn events(fields: &Fields, key: &str) -> Vec<Event> {
    let event = |fields: &Fields| {
        let by = get(fields, "by").and_then(text)?.to_owned();
        Some(Event { by, at: get(fields, "at").and_then(text).map(str::to_owned) })
    };
    get(fields, key).map(maps).unwrap_or_default().into_iter().filter_map(event).collect()
}

/// The newest time of these events.
fn latest(fields: &Fields, key: &str) -> Option<Timestamp> {
    events(fields, key).iter().filter_map(|event| time(event.at.as_deref()?)).max()
}

/// When the content was last changed in a way that matters: `generated.at`, in version 0.1 `timestamp`.
pub(crate) fn generated_at(fields: &Fields) -> Option<Timestamp> {
    latest(fields, "generated").or_else(|| time(get(fields, "timestamp").and_then(text)?))
}

/// The time from which on a page is stale: the date of `stale_after`, or if that is a duration, so long after it was last
/// verified, or else generated.
pub(crate) fn expiry(fields: &Fields) -> Option<Timestamp> {
    let written = get(fields, "stale_after").and_then(text)?;
    if let Some(time) = time(written) {
        return Some(time);
    }
    let duration = Duration::parse(written)?;
    duration.after(latest(fields, "verified").or_else(|| generated_at(fields))?)
}

/// RFC 3339, or a local date or date and time, read as UTC.
pub(crate) fn time(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    if let Ok(time) = text.parse::<Timestamp>() {
        return Some(time);
    }
    // Years and other plain numbers are not dates.
    if !text.contains('-') {
        return None;
    }
    let local = text.parse::<DateTime>().ok().or_else(|| Some(text.parse::<Date>().ok()?.at(0, 0, 0, 0)))?;
    local.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp())
}

/// A number of days, weeks, months or years.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Duration {
    number: i32,
    unit: Unit,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Day,
    Week,
    Month,
    Year,
}

impl Duration {
    /// Reads `90d`, `90 days`, `12w`, `6 months`, `1y` or `P90D`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.trim().to_ascii_lowercase();
        let text = text.strip_prefix('p').unwrap_or(&text);
        let digits = text.find(|c: char| !c.is_ascii_digit())?;
        let (number, unit) = text.split_at(digits);
        let unit = match unit.trim() {
            "d" | "day" | "days" => Unit::Day,
            "w" | "week" | "weeks" => Unit::Week,
            "m" | "mo" | "month" | "months" => Unit::Month,
            "y" | "year" | "years" => Unit::Year,
            _ => return None,
        };
        number.parse().ok().filter(|&number| number <= 36_500).map(|number| Self { number, unit })
    }

    /// The time so long after `start`.
    fn after(self, start: Timestamp) -> Option<Timestamp> {
        let (span, number) = (Span::new(), self.number);
        let span = match self.unit {
            Unit::Day => span.try_days(number),
            Unit::Week => span.try_weeks(number),
            Unit::Month => span.try_months(number),
            Unit::Year => span.try_years(number),
        };
        let span = span.ok()?;
        start.to_zoned(TimeZone::UTC).checked_add(span).ok().map(|zoned| zoned.timestamp())
    }
}

/// The entries of `sources` that may name a file, symbol or page of the project: not addresses, and not descriptions of
/// what no path leads to.
pub(crate) fn sources(fields: &Fields) -> Vec<&str> {
    let entries: Vec<&str> = match get(fields, "sources") {
        Some(Value::List(items)) => items
            .iter()
            .filter_map(|item| match item {
                Value::Map(entry) => get(entry, "resource").and_then(text),
                other => text(other),
            })
            .collect(),
        Some(Value::Map(entry)) => get(entry, "resource").and_then(text).into_iter().collect(),
        Some(one) => text(one).into_iter().collect(),
        None => Vec::new(),
    };
    entries.into_iter().filter(|entry| may_be_path(entry)).collect()
}

/// Whether a resource may be a path rather than an address or a description.
pub(crate) fn may_be_path(resource: &str) -> bool {
    let is_address = resource.split_once(':').is_some_and(|(scheme, _)| {
        scheme.len() > 1 && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    });
    !is_address && resource.contains(['/', '.', '#']) && !resource.contains(['\n', '*'])
}

/// Who confirms a page when a person or agent records a review: the name in the form of the format.
pub(crate) fn actor(agent: Option<&str>, person: Option<&str>) -> String {
    let word = |text: &str| text.split_whitespace().collect::<Vec<_>>().join("-");
    match agent {
        Some(agent) => {
            let (name, version) = match agent.trim().rsplit_once([' ', '/']) {
                Some((name, version)) => (word(name), word(version)),
                None => (word(agent), "unknown".to_owned()),
            };
            format!("{}/{version}", name.replace('/', "-"))
        }
        None => {
            let name = person.map(|person| word(person).to_lowercase()).filter(|name| !name.is_empty());
            format!("human:{}", name.unwrap_or_else(|| "unknown".into()))
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn fields(yaml: &str) -> Vec<(String, Value)> {
        crate::page::front_matter(&format!("---\n{yaml}\n---\n")).fields
    }

    fn expires(yaml: &str) -> Option<String> {
        expiry(&fields(yaml)).map(|time| time.to_string())
    }

    #[test]
    fn stale_after_is_a_date_or_a_duration_after_the_last_verification() {
        let date = |text: &str| Some(text.to_owned());
        assert_eq!(expires("stale_after: 2026-09-23"), date("2026-09-23T00:00:00Z"));
        assert_eq!(expires("stale_after: 2026-09-23T12:00:00+02:00"), date("2026-09-23T10:00:00Z"));
        let verified =
            "verified:\n  - { by: human:a, at: 2026-01-31T09:00:00Z }\n  - { by: p/1, at: 2025-01-01 }\n";
        for (written, expected) in [
            ("90d", "2026-05-01T09:00:00Z"),
            ("12 weeks", "2026-04-25T09:00:00Z"),
            ("1 month", "2026-02-28T09:00:00Z"),
            ("P1Y", "2027-01-31T09:00:00Z"),
        ] {
            assert_eq!(expires(&format!("{verified}stale_after: {written}")), date(expected), "{written}");
        }
        assert_eq!(
            expires("generated: { by: a/1, at: 2026-01-01 }\nstale_after: 1d"),
            date("2026-01-02T00:00:00Z")
        );
        for never in ["stale_after: 90d", "stale_after: soon", "stale_after: 2026", "stale_after:", "a: b"] {
            assert_eq!(expires(never), None, "{never}");
        }
        assert_eq!(expires(&format!("{verified}stale_after: 99999999999d")), None);
        assert_eq!(expires(&format!("{verified}stale_after: 36500y")), None);
    }

    #[test]
    fn trust_is_that_of_the_best_verifier() {
        let trust = |yaml: &str| Provenance::of(&fields(yaml)).map(|found| found.trust);
        assert_eq!(trust("title: A\nstatus: accepted"), None);
        assert_eq!(trust("status: draft"), Some(Trust::Unverified));
        assert_eq!(trust("verified: { by: process:nightly, at: 2026-01-01 }"), Some(Trust::MachineConfirmed));
        assert_eq!(
            trust("verified: [{ by: p/1, at: 2026-01-01 }, { by: human:a, at: 2026-01-01 }]"),
            Some(Trust::HumanReviewed)
        );
        assert_eq!(trust("verified: yes"), Some(Trust::Unverified));
    }

    #[test]
    fn addresses_and_descriptions_are_not_paths() {
        let yaml = "sources:\n  - resource: src/a.ts#f\n  - { id: x, resource: /tables/b.md }\n  \
                    - resource: https://example.com/a.ts\n  - resource: mailto:a@b.c\n  \
                    - resource: all queries in project X\n  - ../c.md\n  - id: none\n  - resource: C:/x/y.ts";
        assert_eq!(sources(&fields(yaml)), ["src/a.ts#f", "/tables/b.md", "../c.md", "C:/x/y.ts"]);
        assert_eq!(sources(&fields("sources: src/a.ts")), ["src/a.ts"]);
        assert_eq!(sources(&fields("sources: { resource: src/a.ts }")), ["src/a.ts"]);
    }

    #[test]
    fn actors_have_the_form_of_the_format() {
        assert_eq!(actor(Some("claude 1.0"), None), "claude/1.0");
        assert_eq!(actor(Some("my agent 2"), None), "my-agent/2");
        assert_eq!(actor(Some("codex/1.2"), None), "codex/1.2");
        assert_eq!(actor(Some("codex"), Some("Ada")), "codex/unknown");
        assert_eq!(actor(None, Some("Ada Lovelace")), "human:ada-lovelace");
        assert_eq!(actor(None, None), "human:unknown");
    }
}
