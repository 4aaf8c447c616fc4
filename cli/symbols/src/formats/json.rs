//! JSON, also with comments and trailing commas. Each key is a definition.

use jsonc_parser::ast::Value;
use jsonc_parser::common::Ranged as _;
use jsonc_parser::errors::ParseError;
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};

use super::{Keys, invalid};
use crate::limits::Unreadable;
use crate::outline::Outline;
use crate::tokens::Form;

/// # Errors
/// [`Unreadable::Invalid`] and [`Unreadable::TooMany`].
pub fn outline(text: &[u8], json: &str) -> Result<Outline, Unreadable> {
    let collect = CollectOptions { comments: CommentCollectionStrategy::Off, tokens: false };
    let failed = |error: ParseError| invalid(text, error.range().start);
    let parsed = parse_to_ast(json, &collect, &ParseOptions::default()).map_err(failed)?;
    let mut keys = Keys::new(text);
    if let Some(root) = &parsed.value {
        value(root, &mut keys)?;
    }
    Ok(keys.out)
}

/// The depth of the recursion is limited by the parser.
fn value(one: &Value<'_>, keys: &mut Keys<'_>) -> Result<(), Unreadable> {
    let range = one.start()..one.end();
    match one {
        Value::Object(object) => {
            keys.out.tokens.push(range.start..range.start, Form::Indent);
            for property in &object.properties {
                let key =
                    keys.open(property.name.as_str(), property.name.start()..property.name.end(), true)?;
                value(&property.value, keys)?;
                keys.close(&key, property.end());
            }
            keys.out.tokens.push(range.end..range.end, Form::Dedent);
        }
        Value::Array(array) => {
            keys.out.tokens.push(range.start..range.start, Form::Indent);
            for (place, element) in array.elements.iter().enumerate() {
                if matches!(element, Value::Object(_) | Value::Array(_)) {
                    let key = keys.open(&place.to_string(), element.start()..element.start(), false)?;
                    value(element, keys)?;
                    keys.close(&key, element.end());
                } else {
                    value(element, keys)?;
                }
            }
            keys.out.tokens.push(range.end..range.end, Form::Dedent);
        }
        // The quote tells it from a number.
        Value::StringLit(string) => keys.out.tokens.push_decoded(range, format!("\"{}", string.value)),
        Value::NumberLit(_) | Value::BooleanLit(_) | Value::NullKeyword(_) => {
            keys.out.tokens.push(range, Form::Literal);
        }
    }
    Ok(())
}
