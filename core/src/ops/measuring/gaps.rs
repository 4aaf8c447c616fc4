//! Questions that found nothing: what readers miss in the pages. The list stays on this machine.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::message;
use crate::ops::Facts;
use crate::ops::budget;
use crate::ports::{ContentHash, Source};
use crate::show::{Page, Span, counted, to_the_second};
use crate::text::fold_key;
use crate::{Caller, Error, Result};

/// Facts about this operation.
pub const FACTS: Facts =
    Facts::writing("List the questions that found nothing; delete the list.").command("gaps");

/// The file's name in `.ubp/`.
pub const FILE: &str = "gaps.json";

/// Maximum number of questions on the list. Of more, those that were not asked for the longest time are dropped.
const MOST: usize = 500;
/// Maximum length of a question in bytes; longer ones are no questions but pasted texts.
const LONGEST: usize = 300;
/// Default number of questions in an answer.
const LIMIT: usize = 20;

/// What to list.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Maximum number of questions.
    #[schemars(range(min = 1, max = 500), extend("default" = LIMIT))]
    pub limit: Option<usize>,
    /// Delete the list after reading it.
    #[serde(default)]
    pub clear: bool,
}

/// The list.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// The questions, most frequent first, then latest first.
    pub questions: Vec<Gap>,
    /// Number of questions, including those beyond `limit`.
    pub total: usize,
    /// Whether questions are recorded: the setting `search.record_gaps`.
    pub recording: bool,
    /// Whether the list was deleted.
    pub cleared: bool,
}

/// A question that found nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Gap {
    /// The question, as last asked.
    pub question: String,
    /// How often people asked it.
    pub people: usize,
    /// How often agents asked it.
    pub agents: usize,
    /// When it was last asked, RFC 3339.
    pub last_at: String,
}

impl Gap {
    fn count(&self) -> usize {
        self.people.saturating_add(self.agents)
    }
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct List {
    #[serde(default)]
    questions: Vec<Gap>,
}

/// Lists the questions, and deletes the list if requested.
///
/// # Errors
/// [`Error::InvalidParams`] for a limit out of range, or if the file was not written by UBP; [`Error::Io`].
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    let limit = budget::ranged("limit", params.limit, LIMIT, 1, MOST)?;
    let (mut list, before) = match load(context.source) {
        // A list that cannot be read can still be deleted.
        Err(Error::InvalidParams { .. }) if params.clear => {
            (List::default(), context.source.read_state(FILE)?.map(|bytes| ContentHash::of(&bytes)))
        }
        loaded => loaded?,
    };
    if params.clear && before.is_some() {
        save(context.source, &List::default(), before)?;
    }
    let total = list.questions.len();
    list.questions.sort_by(|a, b| b.count().cmp(&a.count()).then_with(|| b.last_at.cmp(&a.last_at)));
    list.questions.truncate(limit);
    let recording = context.manifest.search.record_gaps;
    Ok(Output { questions: list.questions, total, recording, cleared: params.clear && total > 0 })
}

/// Number of questions on the list; 0 if it cannot be read.
pub(crate) fn count(source: &dyn Source) -> usize {
    load(source).map_or(0, |(list, _)| list.questions.len())
}

/// Adds a question that found nothing to the list. A list that cannot be read or written stays as it is: the search is
/// answered all the same.
pub(crate) fn record(context: &Context<'_>, question: &str) {
    let question = question.trim();
    if !context.manifest.search.record_gaps || question.is_empty() || question.len() > LONGEST {
        return;
    }
    let Ok((mut list, before)) = load(context.source) else { return };
    let key = fold_key(question);
    let known = list.questions.iter().position(|gap| fold_key(&gap.question) == key);
    let mut gap = match known {
        Some(at) => list.questions.remove(at),
        None => Gap { question: String::new(), people: 0, agents: 0, last_at: String::new() },
    };
    match context.caller {
        Caller::Person => gap.people = gap.people.saturating_add(1),
        Caller::Agent => gap.agents = gap.agents.saturating_add(1),
    }
    gap.question = question.to_owned();
    gap.last_at = context.clock.now().to_string();
    list.questions.push(gap);
    let extra = list.questions.len().saturating_sub(MOST);
    list.questions.drain(..extra);
    let _ = save(context.source, &list, before);
}

fn load(source: &dyn Source) -> Result<(List, Option<ContentHash>)> {
    let Some(bytes) = source.read_state(FILE)? else { return Ok((List::default(), None)) };
    let list = serde_json::from_slice(&bytes).map_err(|error| {
        Error::invalid(message!(".ubp/{file}: {error}; fix the file, or delete it", file = FILE, error))
    })?;
    Ok((list, Some(ContentHash::of(&bytes))))
}

fn save(source: &dyn Source, list: &List, before: Option<ContentHash>) -> Result<()> {
    let mut text = serde_json::to_string_pretty(list).map_err(|error| Error::Internal(error.to_string()))?;
    text.push('\n');
    source.write_state(FILE, text.as_bytes(), before)
}

/// Shows the questions.
pub fn show(output: &Output, page: &mut dyn Page) {
    let row = |gap: &Gap| {
        vec![
            gap.people.to_string(),
            gap.agents.to_string(),
            to_the_second(&gap.last_at),
            gap.question.clone(),
        ]
    };
    if !output.questions.is_empty() {
        let rows: Vec<Vec<String>> = output.questions.iter().map(row).collect();
        page.table(
            &[message!("people"), message!("agents"), message!("last asked"), message!("question")],
            &rows,
        );
    }
    let shown = output.questions.len();
    let count = match shown == output.total {
        true => message!("{shown} found nothing", shown = counted(shown, "question", "questions")),
        false => message!("{shown} of {total} questions that found nothing", shown, total = output.total),
    };
    page.note(&[Span::said(&count)]);
    if output.cleared {
        page.note(&[Span::said(&message!("the list was deleted"))]);
    }
    if !output.recording {
        page.note(&[Span::said(&message!(
            "questions are not recorded: `search.record_gaps` is false in the manifest"
        ))]);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::index::tests::Project;

    fn ask(project: &Project, query: &str) -> usize {
        let found = project.context().call("search", json!({ "query": query, "mode": "fulltext" })).unwrap();
        found["results"].as_array().unwrap().len()
    }

    fn gaps(project: &Project) -> Vec<(String, u64)> {
        let answer = project.context().call("gaps", json!({})).unwrap();
        let gaps = answer["questions"].as_array().unwrap().iter();
        gaps.map(|gap| (gap["question"].as_str().unwrap().to_owned(), gap["people"].as_u64().unwrap()))
            .collect()
    }

    fn project() -> Project {
        Project::with_pages([("login.md", "# Login\n\nThe password of a user.\n")])
    }

    #[test]
    fn questions_that_find_nothing_are_counted() {
        let project = project();
        assert!(project.source.read_state(FILE).unwrap().is_none());
        assert_eq!(ask(&project, "password"), 1);
        assert_eq!(ask(&project, "refund policy"), 0);
        assert_eq!(ask(&project, "billing"), 0);
        assert_eq!(ask(&project, " Billing"), 0);
        assert_eq!(gaps(&project), [("Billing".to_owned(), 2), ("refund policy".to_owned(), 1)]);
        let answer = project.context().call("gaps", json!({ "limit": 1, "clear": true })).unwrap();
        assert_eq!((&answer["total"], &answer["cleared"]), (&json!(2), &json!(true)));
        assert_eq!(gaps(&project), []);
    }

    #[test]
    fn unfinished_words_and_unknown_conditions_are_not_gaps() {
        let project = project();
        assert_eq!(ask(&project, "bill*"), 0);
        let typed = json!({ "query": "password", "tags": ["billing"], "mode": "fulltext" });
        assert_eq!(project.context().call("search", typed).unwrap()["results"], Value::Array(Vec::new()));
        assert_eq!(gaps(&project), []);
    }

    #[test]
    fn nothing_is_recorded_if_the_setting_is_off() {
        let mut project = project();
        project.manifest.search.record_gaps = false;
        assert_eq!(ask(&project, "billing"), 0);
        assert_eq!(gaps(&project), []);
        let shown = project.context().call("gaps", json!({})).unwrap();
        assert_eq!(shown["recording"], json!(false));
    }

    #[test]
    fn the_oldest_questions_are_dropped() {
        let project = project();
        for number in 0..MOST + 2 {
            record(&project.context(), &format!("gap {number}"));
        }
        let (list, _) = load(&project.source).unwrap();
        assert_eq!((list.questions.len(), list.questions[0].question.as_str()), (MOST, "gap 2"));
    }
}
