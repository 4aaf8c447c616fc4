//! Questions to the person, with the client of the library, in both kinds of protocol revisions.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Instant;

use rmcp::model::{
    CallToolRequestParams, CallToolResult, CancelledNotificationParam, ClientCapabilities, ClientConfig,
    ElicitationCapability, Implementation, ProtocolVersion,
};
use rmcp::service::{
    ClientLifecycleMode, NotificationContext, RunningService, ServiceError, serve_client_with_lifecycle,
};
use rmcp::{ClientHandler, RoleClient, ServiceExt};
use tokio::sync::Semaphore;
use ubp_host::live::Views;
use ubp_host::{Environment, Project};

use super::*;
use crate::mcp::place::Place;
use crate::mcp::{Writing, tools};

const PAGE: &str = "# Island\n\nNobody lives here.\n";

const MANIFEST: &str = r#"{ "version": "1.0.0", "schema_version": 1, "pages_dir": ".",
    "embedding_model": { "name": "no-such-model", "version": "1.0", "dimensions": 8 },
    "frontmatter": "preserved" }"#;

/// A project with a page, and the settings of the server.
struct Vault {
    folder: tempfile::TempDir,
    server: Server,
}

impl Vault {
    fn new() -> Self {
        Self::with(MANIFEST, Writing::Propose)
    }

    fn with(manifest: &str, write: Writing) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join(".ubp")).unwrap();
        fs::write(folder.path().join(".ubp/manifest.json"), manifest).unwrap();
        fs::write(folder.path().join("island.md"), PAGE).unwrap();
        let project = Project::find(folder.path()).unwrap();
        let live = Live::start(project, &Environment::with([]), Arc::new(|_| {})).unwrap();
        let server = Server::new(Place::fixed(Views::of(live)), tools::choose(&[], write).unwrap(), write);
        Self { folder, server }
    }

    fn waiting(mut self, call: u64, question: u64) -> Self {
        let [call, question] = [call, question].map(Duration::from_millis);
        self.server.asking = Arc::new(Asking { call, question, ..Asking::default() });
        self
    }

    fn page(&self) -> String {
        fs::read_to_string(self.folder.path().join("island.md")).unwrap()
    }

    /// What became of the proposal.
    fn state(&self, proposal: &str) -> Value {
        let live = self.server.place.views().whole().clone();
        tokio::task::block_in_place(|| {
            of_person(&live, "get_proposal", json!({ "proposal": proposal })).unwrap()
        })
    }

    async fn connect(&self, person: &Person, lifecycle: ClientLifecycleMode) -> Agent {
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        let server = self.server.for_another_client();
        tokio::spawn(async move {
            if let Ok(service) = server.serve(ours).await {
                let _ = service.waiting().await;
            }
        });
        serve_client_with_lifecycle(person.clone(), theirs, lifecycle).await.unwrap()
    }
}

type Agent = RunningService<RoleClient, Person>;
type Answering = dyn Fn(String) -> Pin<Box<dyn Future<Output = ElicitResult> + Send>> + Send + Sync;

/// A client with a person who answers.
#[derive(Clone)]
struct Person {
    name: &'static str,
    shows_forms: bool,
    answering: Arc<Answering>,
    asked: Arc<Mutex<Vec<String>>>,
    taken_back: Arc<Semaphore>,
}

impl Person {
    fn who<F: Future<Output = ElicitResult> + Send + 'static>(
        answering: impl Fn(String) -> F + Send + Sync + 'static,
    ) -> Self {
        let answering: Arc<Answering> = Arc::new(move |message| Box::pin(answering(message)));
        let taken_back = Arc::new(Semaphore::new(0));
        Self { name: "Ann's agent", shows_forms: true, answering, asked: Arc::default(), taken_back }
    }

    fn who_says(result: ElicitResult) -> Self {
        Self::who(move |_| std::future::ready(result.clone()))
    }

    fn who_never_answers() -> Self {
        Self::who(|_| std::future::pending())
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }

    /// Waits until this many questions were asked.
    async fn is_asked(&self, times: usize) {
        let begun = Instant::now();
        while self.asked().len() < times {
            assert!(begun.elapsed() < Duration::from_secs(30), "asked {} times", self.asked().len());
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    async fn hears_that_a_question_is_taken_back(&self) {
        let heard = tokio::time::timeout(Duration::from_secs(30), self.taken_back.acquire()).await;
        heard.unwrap().unwrap().forget();
    }
}

impl ClientHandler for Person {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        capabilities.elicitation = self.shows_forms.then(ElicitationCapability::new);
        ClientConfig::new(capabilities, Implementation::new(self.name, "1"))
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } = request else {
            panic!("{request:?}");
        };
        assert_eq!(requested_schema.required, Some(vec![DECISION.to_owned()]));
        self.asked.lock().unwrap().push(message.clone());
        Ok((self.answering)(message).await)
    }

    async fn on_cancelled(
        &self,
        _params: CancelledNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        self.taken_back.add_permits(1);
    }
}

fn says(decision: &str, comment: &str) -> ElicitResult {
    let content = json!({ DECISION: decision, COMMENT: comment });
    ElicitResult::new(ElicitationAction::Accept).with_content(content)
}

fn lifecycles() -> [ClientLifecycleMode; 2] {
    let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
    [ClientLifecycleMode::Initialize, ClientLifecycleMode::Discover { preferred_versions }]
}

fn edit(new: &str) -> CallToolRequestParams {
    let edit = json!({ "page": "island.md", "old": "Nobody lives here.", "new": new, "reason": "I saw it." });
    CallToolRequestParams::new("ubp_update_page").with_arguments(edit.as_object().unwrap().clone())
}

/// The structured answer, and the text.
fn heard(result: Result<CallToolResult, ServiceError>) -> (Value, String) {
    let result = result.unwrap();
    assert_ne!(result.is_error, Some(true), "{result:?}");
    let text = result.content[0].as_text().unwrap().text.clone();
    (result.structured_content.unwrap(), text)
}

fn id(answer: &Value) -> &str {
    answer["proposal"].as_str().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_person_says_is_done_and_told_to_the_agent() {
    let cases = [
        (says("accept", "Thanks."), "accepted", Some("Thanks."), "it is written now"),
        (says("accept", " "), "accepted", None, "it is written now"),
        (says("reject", "Two do."), "rejected", Some("Two do."), "rejected this"),
        (says("later", ""), "pending", None, "decides later"),
        (says("perhaps", ""), "pending", None, "did not decide"),
        (ElicitResult::new(ElicitationAction::Accept), "pending", None, "did not decide"),
        (ElicitResult::new(ElicitationAction::Decline), "pending", None, "did not decide"),
        (ElicitResult::new(ElicitationAction::Cancel), "pending", None, "did not decide"),
    ];
    for lifecycle in lifecycles() {
        for (result, state, comment, told) in cases.clone() {
            let vault = Vault::new();
            let person = Person::who_says(result);
            let agent = vault.connect(&person, lifecycle.clone()).await;
            let (answer, text) = heard(agent.call_tool(edit("Ann lives here.")).await);
            let asked = person.asked();
            assert_eq!(asked.len(), 1, "{asked:?}");
            for words in ["`Ann's agent 1` wants to:", "edit `island.md`", "I saw it.", "+Ann lives here."] {
                assert!(asked[0].contains(words), "{words}: {}", asked[0]);
            }
            let written = state == "accepted";
            assert_eq!(vault.page().contains("Ann lives here."), written);
            assert_eq!(answer["outcome"]["state"], state, "{answer}");
            assert_eq!(answer["outcome"]["decision"]["comment"], json!(comment), "{answer}");
            assert!(text.contains(told), "{text}");
            assert!(comment.is_none_or(|comment| text.contains(comment)), "{text}");
            assert_eq!(vault.state(id(&answer))["state"], state);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_asked_without_a_form_or_against_the_settings() {
    let off = MANIFEST.replacen('{', r#"{ "proposals": { "ask": false },"#, 1);
    let vaults = [
        (Vault::new(), false),
        (Vault::with(&off, Writing::Propose), true),
        (Vault::with(MANIFEST, Writing::Apply), true),
    ];
    for lifecycle in lifecycles() {
        for (vault, shows_forms) in &vaults {
            let person = Person { shows_forms: *shows_forms, ..Person::who_says(says("accept", "")) };
            let agent = vault.connect(&person, lifecycle.clone()).await;
            let title = format!("Ferry {}", if lifecycle == lifecycles()[0] { "old" } else { "new" });
            let create = json!({ "title": title, "content": "A boat." });
            let create = CallToolRequestParams::new("ubp_create_page")
                .with_arguments(create.as_object().unwrap().clone());
            let result = agent.call_tool(create).await.unwrap();
            let (answer, _) = heard(Ok(result));
            assert!(person.asked().is_empty() && answer.get("outcome").is_none(), "{answer}");
        }
    }
    assert_eq!(vaults[0].0.page(), PAGE);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_ends_before_the_person_decides_and_the_decision_counts_later() {
    let vault = Vault::new().waiting(300, 60_000);
    let decides = Arc::new(Semaphore::new(0));
    let until = decides.clone();
    let person = Person::who(move |_| {
        let until = until.clone();
        async move {
            until.acquire().await.unwrap().forget();
            says("accept", "")
        }
    });
    let agent = vault.connect(&person, ClientLifecycleMode::Initialize).await;
    let (waiting, other) = tokio::join!(agent.call_tool(edit("Ann lives here.")), async {
        person.is_asked(1).await;
        let read = json!({ "page": "island" }).as_object().unwrap().clone();
        let call = CallToolRequestParams::new("ubp_get_page").with_arguments(read);
        heard(agent.call_tool(call).await)
    });
    assert_eq!(other.0["filepath"], "island.md");
    let (answer, text) = heard(waiting);
    assert!(text.contains("has not decided yet"), "{text}");
    assert_eq!((&answer["outcome"]["state"], vault.page().as_str()), (&json!("pending"), PAGE));
    decides.add_permits(1);
    let begun = Instant::now();
    while vault.state(id(&answer))["state"] != "accepted" {
        assert!(begun.elapsed() < Duration::from_secs(30), "the late answer was lost");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert!(vault.page().contains("Ann lives here."));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_without_an_answer_is_taken_back() {
    let vault = Vault::new().waiting(60_000, 300);
    let person = Person::who_never_answers();
    let agent = vault.connect(&person, ClientLifecycleMode::Initialize).await;
    let (answer, text) = heard(agent.call_tool(edit("Ann lives here.")).await);
    assert!(text.contains("did not decide"), "{text}");
    assert_eq!((&answer["outcome"]["state"], vault.page().as_str()), (&json!("pending"), PAGE));
    person.hears_that_a_question_is_taken_back().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_call_takes_its_question_back() {
    let vault = Vault::new();
    let person = Person::who_never_answers();
    let agent = vault.connect(&person, ClientLifecycleMode::Initialize).await;
    let peer = agent.peer().clone();
    // The library cancels a call whose future is dropped.
    let call = tokio::spawn(async move { peer.call_tool_once(edit("Ann lives here.")).await });
    person.is_asked(1).await;
    call.abort();
    person.hears_that_a_question_is_taken_back().await;
    assert_eq!(vault.page(), PAGE);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_proposal_takes_back_the_question_about_the_old_one() {
    let vault = Vault::new().waiting(300, 60_000);
    let person = Person::who(|message: String| async move {
        match message.contains("Bob") {
            true => says("accept", ""),
            false => std::future::pending().await,
        }
    });
    let agent = vault.connect(&person, ClientLifecycleMode::Initialize).await;
    heard(agent.call_tool(edit("Ann lives here.")).await);
    let again = json!({ "page": "island", "old": "Ann lives here.", "new": "Ann and Bob live here." });
    let again =
        CallToolRequestParams::new("ubp_update_page").with_arguments(again.as_object().unwrap().clone());
    let (answer, _) = heard(agent.call_tool(again).await);
    assert_eq!(answer["outcome"]["state"], "accepted", "{answer}");
    person.hears_that_a_question_is_taken_back().await;
    let asked = person.asked();
    assert!(asked.len() == 2 && asked[1].contains("+Ann and Bob live here."), "{asked:?}");
    assert!(vault.page().contains("Ann and Bob live here."));
}

#[tokio::test(flavor = "multi_thread")]
async fn two_agents_ask_at_the_same_time() {
    for lifecycle in lifecycles() {
        let vault = Vault::new();
        let both = Arc::new(tokio::sync::Barrier::new(2));
        let who = |name, decision: &'static str| {
            let both = both.clone();
            let person = Person::who(move |_| {
                let both = both.clone();
                async move {
                    both.wait().await;
                    says(decision, decision)
                }
            });
            Person { name, ..person }
        };
        let (ann, bob) = (who("Ann's agent", "accept"), who("Bob's agent", "reject"));
        let agents =
            (vault.connect(&ann, lifecycle.clone()).await, vault.connect(&bob, lifecycle.clone()).await);
        let (first, second) = tokio::join!(
            agents.0.call_tool(edit("Ann lives here.")),
            agents.1.call_tool(edit("Bob lives here."))
        );
        let (first, second) = (heard(first).0, heard(second).0);
        assert_eq!(first["outcome"]["state"], "accepted", "{first}");
        assert_eq!(second["outcome"]["state"], "rejected", "{second}");
        assert!(ann.asked()[0].contains("Ann's agent") && bob.asked()[0].contains("Bob's agent"));
        assert!(vault.page().contains("Ann lives here.") && !vault.page().contains("Bob"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conflict_is_told_and_nothing_is_lost() {
    for lifecycle in lifecycles() {
        let vault = Vault::new();
        let file = vault.folder.path().join("island.md");
        let edited = PAGE.replace("Nobody", "Carol");
        let by_person = edited.clone();
        let person = Person::who(move |_| {
            fs::write(&file, &by_person).unwrap();
            std::future::ready(says("accept", ""))
        });
        let agent = vault.connect(&person, lifecycle).await;
        let (answer, text) = heard(agent.call_tool(edit("Ann lives here.")).await);
        assert!(text.contains("it was not written") && text.contains("were changed since"), "{text}");
        assert_eq!(answer["outcome"]["state"], "conflict", "{answer}");
        assert_eq!(vault.page(), edited);
        assert_eq!(vault.state(id(&answer))["state"], "conflict");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_is_answered_once_and_by_the_call_that_asked() {
    let vault = Vault::new();
    let [_, lifecycle] = lifecycles();
    let agent = vault.connect(&Person::who_never_answers(), lifecycle).await;
    let first = agent.peer().call_tool_once(edit("Ann lives here.")).await.unwrap();
    let CallToolResponse::InputRequired(required) = first else { panic!("{first:?}") };
    let state = required.request_state.unwrap();
    let with = |call: CallToolRequestParams, state: &str| {
        let said = serde_json::to_value(says("accept", "")).unwrap();
        call.with_input_responses([(DECISION.to_owned(), said)].into()).with_request_state(state)
    };
    let create = json!({ "title": "Ferry", "content": "A boat." }).as_object().unwrap().clone();
    let create = CallToolRequestParams::new("ubp_create_page").with_arguments(create);
    let ask = async |call| match agent.peer().call_tool_once(call).await.unwrap() {
        CallToolResponse::Complete(result) => result,
        other => panic!("{other:?}"),
    };
    for wrong in [with(create, &state), with(edit("Eve lives here."), "made up")] {
        assert_eq!(ask(wrong).await.is_error, Some(true));
        assert_eq!(vault.page(), PAGE);
    }
    // What was asked is written, whatever the repeated call says.
    let (answer, _) = heard(Ok(ask(with(edit("Eve lives here."), &state)).await));
    assert_eq!(answer["outcome"]["state"], "accepted");
    assert!(vault.page().contains("Ann lives here.") && !vault.page().contains("Eve"));
    assert_eq!(ask(with(edit("Ann lives here."), &state)).await.is_error, Some(true));
}
