//! How many contradictions are found, and what is found.
#![allow(clippy::unwrap_used)]

use super::*;

fn found(topic: &str, held: &str, given: &str) -> Option<Contradiction> {
    Statements::of(topic, held).against(&Statements::of(topic, given), 1).pop()
}

/// How many contradictions were found and missed, and how many texts that agree were reported and not.
fn measured(keep: impl Fn(&str) -> bool) -> [usize; 4] {
    let mut counts = [0; 4];
    for line in include_str!("cases.txt").lines().filter(|line| !line.starts_with('#') && keep(line)) {
        let fields: Vec<&str> = line.split('|').collect();
        let [expected, topic, held, given] = fields.as_slice() else { panic!("{line}") };
        let (expected, contradicts) = (*expected == "+", found(topic, held, given).is_some());
        assert_eq!(contradicts, found(topic, given, held).is_some(), "order does not matter: {line}");
        counts[usize::from(!expected) * 2 + usize::from(!contradicts)] += 1;
    }
    counts
}

#[test]
fn most_contradictions_of_words_are_found_in_english_and_japanese() {
    let is_japanese = |line: &str| line.chars().any(is_hiragana);
    assert_eq!(measured(|line| !is_japanese(line)), [31, 7, 0, 39]);
    assert_eq!(measured(is_japanese), [23, 2, 1, 22]);
}

#[test]
fn a_contradiction_is_reported_with_its_sentences() {
    let held = "## Ports\n\nThe API is behind a proxy. It listens on port 8080.\n\n- Logs are text.";
    let given = "It listens on port 9090.\n\n- Logs are not text.\n\n```\nport = 1\n```";
    let all = Statements::of("API", held).against(&Statements::of("API", given), 9);
    let told: Vec<_> =
        all.iter().map(|one| (one.difference, one.held.as_str(), one.given.as_str())).collect();
    assert_eq!(
        told,
        [
            (Difference::Negation, "Logs are text.", "Logs are not text."),
            (Difference::Number, "It listens on port 8080.", "It listens on port 9090."),
        ]
    );
}

#[test]
fn a_text_does_not_contradict_itself_or_a_longer_version() {
    let text = "Use tokio. Never block. Keep 3 workers.\n\n1. Build it.\n2. Test it.\n3. Ship it.";
    assert_eq!(found("T", text, text), None);
    assert_eq!(found("T", text, &format!("{text}\n\nUse 4 cores.")), None);
    assert_eq!(found("T", "", text), None);
}

#[test]
fn another_spelling_of_a_number_is_no_difference() {
    for (held, given) in [
        ("ポートは８０８０番です。", "ポートは8080番です。"),
        ("The limit is 10,000 rows.", "The limit is 10000 rows."),
        ("ﾎﾟｰﾄは80番です。", "ポートは80番です。"),
    ] {
        assert_eq!(found("T", held, given), None, "{held} {given}");
    }
    let other = found("T", "ポートは８０８０番です。", "ポートは9090番です。").unwrap();
    assert_eq!((other.difference, &*other.held), (Difference::Number, "ポートは８０８０番です。"));
}

#[test]
fn memories_about_other_topics_need_more_words_in_common() {
    let of = Statements::of;
    let (cache, database) = (of("Cache", "The API uses Redis."), of("Database", "The API uses PostgreSQL."));
    assert_eq!(cache.against(&database, 1), []);
    let again = of("Cache", "The API uses Memcached.");
    assert_eq!(cache.against(&again, 1)[0].difference, Difference::Value);
}
