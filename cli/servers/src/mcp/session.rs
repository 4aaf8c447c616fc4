//! What a client was given and what it proposed, as long as it is connected.

use serde_json::Value;
use tokio_util::sync::CancellationToken;
use ubp_core::proposals::{PageRead, Proposing};

/// Maximum number of pages and proposals that are remembered; the oldest are forgotten.
const MOST: usize = 50;

/// What a client did.
#[derive(Debug, Default)]
pub(super) struct Session {
    /// Versions of pages that answers showed, latest last.
    read: Vec<PageRead>,
    /// Ids of its proposals, latest last.
    proposals: Vec<String>,
    /// Proposals about which the person is being asked. A token takes the question back.
    questions: Vec<(String, CancellationToken)>,
}

impl Session {
    /// What a call adds to its changes if they are proposed.
    pub(super) fn proposing(
        &self,
        params: Value,
        reason: Option<String>,
        only_where_required: bool,
    ) -> Proposing {
        let (read, session) = (self.read.clone(), self.proposals.clone());
        Proposing { params, reason, read, session, only_where_required }
    }

    /// Remembers the page that an answer shows. Pages that are only named in an answer, and proposed texts, are deeper in
    /// it.
    pub(super) fn note_read(&mut self, answer: &Value) {
        let text = |name: &str| answer.get(name).and_then(Value::as_str).map(str::to_owned);
        if let (Some(filepath), Some(content_hash)) = (text("filepath"), text("content_hash")) {
            self.read.retain(|page| page.filepath != filepath);
            self.read.push(PageRead { filepath, content_hash });
            forget_oldest(&mut self.read);
        }
    }

    /// Remembers the proposal in the answer to a change.
    pub(super) fn note_proposal(&mut self, answer: &Value) {
        if let Some(id) = answer.get("proposal").and_then(Value::as_str) {
            self.proposals.push(id.to_owned());
            forget_oldest(&mut self.proposals);
        }
    }

    /// Remembers that the person is being asked about a proposal, until the token that this returns is cancelled or
    /// [`Session::close_question`] is called.
    pub(super) fn open_question(&mut self, proposal: &str) -> CancellationToken {
        let taken_back = CancellationToken::new();
        self.questions.push((proposal.to_owned(), taken_back.clone()));
        taken_back
    }

    /// Forgets a question, and takes it back if it was not answered.
    pub(super) fn close_question(&mut self, proposal: &str) {
        self.questions.retain(|(open, taken_back)| {
            let stays = open != proposal;
            if !stays {
                taken_back.cancel();
            }
            stays
        });
    }

    /// The proposals about which the person is being asked.
    pub(super) fn questions(&self) -> Vec<String> {
        self.questions.iter().map(|(proposal, _)| proposal.clone()).collect()
    }
}

fn forget_oldest<T>(list: &mut Vec<T>) {
    let extra = list.len().saturating_sub(MOST);
    list.drain(..extra);
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_session_remembers_the_latest_pages_and_proposals() {
        let mut session = Session::default();
        let page =
            |number: usize, hash: &str| json!({ "filepath": format!("{number}.md"), "content_hash": hash });
        session.note_read(&page(1, "a"));
        session.note_read(&page(2, "b"));
        session.note_read(&json!({ "changes": [page(3, "a")], "filepath": "3.md" }));
        session.note_read(&json!([page(3, "a")]));
        session.note_read(&page(1, "c"));
        session.note_proposal(&json!({ "proposal": "p" }));
        session.note_proposal(&json!({ "proposal": null }));
        let proposing = session.proposing(json!({}), Some("why".into()), false);
        let read: Vec<&str> = proposing.read.iter().map(|page| page.filepath.as_str()).collect();
        assert_eq!((read, proposing.session), (vec!["2.md", "1.md"], vec!["p".to_owned()]));
        assert_eq!(proposing.read[1].content_hash, "c");
        (0..MOST + 10).for_each(|number| session.note_read(&page(number, "d")));
        assert_eq!(session.read.len(), MOST);
        assert_eq!(session.read[0].filepath, "10.md");
    }
}
