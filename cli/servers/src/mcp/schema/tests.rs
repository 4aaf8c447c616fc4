//! Schemas of all operations as sent to clients.
#![allow(clippy::unwrap_used, clippy::panic)]

use serde_json::{Value, json};
use ubp_core::ops::OPERATIONS;

use super::{announced, input, is_announced, output};

/// Visits every schema within a schema.
fn visit(schema: &Value, see: &mut impl FnMut(&Value)) {
    see(schema);
    match schema {
        Value::Object(object) => object.values().for_each(|value| visit(value, see)),
        Value::Array(values) => values.iter().for_each(|value| visit(value, see)),
        _ => {}
    }
}

#[test]
fn input_schemas_have_no_keywords_that_clients_refuse() {
    for operation in OPERATIONS {
        let schema = Value::Object(input((operation.input_schema)().to_value()));
        let name = operation.name;
        assert_eq!(schema["type"], "object", "{name}");
        assert_eq!(schema["additionalProperties"], false, "{name}");
        for top in ["anyOf", "oneOf", "allOf", "$defs"] {
            assert!(schema.get(top).is_none(), "{name}: {top}");
        }
        visit(&schema, &mut |part| {
            assert!(part.get("$ref").is_none(), "{name}: {part}");
            assert!(part.get("format").is_none_or(Value::is_object), "{name}: {part}");
            assert!(!part.get("type").is_some_and(Value::is_array), "{name}: {part}");
            assert!(part.get("type").is_none_or(|kind| kind != "null"), "{name}: {part}");
        });
        for (field, property) in schema["properties"].as_object().into_iter().flatten() {
            assert!(property["description"].is_string(), "{name}: {field} has no description");
        }
    }
}

#[test]
fn output_schemas_have_no_formats_or_references() {
    for operation in OPERATIONS {
        let schema = Value::Object(output((operation.output_schema)().to_value()));
        let name = operation.name;
        assert_eq!(schema["type"], "object", "{name}");
        visit(&schema, &mut |part| {
            assert!(part.get("$ref").is_none(), "{name}: {part}");
            assert!(part.get("format").is_none_or(Value::is_object), "{name}: {part}");
        });
    }
}

#[test]
fn optional_enumerations_become_plain_ones() {
    let schema = json!({
        "type": "object",
        "properties": {
            "order": { "anyOf": [{ "$ref": "#/$defs/Order" }, { "type": "null" }], "description": "Which way." },
            "least": { "type": ["number", "null"], "format": "double", "minimum": 0.0 }
        },
        "$defs": { "Order": { "oneOf": [{ "const": "asc", "description": "Up." }, { "const": "desc" }] } }
    });
    assert_eq!(
        Value::Object(input(schema.clone())),
        json!({
            "type": "object",
            "properties": {
                "order": { "type": "string", "enum": ["asc", "desc"], "description": "Which way." },
                "least": { "type": "number", "minimum": 0 }
            }
        })
    );
    assert_eq!(
        Value::Object(output(schema)),
        json!({
            "type": "object",
            "properties": { "order": { "type": ["string", "null"] }, "least": { "type": ["number", "null"] } }
        })
    );
}

#[test]
fn defaults_are_announced_unless_null_or_false() {
    let schema = json!({
        "type": "object",
        "properties": {
            "limit": { "type": ["integer", "null"], "default": 10 },
            "tags": { "type": "array", "items": { "type": "string" }, "default": [] },
            "dry_run": { "type": "boolean", "default": false },
            "order": {
                "anyOf": [{ "$ref": "#/$defs/Order" }, { "type": "null" }], "default": "asc", "description": "Which\nway."
            }
        },
        "$defs": { "Order": { "oneOf": [{ "const": "asc" }, { "const": "desc" }] } }
    });
    assert_eq!(
        Value::Object(input(schema)),
        json!({
            "type": "object",
            "properties": {
                "limit": { "type": "integer", "default": 10 },
                "tags": { "type": "array", "items": { "type": "string" } },
                "dry_run": { "type": "boolean" },
                "order": { "type": "string", "enum": ["asc", "desc"], "default": "asc", "description": "Which way." }
            }
        })
    );
}

#[test]
fn a_deprecated_name_is_accepted_and_not_announced() {
    let schema = json!({
        "type": "object",
        "properties": { "page": { "type": "string" }, "filepath": { "type": "string", "deprecated": true } }
    });
    let input = input(schema);
    assert!(!is_announced(&input["properties"]["filepath"]));
    assert_eq!(announced(input)["properties"], json!({ "page": { "type": "string" } }));
}

#[test]
fn what_is_for_programs_is_accepted_and_not_listed() {
    let schema = json!({
        "type": "object",
        "properties": { "page": { "type": "string" }, "wanted": { "type": "boolean", "x-for-programs": true } }
    });
    let taken = input(schema.clone());
    assert!(taken["properties"].get("wanted").is_some());
    assert_eq!(announced(taken)["properties"], json!({ "page": { "type": "string" } }));
    assert_eq!(output(schema)["properties"], json!({ "page": { "type": "string" } }));
}

#[test]
fn no_description_has_a_line_break() {
    for operation in OPERATIONS {
        let schema = Value::Object(input((operation.input_schema)().to_value()));
        visit(&schema, &mut |part| {
            let text = part.get("description").and_then(Value::as_str).unwrap_or_default();
            assert!(!text.contains('\n'), "{}: {text}", operation.name);
        });
    }
}

#[test]
fn recursive_types_are_cut_off() {
    let schema = json!({
        "type": "object",
        "properties": { "root": { "$ref": "#/$defs/Tree" } },
        "$defs": { "Tree": { "type": "object", "properties": { "below": { "$ref": "#/$defs/Tree" } } } }
    });
    assert_eq!(
        Value::Object(output(schema)),
        json!({ "type": "object", "properties": { "root": { "type": "object" } } })
    );
}
