//! Accepting a suggested link changes only the suggested words, and decisions persist.

use crate::index::tests::Project;
use crate::manifest::LinkOrder;
use crate::ops::suggest_links::{self, Output, Params, Status};
use crate::ops::{accept, dismiss};
use crate::ports::{MemorySource, Source};
use crate::suggest::decisions::FILE;
use crate::testing::FaultySource;

const LOGIN: &str = "# Login\r\n\r\nSee `User Database`. The *user database* holds passwords.\r\n";

fn pages() -> [(&'static str, &'static str); 6] {
    [
        ("login.md", LOGIN),
        (
            "db/users.md",
            "---\ntitle: User Database\naliases: [people]\n---\nUsers and passwords of all people.\n",
        ),
        ("tokens.md", "# Tokens\n\n[[login]] and the [[users|user database]] make tokens.\n"),
        ("weather.md", "# Weather\n\nRain. [[tokens]]\n"),
        ("notes/a.md", "# A note\n\nNothing to see.\n"),
        ("notes/table.md", "| a | b |\n|---|---|\n| user database | implements |\n"),
    ]
}

fn suggested<S: Source>(project: &Project<S>, page: Option<&str>) -> Output {
    let params =
        Params { page: page.map(Into::into), threshold: Some(0.0), limit: Some(50), ..Params::default() };
    suggest_links::run(&project.context(), params).unwrap()
}

fn accept_params(source: &str, target: &str) -> accept::Params {
    accept::Params { source: source.into(), target: target.into(), ..accept::Params::default() }
}

fn text(project: &Project, page: &str) -> String {
    String::from_utf8(project.source.read(page).unwrap()).unwrap()
}

#[test]
fn an_unlinked_mention_is_the_best_suggestion_and_has_a_place() {
    let project = Project::with_pages(pages());
    let found = suggested(&project, Some("Login"));
    let best = &found.suggestions[0];
    assert_eq!(best.target.filepath, "db/users.md");
    assert!(best.reason.to_string().contains("its name occurs in the text"), "{}", best.reason);
    let place = best.place.as_ref().unwrap();
    assert_eq!((place.line, place.text.as_str()), (3, "user database"));
    assert!(found.suggestions.windows(2).all(|pair| pair[0].confidence >= pair[1].confidence));
    assert!(found.suggestions.iter().all(|found| (0.0..=1.0).contains(&found.confidence)));
    // Linked pages are not suggested.
    assert!(
        suggested(&project, Some("weather.md")).suggestions.iter().all(|s| s.target.filepath != "tokens.md")
    );
    // For all pages, the same pair is best, and each pair occurs once.
    let all = suggested(&project, None);
    assert!(
        all.suggestions.iter().any(|s| s.source.filepath == "login.md" && s.target.filepath == "db/users.md")
    );
    let mut pairs: Vec<_> = all
        .suggestions
        .iter()
        .map(|s| {
            let (a, b) = (&s.source.filepath, &s.target.filepath);
            (a.min(b).clone(), a.max(b).clone())
        })
        .collect();
    pairs.sort_unstable();
    let count = pairs.len();
    pairs.dedup();
    assert_eq!(pairs.len(), count);
}

#[test]
fn accepting_changes_only_the_linked_words() {
    let project = Project::with_pages(pages());
    let made = accept::run(&project.context(), accept_params("login.md", "User Database")).unwrap();
    assert_eq!(made.link, "[[users|user database]]");
    assert_eq!(text(&project, "login.md"), LOGIN.replace("*user database*", "*[[users|user database]]*"));
    assert!(
        suggested(&project, Some("login.md")).suggestions.iter().all(|s| s.target.filepath != "db/users.md")
    );
    let decisions = String::from_utf8(project.source.read_state(FILE).unwrap().unwrap()).unwrap();
    assert!(decisions.starts_with("{\"decision\":\"accepted\"") && decisions.ends_with("}\n"), "{decisions}");
    assert!(decisions.contains("\"source\":\"login.md\",\"target\":\"db/users.md\""));

    accept::run(&project.context(), accept_params("notes/table.md", "users")).unwrap();
    assert!(text(&project, "notes/table.md").contains("| [[users\\|user database]] | implements |"));
}

#[test]
fn accepting_writes_the_link_order_of_the_project() {
    let mut project = Project::with_pages(pages());
    project.manifest.links.order = LinkOrder::LabelFirst;
    project.put("only.md", "A user database.\n");
    project.update();
    let made = accept::run(&project.context(), accept_params("only.md", "db/users.md"));
    assert_eq!(made.unwrap().link, "[[user database|users]]");
    assert_eq!(text(&project, "only.md"), "A [[user database|users]].\n");
}

#[test]
fn words_equal_to_a_link_type_are_linked_as_text() {
    let project = Project::with_pages([
        ("a.md", "what implements what\n"),
        ("how.md", "---\naliases: [implements]\n---\nx\n"),
        ("x/same.md", "1\n"),
        ("y/same.md", "---\naliases: [twin]\n---\n2\n"),
        ("b.md", "a twin\n"),
    ]);
    accept::run(&project.context(), accept_params("a.md", "how")).unwrap();
    assert_eq!(text(&project, "a.md"), "what [[how|references|implements]] what\n");
    accept::run(&project.context(), accept_params("b.md", "y/same.md")).unwrap();
    assert_eq!(text(&project, "b.md"), "a [[y/same|twin]]\n");
}

#[test]
fn accepting_a_suggestion_for_changed_text_is_a_conflict() {
    let project = Project::with_pages(pages());
    for (line, words) in [(Some(4), None), (None, Some("User Database")), (Some(3), Some("users"))] {
        let params =
            accept::Params { line, text: words.map(Into::into), ..accept_params("login.md", "db/users.md") };
        assert_eq!(accept::run(&project.context(), params).unwrap_err().code(), "conflict");
    }
    for (source, target) in [("notes/a.md", "db/users.md"), ("login.md", "login.md")] {
        let error = accept::run(&project.context(), accept_params(source, target)).unwrap_err();
        assert_eq!(error.code(), "invalid_params", "{source}");
    }
    assert_eq!(text(&project, "login.md"), LOGIN);
    assert_eq!(project.source.read_state(FILE).unwrap(), None);
}

#[test]
fn pages_that_cannot_be_edited_safely_are_not_changed() {
    let project = Project::with_pages(pages());
    let latin1 = b"the user database of Z\xfcrich\n";
    project.source.put("latin.md", latin1, jiff::Timestamp::UNIX_EPOCH);
    project.update();
    let error = accept::run(&project.context(), accept_params("latin.md", "db/users.md")).unwrap_err();
    assert_eq!(error.code(), "invalid_params");
    assert_eq!(project.source.read("latin.md").unwrap(), latin1);
}

#[test]
fn dismissed_pairs_are_suggested_only_on_request() {
    let project = Project::with_pages(pages());
    let params = dismiss::Params {
        source: "db/users.md".into(),
        target: "login".into(),
        ..dismiss::Params::default()
    };
    dismiss::run(&project.context(), params).unwrap();
    let is_pair = |s: &suggest_links::Suggestion| s.target.filepath == "db/users.md";
    assert!(!suggested(&project, Some("login")).suggestions.iter().any(is_pair));
    let params = Params {
        page: Some("login".into()),
        threshold: Some(0.0),
        limit: Some(50),
        include_decided: true,
        max_tokens: None,
    };
    let all = suggest_links::run(&project.context(), params).unwrap();
    assert_eq!(all.suggestions.iter().find(|s| is_pair(s)).unwrap().status, Status::Dismissed);
}

#[test]
fn a_failing_disk_loses_no_data() {
    let project = Project::over(FaultySource::new(MemorySource::with_pages(pages())));
    project.update();
    project.source.break_write("login.md", std::io::ErrorKind::StorageFull);
    let error = accept::run(&project.context(), accept_params("login.md", "db/users.md")).unwrap_err();
    assert_eq!(error.code(), "io");
    assert_eq!(project.source.read("login.md").unwrap(), LOGIN.as_bytes());
    project.source.mend();
    project.source.break_read("login.md", std::io::ErrorKind::PermissionDenied);
    let found = suggested(&project, Some("login.md"));
    assert!(found.suggestions[0].place.is_none());
}

#[test]
fn parameters_out_of_range_are_refused_and_empty_projects_have_no_suggestions() {
    let project = Project::with_pages([]);
    assert!(suggested(&project, None).suggestions.is_empty());
    for (threshold, limit) in
        [(Some(1.5), None), (Some(-0.1), None), (Some(f64::NAN), None), (None, Some(0)), (None, Some(51))]
    {
        let params = Params { threshold, limit, ..Params::default() };
        assert_eq!(suggest_links::run(&project.context(), params).unwrap_err().code(), "invalid_params");
    }
    let one = Project::with_pages([("only.md", "only only [[only]]")]);
    assert!(suggested(&one, None).suggestions.is_empty());
    assert!(suggested(&one, Some("only")).suggestions.is_empty());
}

fn mentions(found: &[suggest_links::Mention]) -> Vec<(&str, &str, usize, &str, usize)> {
    found
        .iter()
        .map(|found| {
            let (source, target) = (found.source.filepath.as_str(), found.target.filepath.as_str());
            (source, target, found.place.line, found.place.text.as_str(), found.count)
        })
        .collect()
}

#[test]
fn a_page_is_mentioned_by_its_file_name_title_and_aliases() {
    let project = Project::with_pages([
        ("rate-limits.md", "# Throttling\n\nWe slow callers down.\n"),
        ("sessions.md", "---\ntitle: Sign-in\naliases: [logged in]\n---\nWho is there.\n"),
        ("api.md", "# API\n\nEvery key has rate-limits.\nRate limits are documented. Nobody is logged in.\n"),
        ("linked.md", "# Linked\n\n[[rate-limits]] and [[sessions]]; rate-limits, Sign-in.\n"),
        ("code.md", "# Code\n\n`rate-limits` and pre-rate-limits\n"),
    ]);
    let params = |page: &str| Params { page: Some(page.into()), ..Params::default() };
    let found = suggest_links::run(&project.context(), params("api")).unwrap();
    assert_eq!(
        mentions(&found.mentions),
        [("api.md", "rate-limits.md", 3, "rate-limits", 2), ("api.md", "sessions.md", 4, "logged in", 1)]
    );
    let found = suggest_links::run(&project.context(), params("Throttling")).unwrap();
    assert_eq!(mentions(&found.mentions), []);
    assert_eq!(mentions(&found.mentioned_by), [("api.md", "rate-limits.md", 3, "rate-limits", 2)]);
    // For all pages, the rarest names come first.
    let found =
        suggest_links::run(&project.context(), Params { limit: Some(1), ..Params::default() }).unwrap();
    assert_eq!(mentions(&found.mentions), [("api.md", "sessions.md", 4, "logged in", 1)]);
    assert!(found.more_mentions);
}

#[test]
fn dismissed_and_linked_mentions_are_not_listed() {
    let project = Project::with_pages(pages());
    let found = |include_decided| {
        let params = Params { page: Some("db/users.md".into()), include_decided, ..Params::default() };
        suggest_links::run(&project.context(), params).unwrap().mentioned_by
    };
    let by = |found: &[suggest_links::Mention]| -> Vec<String> {
        found.iter().map(|found| found.source.filepath.clone()).collect()
    };
    assert_eq!(by(&found(false)), ["login.md", "notes/table.md"]);
    let params = dismiss::Params {
        source: "db/users.md".into(),
        target: "login".into(),
        ..dismiss::Params::default()
    };
    dismiss::run(&project.context(), params).unwrap();
    accept::run(&project.context(), accept_params("notes/table.md", "users")).unwrap();
    assert!(found(false).is_empty());
    let all = found(true);
    assert_eq!((by(&all), all[0].status), (vec!["login.md".to_owned()], Status::Dismissed));
}

#[test]
fn a_large_project_is_not_read_as_a_whole_for_one_page() {
    let filler: Vec<(String, String)> = (0..900)
        .map(|n| {
            let words: String = (0..20).map(|w| format!("word{} ", (n * 7 + w * w * 13) % 1_500)).collect();
            (format!("filler/{n}.md"), format!("# Filler {n}\n\n{words}\n"))
        })
        .collect();
    let special = [
        ("login.md", "# Login\n\nPasswords, cookies and handshakes keep the user database busy.\n"),
        ("users.md", "# User database\n\nRows of users.\n"),
        ("twin.md", "# Elsewhere\n\nPasswords, cookies and handshakes, explained.\n"),
    ];
    let mut pages: Vec<(&str, &str)> = special.to_vec();
    pages.extend(filler.iter().map(|(path, text)| (path.as_str(), text.as_str())));
    let project = Project::with_pages(pages);
    let found = suggested(&project, Some("login.md"));
    let targets: Vec<&str> = found.suggestions.iter().map(|found| found.target.filepath.as_str()).collect();
    assert_eq!(targets[0], "users.md");
    assert!(targets.iter().take(3).any(|target| *target == "twin.md"), "{targets:?}");
    assert_eq!(mentions(&found.mentions), [("login.md", "users.md", 3, "user database", 1)]);
    // The score is close to the one from comparing all pages.
    let all = suggested(&project, None);
    let score = |output: &Output| {
        let is_pair = |found: &&suggest_links::Suggestion| {
            (found.source.filepath.as_str(), found.target.filepath.as_str()) == ("login.md", "users.md")
        };
        output.suggestions.iter().find(is_pair).map(|found| found.confidence)
    };
    let (one, all) = (score(&found).unwrap(), score(&all).unwrap());
    assert!((one - all).abs() < 0.1, "{one} {all}");
}
