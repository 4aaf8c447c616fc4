//! A page as an agent gets it, for people who want to know what an agent sees.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::message;
use crate::ops::get_session::{show_omitted, show_parts};
use crate::ops::page::{PageFields, PageName};
use crate::ops::{Facts, get_context, get_page};
use crate::sessions::{OmittedPart, Part, Witness};
use crate::show::{MAX_TOKENS, MarkdownPage, MarkdownReader, Page, Span, Tools};
use crate::text::estimate_tokens;
use crate::{Caller, Context, Error, Result};

/// Facts about this operation.
pub const FACTS: Facts = Facts::reading("Show a page as an agent gets it, within a limit of tokens.")
    .quoting_pages()
    .command("get --as-agent")
    .arguments(&["page"]);

/// The operations whose answers can be shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Previewed {
    /// `get_page`: the page with its links and freshness.
    #[default]
    GetPage,
    /// `get_context`: the page with summaries of its linked pages.
    GetContext,
}

/// The page, and how an agent asks for it.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// The page: path, id, title or alias.
    pub page: String,
    /// What the agent calls (default: `get_page`).
    pub operation: Option<Previewed>,
    /// Only this section and its subsections; for `get_page`.
    pub section: Option<String>,
    /// Hops around the page; for `get_context`.
    #[schemars(range(min = 1, max = 3))]
    pub depth: Option<usize>,
    /// Maximum tokens in the answer.
    #[schemars(range(min = 256), extend("default" = MAX_TOKENS))]
    pub max_tokens: Option<usize>,
}

/// The answer to the agent.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// The page's metadata.
    #[serde(flatten)]
    pub page: PageFields,
    /// What the agent calls.
    pub operation: Previewed,
    /// The limit of its tokens.
    pub max_tokens: usize,
    /// Tokens of `text`.
    pub tokens: usize,
    /// The text that the agent gets.
    pub text: String,
    /// The parts of pages in it, in its order.
    pub given: Vec<Part>,
    /// The parts that were left out or cut to fit the limit.
    pub omitted: Vec<OmittedPart>,
}

/// Calls the operation as an agent does.
///
/// # Errors
/// [`Error::InvalidParams`] for a limit that is too small, and for parameters of the other operation; otherwise those of
/// the operation.
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    let operation = params.operation.unwrap_or_default();
    if operation == Previewed::GetPage && params.depth.is_some() {
        return Err(Error::invalid(message!("`depth` is for get_context")));
    }
    if operation == Previewed::GetContext && params.section.is_some() {
        return Err(Error::invalid(message!("`section` is for get_page")));
    }
    let name = PageName { page: Some(&params.page), ..PageName::default() };
    let id = context.index.read(|db| name.require(db))?;
    let fields = context.page_fields(&[id])?.remove(&id);
    let fields = fields.ok_or_else(|| Error::Internal(format!("page {id} is gone")))?;
    let max_tokens = params.max_tokens.unwrap_or(MAX_TOKENS);
    let (witness, tools) = (Witness::default(), Tools::of_readers());
    let reader = MarkdownReader::new(tools.clone());
    let mut page = MarkdownPage::new(tools);
    let agent = Context { caller: Caller::Agent, reader: Some(&reader), witness: Some(&witness), ..*context };
    let filepath = Some(fields.filepath.clone());
    let answer = match operation {
        Previewed::GetPage => {
            let Params { section, .. } = params;
            let params =
                get_page::Params { filepath, section, max_tokens: Some(max_tokens), ..Default::default() };
            let output = get_page::run(&agent, params)?;
            get_page::show(&output, &mut page);
            fields_of(&output)?
        }
        Previewed::GetContext => {
            let Params { depth, .. } = params;
            let params =
                get_context::Params { filepath, depth, max_tokens: Some(max_tokens), ..Default::default() };
            let output = get_context::run(&agent, params)?;
            get_context::show(&output, &mut page);
            fields_of(&output)?
        }
    };
    let text = page.finish();
    let (given, omitted) = witness.parts(&answer);
    Ok(Output { page: fields, operation, max_tokens, tokens: estimate_tokens(&text), text, given, omitted })
}

fn fields_of(output: &impl Serialize) -> Result<Value> {
    serde_json::to_value(output).map_err(|error| Error::Internal(error.to_string()))
}

/// Shows the text, then what it consists of.
pub fn show(output: &Output, page: &mut dyn Page) {
    page.text(&output.text);
    page.gap();
    let Output { tokens, max_tokens, .. } = *output;
    page.note(&[Span::said(&message!("{tokens} tokens of at most {max_tokens}", tokens, max_tokens))]);
    show_parts(&output.given, page);
    show_omitted(&output.omitted, page);
}
