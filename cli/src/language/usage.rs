//! Errors of usage in the reader's language.

use std::error::Error as _;
use std::num::{ParseFloatError, ParseIntError};

use clap::Error;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use ubp_core::message;
use ubp_core::message::{Language, Message};

use crate::output::{Palette, printable};

/// What is wrong with the arguments, and what to do; `None` for an error that only clap has words for.
pub(crate) fn explained(error: &Error, language: Language, paint: Palette) -> Option<String> {
    let told = |message: Message| printable(&message.in_language(language));
    let label = paint.error(told(message!("error:")));
    let mut lines = vec![format!("{label} {}", told(what(error)?))];
    for (kind, suggestion) in [
        (ContextKind::SuggestedSubcommand, "subcommand"),
        (ContextKind::SuggestedArg, "argument"),
        (ContextKind::SuggestedValue, "value"),
    ] {
        let similar = listed(error, kind);
        if !similar.is_empty() {
            let similar = similar.join("', '");
            let tip = match suggestion {
                "subcommand" => message!("there is a command '{similar}'", similar),
                "argument" => message!("there is an argument '{similar}'", similar),
                _ => message!("there is a value '{similar}'", similar),
            };
            lines.push(String::new());
            lines.push(format!("  {} {}", paint.good(told(message!("hint:"))), told(tip)));
        }
    }
    if let Some(ContextValue::StyledStr(usage)) = error.get(ContextKind::Usage) {
        let usage = usage.to_string();
        let usage = usage.strip_prefix("Usage:").unwrap_or(&usage).trim_start().to_owned();
        lines.push(String::new());
        lines.push(format!("{} {}", paint.strong(told(message!("Usage:"))), usage));
    }
    lines.push(String::new());
    lines.push(told(message!("For more information, try '{flag}'.", flag = "--help")));
    Some(lines.join("\n") + "\n")
}

fn what(error: &Error) -> Option<Message> {
    let one = |kind| listed(error, kind).into_iter().next();
    let choices = |kind| listed(error, kind).join(", ");
    let argument = one(ContextKind::InvalidArg);
    let value = one(ContextKind::InvalidValue);
    Some(match error.kind() {
        ErrorKind::UnknownArgument => {
            message!("unexpected argument '{argument}' found", argument = argument?)
        }
        ErrorKind::InvalidSubcommand => {
            message!("unrecognized subcommand '{name}'", name = one(ContextKind::InvalidSubcommand)?)
        }
        ErrorKind::MissingSubcommand => message!(
            "'{name}' requires a subcommand: {choices}",
            name = one(ContextKind::InvalidSubcommand)?,
            choices = choices(ContextKind::ValidSubcommand)
        ),
        ErrorKind::MissingRequiredArgument => message!(
            "these arguments are required: {arguments}",
            arguments = choices(ContextKind::InvalidArg)
        ),
        ErrorKind::ArgumentConflict => {
            let argument = argument?;
            match choices(ContextKind::PriorArg) {
                prior if prior == argument => {
                    message!("the argument '{argument}' cannot be used multiple times", argument)
                }
                prior => message!("the argument '{argument}' cannot be used with {prior}", argument, prior),
            }
        }
        ErrorKind::InvalidValue => match (value?, choices(ContextKind::ValidValue)) {
            (value, choices) if value.is_empty() && choices.is_empty() => {
                message!("a value is required for '{argument}'", argument = argument?)
            }
            (value, choices) if value.is_empty() => message!(
                "a value is required for '{argument}': one of {choices}",
                argument = argument?,
                choices
            ),
            (value, choices) if choices.is_empty() => {
                message!("invalid value '{value}' for '{argument}'", value, argument = argument?)
            }
            (value, choices) => message!(
                "invalid value '{value}' for '{argument}'; expected one of {choices}",
                value,
                argument = argument?,
                choices
            ),
        },
        ErrorKind::ValueValidation => match error.source() {
            Some(source) => message!(
                "invalid value '{value}' for '{argument}': {source}",
                value = value?,
                argument = argument?,
                source = reason(source)
            ),
            None => {
                message!("invalid value '{value}' for '{argument}'", value = value?, argument = argument?)
            }
        },
        ErrorKind::TooManyValues => {
            message!("'{value}' is one value too many for '{argument}'", value = value?, argument = argument?)
        }
        ErrorKind::NoEquals => {
            message!("'{argument}' needs an equal sign before its value", argument = argument?)
        }
        _ => return None,
    })
}

/// Why a value was refused, in the words of its parser.
fn reason(source: &(dyn std::error::Error + 'static)) -> Message {
    match source.is::<ParseIntError>() || source.is::<ParseFloatError>() {
        true => message!("it is not a number"),
        false => Message::reported(source.to_string()),
    }
}

fn listed(error: &Error, kind: ContextKind) -> Vec<String> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => vec![text.clone()],
        Some(ContextValue::Strings(texts)) => texts.clone(),
        Some(ContextValue::StyledStr(text)) => vec![text.to_string()],
        Some(ContextValue::StyledStrs(texts)) => texts.iter().map(ToString::to_string).collect(),
        Some(ContextValue::Number(number)) => vec![number.to_string()],
        _ => Vec::new(),
    }
}
