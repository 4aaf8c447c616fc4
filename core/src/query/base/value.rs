//! The values of properties and expressions.

use std::cmp::Ordering;

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Span, SpanFieldwise, Timestamp};
use serde_json::Value as Json;

use crate::text;

/// A value. Front matter is text in the index; what looks like a number, a date, `true` or `false` is one here.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Nothing,
    Bool(bool),
    Number(f64),
    Text(String),
    /// A tag without `#`.
    Tag(String),
    /// In UTC.
    Date {
        at: DateTime,
        has_time: bool,
    },
    Duration(SpanFieldwise),
    List(Vec<Value>),
    Map(Vec<(String, Value)>),
    /// The number of a page among those that the base can list.
    Page(usize),
}

impl Value {
    /// A value of front matter.
    pub(super) fn written(json: Json) -> Self {
        match json {
            Json::Null => Self::Nothing,
            Json::Bool(is) => Self::Bool(is),
            Json::Number(number) => number.as_f64().map_or(Self::Nothing, Self::Number),
            Json::String(text) => Self::scalar(text),
            Json::Array(items) => Self::List(items.into_iter().map(Self::written).collect()),
            Json::Object(fields) => {
                Self::Map(fields.into_iter().map(|(name, value)| (name, Self::written(value))).collect())
            }
        }
    }

    fn scalar(text: String) -> Self {
        match text.as_str() {
            "" => Self::Nothing,
            "true" => Self::Bool(true),
            "false" => Self::Bool(false),
            _ => {
                // `007` and `1.0` are shown as they are written.
                let number = text.parse::<f64>().ok().filter(|number| number.to_string() == text);
                number.map(Self::Number).or_else(|| Self::date(&text)).unwrap_or(Self::Text(text))
            }
        }
    }

    /// A date, or a date and time: `2026-02-01`, `2026-02-01 10:30:00`, RFC 3339.
    pub(super) fn date(text: &str) -> Option<Self> {
        let text = text.trim();
        if !text.get(..5)?.bytes().take(4).all(|byte| byte.is_ascii_digit()) || text.as_bytes()[4] != b'-' {
            return None;
        }
        if let Ok(date) = text.parse::<Date>()
            && text.len() <= 10
        {
            return Some(Self::Date { at: date.at(0, 0, 0, 0), has_time: false });
        }
        let instant = text.parse::<Timestamp>().ok().map(|time| time.to_zoned(TimeZone::UTC).datetime());
        let at = instant.or_else(|| text.parse::<DateTime>().ok())?;
        Some(Self::Date { at, has_time: true })
    }

    /// A point in time.
    pub(super) fn time(time: Timestamp) -> Self {
        Self::Date { at: time.to_zoned(TimeZone::UTC).datetime(), has_time: true }
    }

    pub(super) fn span(span: Span) -> Self {
        Self::Duration(span.fieldwise())
    }

    pub(super) fn is_truthy(&self) -> bool {
        match self {
            Self::Nothing => false,
            Self::Bool(is) => *is,
            Self::Number(number) => *number != 0.0,
            Self::Text(text) | Self::Tag(text) => !text.is_empty(),
            Self::Date { .. } | Self::Duration(_) | Self::List(_) | Self::Map(_) | Self::Page(_) => true,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Nothing => true,
            Self::Text(text) | Self::Tag(text) => text.is_empty(),
            Self::List(items) => items.is_empty(),
            Self::Map(fields) => fields.is_empty(),
            _ => false,
        }
    }

    /// Its size in bytes, with everything in it.
    pub(super) fn size(&self) -> usize {
        size_of::<Self>()
            + match self {
                Self::Text(text) | Self::Tag(text) => text.len(),
                Self::List(items) => items.iter().map(Self::size).sum(),
                Self::Map(fields) => fields.iter().map(|(name, value)| name.len() + value.size()).sum(),
                _ => 0,
            }
    }

    /// As a number, if it is one.
    pub(super) fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Bool(is) => Some(f64::from(u8::from(*is))),
            Self::Text(text) => text.trim().parse().ok().filter(|number: &f64| number.is_finite()),
            Self::Date { at, .. } => Some(millis(*at)),
            Self::Duration(span) => length(&span.0),
            _ => None,
        }
    }

    /// As a date, if it is one.
    pub(super) fn as_date(&self) -> Option<DateTime> {
        match self {
            Self::Date { at, .. } => Some(*at),
            Self::Text(text) => match Self::date(text)? {
                Self::Date { at, .. } => Some(at),
                _ => None,
            },
            _ => None,
        }
    }

    /// As a duration, if it is one: `1 week`, `3d`, `2h 30m`.
    pub(super) fn as_duration(&self) -> Option<Span> {
        match self {
            Self::Duration(span) => Some(span.0),
            Self::Text(text) => duration(text),
            _ => None,
        }
    }

    /// The order in which values are sorted: numbers, dates, then texts without regard to case. What has no value is
    /// last in both directions.
    pub(super) fn sorted(
        &self,
        other: &Self,
        is_descending: bool,
        shown: &dyn Fn(&Self) -> String,
    ) -> Ordering {
        let rank = |value: &Self| match value {
            Self::Number(_) | Self::Bool(_) | Self::Duration(_) => 0,
            Self::Date { .. } => 1,
            _ => 2,
        };
        let ascending = || {
            rank(self).cmp(&rank(other)).then_with(|| match (rank(self), self.number(), other.number()) {
                (0 | 1, Some(a), Some(b)) => a.total_cmp(&b),
                _ => {
                    let (a, b) = (shown(self), shown(other));
                    text::fold_key(&a).cmp(&text::fold_key(&b)).then_with(|| a.cmp(&b))
                }
            })
        };
        match (self.is_empty(), other.is_empty()) {
            (false, false) if is_descending => ascending().reverse(),
            (false, false) => ascending(),
            (is_empty, other_is) => is_empty.cmp(&other_is),
        }
    }
}

fn millis(at: DateTime) -> f64 {
    at.to_zoned(TimeZone::UTC).map_or(0.0, |zoned| zoned.timestamp().as_millisecond() as f64)
}

/// The length of a duration in milliseconds. Years and months count as 365 and 30 days.
fn length(span: &Span) -> Option<f64> {
    let days = f64::from(span.get_years()) * 365.0
        + f64::from(span.get_months()) * 30.0
        + f64::from(span.get_weeks()) * 7.0
        + f64::from(span.get_days());
    let seconds =
        f64::from(span.get_hours()) * 3_600.0 + span.get_minutes() as f64 * 60.0 + span.get_seconds() as f64;
    Some(days * 86_400_000.0 + seconds * 1_000.0 + span.get_milliseconds() as f64)
}

/// The time between two dates.
pub(super) fn between(from: DateTime, to: DateTime) -> Value {
    let millis = to.duration_since(from).as_millis();
    let span = i64::try_from(millis).ok().and_then(|millis| Span::new().try_milliseconds(millis).ok());
    span.map_or(Value::Nothing, Value::span)
}

/// A duration that is `times` as long.
pub(super) fn scaled(span: &Span, times: f64) -> Value {
    let millis = length(span).map(|length| length * times).filter(|millis| millis.abs() < 9e15);
    let span = millis.and_then(|millis| Span::try_from(SignedDuration::from_millis(millis as i64)).ok());
    span.map_or(Value::Nothing, Value::span)
}

fn duration(text: &str) -> Option<Span> {
    let mut span = Span::new();
    let mut rest = text.trim();
    if rest.is_empty() {
        return None;
    }
    let is_negative = rest.starts_with('-');
    rest = rest.trim_start_matches(['-', '+']);
    while !rest.is_empty() {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let number: i64 = rest[..digits].parse().ok()?;
        rest = rest[digits..].trim_start();
        let letters = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_alphabetic()).len();
        let unit = &rest[..letters];
        rest = rest[letters..].trim_start();
        let added = match unit {
            "y" | "year" | "years" => span.try_years(number.checked_add(i64::from(span.get_years()))?),
            "M" | "month" | "months" => span.try_months(number.checked_add(i64::from(span.get_months()))?),
            "w" | "week" | "weeks" => span.try_weeks(number.checked_add(i64::from(span.get_weeks()))?),
            "d" | "day" | "days" => span.try_days(number.checked_add(i64::from(span.get_days()))?),
            "h" | "hour" | "hours" => span.try_hours(number.checked_add(i64::from(span.get_hours()))?),
            "m" | "minute" | "minutes" => span.try_minutes(number.checked_add(span.get_minutes())?),
            "s" | "second" | "seconds" => span.try_seconds(number.checked_add(span.get_seconds())?),
            _ => return None,
        };
        span = added.ok()?;
    }
    Some(if is_negative { -span } else { span })
}
