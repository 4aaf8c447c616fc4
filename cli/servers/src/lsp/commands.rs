//! `workspace/executeCommand`: creating pages, reviews, and accepted links.

use lsp_types::request::ShowDocument;
use lsp_types::{ExecuteCommandParams, ShowDocumentParams, Uri};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use ubp_core::ops;

use super::call::run;
use super::projects::Named;
use super::requests::{Answer, Call, Refusal, Subject};

/// Creates a page: the address of a page of the project, the title, the name of a template or null, and its path or null.
pub(super) const CREATE_PAGE: &str = "ubp.createPage";
/// Marks a page as reviewed: its address, and the heading of a section or null.
pub(super) const REVIEW: &str = "ubp.review";
/// Accepts a suggested link: the address of the page, the target, and a line or null.
pub(super) const ACCEPT: &str = "ubp.accept";
/// All commands.
pub(super) const ALL: [&str; 3] = [CREATE_PAGE, REVIEW, ACCEPT];

pub(super) fn execute(call: &Call<'_>, params: ExecuteCommandParams) -> Answer<Value> {
    let arguments = params.arguments;
    match params.command.as_str() {
        CREATE_PAGE => {
            let subject = subject(call, &arguments)?;
            let title: String = argument(&arguments, 1)?;
            let (template, path): (Option<String>, Option<String>) =
                (optional(&arguments, 2)?, optional(&arguments, 3)?);
            let params = json!({ "title": title, "template": template, "path": path });
            let created = operation(call, &subject, "create_page", params)?;
            let path = created.get("filepath").and_then(Value::as_str).unwrap_or_default();
            if let Some(uri) =
                subject.served.page_uri(path).filter(|_| call.server.abilities().shows_documents)
            {
                call.server.client.ask::<ShowDocument>(&ShowDocumentParams {
                    uri,
                    external: None,
                    take_focus: Some(true),
                    selection: None,
                });
            }
            Ok(created)
        }
        REVIEW => {
            let subject = subject(call, &arguments)?;
            let page = page(&subject)?;
            let heading: Option<String> = optional(&arguments, 1)?;
            let name = heading.map_or_else(|| page.to_owned(), |heading| format!("{page}#{heading}"));
            let reviewed =
                operation(call, &subject, "review_page", json!({ "pages": [name], "still_accurate": true }))?;
            super::watching::changed(call.server);
            Ok(reviewed)
        }
        ACCEPT => {
            let subject = subject(call, &arguments)?;
            let (target, line): (String, Option<usize>) =
                (argument(&arguments, 1)?, optional(&arguments, 2)?);
            operation(
                call,
                &subject,
                "accept",
                json!({ "source": page(&subject)?, "target": target, "line": line }),
            )
        }
        other => Err(Refusal::invalid(format!("unknown command {other}"))),
    }
}

fn subject(call: &Call<'_>, arguments: &[Value]) -> Answer<Subject> {
    let uri: Uri = argument(arguments, 0)?;
    call.subject(&uri)?.ok_or_else(|| Refusal::invalid("the file is in no project"))
}

fn page(subject: &Subject) -> Answer<&str> {
    match &subject.named {
        Named::Page(page) => Ok(page),
        Named::File(_) => Err(Refusal::invalid("the file is not a page")),
    }
}

fn argument<T: DeserializeOwned>(arguments: &[Value], at: usize) -> Answer<T> {
    let value = arguments.get(at).cloned().unwrap_or(Value::Null);
    serde_json::from_value(value)
        .map_err(|error| Refusal::invalid(format!("argument {number}: {error}", number = at + 1)))
}

fn optional<T: DeserializeOwned>(arguments: &[Value], at: usize) -> Answer<Option<T>> {
    argument(arguments, at)
}

fn operation(call: &Call<'_>, subject: &Subject, name: &str, params: Value) -> Answer<Value> {
    run(call, &subject.served, ops::named(name)?, params)
}
