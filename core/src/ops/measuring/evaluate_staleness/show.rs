//! Shows a replay: a table for each kind of references.

use super::{Output, References, Replay, Rule};
use crate::message;
use crate::show::{Page, Span, counted};

/// Shows the measurements.
pub fn show(output: &Output, page: &mut dyn Page) {
    let commits = counted(output.commit_count, "commit", "commits");
    let last = short(&output.last_commit);
    page.line(&[Span::said(&message!("{commits} up to {last}", commits, last))]);
    for replay in &output.replays {
        page.gap();
        show_replay(replay, page);
    }
    page.gap();
    page.note(&[Span::said(&message!(
        "precision is a lower bound: a section that its author forgot counts as wrongly reported"
    ))]);
}

fn show_replay(replay: &Replay, page: &mut dyn Page) {
    page.heading(&[Span::strong(&match replay.references {
        References::WrittenFiles => message!("References to files"),
        References::WrittenSymbols => message!("References to symbols"),
        References::ProposedSymbols => {
            message!("Proposed references to symbols, after {commit}", commit = short(&replay.after_commit))
        }
    })]);
    if replay.bound_count == 0 && replay.rules.iter().all(|rule| rule.reported_count + rule.alarm_count == 0)
    {
        page.line(&[Span::said(&message!("none"))]);
        return;
    }
    page.line(&[Span::said(&message!(
        "{changes}: {code_only} of code only, {equal} with equal tokens; {edited}",
        changes = counted(replay.change_count, "change of code", "changes of code"),
        code_only = replay.code_only_count,
        equal = replay.equal_tokens_count,
        edited = counted(replay.edited_count, "edited section", "edited sections")
    ))]);
    if replay.gone_count > 0 {
        page.line(&[Span::said(&message!(
            "{followed} of {gone} symbols that were renamed, moved or deleted were followed",
            followed = replay.followed_count,
            gone = replay.gone_count
        ))]);
    }
    let figure = |figure: Option<f64>| figure.map_or_else(|| "-".to_owned(), |figure| format!("{figure:.3}"));
    let rows: Vec<Vec<String>> = replay
        .rules
        .iter()
        .map(|rule| {
            vec![
                match rule.rule {
                    Rule::File => message!("file changed"),
                    Rule::Symbol => message!("symbol changed"),
                    Rule::Contract => message!("contract changed"),
                }
                .told(page.voice()),
                rule.reported_count.to_string(),
                figure(rule.precision),
                figure(rule.recall),
                figure(rule.symbol_recall),
                figure(rule.alarms_per_code_only_change),
                rule.equal_tokens_alarm_count.to_string(),
            ]
        })
        .collect();
    page.table(
        &[
            message!("reported if"),
            message!("sections"),
            message!("precision"),
            message!("recall"),
            message!("of changed symbols"),
            message!("alarms per change of code only"),
            message!("with equal tokens"),
        ],
        &rows,
    );
}

fn short(commit: &str) -> &str {
    commit.get(..8).unwrap_or(commit)
}
