//! Converts the arguments of a tool call to the parameters of the operation. Models use parameter names of other tools,
//! and write numbers as text. Unambiguous arguments are accepted; others are errors that name the parameter.

use rmcp::model::JsonObject;
use serde_json::{Map, Value};
use ubp_core::message;
use ubp_core::{Error, Result};

use super::schema::is_announced;

/// Synonyms of parameter names, the announced one first.
const SYNONYMS: [&[&str]; 3] = [
    &[
        "page",
        "pages",
        "file",
        "filename",
        "filepath",
        "source",
        "path",
        "title",
        "id",
        "doc_id",
        "page_id",
        "center",
        "center_page_id",
    ],
    &["doc_type", "doc_types", "type"],
    &["sort", "sort_by"],
];

/// Limit on the characters of a value quoted in a message.
const REPEATED: usize = 60;

/// `given` with names and types as in the input schema `takes`.
///
/// # Errors
/// [`Error::InvalidParams`] with the name of the parameter.
pub(super) fn settled(tool: &str, takes: &JsonObject, given: JsonObject) -> Result<JsonObject> {
    let none = Map::new();
    let properties = takes.get("properties").and_then(Value::as_object).unwrap_or(&none);
    let mut settled = JsonObject::new();
    for (name, value) in given {
        // Some clients send every parameter.
        if value.is_null() {
            continue;
        }
        let Some(own) = own_name(properties, &name) else {
            let announced = properties.iter().filter(|(_, property)| is_announced(property));
            let there: Vec<&str> = announced.map(|(name, _)| name.as_str()).collect();
            let there = if there.is_empty() { "no parameters".into() } else { there.join(", ") };
            return Err(Error::invalid(message!(
                "unknown parameter '{name}'; {tool} takes {there}",
                name = shortened(&name),
                tool,
                there
            )));
        };
        let value = match properties.get(own) {
            Some(property) => fitted(own, property, value)?,
            None => value,
        };
        if settled.insert(own.to_owned(), value).is_some() {
            return Err(Error::invalid(message!(
                "'{own}' is given twice, once as '{name}'",
                own,
                name = shortened(&name)
            )));
        }
    }
    for name in
        takes.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
    {
        if !settled.contains_key(name) {
            let what = properties.get(name).and_then(|property| property.get("description"));
            let what = what.and_then(Value::as_str).map(|what| format!(": {what}")).unwrap_or_default();
            return Err(Error::invalid(message!("missing parameter '{name}'{what}", name, what)));
        }
    }
    Ok(settled)
}

/// The announced name of the parameter `name`.
fn own_name<'p>(properties: &'p Map<String, Value>, name: &str) -> Option<&'p str> {
    let known = |name: &str| properties.get_key_value(name).map(|(name, _)| name.as_str());
    known(name).or_else(|| {
        let group = SYNONYMS.iter().find(|group| group.contains(&name))?;
        let mut announced = group.iter().filter(|own| properties.get(**own).is_some_and(is_announced));
        announced.next().and_then(|own| known(own))
    })
}

/// The value converted to the type in its schema.
fn fitted(name: &str, schema: &Value, value: Value) -> Result<Value> {
    let refused = |expected: &str, value: &Value| {
        Err(Error::invalid(message!(
            "{name}: expected {expected}, not {value}",
            name,
            expected,
            value = shortened(&value.to_string())
        )))
    };
    let value = match (schema.get("type").and_then(Value::as_str), value) {
        // Unwrap a list with one value.
        (Some(kind), Value::Array(mut values)) if kind != "array" && values.len() == 1 => {
            return fitted(name, schema, values.pop().unwrap_or_default());
        }
        (Some("integer"), value) => match whole(&value) {
            Some(number) => Value::from(number),
            None => return refused("a whole number", &value),
        },
        (Some("number"), value) => match number(&value) {
            Some(number) => Value::from(number),
            None => return refused("a number", &value),
        },
        (Some("boolean"), Value::String(text)) if text == "true" || text == "false" => {
            Value::Bool(text == "true")
        }
        (Some("boolean"), value) if !value.is_boolean() => return refused("true or false", &value),
        (Some("string"), value) if !value.is_string() => return refused("text", &value),
        (Some("array"), value) => list(name, schema, value)?,
        (Some("object"), value) => fields(name, schema, value)?,
        (_, value) => value,
    };
    if let Some(choices) = schema.get("enum").and_then(Value::as_array)
        && !choices.contains(&value)
    {
        let choices: Vec<&str> = choices.iter().filter_map(Value::as_str).collect();
        return refused(&format!("one of {}", choices.join(", ")), &value);
    }
    in_range(name, schema, &value)?;
    Ok(value)
}

fn whole(value: &Value) -> Option<i64> {
    match value {
        Value::String(text) => text.trim().parse().ok(),
        value => value.as_i64().or_else(|| {
            let number = value.as_f64().filter(|number| number.fract() == 0.0 && number.abs() < 1e15)?;
            Some(number as i64)
        }),
    }
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::String(text) => text.trim().parse().ok().filter(|number: &f64| number.is_finite()),
        value => value.as_f64(),
    }
}

fn in_range(name: &str, schema: &Value, value: &Value) -> Result<()> {
    let Some(number) = value.as_f64() else { return Ok(()) };
    let bound = |key: &str| schema.get(key).and_then(Value::as_f64);
    let (least, most) = (bound("minimum"), bound("maximum"));
    if least.is_none_or(|least| number >= least) && most.is_none_or(|most| number <= most) {
        return Ok(());
    }
    let range = match (least, most) {
        (Some(least), Some(most)) => format!("from {least} to {most}"),
        (Some(least), None) => format!("at least {least}"),
        (None, Some(most)) => format!("at most {most}"),
        (None, None) => return Ok(()),
    };
    Err(Error::invalid(message!("{name} is {number}; it must be {range}", name, number, range)))
}

/// A list. A single value becomes a list of one, and a list may be JSON text.
fn list(name: &str, schema: &Value, value: Value) -> Result<Value> {
    let values = match value {
        Value::Array(values) => values,
        Value::String(text) if text.trim_start().starts_with('[') => match serde_json::from_str(&text) {
            Ok(Value::Array(values)) => values,
            _ => vec![Value::String(text)],
        },
        Value::Object(_) if schema.pointer("/items/type").and_then(Value::as_str) != Some("object") => {
            let value = shortened(&value.to_string());
            return Err(Error::invalid(message!("{name}: expected a list, not {value}", name, value)));
        }
        one => vec![one],
    };
    let Some(items) = schema.get("items") else { return Ok(Value::Array(values)) };
    let at = |number: usize| format!("{name}[{number}]");
    let fitted = values.into_iter().enumerate().map(|(number, value)| fitted(&at(number), items, value));
    fitted.collect::<Result<Vec<Value>>>().map(Value::Array)
}

/// An object whose fields all have values of one type.
fn fields(name: &str, schema: &Value, value: Value) -> Result<Value> {
    let value = match value {
        Value::String(text) => serde_json::from_str(&text).unwrap_or(Value::String(text)),
        value => value,
    };
    let Value::Object(fields) = value else {
        let value = shortened(&value.to_string());
        return Err(Error::invalid(message!("{name}: expected an object, not {value}", name, value)));
    };
    let of = schema.get("additionalProperties").filter(|of| of.is_object());
    let Some(of) = of else { return Ok(Value::Object(fields)) };
    let as_text = of.get("type").and_then(Value::as_str) == Some("string");
    let fitted = fields.into_iter().map(|(key, value)| {
        // Front matter such as `publish: true` is compared as text.
        let value = if as_text && (value.is_boolean() || value.is_number()) {
            value.to_string().into()
        } else {
            value
        };
        Ok((key.clone(), fitted(&format!("{name}.{key}"), of, value)?))
    });
    fitted.collect::<Result<Map<String, Value>>>().map(Value::Object)
}

/// The start of a client's value, on one line.
fn shortened(text: &str) -> String {
    let line: String =
        text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(REPEATED + 1).collect();
    if line.chars().count() > REPEATED { line.chars().take(REPEATED).chain(['…']).collect() } else { line }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;
    use ubp_core::ops::find;

    use super::*;
    use crate::mcp::schema;

    fn settle(operation: &str, given: Value) -> std::result::Result<Value, String> {
        let takes = schema::input((find(operation).unwrap().input_schema)().to_value());
        let given = given.as_object().unwrap().clone();
        settled("the tool", &takes, given).map(Value::Object).map_err(|error| error.to_string())
    }

    #[test]
    fn a_page_may_have_the_parameter_name_of_other_tools() {
        for name in ["page", "path", "doc_id", "file", "center"] {
            let settled = settle("graph_traverse", json!({ name: "a.md" })).unwrap();
            assert_eq!(settled, json!({ "page": "a.md" }), "{name}");
        }
        // A name that the tool announces keeps its meaning.
        assert_eq!(settle("get_page", json!({ "title": "A" })).unwrap(), json!({ "title": "A" }));
        assert_eq!(
            settle("rename_page", json!({ "page": "a", "title": "B" })).unwrap(),
            json!({ "page": "a", "title": "B" })
        );
        assert_eq!(settle("refs", json!({ "path": "src/a.rs" })).unwrap(), json!({ "file": "src/a.rs" }));
        assert_eq!(
            settle("accept", json!({ "page": "a", "target": "b" })).unwrap(),
            json!({ "source": "a", "target": "b" })
        );
        let twice = settle("graph_traverse", json!({ "page": "a", "center": "b" })).unwrap_err();
        assert!(
            twice.contains("'page' is given twice, once as 'center'") || twice.contains("once as 'page'"),
            "{twice}"
        );
    }

    #[test]
    fn numbers_written_as_text_are_accepted() {
        let settled = settle(
            "search",
            json!({ "query": "x", "limit": "3", "alpha": "0.5", "content": "true", "depth": 2.0 }),
        );
        assert_eq!(
            settled.unwrap(),
            json!({ "query": "x", "limit": 3, "alpha": 0.5, "content": true, "depth": 2 })
        );
    }

    #[test]
    fn a_single_value_becomes_a_list_of_one() {
        let settled = settle(
            "search",
            json!({ "query": "x", "tags": "auth", "link_types": "[\"depends_on\"]", "folder": null }),
        );
        assert_eq!(settled.unwrap(), json!({ "query": "x", "tags": ["auth"], "link_types": ["depends_on"] }));
        let settled =
            settle("search", json!({ "query": "x", "doc_type": "guide", "fields": { "publish": true } }));
        assert_eq!(
            settled.unwrap(),
            json!({ "query": "x", "doc_type": ["guide"], "fields": { "publish": "true" } })
        );
        assert_eq!(
            settle("list_pages", json!({ "doc_types": ["guide"] })).unwrap(),
            json!({ "doc_type": "guide" })
        );
    }

    #[test]
    fn a_field_of_a_template_may_be_a_text_a_list_a_number_or_a_truth_value() {
        let given = json!({
            "title": "X",
            "template": "adr",
            "fields": { "deciders": ["Ann", "Bob, C"], "status": "open", "cost": 1.5, "sure": true },
        });
        assert_eq!(settle("create_page", given.clone()).unwrap(), given);
    }

    #[test]
    fn errors_name_the_parameter() {
        let wrong = |given: Value| settle("search", given).unwrap_err();
        assert_eq!(
            wrong(json!({ "query": "x", "limit": "many" })),
            "limit: expected a whole number, not \"many\""
        );
        assert_eq!(wrong(json!({ "query": "x", "limit": 2.5 })), "limit: expected a whole number, not 2.5");
        assert_eq!(wrong(json!({ "query": "x", "limit": -1 })), "limit is -1; it must be from 1 to 20");
        assert_eq!(wrong(json!({ "query": 7 })), "query: expected text, not 7");
        assert_eq!(wrong(json!({ "query": "x", "tags": [1] })), "tags[0]: expected text, not 1");
        assert_eq!(
            wrong(json!({ "query": "x", "mode": "exact" })),
            "mode: expected one of hybrid, vector, fulltext, not \"exact\""
        );
        assert!(wrong(json!({})).starts_with("missing parameter 'query': "));
        let unknown = wrong(json!({ "query": "x", "colour": "red" }));
        assert!(unknown.starts_with("unknown parameter 'colour'; the tool takes query, "), "{unknown}");
        assert!(wrong(json!({ "query": "x", "y".repeat(100_000): 1 })).len() < 1_000);
    }
}
