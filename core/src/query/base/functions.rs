//! The functions and methods of expressions. The first value of a method is what it belongs to.

use super::evaluate::{Evaluator, LONGEST, too_large};
use super::value::Value;
use crate::{Result, path, text};

/// A function or method.
pub(super) struct Signature {
    pub name: &'static str,
    /// Number of arguments, without what a method belongs to.
    pub least: usize,
    pub most: usize,
    pub run: fn(&Evaluator<'_>, &[Value]) -> Result<Value>,
}

impl std::fmt::Debug for Signature {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

const fn of(
    name: &'static str,
    least: usize,
    most: usize,
    run: fn(&Evaluator<'_>, &[Value]) -> Result<Value>,
) -> Signature {
    Signature { name, least, most, run }
}

const ANY: usize = 100;

/// Functions, except for `if`, which does not evaluate all that it is given.
pub(super) static FUNCTIONS: &[Signature] = &[
    of("date", 1, 1, |_, given| Ok(of_date(given, |at, has_time| Value::Date { at, has_time }))),
    of("duration", 1, 1, |_, given| Ok(given[0].as_duration().map_or(Value::Nothing, Value::span))),
    of("file", 1, 1, |with, given| Ok(with.page(&given[0])?.map_or(Value::Nothing, Value::Page))),
    of("link", 1, 2, link),
    of("list", 1, 1, |_, given| Ok(Value::List(list(&given[0]).to_vec()))),
    of("max", 1, ANY, |_, given| Ok(extreme(given, f64::max))),
    of("min", 1, ANY, |_, given| Ok(extreme(given, f64::min))),
    of("now", 0, 0, |with, _| Ok(Value::Date { at: with.now, has_time: true })),
    of("number", 1, 1, |_, given| Ok(given[0].number().map_or(Value::Nothing, Value::Number))),
    of("today", 0, 0, |with, _| Ok(day(with.now))),
];

pub(super) static METHODS: &[Signature] = &[
    of("abs", 0, 0, |_, given| Ok(number(given, f64::abs))),
    of("asFile", 0, 0, |with, given| Ok(with.page(&given[0])?.map_or(Value::Nothing, Value::Page))),
    of("asLink", 0, 1, link),
    of("ceil", 0, 0, |_, given| Ok(number(given, f64::ceil))),
    of("contains", 1, 1, |with, given| contains(with, given, false)),
    of("containsAll", 1, ANY, |with, given| contains(with, given, false)),
    of("containsAny", 1, ANY, |with, given| contains(with, given, true)),
    of("date", 0, 0, |_, given| Ok(of_date(given, |at, _| day(at)))),
    of("endsWith", 1, 1, |with, given| Ok(of_texts(with, given, |text, end| text.ends_with(end)))),
    of("flat", 0, 0, |_, given| {
        let items = list(&given[0]).iter().flat_map(|item| list(item).to_vec());
        Ok(Value::List(items.collect()))
    }),
    of("floor", 0, 0, |_, given| Ok(number(given, f64::floor))),
    of("format", 1, 1, |with, given| {
        let format = with.shown(&given[1]);
        Ok(of_date(given, |at, _| Value::Text(super::format::formatted(at, &format))))
    }),
    of("hasLink", 1, 1, has_link),
    of("hasProperty", 1, 1, |with, given| {
        let name = with.shown(&given[1]);
        Ok(Value::Bool(row(with, given).is_some_and(|row| row.has(&name))))
    }),
    of("hasTag", 1, ANY, has_tag),
    of("inFolder", 1, 1, |with, given| {
        let folder = with.shown(&given[1]);
        let folder = folder.trim_matches('/');
        let is_in = |row: &super::pages::Row| folder.is_empty() || path::is_below(&row.path, folder);
        Ok(Value::Bool(row(with, given).is_some_and(is_in)))
    }),
    of("isEmpty", 0, 0, |_, given| Ok(Value::Bool(given[0].is_empty()))),
    of("isTruthy", 0, 0, |_, given| Ok(Value::Bool(given[0].is_truthy()))),
    of("isType", 1, 1, |with, given| Ok(Value::Bool(kind(&given[0]) == with.shown(&given[1])))),
    of("join", 1, 1, |with, given| {
        let texts: Vec<String> = list(&given[0]).iter().map(|item| with.shown(item)).collect();
        bounded(texts.join(&with.shown(&given[1])))
    }),
    of("keys", 0, 0, |_, given| {
        let Value::Map(fields) = &given[0] else { return Ok(Value::Nothing) };
        Ok(Value::List(fields.iter().map(|(name, _)| Value::Text(name.clone())).collect()))
    }),
    of("linksTo", 1, 1, has_link),
    of("lower", 0, 0, |with, given| Ok(of_text(with, given, |text| Value::Text(text.to_lowercase())))),
    of("replace", 2, 2, |with, given| {
        let (from, to) = (with.shown(&given[1]), with.shown(&given[2]));
        let text = with.shown(&given[0]);
        // An empty text is between all letters.
        let times = if from.is_empty() { text.len() + 1 } else { text.len() / from.len() };
        if times.saturating_mul(to.len()) > LONGEST {
            return Err(too_large());
        }
        Ok(of_text(with, given, |text| Value::Text(text.replace(&from, &to))))
    }),
    of("reverse", 0, 0, |with, given| {
        Ok(match &given[0] {
            Value::List(items) => Value::List(items.iter().rev().cloned().collect()),
            _ => of_text(with, given, |text| Value::Text(text.chars().rev().collect())),
        })
    }),
    of("round", 0, 1, |_, given| {
        let digits = given.get(1).and_then(Value::number).unwrap_or(0.0).clamp(0.0, 15.0);
        let scale = 10_f64.powi(digits as i32);
        Ok(number(given, |number| (number * scale).round() / scale))
    }),
    of("slice", 1, 2, |with, given| Ok(slice(with, given))),
    of("sort", 0, 0, |with, given| {
        let mut items = list(&given[0]).to_vec();
        items.sort_by(|a, b| a.sorted(b, false, &|value| with.shown(value)));
        Ok(Value::List(items))
    }),
    of("split", 1, 2, |with, given| {
        let most = given.get(2).and_then(Value::number).map_or(usize::MAX, |most| most.max(0.0) as usize);
        let separator = with.shown(&given[1]);
        Ok(of_text(with, given, |text| {
            let letters = || text.chars().map(|letter| letter.to_string()).collect();
            let parts: Vec<String> = match separator.is_empty() {
                true => letters(),
                false => text.split(&separator).map(str::to_owned).collect(),
            };
            Value::List(parts.into_iter().take(most).map(Value::Text).collect())
        }))
    }),
    of("startsWith", 1, 1, |with, given| Ok(of_texts(with, given, |text, start| text.starts_with(start)))),
    of("time", 0, 0, |_, given| {
        Ok(of_date(given, |at, _| Value::Text(super::format::formatted(at, "HH:mm:ss"))))
    }),
    of("title", 0, 0, |with, given| Ok(of_text(with, given, |text| Value::Text(titled(text))))),
    of("toFixed", 1, 1, |_, given| {
        let digits = given[1].number().unwrap_or(0.0).clamp(0.0, 20.0) as usize;
        Ok(given[0].number().map_or(Value::Nothing, |number| Value::Text(format!("{number:.digits$}"))))
    }),
    of("toString", 0, 0, |with, given| Ok(Value::Text(with.shown(&given[0])))),
    of("trim", 0, 0, |with, given| Ok(of_text(with, given, |text| Value::Text(text.trim().into())))),
    of("unique", 0, 0, |with, given| {
        let mut kept: Vec<Value> = Vec::new();
        for item in list(&given[0]) {
            let mut is_known = false;
            for known in &kept {
                with.step()?;
                is_known = is_known || with.equal(known, item)?;
            }
            if !is_known {
                kept.push(item.clone());
            }
        }
        Ok(Value::List(kept))
    }),
    of("upper", 0, 0, |with, given| Ok(of_text(with, given, |text| Value::Text(text.to_uppercase())))),
    of("values", 0, 0, |_, given| {
        let Value::Map(fields) = &given[0] else { return Ok(Value::Nothing) };
        Ok(Value::List(fields.iter().map(|(_, value)| value.clone()).collect()))
    }),
];

fn bounded(text: String) -> Result<Value> {
    if text.len() > LONGEST { Err(too_large()) } else { Ok(Value::Text(text)) }
}

/// The items of a list; any other value is a list of one, and nothing is an empty one.
fn list(value: &Value) -> &[Value] {
    match value {
        Value::List(items) => items,
        Value::Nothing => &[],
        other => std::slice::from_ref(other),
    }
}

fn number(given: &[Value], run: impl Fn(f64) -> f64) -> Value {
    given[0].number().map_or(Value::Nothing, |number| Value::Number(run(number)))
}

fn extreme(given: &[Value], of_two: fn(f64, f64) -> f64) -> Value {
    let numbers = given.iter().flat_map(list).filter_map(Value::number);
    numbers.reduce(of_two).map_or(Value::Nothing, Value::Number)
}

fn day(at: jiff::civil::DateTime) -> Value {
    Value::Date { at: at.date().at(0, 0, 0, 0), has_time: false }
}

fn of_date(given: &[Value], run: impl Fn(jiff::civil::DateTime, bool) -> Value) -> Value {
    let parsed = match &given[0] {
        Value::Text(text) => Value::date(text),
        other => Some(other.clone()),
    };
    match parsed {
        Some(Value::Date { at, has_time }) => run(at, has_time),
        _ => Value::Nothing,
    }
}

fn of_text(with: &Evaluator<'_>, given: &[Value], run: impl Fn(&str) -> Value) -> Value {
    match &given[0] {
        Value::Nothing | Value::List(_) | Value::Map(_) => Value::Nothing,
        other => run(&with.shown(other)),
    }
}

fn of_texts(with: &Evaluator<'_>, given: &[Value], run: impl Fn(&str, &str) -> bool) -> Value {
    let other = with.shown(&given[1]);
    Value::Bool(of_text(with, given, |text| Value::Bool(run(text, &other))).is_truthy())
}

fn contains(with: &Evaluator<'_>, given: &[Value], any: bool) -> Result<Value> {
    let (owner, wanted) =
        given.split_first().map_or((&Value::Nothing, &[][..]), |(owner, wanted)| (owner, wanted));
    let mut holds = !any;
    for wanted in wanted {
        let found = match owner {
            Value::List(items) => {
                let mut found = false;
                for item in items {
                    with.step()?;
                    found = found || with.equal(item, wanted)?;
                }
                found
            }
            Value::Nothing => false,
            Value::Map(fields) => fields.iter().any(|(name, _)| *name == with.shown(wanted)),
            other => with.shown(other).contains(&with.shown(wanted)),
        };
        holds = if any { holds || found } else { holds && found };
    }
    Ok(Value::Bool(holds))
}

fn row<'w>(with: &Evaluator<'w>, given: &[Value]) -> Option<&'w super::pages::Row> {
    match given[0] {
        Value::Page(page) => with.pages.rows.get(page),
        _ => None,
    }
}

fn has_tag(with: &Evaluator<'_>, given: &[Value]) -> Result<Value> {
    let Some(row) = row(with, given) else { return Ok(Value::Bool(false)) };
    let has = |wanted: &Value| {
        let wanted = text::fold_key(with.shown(wanted).trim_start_matches('#'));
        row.tags.iter().any(|tag| {
            let tag = text::fold_key(tag);
            tag.strip_prefix(&wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    };
    Ok(Value::Bool(given[1..].iter().any(has)))
}

fn has_link(with: &Evaluator<'_>, given: &[Value]) -> Result<Value> {
    let Some(from) = with.page(&given[0])? else { return Ok(Value::Bool(false)) };
    let links = with.pages.links(with.context)?.get(from).map_or(&[][..], Vec::as_slice);
    let to = with.page(&given[1])?;
    let written = text::fold_key(&with.shown(&given[1]));
    let has = links.iter().any(|link| match to {
        Some(_) => link.page == to,
        None => link.page.is_none() && text::fold_key(&link.target) == written,
    });
    Ok(Value::Bool(has))
}

/// A link to a page, with the text that is shown.
fn link(with: &Evaluator<'_>, given: &[Value]) -> Result<Value> {
    let text = given.get(1).map(|text| with.shown(text)).filter(|text| !text.is_empty());
    let target = match &given[0] {
        Value::Page(page) => match (&text, with.pages.rows.get(*page)) {
            (Some(_), Some(row)) => path::without_page_extension(&row.path).to_owned(),
            _ => return Ok(given[0].clone()),
        },
        Value::Nothing => return Ok(Value::Nothing),
        other => with.shown(other),
    };
    let target = target.trim_start_matches("[[").trim_end_matches("]]");
    if target.contains("://") {
        return Ok(Value::Text(target.into()));
    }
    Ok(Value::Text(match text {
        Some(text) => format!(
            "[[{}|{}]]",
            target.split('|').next().unwrap_or(target),
            text.replace(['[', ']', '|'], " ")
        ),
        None => format!("[[{target}]]"),
    }))
}

fn slice(with: &Evaluator<'_>, given: &[Value]) -> Value {
    let bound = |at: usize, length: usize, default: usize| {
        let number = given.get(at).and_then(Value::number).map_or(default as f64, f64::trunc);
        let from_end = if number < 0.0 { number + length as f64 } else { number };
        from_end.clamp(0.0, length as f64) as usize
    };
    let range = |length: usize| {
        let (start, end) = (bound(1, length, 0), bound(2, length, length));
        start..end.max(start)
    };
    match &given[0] {
        Value::List(items) => Value::List(items[range(items.len())].to_vec()),
        _ => of_text(with, given, |text| {
            let range = range(text.chars().count());
            Value::Text(text.chars().skip(range.start).take(range.len()).collect())
        }),
    }
}

fn titled(text: &str) -> String {
    let mut starts = true;
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match starts {
            true => out.extend(letter.to_uppercase()),
            false => out.push(letter),
        }
        starts = letter.is_whitespace();
    }
    out
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Nothing => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::Text(_) | Value::Tag(_) => "string",
        Value::Date { .. } => "date",
        Value::Duration(_) => "duration",
        Value::List(_) => "list",
        Value::Map(_) => "object",
        Value::Page(_) => "file",
    }
}
