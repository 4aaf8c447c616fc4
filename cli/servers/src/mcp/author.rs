//! Who calls, and what it may see and do.

use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::{Extensions, Implementation};
use rmcp::service::RequestContext;
use ubp_core::Result;
use ubp_core::manifest::Right;
use ubp_host::hub::HubAsker;
use ubp_host::live::{Seen, Views};

use super::server::Server;
use crate::http::named_tokens::NamedToken;

/// Maximum characters of the name that a client gives itself, so that it cannot fill the log.
const LONGEST: usize = 100;

/// The author of a call: the name of its token, that of `--as`, or the one that the client gives itself.
#[derive(Debug, Clone, Default)]
pub(super) struct Author {
    pub name: Option<String>,
    token: Vec<(String, Right)>,
    /// Whether it sent a named token.
    pub has_token: bool,
}

impl Server {
    /// The author of a request.
    pub(super) fn author(&self, context: &RequestContext<RoleServer>) -> Author {
        self.author_of(&context.extensions, || context.client_info())
    }

    /// The author of a message with these extensions.
    pub(super) fn author_of(
        &self,
        extensions: &Extensions,
        client: impl FnOnce() -> Option<Implementation>,
    ) -> Author {
        Author::of(self.named.as_deref(), extensions, client)
    }

    /// The project as the author sees it now. May open an index.
    ///
    /// # Errors
    /// As [`ubp_host::live::Views::seen_by`].
    pub(super) fn seen_by(&self, author: &Author) -> Result<Seen> {
        author.sees(&*self.place.answering()?)
    }
}

impl Author {
    /// The author of a message with these extensions; `named` is the name that all clients go by.
    pub(super) fn of(
        named: Option<&str>,
        extensions: &Extensions,
        client: impl FnOnce() -> Option<Implementation>,
    ) -> Self {
        let parts = extensions.get::<axum::http::request::Parts>();
        if let Some(token) = parts.and_then(|parts| parts.extensions.get::<Arc<NamedToken>>()) {
            return Self { name: Some(token.name.clone()), token: token.rules(), has_token: true };
        }
        let own = || {
            let client = client()?;
            Some(format!("{} {}", client.name, client.version).chars().take(LONGEST).collect())
        };
        Self { name: named.map(str::to_owned).or_else(own), ..Self::default() }
    }

    /// The rules of its token.
    pub(super) fn rules(&self) -> &[(String, Right)] {
        &self.token
    }

    /// The same for a hub.
    pub(super) fn asker(&self) -> HubAsker<'_> {
        HubAsker::Agent { name: self.name.as_deref(), token: self.rules() }
    }

    /// The same for a project.
    ///
    /// # Errors
    /// As [`Server::seen_by`].
    pub(super) fn sees(&self, views: &Views) -> Result<Seen> {
        views.seen_by(self.name.as_deref(), &self.token)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_named_token_decides_whatever_the_client_calls_itself() {
        let token = serde_json::json!({
            "name": "ci",
            "hash": "",
            "rights": [{ "path": "private/", "right": "hide" }],
            "created_at": "2026-01-01T00:00:00Z",
        });
        let token: NamedToken = serde_json::from_value(token).unwrap();
        let (mut parts, ()) = axum::http::Request::new(()).into_parts();
        parts.extensions.insert(Arc::new(token));
        let mut extensions = Extensions::new();
        extensions.insert(parts);
        let client = || Some(Implementation::new("reviewer", "1"));
        let author = Author::of(Some("bot"), &extensions, client);
        assert_eq!(author.name.as_deref(), Some("ci"));
        assert_eq!(author.rules(), [("private/".to_owned(), Right::Hide)]);
        let name = |named| Author::of(named, &Extensions::new(), client).name;
        assert_eq!(name(None).as_deref(), Some("reviewer 1"));
        assert_eq!(name(Some("bot")).as_deref(), Some("bot"));
    }
}
