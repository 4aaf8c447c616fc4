//! Error answers, with their status: JSON for programs, a page for people.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use ubp_core::Error;
use ubp_core::export::LONE_STYLE;
use ubp_core::hint::{Buttons, Voice};
use ubp_core::message::Message;

/// Fields of every error. `hint` and `content_hash` are present even if they are null.
#[derive(Debug, Serialize)]
pub(crate) struct Refusal {
    #[serde(skip)]
    pub status: StatusCode,
    pub code: &'static str,
    pub message: String,
    pub hint: Option<String>,
    /// After a conflict, the hash of the file on disk.
    pub content_hash: Option<String>,
}

impl Refusal {
    pub(crate) fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into(), hint: None, content_hash: None }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// An error in the words of a reader.
    pub(crate) fn told(error: &Error, voice: &dyn Voice) -> Self {
        let found = match error {
            Error::Conflict { found, .. } | Error::Undo { found, .. } => {
                Some(found.clone()).filter(|hash| hash.starts_with("sha256:"))
            }
            _ => None,
        };
        Self {
            status: status(error),
            code: error.code(),
            message: error.message().told(voice),
            hint: error.hint().map(|hint| hint.told(voice)),
            content_hash: found,
        }
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self::told(&error, &Buttons::default())
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        (self.status, axum::Json(self)).into_response()
    }
}

/// A page with `title` and `text`.
pub(crate) fn notice(status: StatusCode, title: &Message, text: &Message, voice: Buttons) -> Response {
    let [title, text] = [title, text].map(|message| escaped(&message.told(&voice)));
    let language = voice.language().tag();
    let page = format!(
        "<!doctype html>\n<html lang=\"{language}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n\
         <style>{LONE_STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n<p>{text}</p>\n</main>\n</body>\n</html>\n"
    );
    (status, [(header::CONTENT_TYPE, "text/html; charset=utf-8")], page).into_response()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn status(error: &Error) -> StatusCode {
    use std::io::ErrorKind;
    match error {
        Error::InvalidParams { .. } | Error::AmbiguousPage { .. } | Error::FrontMatter { .. } => {
            StatusCode::BAD_REQUEST
        }
        Error::PageNotFound { .. } => StatusCode::NOT_FOUND,
        Error::OutsideProject { .. } | Error::ReadOnly { .. } | Error::Forbidden { .. } => {
            StatusCode::FORBIDDEN
        }
        Error::Conflict { .. } | Error::Undo { .. } => StatusCode::CONFLICT,
        Error::Io { source, .. } => match source.kind() {
            ErrorKind::NotFound => StatusCode::NOT_FOUND,
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => StatusCode::FORBIDDEN,
            ErrorKind::StorageFull => StatusCode::INSUFFICIENT_STORAGE,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        },
        Error::Cancelled
        | Error::UnreadableProject { .. }
        | Error::NoProject { .. }
        | Error::Manifest { .. }
        | Error::Model { .. }
        | Error::ModelUnavailable { .. } => StatusCode::SERVICE_UNAVAILABLE,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    }
}
