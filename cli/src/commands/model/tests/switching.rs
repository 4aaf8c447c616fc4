//! Searches after a change of the model, and with a missing model.

use std::fs;

use super::{BERT, Desk, XLMR, folder_of};

#[test]
fn switching_models_starts_without_vectors_and_switching_back_reuses_the_old_ones() {
    let desk = Desk::new();
    let bert = folder_of(&desk, "bert", &BERT);
    let xlmr = folder_of(&desk, "xlmr", &XLMR);
    let status = || desk.run(&["status", "--json", "--no-refresh"]).ok().json();
    let vectors = || {
        let found = desk.run(&["search", "--no-refresh", "--json", "sessions expire"]).ok().json();
        let results = found["results"].as_array().unwrap().clone();
        let with =
            results.iter().filter(|r| r["score_breakdown"]["vector_similarity"].as_f64().unwrap() > 0.0);
        assert!(!results.is_empty());
        with.count()
    };
    desk.run(&["model", "use", &bert]).ok();
    let first = desk.run(&["add", "--json"]).ok().json();
    assert!(first["embedded"].as_u64().unwrap() > 0);
    assert_eq!(status()["index"]["pending"], 0);
    assert!(vectors() > 0);

    desk.run(&["model", "use", &xlmr]).ok();
    let switched = status();
    assert_eq!(switched["index"]["pending"], switched["section_count"]);
    assert_eq!(switched["vectorized_page_count"], 0);
    assert_eq!(switched["model"]["name"], "tiny-xlmr");
    assert_eq!(vectors(), 0, "vectors of the other model must not rank");
    let second = desk.run(&["add", "--json"]).ok().json();
    assert!(second["embedded"].as_u64().unwrap() > 0);
    assert_eq!(status()["index"]["pending"], 0);
    assert!(vectors() > 0);

    desk.run(&["model", "use", "tiny-bert"]).ok();
    assert_eq!(vectors(), 0);
    assert_eq!(desk.run(&["add", "--json"]).ok().json()["embedded"], 0, "old vectors are reused");
    assert_eq!(status()["index"]["pending"], 0);
    assert!(vectors() > 0);
}

#[test]
fn with_a_missing_model_search_uses_full_text_and_prints_a_hint() {
    let desk = Desk::new();
    desk.name_model("their-model");
    let search = desk.run(&["search", "--json", "password"]).ok();
    assert_eq!(search.json()["search_type"], "fulltext_fallback");
    assert_eq!(search.json()["results"][0]["filepath"], "login.md");
    for words in ["warning:", "their-model", "not installed", "hint:", "ubp model use FOLDER"] {
        assert!(search.err.contains(words), "no '{words}' in {}", search.err);
    }
    let list = desk.run(&["model"]).ok().out;
    assert!(list.contains("not installed on this machine"), "{list}");
    desk.name_model("ruri-v3-30m");
    let search = desk.run(&["search", "password"]).ok();
    assert!(search.err.contains("`ubp model use ruri-v3-30m` downloads it"), "{}", search.err);
    for odd in ["../../outside", "a/b", "."] {
        desk.name_model(odd);
        let search = desk.run(&["search", "--json", "password"]).ok();
        assert_eq!(search.json()["search_type"], "fulltext_fallback");
        assert!(search.err.contains("invalid name"), "{}", search.err);
    }
}

#[test]
fn full_text_search_never_reads_model_weights() {
    let desk = Desk::new();
    let bert = folder_of(&desk, "bert", &BERT);
    desk.run(&["model", "use", &bert]).ok();
    desk.run(&["add"]).ok();
    let weights = desk.project().join(".ubp/models/tiny-bert/model.onnx");
    let length = fs::metadata(&weights).unwrap().len();
    // Keep the length, so that only reading the file reveals the damage.
    fs::write(&weights, vec![0; usize::try_from(length).unwrap()]).unwrap();
    let found = desk.run(&["search", "--fulltext", "--json", "password"]).ok();
    assert_eq!((found.json()["results"][0]["filepath"].as_str(), found.err.as_str()), (Some("login.md"), ""));
    fs::write(&weights, "short").unwrap();
    let found = desk.run(&["search", "password"]).ok();
    assert!(found.err.contains("model.onnx is not the file that was installed"), "{}", found.err);
}

#[test]
fn a_multilingual_model_answers_in_all_scripts() {
    let desk = Desk::new();
    desk.page("認証.md", "# 認証\n\nログインの流れを説明します。\n");
    let answer = |query: &str| {
        let found = desk.run(&["search", "--json", query]).ok().json();
        let results = found["results"].as_array().unwrap().clone();
        let near = results.iter().any(|result| {
            result["filepath"] == "認証.md"
                && result["score_breakdown"]["vector_similarity"].as_f64().unwrap() > 0.0
        });
        (found["search_type"].as_str().unwrap().to_owned(), near)
    };
    let bert = folder_of(&desk, "bert", &BERT);
    desk.run(&["model", "use", &bert]).ok();
    desk.run(&["add"]).ok();
    assert_eq!(answer("ログイン"), ("fulltext_fallback".into(), false));

    let xlmr = folder_of(&desk, "xlmr", &XLMR);
    desk.run(&["model", "use", &xlmr]).ok();
    desk.run(&["add"]).ok();
    assert_eq!(answer("ログイン"), ("hybrid".into(), true));
}

#[test]
fn only_semantic_commands_compute_vectors() {
    let desk = Desk::new();
    let folder = folder_of(&desk, "bert", &BERT);
    desk.run(&["model", "use", &folder]).ok();
    let pending = || desk.run(&["status", "--json"]).ok().json()["index"]["pending"].as_u64().unwrap();
    let all = pending();
    assert!(all > 0);
    let commands: [&[&str]; 9] = [
        &["get", "login"],
        &["list"],
        &["graph"],
        &["context", "login"],
        &["doctor"],
        &["stale"],
        &["traverse", "login"],
        &["query", "SELECT path FROM files"],
        &[],
    ];
    for command in commands {
        let ran = desk.run(command).ok();
        // Any SQL statement may use vectors.
        let may_tell = command.first() == Some(&"query");
        assert!(may_tell || !ran.err.contains("vectors yet"), "{command:?}: {}", ran.err);
        assert_eq!(pending(), all, "{command:?}");
    }
    let ran = desk.run(&["add"]).ok();
    assert!(ran.out.starts_with("Indexed: ") && ran.out.contains("vectors computed"), "{}", ran.out);
    assert!(!ran.out.contains("no page changed"), "{}", ran.out);
    assert_eq!(pending(), 0);
}
