//! `ubp model use FOLDER`.

use std::fs;

use super::{BERT, Desk, folder_of, names};
use crate::ExitStatus;
use ubp_core::progress::Cancel;

#[test]
fn a_model_folder_is_checked_copied_and_used() {
    let desk = Desk::new();
    let mut manifest = desk.manifest();
    manifest["mine"] = serde_json::json!({ "kept": [1, 2] });
    fs::write(desk.project().join(".ubp/manifest.json"), format!("{manifest:#}")).unwrap();
    let folder = folder_of(&desk, "my encoder", &BERT);

    let chosen = desk.run(&["model", "use", &folder, "--json"]).ok().json();
    assert_eq!((&chosen["name"], &chosen["changed"]), (&"tiny-bert".into(), &true.into()));
    let models = desk.project().join(".ubp/models");
    assert_eq!(names(&models), ["tiny-bert"]);
    assert_eq!(
        names(&models.join("tiny-bert")),
        ["install.json", "model.json", "model.onnx", "tokenizer.json"]
    );
    let model = &desk.manifest()["embedding_model"];
    assert_eq!((&model["name"], &model["dimensions"]), (&"tiny-bert".into(), &8.into()));
    assert_eq!(model["version"].as_str().unwrap().len(), 16);
    assert_eq!(desk.manifest()["mine"], manifest["mine"]);
    assert_eq!(desk.manifest()["pages_dir"], manifest["pages_dir"]);

    // The project uses its own copy.
    fs::remove_dir_all(&folder).unwrap();
    let list = desk.run(&["model", "--json"]).ok().json();
    assert_eq!((&list["in_use"]["name"], &list["in_use"]["available"]), (&"tiny-bert".into(), &true.into()));
    let added = desk.run(&["add", "--json"]).ok().json();
    assert_eq!(added["index"]["pending"], 0);

    let before = desk.manifest_text();
    let again = desk.run(&["model", "use", "tiny-bert"]).ok();
    assert!(again.out.contains("nothing changed"), "{}", again.out);
    assert_eq!(desk.manifest_text(), before);
    let back = desk.run(&["model", "use", "all-MiniLM-L6-v2"]).ok();
    assert!(back.out.contains("built in") && back.out.contains("ubp add"), "{}", back.out);
    assert_eq!(desk.manifest()["embedding_model"]["dimensions"], 384);
    assert_eq!(desk.manifest()["embedding_model"]["version"], "1.0");
}

#[test]
fn a_newer_version_replaces_the_older_one() {
    let desk = Desk::new();
    let folder = folder_of(&desk, "m", &BERT);
    let first = desk.run(&["model", "use", &folder, "--json"]).ok().json();
    let text = String::from_utf8(BERT[2].1.to_vec()).unwrap().replace("\"cls\"", "\"mean\"");
    fs::write(format!("{folder}/model.json"), text).unwrap();
    let second = desk.run(&["model", "use", &folder, "--json"]).ok().json();
    assert_ne!(first["version"], second["version"]);
    assert_eq!(second["changed"], true);
    assert_eq!(names(&desk.project().join(".ubp/models")), ["tiny-bert"]);
}

#[test]
fn missing_or_damaged_model_files_are_named_and_change_nothing() {
    let desk = Desk::new();
    let before = desk.manifest_text();
    let description = std::str::from_utf8(BERT[2].1).unwrap();
    let half = &BERT[0].1[..BERT[0].1.len() / 2];
    let wide = description.replace("\"dimensions\": 8", "\"dimensions\": 9");
    let unknown = description.replace("\"pooling\"", "\"poling\"");
    let ours = description.replace("tiny-bert", "all-MiniLM-L6-v2");
    let path = description.replace("tiny-bert", "../../tiny");
    let long = description.replace("24", "27");
    type Case<'a> = (&'a str, Option<&'a [u8]>, &'a [&'a str]);
    let cases: [Case<'_>; 13] = [
        ("model.onnx", None, &["lacks model.onnx"]),
        ("tokenizer.json", None, &["lacks tokenizer.json"]),
        ("model.json", None, &["lacks model.json", "\"dimensions\": 384", "\"pooling\": \"mean\""]),
        ("model.onnx", Some(b"not a model"), &["model.onnx"]),
        ("model.onnx", Some(half), &["model.onnx"]),
        ("tokenizer.json", Some(b"{}"), &["tokenizer.json"]),
        ("model.json", Some(b"{"), &["model.json", "an example"]),
        ("model.json", Some(wide.as_bytes()), &["8 dimensions", "says 9"]),
        ("model.json", Some(long.as_bytes()), &["model.onnx cannot be run"]),
        ("model.json", Some(unknown.as_bytes()), &["poling", "an example"]),
        ("model.json", Some(ours.as_bytes()), &["the built-in model", "another \"name\""]),
        ("model.json", Some(path.as_bytes()), &["'../../tiny' is not a valid folder name"]),
        ("model.json", Some(b""), &["model.json"]),
    ];
    for (number, (name, content, words)) in cases.into_iter().enumerate() {
        let folder = folder_of(&desk, &format!("broken{number}"), &BERT);
        let path = std::path::Path::new(&folder).join(name);
        match content {
            Some(content) => fs::write(&path, content).unwrap(),
            None => fs::remove_file(&path).unwrap(),
        }
        desk.run(&["model", "use", &folder]).fails(words);
        assert_eq!(desk.manifest_text(), before, "case {number}");
        assert_eq!(names(&desk.project().join(".ubp/models")), [""; 0], "case {number}");
    }
    desk.run(&["model", "use", "./nowhere"]).fails(&["nowhere"]);
}

#[test]
fn a_cancelled_install_leaves_no_files() {
    let desk = Desk::new();
    let before = desk.manifest_text();
    let folder = folder_of(&desk, "m", &BERT);
    let cancel = Cancel::default();
    cancel.request();
    let stopped = desk.run_until(&["model", "use", &folder], &cancel);
    assert_eq!(stopped.status, ExitStatus::Interrupted);
    assert_eq!(names(&desk.project().join(".ubp/models")), [""; 0]);
    assert_eq!(desk.manifest_text(), before);
}

#[test]
fn a_model_folder_copied_by_hand_is_checked_in_place() {
    let desk = Desk::new();
    let folder = folder_of(&desk, "user-models/tiny-bert", &BERT);
    desk.name_model("tiny-bert");
    let search = desk.run(&["search", "login"]).ok();
    assert!(search.err.contains("never checked") && search.err.contains("ubp model use"), "{}", search.err);
    let chosen = desk.run(&["model", "use", &folder, "--json"]).ok().json();
    assert_eq!(chosen["location"], "user");
    assert_eq!(names(&desk.project().join(".ubp/models")), [""; 0]);
    assert!(!desk.run(&["search", "login"]).ok().err.contains("warning"));
}

#[cfg(unix)]
#[test]
fn a_symbolic_link_for_the_models_folder_of_a_project_is_refused() {
    let desk = Desk::new();
    let folder = folder_of(&desk, "m", &BERT);
    std::os::unix::fs::symlink(desk.root.path(), desk.project().join(".ubp/models")).unwrap();
    desk.run(&["model", "use", &folder]).fails(&["symbolic link"]);
    assert!(!desk.root.path().join("tiny-bert").exists());
}

#[test]
fn symbolic_links_in_a_given_model_folder_are_followed() {
    let desk = Desk::new();
    let folder = folder_of(&desk, "m", &BERT);
    #[cfg(unix)]
    {
        let real = desk.root.path().join("blob");
        fs::rename(format!("{folder}/model.onnx"), &real).unwrap();
        std::os::unix::fs::symlink(&real, format!("{folder}/model.onnx")).unwrap();
    }
    desk.run(&["model", "use", &folder]).ok();
    let copy = desk.project().join(".ubp/models/tiny-bert/model.onnx");
    assert!(fs::symlink_metadata(&copy).unwrap().is_file());
    assert_eq!(fs::read(copy).unwrap(), BERT[0].1);
}
