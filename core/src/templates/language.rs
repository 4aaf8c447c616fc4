//! The language of templates: Jinja without anything that computes. A template comes with a clone, so it may be hostile:
//! it reads no files and runs no code, and its time, memory and output are limited.

use minijinja::machinery::{Token, Tokenizer};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Value, ValueKind};
use minijinja::{AutoEscape, Environment, ErrorKind, UndefinedBehavior};

use super::filters;
use crate::message::Message;
use crate::{message, word};

/// Maximum work for one text: about 50,000 steps, or 3 MB of text.
const FUEL: u64 = 50_000;

/// Maximum number of words and symbols in one pair of braces. The parser nests them, on the stack.
const MOST_TOKENS: usize = 100;

/// Maximum number of pairs of braces, because some nest.
const MOST_TAGS: usize = 1_000;

/// Why a template cannot be filled in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Problem {
    /// Line in the text, from 1.
    pub line: usize,
    /// What is wrong.
    pub message: Message,
}

impl Problem {
    pub(super) fn new(line: usize, message: Message) -> Self {
        Self { line, message }
    }

    /// The same, in a text that has `above` above this one.
    pub(super) fn below(self, above: &str) -> Self {
        Self { line: self.line + above.matches('\n').count(), ..self }
    }
}

/// Fills `text` in with `variables`. Values are written by `write`, which refuses a value by returning `None`.
pub(super) fn fill(
    text: &str,
    variables: &Value,
    write: impl Fn(&Value) -> Option<String> + Send + Sync + 'static,
) -> Result<String, Problem> {
    check(text)?;
    let mut environment = environment()?;
    environment.set_formatter(move |output, _, value| {
        let refused = || {
            let words = word!("this value is not a text, a number or a list of texts");
            minijinja::Error::new(ErrorKind::InvalidOperation, words)
        };
        output.write_str(&write(value).ok_or_else(refused)?).map_err(minijinja::Error::from)
    });
    let template = environment.template_from_named_str(NAME, text).map_err(|error| problem(&error))?;
    template.render(variables.clone()).map_err(|error| problem(&error))
}

/// Refuses a `text` that is not valid, or uses variables for which `is_known` is false, such as `title` or
/// `fields.status`. What depends on values is only found when the text is filled in.
pub(super) fn validate(text: &str, is_known: impl Fn(&str) -> bool) -> Result<(), Problem> {
    let names = check(text)?;
    let environment = environment()?;
    let template = environment.template_from_named_str(NAME, text).map_err(|error| problem(&error))?;
    let used = template.undeclared_variables(true);
    // The engine does not see that a variable that is set in a condition exists after it.
    let is_set = |name: &str| names.iter().any(|other| other.is_set && other.name == name);
    let unknown =
        names.iter().find(|Name { name, .. }| used.contains(name) && !is_known(name) && !is_set(name));
    match unknown {
        Some(Name { line, name, .. }) => Err(Problem::new(*line, message!("`{name}` is not defined", name))),
        None => Ok(()),
    }
}

/// The name of the text in the engine.
const NAME: &str = "template";

fn environment() -> Result<Environment<'static>, Problem> {
    let mut environment = Environment::empty();
    environment.set_fuel(Some(FUEL));
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_syntax(syntax().map_err(|error| problem(&error))?);
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    filters::add_to(&mut environment);
    Ok(environment)
}

/// A value as text; the items of a list with commas between them. `None` for maps and the like.
pub(super) fn plain(value: &Value) -> Option<String> {
    match value.kind() {
        ValueKind::Seq => {
            let items: Option<Vec<String>> = value.try_iter().ok()?.map(|item| plain(&item)).collect();
            items.map(|items| items.join(", "))
        }
        ValueKind::Bool => Some(if value.is_true() { "true" } else { "false" }.into()),
        ValueKind::String | ValueKind::Number => Some(value.to_string()),
        _ => None,
    }
}

fn syntax() -> Result<SyntaxConfig, minijinja::Error> {
    SyntaxConfig::builder().keep_trailing_newline(true).trim_blocks(true).lstrip_blocks(true).build()
}

/// A name in braces, with the names of the maps that it is in, such as `fields.status`.
struct Name {
    line: usize,
    name: String,
    /// Whether the text sets it.
    is_set: bool,
}

/// The names in `text`. Refuses what could grow or nest without limit: operators, lists and maps. The engine's fuel does not cover the
/// comparison of nested lists, and its parser can overflow the stack with long expressions.
fn check(text: &str) -> Result<Vec<Name>, Problem> {
    let mut tokens = Tokenizer::new(text, NAME, false, syntax().map_err(|error| problem(&error))?);
    let (mut tags, mut inside, mut may_index) = (0, 0, false);
    let mut names: Vec<Name> = Vec::new();
    let mut before = None;
    while let Some((token, span)) = tokens.next_token().map_err(|error| problem(&error))? {
        let refused = |what| Err(Problem::new(span.start_line as usize, what));
        match &token {
            Token::TemplateData(_) => continue,
            Token::VariableStart | Token::BlockStart => (tags, inside) = (tags + 1, 0),
            Token::BracketOpen if may_index => {}
            Token::Plus
            | Token::Minus
            | Token::Mul
            | Token::Div
            | Token::FloorDiv
            | Token::Pow
            | Token::Mod
            | Token::Tilde
            | Token::Comma
            | Token::Colon
            | Token::BracketOpen
            | Token::BraceOpen
            | Token::BraceClose => {
                return refused(message!("{token} is not supported in templates", token = token.to_string()));
            }
            _ => {}
        }
        inside += 1;
        if inside > MOST_TOKENS {
            return refused(message!(
                "more than {most} words and symbols in one pair of braces",
                most = MOST_TOKENS
            ));
        }
        if tags > MOST_TAGS {
            return refused(message!("more than {most} pairs of braces", most = MOST_TAGS));
        }
        may_index = matches!(token, Token::Ident(_) | Token::BracketClose | Token::ParenClose);
        let line = span.start_line as usize;
        match (&before, &token) {
            (Some(Token::Pipe), Token::Ident(filter)) if !filters::NAMES.contains(filter) => {
                let known = filters::NAMES.join(", ");
                let message = message!("unknown filter '{filter}'; expected one of {known}", filter, known);
                return Err(Problem::new(line, message));
            }
            (Some(Token::Pipe), Token::Ident(_)) => {}
            (Some(Token::Dot), Token::Ident(part)) => {
                if let Some(Name { name, .. }) = names.last_mut() {
                    name.push('.');
                    name.push_str(part);
                }
            }
            (before, Token::Ident(name)) => {
                let is_set = matches!(before, Some(Token::Ident("set")));
                names.push(Name { line, name: (*name).to_owned(), is_set });
            }
            _ => {}
        }
        before = Some(token);
    }
    Ok(names)
}

/// The error in the words of this language.
fn problem(error: &minijinja::Error) -> Problem {
    let detail = error.detail().unwrap_or_default();
    let message = match error.kind() {
        ErrorKind::OutOfFuel => message!("this takes too long, or its text is too large"),
        ErrorKind::UndefinedError if detail.is_empty() => message!("a variable is not defined"),
        ErrorKind::UndefinedError | ErrorKind::UnknownFilter | ErrorKind::UnknownFunction => {
            Message::reported(detail.replace(" is undefined", " is not defined"))
        }
        _ if detail.is_empty() => Message::reported(error.kind().to_string()),
        _ => Message::reported(detail),
    };
    Problem::new(error.line().unwrap_or(1), message)
}

#[cfg(test)]
mod tests;
