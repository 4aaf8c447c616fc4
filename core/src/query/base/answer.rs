//! The answer of a view: which pages it lists, in which order, and what it says of each.

use std::cmp::Ordering;

use serde_json::{Map, Value as Json};

use super::evaluate::Evaluator;
use super::pages::Pages;
use super::property::Property;
use super::value::Value;
use super::view::{Filter, Order, Shape, View};
use super::{Base, Problem};
use crate::message;
use crate::message::Message;
use crate::query::shown::{Column, Layout, Table};
use crate::query::{Answer, Limits};
use crate::{Context, Error, Result};

/// Name of the column with the value that rows are grouped by.
const GROUP: &str = "group";

/// An answer, and how it is shown.
pub(in crate::query) struct Answered {
    pub table: Table,
    /// What is not known and therefore missing.
    pub notes: Vec<Message>,
}

impl Base {
    /// The answer of the view with this name, or of the first one, in the page at the path `page`.
    ///
    /// # Errors
    /// [`Error::InvalidParams`] if the view is missing, has a filter that is not known, or takes too long.
    pub(in crate::query) fn answer(
        &self,
        context: &Context<'_>,
        pages: &Pages,
        page: &str,
        view: Option<&str>,
        limits: Limits,
    ) -> Result<Answered> {
        let view = self.view(view)?;
        if let Some(problem) = self.faults([&self.filters, &view.filters]).first() {
            return Err(problem.refusal());
        }
        let evaluator = Evaluator::new(context, pages, &self.formulas, pages.at_path(page), limits.millis);
        let mut found = Vec::new();
        for row in 0..pages.rows.len() {
            if holds(&self.filters, &evaluator, row)? && holds(&view.filters, &evaluator, row)? {
                found.push(row);
            }
        }
        let rows = sorted(found, view, &evaluator)?;
        let most = view.limit.unwrap_or(usize::MAX).min(limits.rows);
        let all = rows.len().min(view.limit.unwrap_or(usize::MAX));
        let rows = cells(view, rows.into_iter().take(most), limits.bytes, &evaluator)?;
        let answer = Answer { columns: Vec::new(), truncated: rows.len() < all, rows };
        let group = view.group.as_ref().map(|group| (GROUP.to_owned(), self.label(&group.name)));
        let columns = view.shown.iter().enumerate().map(|(number, (name, property))| Column {
            name: number.to_string(),
            label: self.label(name),
            is_page: property.is_page(),
        });
        let layout = match view.shape {
            Shape::Table => Layout::Table,
            Shape::List => Layout::List,
        };
        let table = Table { layout, group, columns: columns.collect(), answer };
        Ok(Answered { table, notes: self.notes(view) })
    }

    fn view(&self, name: Option<&str>) -> Result<&View> {
        let Some(name) = name else {
            return self.views.first().ok_or_else(|| Error::invalid(message!("the base has no views")));
        };
        let exact = self.views.iter().find(|view| view.name == name);
        let found = exact.or_else(|| self.views.iter().find(|view| view.name.eq_ignore_ascii_case(name)));
        found.ok_or_else(|| {
            let names: Vec<String> = self.views.iter().map(|view| format!("`{}`", view.name)).collect();
            Error::invalid(message!(
                "the base has no view `{name}`; it has {names}",
                name,
                names = names.join(", ")
            ))
        })
    }

    fn label(&self, name: &str) -> String {
        let is_it = |known: &str| {
            known == name
                || known.strip_prefix("note.") == Some(name)
                || name.strip_prefix("note.") == Some(known)
        };
        let own = self.labels.iter().find(|(known, _)| is_it(known));
        own.map_or_else(|| Property::label(name).to_owned(), |(_, label)| label.clone())
    }

    /// What of the view is not shown, in sentences.
    fn notes(&self, view: &View) -> Vec<Message> {
        let mut notes: Vec<Message> = Vec::new();
        let mut add = |note: Message| {
            if !notes.contains(&note) {
                notes.push(note);
            }
        };
        for Problem { line, message } in self.unknown.iter().chain(&view.unknown) {
            add(message!("Line {line}: {problem}. The rest is shown.", line, problem = message));
        }
        let ordered = view.sorted.iter().chain(&view.group).map(|order| (&order.name, &order.property));
        for (_, property) in view.shown.iter().map(|(name, property)| (name, property)).chain(ordered) {
            let expression = super::Expression::Property { of_this: false, property: property.clone() };
            if let Some(message) = self.missing(&expression) {
                add(message!("Without a value: {problem}.", problem = message));
            }
        }
        let other = [&self.filters, &view.filters].into_iter().find_map(Filter::other_files);
        if let Some(ending) = other {
            add(message!("UBP lists only pages, no files that end in `.{ending}`.", ending));
        }
        notes
    }
}

/// What is shown of each row, as long as it is at most `bytes` long.
fn cells(
    view: &View,
    rows: impl Iterator<Item = (usize, Option<Value>)>,
    bytes: usize,
    evaluator: &Evaluator<'_>,
) -> Result<Vec<Map<String, Json>>> {
    let mut made = Vec::new();
    let mut size = 0;
    for (row, group) in rows {
        let mut cells = Map::new();
        let mut add = |name: String, text: String| {
            size += text.len();
            cells.insert(name, Json::String(text));
        };
        for (number, (_, property)) in view.shown.iter().enumerate() {
            let text = match property.is_page() {
                true => evaluator.pages.rows.get(row).map_or_else(String::new, |row| row.path.clone()),
                false => evaluator.shown(&evaluator.property(property, row)?),
            };
            add(number.to_string(), text);
        }
        if let Some(group) = group {
            add(GROUP.into(), evaluator.shown(&group));
        }
        if size > bytes && !made.is_empty() {
            break;
        }
        made.push(cells);
    }
    Ok(made)
}

fn holds(filter: &Filter, evaluator: &Evaluator<'_>, row: usize) -> Result<bool> {
    let any = |parts: &[Filter]| -> Result<bool> {
        for part in parts {
            if holds(part, evaluator, row)? {
                return Ok(true);
            }
        }
        Ok(false)
    };
    match filter {
        Filter::All(parts) => {
            for part in parts {
                if !holds(part, evaluator, row)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        Filter::Any(parts) => Ok(parts.is_empty() || any(parts)?),
        Filter::None(parts) => Ok(!any(parts)?),
        Filter::Test(expression, _) => Ok(evaluator.value(expression, row)?.is_truthy()),
        Filter::Broken(problem) => Err(problem.refusal()),
    }
}

/// The rows in order, each with the value that it is grouped by.
fn sorted(found: Vec<usize>, view: &View, evaluator: &Evaluator<'_>) -> Result<Vec<(usize, Option<Value>)>> {
    let orders: Vec<&Order> = view.group.iter().chain(&view.sorted).collect();
    let mut keyed = Vec::new();
    for row in found {
        let keys = orders.iter().map(|order| evaluator.property(&order.property, row));
        keyed.push((row, keys.collect::<Result<Vec<_>>>()?));
    }
    let shown = |value: &Value| evaluator.shown(value);
    keyed.sort_by(|(_, a), (_, b)| {
        let each = orders.iter().zip(a.iter().zip(b));
        let each = each.map(|(order, (a, b))| a.sorted(b, order.is_descending, &shown));
        each.fold(Ordering::Equal, Ordering::then)
    });
    let is_grouped = view.group.is_some();
    let group = |keys: Vec<Value>| keys.into_iter().next().filter(|_| is_grouped);
    Ok(keyed.into_iter().map(|(row, keys)| (row, group(keys))).collect())
}
