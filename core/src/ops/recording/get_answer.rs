//! One answer of a session, as the agent got it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::message;
use crate::ops::Facts;
use crate::ops::get_session::show_answer;
use crate::sessions::{AnswerFields, Recorded, find, read_one};
use crate::show::{Page, Span};
use crate::{Context, Error, Result};

/// Facts about this operation.
pub const FACTS: Facts = Facts::reading("Show an answer of a session as the agent got it.")
    .quoting_pages()
    .command("sessions")
    .arguments(&["session"]);

/// The answer.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Id of the session, or the beginning of it.
    pub session: String,
    /// Number of the answer.
    pub answer: usize,
}

/// The answer with its text.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// Id of the session.
    pub session: String,
    /// The answer.
    #[serde(flatten)]
    pub fields: AnswerFields,
    /// Its text, as the agent got it; absent if the session had reached its limit.
    pub text: Option<String>,
    /// Whether `text` is only the beginning, because the answer was very long.
    pub text_cut: bool,
}

/// Shows the answer.
///
/// # Errors
/// [`Error::InvalidParams`] for an unknown session or answer; [`Error::Io`].
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    let session = find(context, &params.session)?.fields;
    let mut found = None;
    read_one(context, &session.session, &mut |number, recorded| {
        if number == params.answer {
            found = Some(recorded);
        }
    })?;
    let recorded = found.ok_or_else(|| {
        Error::invalid(message!(
            "the session has no answer {number}; its last one is {last}",
            number = params.answer,
            last = session.answer_count
        ))
    })?;
    let Recorded { facts, text, text_cut } = recorded;
    let fields = AnswerFields { number: params.answer, facts };
    Ok(Output { session: session.session, fields, text, text_cut })
}

/// Shows the answer with its text.
pub fn show(output: &Output, page: &mut dyn Page) {
    show_answer(&output.fields, page);
    page.gap();
    match &output.text {
        Some(text) => page.text(text),
        None => {
            page.note(&[Span::said(&message!("the text was not kept: the session had reached its limit"))])
        }
    }
    if output.text_cut {
        page.note(&[Span::said(&message!("only the beginning of the text was kept"))]);
    }
}
