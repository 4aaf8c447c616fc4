//! Generates TypeScript from the subset of JSON Schema that operations use. An unsupported keyword is an error, so that
//! a type is never looser than its schema without anybody noticing.

use std::collections::BTreeMap;
use std::error::Error;

use serde_json::{Map, Value};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Keywords that do not affect the TypeScript type.
const WITHOUT_A_TYPE: [&str; 14] = [
    "$schema",
    "$defs",
    "title",
    "description",
    "default",
    "format",
    "minimum",
    "maximum",
    "minItems",
    "maxItems",
    "minLength",
    "uniqueItems",
    "deprecated",
    "x-for-programs",
];

/// Types shared by operations, each declared once.
#[derive(Default)]
pub(super) struct Types {
    declarations: BTreeMap<String, String>,
    /// The schema of each name, with all references resolved.
    meanings: BTreeMap<String, Value>,
    operations: String,
}

/// The TypeScript names of the types in one schema's `$defs`.
struct Names<'a> {
    definitions: Option<&'a Map<String, Value>>,
    called: BTreeMap<&'a str, String>,
}

impl Types {
    /// Adds an operation.
    pub(super) fn operation(
        &mut self,
        name: &str,
        summary: &str,
        input: &Value,
        output: &Value,
    ) -> Result<()> {
        let pascal = pascal(name);
        let (params, result) = (format!("{pascal}Params"), format!("{pascal}Output"));
        self.named(&pascal, &params, input)?;
        self.named(&pascal, &result, output)?;
        self.operations += &comment(summary, "  ");
        self.operations += &format!("  {name}: {{ params: {params}; output: {result} }};\n");
        Ok(())
    }

    /// Adds a type that belongs to no operation.
    pub(super) fn root(&mut self, name: &str, schema: &Value) -> Result<()> {
        self.named(name, name, schema)
    }

    /// The complete file.
    pub(super) fn finish(self) -> String {
        let mut text = String::from(
            "// Generated from the schemas of the operation table; do not edit. To regenerate:\n\
             // UBP_UPDATE=1 cargo test -p ubp-tests --no-default-features contract\n\n",
        );
        text += "/** The parameters and the output of each operation. */\nexport interface Operations {\n";
        text += &self.operations;
        text += "}\n\nexport type OperationName = keyof Operations;\n";
        for declaration in self.declarations.values() {
            text += &format!("\n{declaration}");
        }
        text
    }

    fn named(&mut self, owner: &str, name: &str, schema: &Value) -> Result<()> {
        let definitions = schema.get("$defs").and_then(Value::as_object);
        let mut names = Names { definitions, called: BTreeMap::new() };
        for (definition, shape) in definitions.into_iter().flatten() {
            let meaning = names.meaning(shape)?;
            // Two operations may use one name for different types.
            let mut candidate = definition.clone();
            if self.meanings.get(&candidate).is_some_and(|other| *other != meaning) {
                candidate = format!("{owner}{definition}");
            }
            if self.meanings.get(&candidate).is_some_and(|other| *other != meaning) {
                return Err(format!("{owner}: there are several {definition}").into());
            }
            self.meanings.insert(candidate.clone(), meaning);
            names.called.insert(definition, candidate);
        }
        for (definition, called) in &names.called {
            let shape = definitions.and_then(|all| all.get(*definition)).unwrap_or(&Value::Null);
            self.declarations.insert(called.clone(), names.declaration(called, shape)?);
        }
        if self.declarations.contains_key(name) {
            return Err(format!("{name} is declared twice").into());
        }
        self.declarations.insert(name.into(), names.declaration(name, schema)?);
        Ok(())
    }
}

impl Names<'_> {
    /// `schema` with all references resolved and all descriptions removed.
    fn meaning(&self, schema: &Value) -> Result<Value> {
        Ok(match schema {
            Value::Object(fields) if fields.contains_key("$ref") => {
                let name = referred(fields)?;
                let shape = self.definitions.and_then(|all| all.get(name));
                self.meaning(shape.ok_or_else(|| format!("{name} is not defined"))?)?
            }
            Value::Object(fields) => {
                let told = fields.iter().filter(|(key, value)| *key != "description" || !value.is_string());
                told.map(|(key, value)| Ok((key.clone(), self.meaning(value)?))).collect::<Result<_>>()?
            }
            Value::Array(values) => {
                values.iter().map(|value| self.meaning(value)).collect::<Result<Vec<_>>>()?.into()
            }
            other => other.clone(),
        })
    }

    fn declaration(&self, name: &str, schema: &Value) -> Result<String> {
        let described = schema.get("description").and_then(Value::as_str);
        let comment = described.map_or_else(String::new, |text| comment(text, ""));
        let shape = self.shape(schema, "").map_err(|error| format!("{name}: {error}"))?;
        Ok(if shape.starts_with('{') {
            format!("{comment}export interface {name} {shape}\n")
        } else {
            format!("{comment}export type {name} = {shape};\n")
        })
    }

    /// The TypeScript of a schema, indented by `indent`.
    fn shape(&self, schema: &Value, indent: &str) -> Result<String> {
        let fields = match schema {
            Value::Bool(true) => return Ok("unknown".into()),
            Value::Object(fields) => fields,
            other => return Err(format!("{other} is no schema that is known here").into()),
        };
        let says = |key: &str| !WITHOUT_A_TYPE.contains(&key);
        let saying: Vec<&str> = fields.keys().map(String::as_str).filter(|key| says(key)).collect();
        match saying.as_slice() {
            [] => Ok("unknown".into()),
            ["$ref"] => {
                let name = referred(fields)?;
                self.called.get(name).cloned().ok_or_else(|| format!("{name} is not defined").into())
            }
            ["const"] | ["type", "const"] | ["const", "type"] => Ok(fields["const"].to_string()),
            ["enum"] | ["type", "enum"] | ["enum", "type"] => {
                let values = fields["enum"].as_array().ok_or("enum is no list")?;
                Ok(values.iter().map(Value::to_string).collect::<Vec<_>>().join(" | "))
            }
            ["anyOf"] => self.any(&fields["anyOf"], indent),
            ["oneOf"] => self.any(&fields["oneOf"], indent),
            keys if keys.iter().all(|key| OF_TYPES.contains(key)) && keys.contains(&"type") => {
                match &fields["type"] {
                    Value::String(one) => self.of_type(one, fields, indent),
                    Value::Array(several) => {
                        let shapes = several.iter().filter_map(Value::as_str);
                        let shapes = shapes.map(|one| self.of_type(one, fields, indent));
                        Ok(shapes.collect::<Result<Vec<_>>>()?.join(" | "))
                    }
                    other => Err(format!("{other} is no type").into()),
                }
            }
            keys => Err(format!("{keys:?} together are not known here").into()),
        }
    }

    fn any(&self, schemas: &Value, indent: &str) -> Result<String> {
        let schemas = schemas.as_array().ok_or("a choice is no list")?;
        let shapes = schemas.iter().map(|schema| self.shape(schema, indent));
        Ok(shapes.collect::<Result<Vec<_>>>()?.join(" | "))
    }

    fn of_type(&self, name: &str, fields: &Map<String, Value>, indent: &str) -> Result<String> {
        Ok(match name {
            "string" | "boolean" | "null" => name.into(),
            "integer" | "number" => "number".into(),
            "array" => self.list(fields, indent)?,
            "object" => self.object(fields, indent)?,
            other => return Err(format!("type {other} is not known here").into()),
        })
    }

    fn list(&self, fields: &Map<String, Value>, indent: &str) -> Result<String> {
        if let Some(places) = fields.get("prefixItems").and_then(Value::as_array) {
            let shapes = places.iter().map(|schema| self.shape(schema, indent));
            return Ok(format!("[{}]", shapes.collect::<Result<Vec<_>>>()?.join(", ")));
        }
        let item = fields.get("items").map_or(Ok("unknown".into()), |items| self.shape(items, indent))?;
        let bound = |key: &str| fields.get(key).and_then(Value::as_u64);
        match (bound("minItems"), bound("maxItems")) {
            (Some(least), Some(most)) if least == most && most <= 8 => {
                Ok(format!("[{}]", vec![item; usize::try_from(most)?].join(", ")))
            }
            _ if item.contains([' ', '{']) => Ok(format!("Array<{item}>")),
            _ => Ok(format!("{item}[]")),
        }
    }

    fn object(&self, fields: &Map<String, Value>, indent: &str) -> Result<String> {
        let more = match (fields.get("additionalProperties"), fields.get("patternProperties")) {
            (Some(Value::Bool(false)) | None, None) => None,
            (Some(schema), None) => Some(self.shape(schema, indent)?),
            // TypeScript cannot restrict the form of keys.
            (Some(Value::Bool(false)), Some(Value::Object(patterns))) if patterns.len() == 1 => {
                patterns.values().next().map(|schema| self.shape(schema, indent)).transpose()?
            }
            _ => return Err("patterns of names beside other names are not known here".into()),
        };
        let Some(properties) = fields.get("properties").and_then(Value::as_object) else {
            // An object without properties is a map, or empty if it allows no other fields.
            return Ok(match more {
                Some(more) => format!("Record<string, {more}>"),
                None if fields.contains_key("additionalProperties") => "Record<string, never>".into(),
                None => "Record<string, unknown>".into(),
            });
        };
        if more.is_some() {
            return Err("properties and further ones together are not known here".into());
        }
        let required: Vec<&str> = fields
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let inner = format!("{indent}  ");
        let mut text = String::from("{\n");
        for (name, schema) in properties {
            if let Some(described) = schema.get("description").and_then(Value::as_str) {
                text += &comment(described, &inner);
            }
            let shape = self.shape(schema, &inner)?;
            // With `exactOptionalPropertyTypes`, a missing field differs from `undefined`; in JSON it does not.
            let (mark, or) = if required.contains(&name.as_str()) { ("", "") } else { ("?", " | undefined") };
            text += &format!("{inner}{name}{mark}: {shape}{or};\n");
        }
        Ok(text + indent + "}")
    }
}

/// Keywords that may accompany `type`.
const OF_TYPES: [&str; 7] =
    ["type", "properties", "required", "additionalProperties", "patternProperties", "items", "prefixItems"];

fn referred(fields: &Map<String, Value>) -> Result<&str> {
    let to = fields.get("$ref").and_then(Value::as_str).unwrap_or_default();
    to.strip_prefix("#/$defs/").ok_or_else(|| format!("{to} leads out of the schema").into())
}

fn comment(text: &str, indent: &str) -> String {
    let text = text.replace("*/", "* /");
    match text.trim().lines().collect::<Vec<_>>().as_slice() {
        [line] => format!("{indent}/** {line} */\n"),
        lines => {
            let lines: String =
                lines.iter().map(|line| format!("{indent} * {line}").trim_end().to_owned() + "\n").collect();
            format!("{indent}/**\n{lines}{indent} */\n")
        }
    }
}

fn pascal(name: &str) -> String {
    name.split('_')
        .map(|word| {
            word.chars()
                .next()
                .map_or(String::new(), |first| first.to_uppercase().to_string() + &word[first.len_utf8()..])
        })
        .collect()
}
