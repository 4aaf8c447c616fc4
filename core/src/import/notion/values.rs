//! Values of properties in Notion's exports. They are text in files; their type shows in all values of a column together.

use std::collections::HashMap;

use super::relations::{Reference, references};
use crate::import::front_matter::{free_key, number};

/// The type of a property.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Column {
    /// Yes or No.
    Checkbox,
    /// A number.
    Number,
    /// A day, a time, or two of them.
    Date,
    /// Links to pages.
    Relation,
    /// Several options, people or files.
    List,
    /// Anything else.
    Text,
}

/// Names of columns that hold several values even if no row has two.
const LISTS: [&str; 6] = ["tags", "labels", "keywords", "categories", "topics", "aliases"];

/// Maximum length of an option in characters; longer parts are prose.
const LONGEST_OPTION: usize = 60;

impl Column {
    /// The type of the column called `name` with these values; empty ones do not count.
    pub(super) fn of<'v>(name: &str, values: impl IntoIterator<Item = &'v str>) -> Self {
        let values: Vec<&str> = values.into_iter().map(str::trim).filter(|value| !value.is_empty()).collect();
        let all = |test: fn(&str) -> bool| !values.is_empty() && values.iter().all(|value| test(value));
        let is_list = LISTS.iter().any(|list| name.eq_ignore_ascii_case(list));
        if all(|value| matches!(value, "Yes" | "No")) {
            Self::Checkbox
        } else if all(|value| number(value).is_some()) {
            Self::Number
        } else if all(|value| dates(value).is_some()) {
            Self::Date
        } else if all(|value| references(value).is_some_and(|found| !found.is_empty())) {
            Self::Relation
        } else if is_list || has_options(&values) {
            Self::List
        } else {
            Self::Text
        }
    }
}

/// Whether values with commas are lists of options: short parts, of which at least one occurs in several rows.
fn has_options(values: &[&str]) -> bool {
    let mut rows: HashMap<&str, usize> = HashMap::new();
    let mut several = false;
    for value in values {
        let parts = options(value);
        let is_prose =
            |part: &&str| part.is_empty() || part.chars().count() > LONGEST_OPTION || part.ends_with('.');
        if parts.iter().any(is_prose) {
            return false;
        }
        several |= parts.len() > 1;
        for part in parts {
            *rows.entry(part).or_default() += 1;
        }
    }
    several && rows.values().any(|rows| *rows > 1)
}

/// The parts of a list of options. An option cannot contain a comma.
pub(super) fn options(value: &str) -> Vec<&str> {
    value.split(',').map(str::trim).collect()
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// A day or a time, or the first and last of a range, in YAML's spelling.
pub(super) fn dates(value: &str) -> Option<(String, Option<String>)> {
    match value.split_once('→') {
        None => Some((date(value.trim())?, None)),
        Some((first, last)) => Some((date(first.trim())?, Some(date(last.trim())?))),
    }
}

/// `January 5, 2024`, `January 5, 2024 3:04 PM`, `2024/01/05`, `2024-01-05`, `2024年1月5日 15:04` or
/// `2024년 1월 5일 오후 3:04`, with a time zone in parentheses or not. Formats that write the day before the month, or the
/// month as a number before the day, cannot be told apart.
fn date(text: &str) -> Option<String> {
    let text = text.strip_prefix('@').unwrap_or(text);
    let east_asian = numbered_units(text);
    let text = east_asian.as_deref().unwrap_or(text);
    let (text, zone) = match text.strip_suffix(')').and_then(|text| text.rsplit_once(" (")) {
        Some((text, zone)) => (text, Some(zone)),
        None => (text, None),
    };
    let (day, rest) = match text.split_once(' ') {
        Some((month, rest)) if MONTHS.iter().any(|known| month_matches(known, month)) => {
            let month = MONTHS.iter().position(|known| month_matches(known, month))? + 1;
            let (number, rest) = rest.split_once(", ")?;
            let (year, rest) = rest.split_once(' ').map_or((rest, ""), |(year, rest)| (year, rest));
            (day(year, &month.to_string(), number)?, rest)
        }
        parts => {
            let (first, rest) = parts.unwrap_or((text, ""));
            let separator = if first.contains('/') { '/' } else { '-' };
            let parts: Vec<&str> = first.split(separator).collect();
            let [year, month, number] = *parts.as_slice() else { return None };
            (day(year, month, number)?, rest)
        }
    };
    if rest.is_empty() {
        return zone.is_none().then_some(day);
    }
    let offset = match zone {
        None => String::new(),
        Some(zone) => offset(zone)?,
    };
    Some(format!("{day}T{}{offset}", time(rest)?))
}

/// The units of dates in Chinese and Japanese, and in Korean, and the words for the halves of the day.
const UNITS: [([&str; 3], [&str; 2]); 3] = [
    (["年", "月", "日"], ["上午", "下午"]),
    (["年", "月", "日"], ["午前", "午後"]),
    (["년", "월", "일"], ["오전", "오후"]),
];

/// A date with units, in the spelling without: `2024-1-5 3:04 PM`.
fn numbered_units(text: &str) -> Option<String> {
    UNITS.iter().find_map(|([year, month, day], halves)| {
        let (first, rest) = text.split_once(year)?;
        let (second, rest) = rest.split_once(month)?;
        let (third, rest) = rest.split_once(day)?;
        let rest = rest.trim();
        let half =
            halves.iter().zip(["AM", "PM"]).find_map(|(word, half)| Some((rest.strip_prefix(word)?, half)));
        let time = match half {
            Some((time, half)) => match time.trim().split_once(' ') {
                Some((time, zone)) => format!(" {time} {half} {zone}"),
                None => format!(" {} {half}", time.trim()),
            },
            None if rest.is_empty() => String::new(),
            None => format!(" {rest}"),
        };
        Some(format!("{}-{}-{}{time}", first.trim(), second.trim(), third.trim()))
    })
}

fn month_matches(known: &str, month: &str) -> bool {
    known == month || (month.len() == 3 && known.starts_with(month))
}

fn day(year: &str, month: &str, number: &str) -> Option<String> {
    let year: i16 = if year.len() == 4 { year.parse().ok()? } else { return None };
    let date = jiff::civil::Date::new(year, month.parse().ok()?, number.parse().ok()?).ok()?;
    Some(date.to_string())
}

/// `3:04 PM` or `15:04` as `15:04:00`.
fn time(text: &str) -> Option<String> {
    let (clock, half) = match text.split_once(' ') {
        Some((clock, half @ ("AM" | "PM"))) => (clock, Some(half)),
        None => (text, None),
        Some(_) => return None,
    };
    let (hour, minute) = clock.split_once(':')?;
    let hour: i8 = hour.parse().ok()?;
    let hour = match half {
        None => hour,
        Some(half) if (1..=12).contains(&hour) => hour % 12 + if half == "PM" { 12 } else { 0 },
        Some(_) => return None,
    };
    let time = jiff::civil::Time::new(hour, minute.parse().ok()?, 0, 0).ok()?;
    Some(time.strftime("%H:%M:%S").to_string())
}

/// `UTC`, `GMT+9` or `UTC-3:30` as an offset.
fn offset(zone: &str) -> Option<String> {
    let rest = zone.strip_prefix("UTC").or_else(|| zone.strip_prefix("GMT"))?;
    if rest.is_empty() {
        return Some("Z".into());
    }
    let (sign, rest) = rest.split_at_checked(1)?;
    let (hours, minutes) = rest.split_once(':').unwrap_or((rest, "0"));
    let (hours, minutes): (u8, u8) = (hours.parse().ok()?, minutes.parse().ok()?);
    (matches!(sign, "+" | "-") && hours < 15 && minutes < 60)
        .then(|| format!("{sign}{hours:02}:{minutes:02}"))
}

/// The name of a property as a key of front matter.
pub(super) fn key(name: &str) -> String {
    let mut key = String::new();
    for c in name.trim().chars() {
        if c.is_alphanumeric() {
            key.extend(c.to_lowercase());
        } else if !key.is_empty() && !key.ends_with('_') {
            key.push('_');
        }
    }
    match key.trim_end_matches('_') {
        "" if name.trim() == "#" => "number".into(),
        "" => "property".into(),
        key => free_key(key, "notion"),
    }
}

/// The pages and files in the value of a relation.
pub(super) fn related(value: &str) -> Vec<Reference<'_>> {
    references(value).unwrap_or_default()
}

#[cfg(test)]
mod tests;
