//! JSON Schema for MCP clients. Some refuse unions, unknown formats or references in input schemas, so these are
//! removed. Every byte of the listing costs tokens, so output schemas keep only names and shapes.

use serde_json::{Map, Value, json};

/// The input schema of a tool: an object without references, unions, formats and top-level alternatives, which every
/// client accepts. Parameters that are not announced are included, marked as such.
pub(crate) fn input(schema: Value) -> Map<String, Value> {
    let (schema, definitions) = parted(schema);
    let mut work = Work { definitions: &definitions, within: Vec::new() };
    match work.simplify(&schema) {
        Value::Object(mut object) => {
            object.remove("description");
            object
        }
        _ => Map::new(),
    }
}

/// The input schema without deprecated parameters and those for programs, for the tool listing.
pub(crate) fn announced(mut input: Map<String, Value>) -> Map<String, Value> {
    if let Some(properties) = input.get_mut("properties").and_then(Value::as_object_mut) {
        properties.retain(|_, property| is_announced(property));
    }
    input
}

/// Whether a parameter or field is in the listing. Others work: deprecated ones, and those that only programs need.
pub(crate) fn is_announced(property: &Value) -> bool {
    !["deprecated", "x-for-programs"].iter().any(|mark| property.get(mark) == Some(&Value::Bool(true)))
}

/// The output schema of a tool: fields with their types, and for lists of objects only the names of their fields. The
/// full schema is in the contract for programs.
pub(crate) fn output(schema: Value) -> Map<String, Value> {
    let (schema, definitions) = parted(schema);
    let properties = schema.get("properties").and_then(Value::as_object);
    let fields = properties.into_iter().flatten().filter(|(_, field)| is_announced(field));
    let fields =
        fields.map(|(name, field)| (name.clone(), field_shape(resolved(field, &definitions), &definitions)));
    let mut written = Map::new();
    written.insert("type".into(), "object".into());
    written.insert("properties".into(), Value::Object(fields.collect()));
    written
}

fn parted(mut schema: Value) -> (Value, Map<String, Value>) {
    let definitions = schema.as_object_mut().and_then(|object| object.remove("$defs"));
    let definitions = definitions.and_then(|found| found.as_object().cloned()).unwrap_or_default();
    (schema, definitions)
}

/// The schema with its reference resolved, and whether it may be null.
fn resolved<'a>(schema: &'a Value, definitions: &'a Map<String, Value>) -> (&'a Value, bool) {
    let only = schema.as_object().and_then(without_null);
    let target = only.unwrap_or(schema);
    let name = target.get("$ref").and_then(Value::as_str).and_then(|name| name.rsplit('/').next());
    (name.and_then(|name| definitions.get(name)).unwrap_or(target), only.is_some())
}

fn field_shape((schema, may_be_null): (&Value, bool), definitions: &Map<String, Value>) -> Value {
    let mut written = Map::new();
    let kind = match schema.get("type") {
        Some(Value::String(kind)) if may_be_null => json!([kind, "null"]),
        Some(kind) => kind.clone(),
        None if schema.as_object().is_some_and(|object| constants(object).is_some()) => match may_be_null {
            true => json!(["string", "null"]),
            false => "string".into(),
        },
        None => return json!({}),
    };
    written.insert("type".into(), kind);
    if let Some(items) = schema.get("items") {
        let (item, _) = resolved(items, definitions);
        let names = item.get("properties").and_then(Value::as_object).into_iter().flatten();
        let names: Map<String, Value> = names.map(|(name, _)| (name.clone(), json!({}))).collect();
        if !names.is_empty() {
            written.insert("items".into(), json!({ "properties": names }));
        }
    }
    Value::Object(written)
}

struct Work<'a> {
    definitions: &'a Map<String, Value>,
    /// Definitions being expanded, to stop at recursive types.
    within: Vec<&'a str>,
}

impl<'a> Work<'a> {
    fn simplify(&mut self, schema: &'a Value) -> Value {
        let Some(object) = schema.as_object() else { return schema.clone() };
        if let Some(name) = object.get("$ref").and_then(Value::as_str) {
            return self.referred(name, object);
        }
        if let Some(only) = without_null(object).or_else(|| first_alternative(object)) {
            let mut only = self.simplify(only);
            if let Some(only) = only.as_object_mut() {
                keep_notes(object, only);
            }
            return only;
        }
        if let Some(values) = constants(object) {
            let mut written = Map::new();
            written.insert("type".into(), "string".into());
            written.insert("enum".into(), values);
            keep_notes(object, &mut written);
            return Value::Object(written);
        }
        let parts = object.iter().filter_map(|(key, value)| Some((key.clone(), self.part(key, value)?)));
        Value::Object(parts.collect())
    }

    /// The value for a keyword of a schema; `None` to leave it out.
    fn part(&mut self, key: &str, value: &'a Value) -> Option<Value> {
        let kept = match (key, value) {
            ("$schema" | "title" | "format" | "anyOf", _) => return None,
            // Null and false are obvious defaults.
            ("default", Value::Null | Value::Bool(false)) => return None,
            ("default", Value::Array(list)) if list.is_empty() => return None,
            ("default", Value::Object(fields)) if fields.is_empty() => return None,
            ("default", Value::String(text)) if text.is_empty() => return None,
            ("properties" | "patternProperties", Value::Object(properties)) => {
                let properties =
                    properties.iter().map(|(name, value)| (name.clone(), self.simplify(value))).collect();
                Value::Object(properties)
            }
            ("items" | "additionalProperties", Value::Object(_)) => self.simplify(value),
            ("oneOf" | "allOf", Value::Array(schemas)) => {
                schemas.iter().map(|schema| self.simplify(schema)).collect()
            }
            ("description", Value::String(text)) => on_one_line(text),
            ("minimum" | "maximum" | "default", Value::Number(number)) => whole(number),
            ("type", Value::Array(types)) => {
                types.iter().find(|name| *name != "null").unwrap_or(value).clone()
            }
            _ => value.clone(),
        };
        Some(kept)
    }

    fn referred(&mut self, name: &'a str, object: &Map<String, Value>) -> Value {
        let name = name.rsplit('/').next().unwrap_or(name);
        let Some(definition) = self.definitions.get(name).filter(|_| !self.within.contains(&name)) else {
            return json!({});
        };
        self.within.push(name);
        let mut written = self.simplify(definition);
        self.within.pop();
        if let Some(written) = written.as_object_mut() {
            written.remove("description");
            keep_notes(object, written);
        }
        written
    }
}

/// Copies description, default and deprecation of a parameter to its expanded schema.
fn keep_notes(from: &Map<String, Value>, to: &mut Map<String, Value>) {
    if let Some(text) = from.get("description").and_then(Value::as_str) {
        to.insert("description".into(), on_one_line(text));
    }
    for note in ["default", "deprecated", "x-for-programs"] {
        if let Some(value) = from.get(note).filter(|value| !value.is_null()) {
            to.insert(note.into(), value.clone());
        }
    }
}

/// Joins a description that spans several lines in the source.
fn on_one_line(text: &str) -> Value {
    text.split_whitespace().collect::<Vec<_>>().join(" ").into()
}

/// The alternative to null, if there is exactly one.
fn without_null(object: &Map<String, Value>) -> Option<&Value> {
    let alternatives = object.get("anyOf")?.as_array()?;
    let is_null = |schema: &&Value| schema.get("type").is_some_and(|name| name == "null");
    match &alternatives[..] {
        [only, null] if is_null(&null) => Some(only),
        _ => None,
    }
}

/// The first of two alternatives, which is the usual form of a value. A value with more forms gets no type.
fn first_alternative(object: &Map<String, Value>) -> Option<&Value> {
    match object.get("anyOf")?.as_array()?.as_slice() {
        [first] | [first, _] => Some(first),
        _ => None,
    }
}

/// The values of an enumeration with a description per variant.
fn constants(object: &Map<String, Value>) -> Option<Value> {
    if let Some(values) = object.get("enum") {
        return Some(values.clone());
    }
    let variants = object.get("oneOf")?.as_array()?;
    let mut values = Vec::new();
    for variant in variants {
        match (variant.get("const"), variant.get("enum").and_then(Value::as_array)) {
            (Some(value), _) => values.push(value.clone()),
            (None, Some(several)) => values.extend(several.iter().cloned()),
            (None, None) => return None,
        }
    }
    Some(Value::Array(values))
}

fn whole(number: &serde_json::Number) -> Value {
    match number.as_f64() {
        Some(value) if value.fract() == 0.0 && value.abs() < 1e15 => json!(value as i64),
        _ => Value::Number(number.clone()),
    }
}

#[cfg(test)]
mod tests;
