//! Which TypeScript is generated from a schema.
#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};

use super::typescript::Types;

fn typescript(schema: &Value) -> String {
    let mut types = Types::default();
    types.root("T", schema).unwrap();
    let text = types.finish();
    text.split_once("keyof Operations;\n").unwrap().1.trim_start().to_owned()
}

#[test]
fn fields_keep_their_order_descriptions_and_optionality() {
    let schema = json!({
        "description": "A question.",
        "type": "object",
        "properties": {
            "query": { "type": "string", "description": "Words." },
            "limit": { "type": ["integer", "null"], "format": "uint", "minimum": 0 },
            "range": { "type": "array", "items": { "type": "number" }, "minItems": 2, "maxItems": 2 },
            "fields": { "type": "object", "additionalProperties": { "type": "string" } },
            "counts": {
                "type": "object", "additionalProperties": false,
                "patternProperties": { "^\\d+$": { "type": "integer" } },
            },
        },
        "required": ["query"],
        "additionalProperties": false,
    });
    insta::assert_snapshot!(typescript(&schema), @r"
    /** A question. */
    export interface T {
      /** Words. */
      query: string;
      limit?: number | null | undefined;
      range?: [number, number] | undefined;
      fields?: Record<string, string> | undefined;
      counts?: Record<string, number> | undefined;
    }
    ");
}

#[test]
fn an_enum_of_strings_becomes_a_union() {
    let schema = json!({
        "oneOf": [
            { "const": "hybrid", "type": "string", "description": "Both." },
            { "enum": ["vector", "fulltext"], "type": "string" },
        ],
    });
    insta::assert_snapshot!(typescript(&schema), @r#"export type T = "hybrid" | "vector" | "fulltext";"#);
}

#[test]
fn different_types_with_the_same_name_are_renamed() {
    let with = |shape: Value| {
        json!({
            "type": "object",
            "properties": { "step": { "$ref": "#/$defs/Step" } },
            "required": ["step"],
            "$defs": { "Step": { "type": shape } },
        })
    };
    let mut types = Types::default();
    let empty = json!({ "type": "object", "additionalProperties": false });
    types.operation("walk", "Walks.", &empty, &with(json!("string"))).unwrap();
    types.operation("run", "Runs.", &empty, &with(json!("number"))).unwrap();
    types.operation("crawl", "Crawls.", &empty, &with(json!("string"))).unwrap();
    let text = types.finish();
    assert!(text.contains("export type Step = string;"), "{text}");
    assert!(text.contains("export type RunStep = number;"), "{text}");
    assert!(text.contains("interface RunOutput {\n  step: RunStep;"), "{text}");
    assert!(text.contains("interface CrawlOutput {\n  step: Step;"), "{text}");
}

#[test]
fn unsupported_keywords_are_an_error() {
    for schema in [
        json!({ "type": "object", "patternProperties": {} }),
        json!({ "allOf": [] }),
        json!({ "$ref": "https://example.org/schema" }),
        json!({ "type": "object", "properties": { "a": { "not": {} } } }),
    ] {
        assert!(Types::default().root("T", &schema).is_err(), "{schema}");
    }
}
