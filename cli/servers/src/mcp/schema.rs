//! JSON Schema as MCP clients take it. Some refuse unions with null, unknown formats or references in
//! what a tool takes, and every byte of a listing is paid for by the model that reads it. So inputs lose
//! those, and outputs keep shapes and lose prose.

use serde_json::{Map, Value};

/// How deep objects of an answer are written out: the answer itself, what lies in its fields and lists,
/// and no further. What lies deeper is in the contract of the interfaces for programs.
const DEPTH: usize = 2;

/// A schema of what a tool takes: an object without references, null unions, formats and alternatives
/// at its top, so that every client accepts it.
pub(crate) fn input(schema: Value) -> Map<String, Value> {
    finish(schema, true)
}

/// A schema of what a tool gives: shapes alone.
pub(crate) fn output(schema: Value) -> Map<String, Value> {
    finish(schema, false)
}

fn finish(mut schema: Value, input: bool) -> Map<String, Value> {
    let definitions = schema.as_object_mut().and_then(|object| object.remove("$defs"));
    let definitions = definitions.and_then(|found| found.as_object().cloned()).unwrap_or_default();
    let mut work = Work { definitions: &definitions, input, within: Vec::new(), depth: 0 };
    match work.simplify(&schema) {
        Value::Object(mut object) => {
            object.remove("description");
            object
        }
        _ => Map::new(),
    }
}

struct Work<'a> {
    definitions: &'a Map<String, Value>,
    input: bool,
    /// Definitions that are being written out, since a type may contain itself.
    within: Vec<&'a str>,
    /// Objects around this place.
    depth: usize,
}

impl<'a> Work<'a> {
    fn simplify(&mut self, schema: &'a Value) -> Value {
        let Some(object) = schema.as_object() else { return schema.clone() };
        if let Some(name) = object.get("$ref").and_then(Value::as_str) {
            return self.referred(name, object);
        }
        if let Some(only) = without_null(object) {
            let mut only = self.simplify(only);
            if !self.input {
                return nullable(only);
            }
            if let (Some(only), Some(text)) = (only.as_object_mut(), object.get("description")) {
                only.insert("description".into(), text.clone());
            }
            return only;
        }
        if let Some(values) = constants(object) {
            let mut written = Map::new();
            written.insert("type".into(), "string".into());
            if self.input {
                written.insert("enum".into(), values);
                written.extend(object.get("description").map(|text| ("description".into(), text.clone())));
            }
            return Value::Object(written);
        }
        let parts = object.iter().filter_map(|(key, value)| Some((key.clone(), self.part(key, value)?)));
        let mut written: Map<String, Value> = parts.collect();
        if !self.input && self.depth > 0 && written.contains_key("properties") {
            // Only objects have properties.
            written.remove("type");
        }
        Value::Object(written)
    }

    /// One keyword of a schema, `None` where it is left out.
    fn part(&mut self, key: &str, value: &'a Value) -> Option<Value> {
        let kept = match (key, value) {
            ("$schema" | "title" | "format" | "default", _) => return None,
            ("properties" | "patternProperties", Value::Object(_)) if !self.input && self.depth >= DEPTH => {
                return None;
            }
            ("properties" | "patternProperties", Value::Object(properties)) => {
                self.depth += 1;
                let properties =
                    properties.iter().map(|(name, value)| (name.clone(), self.simplify(value))).collect();
                self.depth -= 1;
                Value::Object(properties)
            }
            ("items", _) if !self.input && self.depth >= DEPTH => return None,
            ("items" | "additionalProperties", Value::Object(_)) => self.simplify(value),
            ("anyOf" | "oneOf" | "allOf", Value::Array(schemas)) => {
                schemas.iter().map(|schema| self.simplify(schema)).collect()
            }
            // Every field is always there; saying so for each would be a third of a listing.
            (
                "required"
                | "description"
                | "minimum"
                | "maximum"
                | "minItems"
                | "maxItems"
                | "additionalProperties",
                _,
            ) if !self.input => return None,
            // A description may run over lines in the source.
            ("description", Value::String(text)) => text.replace('\n', " ").into(),
            ("minimum" | "maximum", Value::Number(number)) => whole(number),
            // What may be null says little that its name does not.
            ("type", Value::Array(_)) if !self.input && self.depth >= DEPTH => return None,
            ("type", Value::Array(types)) if self.input => {
                types.iter().find(|name| *name != "null").unwrap_or(value).clone()
            }
            _ => value.clone(),
        };
        Some(kept)
    }

    fn referred(&mut self, name: &'a str, object: &Map<String, Value>) -> Value {
        let name = name.rsplit('/').next().unwrap_or(name);
        let Some(definition) = self.definitions.get(name).filter(|_| !self.within.contains(&name)) else {
            return serde_json::json!({});
        };
        self.within.push(name);
        let mut written = self.simplify(definition);
        self.within.pop();
        if let Some(written) = written.as_object_mut() {
            match object.get("description").filter(|_| self.input) {
                Some(text) => written.insert("description".into(), text.clone()),
                None => written.remove("description"),
            };
        }
        written
    }
}

/// The one alternative beside null.
fn without_null(object: &Map<String, Value>) -> Option<&Value> {
    let alternatives = object.get("anyOf")?.as_array()?;
    let is_null = |schema: &&Value| schema.get("type").is_some_and(|name| name == "null");
    match &alternatives[..] {
        [only, null] if is_null(&null) => Some(only),
        _ => None,
    }
}

fn nullable(mut schema: Value) -> Value {
    if let Some(name) = schema.get("type").and_then(Value::as_str).map(str::to_owned)
        && let Some(object) = schema.as_object_mut()
    {
        object.insert("type".into(), serde_json::json!([name, "null"]));
        return schema;
    }
    serde_json::json!({ "anyOf": [schema, { "type": "null" }] })
}

/// The values of an enumeration whose variants were documented one by one.
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
        Some(value) if value.fract() == 0.0 && value.abs() < 1e15 => serde_json::json!(value as i64),
        _ => Value::Number(number.clone()),
    }
}

#[cfg(test)]
mod tests;
