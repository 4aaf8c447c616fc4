//! Fills a template in. Front matter and text are filled in separately: in front matter a value stays one YAML value,
//! whatever it contains.

use crate::message::Message;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use minijinja::value::{Value as Variable, ValueKind};

use super::Template;
use super::field::{Field, FieldKind, Given, is_empty};
use super::language::{Problem, fill, plain, validate};
use crate::hint::Next;
use crate::message;
use crate::page::{Replacement, Value, fill_scalars, yaml_range};
use crate::{Context, Error, Result};

/// Unicode noncharacters, which no text contains: around the number of a value in front matter, and where the cursor goes.
const MARKS: [char; 3] = [OPEN, CLOSE, CURSOR];
const OPEN: char = '\u{FDD0}';
const CLOSE: char = '\u{FDD1}';
const CURSOR: char = '\u{FDD2}';

/// What a template is filled in with.
pub(crate) struct Filling<'a> {
    pub title: &'a str,
    /// Type of the page.
    pub doc_type: &'a str,
    /// Folder of the page, relative to the pages folder.
    pub folder: &'a str,
    pub id: String,
    pub fields: &'a BTreeMap<String, Given>,
}

/// A filled template.
pub(crate) struct Filled {
    /// The page; [`without_cursor`] finds where the cursor goes.
    pub text: String,
    /// Fields with their values, in the order of the template; without empty ones.
    pub fields: Vec<(Field, Value)>,
}

impl Template {
    /// The template filled in.
    ///
    /// # Errors
    /// [`Error::InvalidParams`] if a field is unknown, invalid or missing, or the template has an error, with its line.
    pub(crate) fn filled(&self, context: &Context<'_>, filling: &Filling<'_>) -> Result<Filled> {
        let mut variables = self.variables(context, filling);
        let values = self.values(filling, &variables)?;
        let fields = values.iter().map(|(field, value)| (field.name.clone(), variable(field.kind, value)));
        variables.insert("fields".into(), Variable::from_pairs(fields));
        let text = self.text(&Variable::from_pairs(variables)).map_err(|problem| self.error(&problem))?;
        let fields = values.into_iter().filter(|(_, value)| !is_empty(value)).collect();
        Ok(Filled { text, fields })
    }

    /// An error in the template, with its line in the page.
    fn error(&self, problem: &Problem) -> Error {
        self.error_at(self.line_in_file(problem.line), problem.message.clone())
    }

    /// An error in the template, with its line in the file.
    pub(super) fn error_at(&self, line: usize, message: Message) -> Error {
        let hint =
            message!("{list_templates} lists the templates", list_templates = Next::call("list_templates"));
        Error::invalid_with_hint(
            message!("the template {filepath}:{line}: {message}", filepath = self.filepath, line, message),
            hint,
        )
    }

    /// The fields that have to be given, because they are required and have no default.
    pub(crate) fn missing<'t>(&'t self, given: &BTreeMap<String, Given>) -> Vec<&'t Field> {
        let is_given = |field: &Field| {
            given.get(&field.name).is_some_and(|given| !is_empty(&field.shaped(given.value())))
        };
        let fields = self.fields.iter();
        fields.filter(|field| field.required && field.default.is_none() && !is_given(field)).collect()
    }

    fn variables(&self, context: &Context<'_>, filling: &Filling<'_>) -> BTreeMap<String, Variable> {
        let now = context.clock.offset().to_datetime(context.clock.now());
        let author = context.history.author().unwrap_or_default();
        let texts = [
            ("title", filling.title.to_owned()),
            ("date", now.date().to_string()),
            ("time", now.strftime("%H:%M").to_string()),
            ("author", author),
            ("id", filling.id.clone()),
            ("type", filling.doc_type.to_owned()),
            ("folder", filling.folder.to_owned()),
        ];
        let texts = texts.into_iter().map(|(name, text)| (name.to_owned(), text.replace(MARKS, "").into()));
        texts.chain([("cursor".to_owned(), CURSOR.to_string().into())]).collect()
    }

    /// The value of every field, given or by default.
    fn values(
        &self,
        filling: &Filling<'_>,
        variables: &BTreeMap<String, Variable>,
    ) -> Result<Vec<(Field, Value)>> {
        let is_known = |name: &String| self.fields.iter().any(|field| field.name == *name);
        if let Some(name) = filling.fields.keys().find(|name| !is_known(name)) {
            let known: Vec<&str> = self.fields.iter().map(|field| field.name.as_str()).collect();
            let known = match known.is_empty() {
                true => message!("it has no fields"),
                false => message!("its fields are {known}", known = known.join(", ")),
            };
            return Err(Error::invalid(message!(
                "the template '{template}' has no field `{name}`; {known}",
                template = self.name,
                name,
                known
            )));
        }
        let missing = self.missing(filling.fields);
        if !missing.is_empty() {
            let told: Vec<Message> = missing.iter().map(|field| field.told()).collect();
            let given = filling.fields.iter().map(|(name, given)| (name.clone(), given.to_string().into()));
            let fields = given.chain(missing.iter().map(|field| (field.name.clone(), "VALUE".into())));
            let again = Next::call("create_page")
                .with("title", filling.title)
                .with("template", self.name.as_str())
                .with("fields", fields.collect::<serde_json::Map<_, _>>());
            return Err(Error::invalid_with_hint(
                message!(
                    "the template '{name}' needs {told}",
                    name = self.name,
                    told = Message::joined(told, ", ")
                ),
                message!("{call} gives them", call = again),
            ));
        }
        let variables =
            Variable::from_pairs(variables.iter().map(|(name, value)| (name.as_str(), value.clone())));
        let values = self.fields.iter().map(|field| {
            let given = filling.fields.get(&field.name).map(|given| field.shaped(given.value()));
            let given = given.filter(|value| !is_empty(value));
            let value = match (given, &field.default) {
                (Some(given), _) => without_marks(given),
                (None, Some(default)) => {
                    let filled = fill(default, &variables, plain);
                    let wrong = |problem: Problem| {
                        let Problem { message, .. } = problem;
                        let name = &field.name;
                        self.error_at(1, message!("the default of `{name}`: {message}", name, message))
                    };
                    Value::Text(filled.map_err(wrong)?.replace(MARKS, ""))
                }
                (None, None) => Value::Text(String::new()),
            };
            let value = field.shaped(value);
            match field.complaint(&value).filter(|_| !is_empty(&value)) {
                Some(complaint) => Err(Error::invalid(complaint)),
                None => Ok((field.clone(), value)),
            }
        });
        values.collect()
    }

    /// The page with these variables.
    fn text(&self, variables: &Variable) -> std::result::Result<String, Problem> {
        let [before, front, body] = self.parts();
        let front = in_front_matter(front, variables).map_err(|problem| problem.below(before))?;
        let body = fill(body, variables, plain).map_err(|problem| problem.below(self.above_body()))?;
        Ok(format!("{before}{front}{body}"))
    }

    /// Checks what does not depend on values: the syntax and the names. Errors have the line in the file.
    pub(super) fn validate(&self) -> std::result::Result<(), Problem> {
        let is_field = |name: &str| self.fields.iter().any(|field| field.name == name);
        let is_known = |name: &str| {
            is_variable(name) || name == "fields" || name.strip_prefix("fields.").is_some_and(is_field)
        };
        let [before, front, body] = self.parts();
        validate(front, is_known)
            .map_err(|problem| problem.below(before))
            .and_then(|()| validate(body, is_known).map_err(|problem| problem.below(self.above_body())))
            .map_err(|problem| Problem { line: self.line_in_file(problem.line), ..problem })
    }

    /// What is before the front matter, the front matter, and the text. They are filled in separately.
    fn parts(&self) -> [&str; 3] {
        let yaml = yaml_range(&self.text).unwrap_or(0..0);
        let part = |from: usize, to: usize| self.text.get(from..to).unwrap_or_default();
        [part(0, yaml.start), part(yaml.start, yaml.end), part(yaml.end, self.text.len())]
    }

    fn above_body(&self) -> &str {
        let [.., body] = self.parts();
        self.text.strip_suffix(body).unwrap_or_default()
    }
}

/// Whether templates can use this variable, besides fields.
pub(super) fn is_variable(name: &str) -> bool {
    ["title", "date", "time", "author", "id", "type", "folder", "cursor"].contains(&name)
}

/// Fills YAML in: values become numbered marks, so that the structure does not depend on them, and then values again.
fn in_front_matter(yaml: &str, variables: &Variable) -> std::result::Result<String, Problem> {
    let values: Arc<Mutex<Vec<Variable>>> = Arc::default();
    let list = values.clone();
    let marked = fill(yaml, variables, move |value| {
        let mut list = list.lock().unwrap_or_else(PoisonError::into_inner);
        plain(value)?;
        list.push(value.clone());
        Some(format!("{OPEN}{}{CLOSE}", list.len() - 1))
    })?;
    let values = values.lock().unwrap_or_else(PoisonError::into_inner).clone();
    if values.is_empty() {
        return Ok(marked);
    }
    let filled = fill_scalars(&marked, &|text| replacement(text, &values));
    // Loops and conditions may have moved lines, so that only the line in the result is known.
    filled.map_err(|(line, message)| {
        Problem::new(line.min(1 + yaml.matches('\n').count()), Message::reported(message))
    })
}

/// What replaces a text with marks.
fn replacement(text: &str, values: &[Variable]) -> Option<Replacement> {
    let mut parts = text.split(OPEN);
    let before = parts.next()?;
    let marks: Vec<(&Variable, &str)> = parts
        .filter_map(|part| {
            let (number, rest) = part.split_once(CLOSE)?;
            Some((values.get(number.parse::<usize>().ok()?)?, rest))
        })
        .collect();
    match marks.as_slice() {
        [] => None,
        [(value, "")] if before.is_empty() && value.kind() == ValueKind::Seq => {
            let items = value.try_iter().ok()?.filter_map(|item| plain(&item));
            Some(Replacement::List(items.collect()))
        }
        [(value, "")] if before.is_empty() && matches!(value.kind(), ValueKind::Bool | ValueKind::Number) => {
            plain(value).map(Replacement::Verbatim)
        }
        marks => {
            let texts = marks.iter().map(|(value, rest)| plain(value).unwrap_or_default() + rest);
            let text = std::iter::once(before.to_owned()).chain(texts).collect::<String>();
            Some(Replacement::Text(text.replace(MARKS, "")))
        }
    }
}

/// A value as a variable; a missing one is empty.
fn variable(kind: FieldKind, value: &Value) -> Variable {
    match (kind, value) {
        (FieldKind::List, Value::List(items)) => {
            items.iter().map(|item| variable(FieldKind::Text, item)).collect()
        }
        (FieldKind::Boolean, Value::Text(text)) => Variable::from(text == "true"),
        (FieldKind::Number, Value::Text(text)) => match (text.parse::<i64>(), text.parse::<f64>()) {
            (Ok(whole), _) => Variable::from(whole),
            (_, Ok(number)) => Variable::from(number),
            _ => Variable::from(text.as_str()),
        },
        (_, Value::Text(text)) => Variable::from(text.as_str()),
        _ => Variable::from(""),
    }
}

fn without_marks(value: Value) -> Value {
    match value {
        Value::Text(text) => Value::Text(text.replace(MARKS, "")),
        Value::List(items) => Value::List(items.into_iter().map(without_marks).collect()),
        Value::Map(fields) => Value::Map(fields),
    }
}

/// The text without the marks for the cursor, and where the first one was: its line, from 1, and its column in UTF-16
/// code units, from 0.
pub(crate) fn without_cursor(text: &str) -> (String, Option<(usize, usize)>) {
    let place = text.find(CURSOR).map(|at| {
        let before = text.get(..at).unwrap_or_default();
        let line = before.rsplit('\n').next().unwrap_or_default();
        (1 + before.matches('\n').count(), line.encode_utf16().count())
    });
    (text.replace(CURSOR, ""), place)
}

#[cfg(test)]
mod tests;
