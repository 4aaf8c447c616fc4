//! Which types sentences state.

use super::*;

/// The page of the sentence is 0; links lead to the pages 1, 2 and so on, by their order.
fn stated(text: &str) -> Vec<(i64, String, i64, Subject)> {
    let mut anchors = Vec::new();
    let mut at = 0;
    while let Some(open) = text.get(at..).and_then(|rest| rest.find("[[")) {
        let from = at + open;
        let to = text.get(from..).and_then(|rest| rest.find("]]")).map_or(text.len(), |end| from + end + 2);
        let target = i64::try_from(anchors.len()).unwrap_or_default() + 1;
        anchors.push(Anchor { range: from..to, target });
        at = to;
    }
    let vocabulary = Vocabulary::of(["partOf", "supersedes", "supersededBy", "caused_by"].map(str::to_owned));
    let names = ["Login".to_owned(), "ログイン".to_owned()];
    let found = relations(text, 0, &names, &anchors, &vocabulary);
    found.into_iter().map(|one| (one.source.unwrap_or(0), one.link_type, one.target, one.subject)).collect()
}

fn one(text: &str) -> Option<(i64, String, i64, Subject)> {
    let mut all = stated(text);
    assert!(all.len() < 2, "{text}: {all:?}");
    all.pop()
}

#[test]
fn a_verb_before_a_link_states_its_type() {
    for (text, source, link_type, target, subject) in [
        ("Login depends on [[User DB]].", 0, "depends_on", 1, Subject::Named),
        ("Text. It requires the [[User DB]] to run.", 0, "depends_on", 1, Subject::Pronoun),
        ("- Depends on [[User DB]]", 0, "depends_on", 1, Subject::Omitted),
        ("**Superseded by [[New]].** More.", 0, "supersededBy", 1, Subject::Omitted),
        ("This page replaces [[Old]].", 0, "supersedes", 1, Subject::Pronoun),
        ("[[API]] implements [[Spec]].", 1, "implements", 2, Subject::Other),
        ("Login is part of [[Server]].", 0, "partOf", 1, Subject::Named),
        ("The outage was caused by [[Disk]].", 0, "caused_by", 1, Subject::Unclear),
        ("This decision contradicts [[ADR 3]].", 0, "conflicts_with", 1, Subject::Pronoun),
        ("ログインは[[ユーザーDB]]に依存している。", 0, "depends_on", 1, Subject::Named),
        ("このページは[[旧設計]]を置き換える。", 0, "supersedes", 1, Subject::Pronoun),
        ("これは[[サーバー]]の一部です。", 0, "partOf", 1, Subject::Pronoun),
        ("[[API]]は[[仕様]]を実装する。", 1, "implements", 2, Subject::Other),
        ("この決定は「[[ADR 3]]」と矛盾する。", 0, "conflicts_with", 1, Subject::Pronoun),
    ] {
        assert_eq!(one(text), Some((source, link_type.to_owned(), target, subject)), "{text}");
    }
}

#[test]
fn a_verb_may_have_several_targets() {
    let types = |text: &str| stated(text).into_iter().map(|(.., target, _)| target).collect::<Vec<_>>();
    assert_eq!(types("Login depends on [[A]], [[B]] and the [[C]]."), [1, 2, 3]);
    assert_eq!(types("ログインは[[A]]と[[B]]に依存する。"), [1, 2]);
}

#[test]
fn sentences_that_deny_suppose_or_say_something_else_state_nothing() {
    for text in [
        "Login does not depend on [[A]].",
        "Login no longer requires [[A]].",
        "If it depends on [[A]], stop.",
        "Login depends on time. [[A]] is another page.",
        "Login depends on the weather in [[A]].",
        "See [[A]].",
        "It depends on x\n\n[[A]]",
        "ログインは[[A]]に依存しない。",
        "[[A]]を参照。",
        "```\ndepends on\n```\n\n[[A]]",
    ] {
        assert_eq!(stated(text), [], "{text}");
    }
}

#[test]
fn a_long_line_of_links_is_read_in_linear_time() {
    // Without a limit, each of the links reads the whole line, which takes minutes.
    let text = format!("{}Login depends on [[User DB]].", "[[a. b]] ".repeat(40_000));
    assert_eq!(stated(&text), []);
    let text = format!("{}. Login depends on [[User DB]].", "[[a. b]] ".repeat(40_000));
    assert_eq!(stated(&text).len(), 1);
}

#[test]
fn any_text_is_read_without_an_error() {
    for text in
        ["", "[[", "depends on [[A]]", "。。[[A]]。", "x [[A]]に依存", "depends on [[A]]\r\n\r\n- [[B]]"]
    {
        let _ = stated(text);
    }
}
