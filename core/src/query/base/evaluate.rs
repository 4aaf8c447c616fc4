//! Evaluates expressions for one page after another, within limits.

use std::cell::Cell;
use std::cmp::Ordering;
use std::collections::HashSet;

use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use super::Formulas;
use super::expression::{Expression, Operator};
use super::pages::Pages;
use super::property::Property;
use super::value::{Value, between, scaled};
use crate::graph::resolve::{Destination, Origin};
use crate::message;
use crate::page::LinkKind;
use crate::{Context, Error, Result, index, path, text};

/// Maximum depth of expressions, with the formulas that they use.
const DEPTH: usize = 150;

/// Maximum length of a text in bytes.
pub(super) const LONGEST: usize = 64 << 10;

/// Maximum size of a list that an expression makes, with everything in it, in bytes.
const LARGEST: usize = 1 << 20;

/// Number of steps between two looks at the clock.
const STEPS: usize = 512;

/// Maximum number of steps of an answer.
const MOST_STEPS: usize = 5_000_000;

/// The error for a value beyond these limits.
pub(super) fn too_large() -> Error {
    Error::invalid(message!("an expression has a value that is too large"))
}

/// What expressions are evaluated with.
pub(super) struct Evaluator<'a> {
    pub(super) context: &'a Context<'a>,
    pub(super) pages: &'a Pages,
    formulas: &'a Formulas,
    /// The page with the base.
    this: Option<usize>,
    pub(super) now: DateTime,
    depth: Cell<usize>,
    steps: Cell<usize>,
    begun: u64,
    /// Milliseconds.
    limit: u64,
}

impl<'a> Evaluator<'a> {
    pub(super) fn new(
        context: &'a Context<'a>,
        pages: &'a Pages,
        formulas: &'a Formulas,
        this: Option<usize>,
        limit: u64,
    ) -> Self {
        Self {
            context,
            pages,
            formulas,
            this,
            now: context.clock.now().to_zoned(TimeZone::UTC).datetime(),
            depth: Cell::new(0),
            steps: Cell::new(0),
            begun: context.clock.monotonic_micros(),
            limit,
        }
    }

    /// The value of an expression for the page `row`.
    pub(super) fn value(&self, expression: &Expression, row: usize) -> Result<Value> {
        self.step()?;
        if self.depth.get() >= DEPTH {
            return Err(Error::invalid(message!(
                "an expression is nested too deeply, with the formulas that it uses"
            )));
        }
        self.depth.set(self.depth.get() + 1);
        let value = self.within(expression, row);
        self.depth.set(self.depth.get() - 1);
        value
    }

    /// Counts work, and stops it when it takes too long.
    pub(super) fn step(&self) -> Result<()> {
        let steps = self.steps.get() + 1;
        self.steps.set(steps);
        if steps.is_multiple_of(STEPS) {
            self.context.cancel.check()?;
            let spent = self.context.clock.monotonic_micros().saturating_sub(self.begun) / 1_000;
            if spent > self.limit || steps > MOST_STEPS {
                return Err(Error::invalid(message!("it takes too long; simplify its filters and formulas")));
            }
        }
        Ok(())
    }

    fn within(&self, expression: &Expression, row: usize) -> Result<Value> {
        let value = match expression {
            Expression::Known(value) => value.clone(),
            Expression::List(items) => {
                Value::List(items.iter().map(|item| self.value(item, row)).collect::<Result<_>>()?)
            }
            Expression::Property { of_this: false, property } => self.property(property, row)?,
            Expression::Property { of_this: true, property } => match self.this {
                Some(this) => self.property(property, this)?,
                None => Value::Nothing,
            },
            Expression::Item(owner, key) => self.item(self.value(owner, row)?, &self.value(key, row)?)?,
            Expression::If(parts) => {
                let [condition, then, otherwise] = &**parts;
                let holds = self.value(condition, row)?.is_truthy();
                self.value(if holds { then } else { otherwise }, row)?
            }
            Expression::Call { signature, given } => {
                let given = given.iter().map(|given| self.value(given, row)).collect::<Result<Vec<_>>>()?;
                (signature.run)(self, &given)?
            }
            Expression::Not(inner) => Value::Bool(!self.value(inner, row)?.is_truthy()),
            Expression::Negative(inner) => {
                self.value(inner, row)?.number().map_or(Value::Nothing, |number| Value::Number(-number))
            }
            Expression::Binary(Operator::And, left, right) => match self.value(left, row)? {
                left if left.is_truthy() => self.value(right, row)?,
                left => left,
            },
            Expression::Binary(Operator::Or, left, right) => match self.value(left, row)? {
                left if left.is_truthy() => left,
                _ => self.value(right, row)?,
            },
            Expression::Binary(operator, left, right) => {
                self.binary(*operator, &self.value(left, row)?, &self.value(right, row)?)?
            }
        };
        let is_too_large = match &value {
            // What a page has is in memory already.
            _ if matches!(expression, Expression::Property { .. }) => false,
            Value::Text(text) => text.len() > LONGEST,
            Value::List(_) => value.size() > LARGEST,
            _ => false,
        };
        match is_too_large {
            true => Err(too_large()),
            false => Ok(value),
        }
    }

    pub(super) fn property(&self, property: &Property, row: usize) -> Result<Value> {
        let Some(page) = self.pages.rows.get(row) else { return Ok(Value::Nothing) };
        let name = path::file_name(&page.path);
        let links = |embeds: bool| -> Result<Value> {
            let links = self.pages.links(self.context)?.get(row).map_or(&[][..], Vec::as_slice);
            let (mut found, mut seen) = (Vec::new(), HashSet::new());
            for link in links.iter().filter(|link| link.is_embed == embeds) {
                self.step()?;
                if seen.insert((link.page, link.page.is_none().then_some(&link.target))) {
                    let missing = || Value::Text(format!("[[{}]]", link.target));
                    found.push(link.page.map_or_else(missing, Value::Page));
                }
            }
            Ok(Value::List(found))
        };
        Ok(match property {
            Property::Note(key) => page.field(key),
            Property::Formula(name) => match self.formulas.get(name) {
                Some(Ok(formula)) => self.value(formula, row)?,
                _ => Value::Nothing,
            },
            Property::File => Value::Page(row),
            Property::Name => Value::Text(name.into()),
            Property::BaseName => Value::Text(path::without_page_extension(name).into()),
            Property::Path => Value::Text(page.path.clone()),
            Property::Folder => match path::folder(&page.path) {
                "" => Value::Text("/".into()),
                folder => Value::Text(folder.into()),
            },
            Property::Extension => Value::Text(name.rsplit('.').next().unwrap_or_default().into()),
            Property::Size => Value::Number(page.size),
            Property::Created => page.created.clone(),
            Property::Modified => page.modified.clone(),
            Property::Tags => Value::List(page.tags.iter().cloned().map(Value::Tag).collect()),
            Property::Links => links(false)?,
            Property::Embeds => links(true)?,
            Property::Backlinks => {
                let mut found = Vec::new();
                for (from, links) in self.pages.links(self.context)?.iter().enumerate() {
                    self.step()?;
                    if from != row && links.iter().any(|link| link.page == Some(row)) {
                        found.push(Value::Page(from));
                    }
                }
                Value::List(found)
            }
            Property::All => page.fields(),
        })
    }

    /// A part of a value, by its name or number.
    fn item(&self, owner: Value, key: &Value) -> Result<Value> {
        let name = match key {
            Value::Number(number) => {
                let Value::List(mut items) = owner else { return Ok(Value::Nothing) };
                let at = *number as usize;
                let is_whole = *number >= 0.0 && number.fract() == 0.0 && at < items.len();
                return Ok(if is_whole { items.swap_remove(at) } else { Value::Nothing });
            }
            key => self.shown(key),
        };
        let of_date = |at: DateTime| {
            Some(match name.as_str() {
                "year" => f64::from(at.year()),
                "month" => f64::from(at.month()),
                "day" => f64::from(at.day()),
                "hour" => f64::from(at.hour()),
                "minute" => f64::from(at.minute()),
                "second" => f64::from(at.second()),
                "millisecond" => f64::from(at.millisecond()),
                _ => return None,
            })
        };
        let number = match &owner {
            Value::Map(fields) => {
                let found = fields.iter().find(|(key, _)| *key == name);
                return Ok(found.map_or(Value::Nothing, |(_, value)| value.clone()));
            }
            Value::Page(page) => {
                return match Property::of_file(&name) {
                    Some(property) => self.property(&property, *page),
                    None => Ok(self.pages.rows.get(*page).map_or(Value::Nothing, |row| row.field(&name))),
                };
            }
            Value::List(items) if name == "length" => Some(items.len() as f64),
            Value::Text(text) | Value::Tag(text) if name == "length" => Some(text.chars().count() as f64),
            Value::Date { at, .. } => of_date(*at),
            Value::Duration(_) => owner.number().and_then(|millis| {
                Some(match name.as_str() {
                    "days" => millis / 86_400_000.0,
                    "hours" => millis / 3_600_000.0,
                    "minutes" => millis / 60_000.0,
                    "seconds" => millis / 1_000.0,
                    "milliseconds" => millis,
                    _ => return None,
                })
            }),
            _ => None,
        };
        Ok(number.map_or(Value::Nothing, Value::Number))
    }

    fn binary(&self, operator: Operator, left: &Value, right: &Value) -> Result<Value> {
        let ordered = |holds: fn(Ordering) -> bool| Value::Bool(compared(left, right).is_some_and(holds));
        let number = |run: fn(f64, f64) -> f64| match (left, right) {
            (Value::Text(_), _) | (_, Value::Text(_)) => Value::Nothing,
            _ => left.number().zip(right.number()).map_or(Value::Nothing, |(a, b)| Value::Number(run(a, b))),
        };
        Ok(match operator {
            Operator::Equal => Value::Bool(self.equal(left, right)?),
            Operator::Unequal => Value::Bool(!self.equal(left, right)?),
            Operator::Less => ordered(Ordering::is_lt),
            Operator::LessOrEqual => ordered(Ordering::is_le),
            Operator::Greater => ordered(Ordering::is_gt),
            Operator::GreaterOrEqual => ordered(Ordering::is_ge),
            Operator::Add => self.sum(left, right),
            Operator::Subtract => match (left.as_date(), right.as_date(), right.as_duration()) {
                (Some(left), Some(right), _) => between(right, left),
                (Some(at), _, Some(span)) => dated(at.checked_sub(span)),
                _ => match (left, right) {
                    (Value::Duration(a), Value::Duration(b)) => dated_span(a.0.checked_sub(b.0)),
                    _ => number(|a, b| a - b),
                },
            },
            Operator::Multiply => match (left, right.number()) {
                (Value::Duration(span), Some(times)) => scaled(&span.0, times),
                _ => number(|a, b| a * b),
            },
            Operator::Divide => number(|a, b| a / b),
            Operator::Remainder => number(|a, b| a % b),
            // Evaluated where they are met, because the right side may not be needed.
            Operator::And | Operator::Or => Value::Nothing,
        })
    }

    fn sum(&self, left: &Value, right: &Value) -> Value {
        match (left, right) {
            (Value::Number(a), Value::Number(b)) => Value::Number(a + b),
            (Value::Number(_), Value::Nothing) | (Value::Nothing, Value::Number(_)) => Value::Nothing,
            (Value::Duration(a), Value::Duration(b)) => dated_span(a.0.checked_add(b.0)),
            (Value::Date { at, .. }, _) if let Some(span) = right.as_duration() => {
                dated(at.checked_add(span))
            }
            _ => Value::Text(self.shown(left) + &self.shown(right)),
        }
    }

    /// Whether values are equal. Links and pages are if they are the same page.
    pub(super) fn equal(&self, left: &Value, right: &Value) -> Result<bool> {
        let is_link = |value: &Value| match value {
            Value::Page(_) => true,
            Value::Text(text) => text.starts_with("[[") && text.ends_with("]]"),
            _ => false,
        };
        if is_link(left) && is_link(right) {
            let (a, b) = (self.page(left)?, self.page(right)?);
            return Ok(if a.is_some() || b.is_some() { a == b } else { left == right });
        }
        if let (Value::List(a), Value::List(b)) = (left, right) {
            if a.len() != b.len() {
                return Ok(false);
            }
            for (a, b) in a.iter().zip(b) {
                self.step()?;
                if !self.equal(a, b)? {
                    return Ok(false);
                }
            }
            return Ok(true);
        }
        Ok(match (left, right) {
            (Value::Nothing, other) | (other, Value::Nothing) => match other {
                Value::Text(text) => text.is_empty(),
                other => *other == Value::Nothing,
            },
            (Value::Tag(tag), Value::Text(other) | Value::Tag(other))
            | (Value::Text(other), Value::Tag(tag)) => {
                text::fold_key(tag) == text::fold_key(other.trim_start_matches('#'))
            }
            (Value::Text(a), Value::Text(b)) => a == b,
            (Value::Bool(is), Value::Text(text)) | (Value::Text(text), Value::Bool(is)) => {
                *text == is.to_string()
            }
            (Value::Date { .. }, _) | (_, Value::Date { .. }) => {
                left.as_date().zip(right.as_date()).is_some_and(|(a, b)| a == b)
            }
            (Value::Number(_) | Value::Duration(_), _) | (_, Value::Number(_) | Value::Duration(_)) => {
                left.number().zip(right.number()).is_some_and(|(a, b)| a == b)
            }
            _ => left == right,
        })
    }

    /// The page that a value names: a page, a link, a name or a path.
    pub(super) fn page(&self, value: &Value) -> Result<Option<usize>> {
        let target = match value {
            Value::Page(page) => return Ok(Some(*page)),
            Value::Text(text) => link_target(text),
            _ => return Ok(None),
        };
        self.step()?;
        let this = self.this.and_then(|this| self.pages.rows.get(this));
        let (page, path) = this.map_or((0, ""), |row| (row.number, row.path.as_str()));
        let origin = Origin { page, path, pages_dir: self.context.pages_dir() };
        let found = self
            .context
            .index
            .read(|db| index::destination(db, self.context.source, LinkKind::Wiki, target, origin))?;
        Ok(match found {
            Destination::Page { page, .. } => self.pages.numbered(page),
            _ => None,
        })
    }

    /// A value as text on one line.
    pub(super) fn shown(&self, value: &Value) -> String {
        match value {
            Value::Nothing => String::new(),
            Value::Bool(is) => is.to_string(),
            Value::Number(number) if number.is_infinite() => if *number > 0.0 { "∞" } else { "-∞" }.into(),
            Value::Number(number) => number.to_string(),
            Value::Text(text) | Value::Tag(text) => text.clone(),
            Value::Date { at, has_time: false } => at.date().to_string(),
            Value::Date { at, .. } => at.strftime("%Y-%m-%d %H:%M:%S").to_string(),
            Value::Duration(_) => value.number().map(|number| number.to_string()).unwrap_or_default(),
            Value::List(items) => items.iter().map(|item| self.shown(item)).collect::<Vec<_>>().join(", "),
            Value::Map(fields) => {
                let field = |(name, value): &(String, Value)| format!("{name}: {}", self.shown(value));
                fields.iter().map(field).collect::<Vec<_>>().join(", ")
            }
            Value::Page(page) => {
                let path = self.pages.rows.get(*page).map_or("", |row| row.path.as_str());
                let name = path::without_page_extension(path::file_name(path));
                // Signs that would end the link, or its target.
                match path.contains(['|', '[', ']', '#', '^', '`']) {
                    true => name.into(),
                    false => format!("[[{}|{name}]]", path::without_page_extension(path)),
                }
            }
        }
    }
}

fn dated(at: std::result::Result<DateTime, jiff::Error>) -> Value {
    at.map_or(Value::Nothing, |at| Value::Date { at, has_time: at.time() != jiff::civil::Time::midnight() })
}

fn dated_span(span: std::result::Result<jiff::Span, jiff::Error>) -> Value {
    span.map_or(Value::Nothing, Value::span)
}

/// The order of two values, if they can be compared.
fn compared(left: &Value, right: &Value) -> Option<Ordering> {
    if let (Value::Date { .. }, _) | (_, Value::Date { .. }) = (left, right)
        && let Some((a, b)) = left.as_date().zip(right.as_date())
    {
        return Some(a.cmp(&b));
    }
    match (left, right) {
        (Value::Text(a), Value::Text(b)) => Some(a.cmp(b)),
        (Value::Nothing, _) | (_, Value::Nothing) => None,
        _ => left.number()?.partial_cmp(&right.number()?),
    }
}

/// The target in a link, or the text itself: `[[page|text]]`, `page`.
fn link_target(text: &str) -> &str {
    let inside = text.strip_prefix("[[").and_then(|rest| rest.strip_suffix("]]"));
    let inside = inside.unwrap_or(text);
    inside.split('|').next().unwrap_or(inside).trim()
}
