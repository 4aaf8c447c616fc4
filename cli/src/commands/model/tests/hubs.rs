//! `ubp model use NAME`.

use std::fs;

use super::hub_server::{Behaviour, Hub};
use super::{Desk, XLMR, names};
use ubp_host::models::known::{KNOWN, known};

const NAME: &str = "multilingual-e5-small";

/// A hub that serves the tiny model under a known name.
fn hub() -> Hub {
    let description = String::from_utf8(XLMR[2].1.to_vec()).unwrap().replace("tiny-xlmr", NAME);
    let files = [
        ("/onnx/model_quantized.onnx".to_owned(), XLMR[0].1.to_vec()),
        ("/tokenizer.json".to_owned(), XLMR[1].1.to_vec()),
        ("/model.json".to_owned(), description.into_bytes()),
    ];
    Hub::start(Behaviour { files: files.into(), ..Behaviour::default() })
}

fn desk_at(hub: &Hub) -> Desk {
    let mut desk = Desk::new();
    desk.set("UBP_HUB", &hub.url);
    desk
}

#[track_caller]
fn nothing_happened(desk: &Desk) {
    assert_eq!(desk.manifest()["embedding_model"]["name"], "all-MiniLM-L6-v2");
    assert!(!desk.user_models().join(NAME).exists());
}

#[test]
fn a_known_model_is_downloaded_for_all_projects() {
    let hub = hub();
    let mut desk = desk_at(&hub);
    hub.change(|hub| hub.redirect = Some("/store".into()));
    let chosen = desk.run(&["model", "use", NAME]).ok();
    assert!(
        chosen.err.contains("Downloading") && chosen.err.contains("differs from the known edition"),
        "{}",
        chosen.err
    );
    assert_eq!(names(&desk.user_models()), [NAME]);
    assert_eq!(
        names(&desk.user_models().join(NAME)),
        ["install.json", "model.json", "model.onnx", "tokenizer.json"]
    );
    let record = fs::read_to_string(desk.user_models().join(NAME).join("install.json")).unwrap();
    assert!(record.contains(&hub.url) && record.contains("sha256"), "{record}");
    let revision = known(NAME).unwrap().revision;
    assert_eq!(hub.requests()[0], format!("/Xenova/multilingual-e5-small/resolve/{revision}/tokenizer.json"));
    assert_eq!(desk.manifest()["embedding_model"]["dimensions"], 8);
    assert_eq!(desk.run(&["add", "--json"]).ok().json()["index"]["pending"], 0);

    // An installed model needs no network, by either of its names.
    let asked = hub.requests().len();
    desk.set("UBP_OFFLINE", "1");
    desk.run(&["model", "use", "all-MiniLM-L6-v2"]).ok();
    let chosen = desk.run(&["model", "use", "intfloat/multilingual-e5-small", "--json"]).ok().json();
    assert_eq!((&chosen["name"], &chosen["location"]), (&NAME.into(), &"user".into()));
    assert_eq!(hub.requests().len(), asked);
}

#[test]
fn an_interrupted_download_resumes() {
    let hub = hub();
    let desk = desk_at(&hub);
    // The tokenizer is shorter than the cut, so only the download of the weights breaks.
    hub.change(|hub| {
        hub.cut = Some(3000);
        hub.down_after_cut = true;
    });
    desk.run(&["model", "use", NAME]).fails(&["the connection broke after 3 kB", "to resume"]);
    nothing_happened(&desk);
    let part = desk.user_models().join(format!(".{NAME}.part/model.onnx.part"));
    assert_eq!(fs::read(&part).unwrap(), XLMR[0].1[..3000]);
    let list = desk.run(&["model", "--json"]).ok().json();
    assert!(list["models"].as_array().unwrap().iter().all(|model| model["location"] != "user"));

    hub.change(|hub| hub.down_after_cut = false);
    desk.run(&["model", "use", NAME]).ok();
    assert!(hub.requests().iter().any(|request| request.ends_with("model_quantized.onnx 3000-")));
    let tokenizers = hub.requests().iter().filter(|request| request.ends_with("tokenizer.json")).count();
    assert_eq!(tokenizers, 1, "the complete file is not downloaded again");
    assert_eq!(names(&desk.user_models()), [NAME]);
    assert_eq!(fs::read(desk.user_models().join(NAME).join("model.onnx")).unwrap(), XLMR[0].1);
}

#[test]
fn a_wrong_checksum_is_an_error_and_the_file_is_removed() {
    let hub = hub();
    let desk = desk_at(&hub);
    hub.change(|hub| hub.checksum = Some("ab".repeat(32)));
    desk.run(&["model", "use", NAME]).fails(&["the checksum is wrong", &"ab".repeat(32), "removed"]);
    nothing_happened(&desk);
    assert_eq!(names(&desk.user_models()), [""; 0]);
    hub.change(|hub| hub.checksum = None);
    desk.run(&["model", "use", NAME]).ok();
}

#[test]
fn model_files_that_contradict_their_description_are_not_installed() {
    let hub = hub();
    let desk = desk_at(&hub);
    // Without its own description, the hub must serve the known edition, with 384 dimensions.
    hub.change(|hub| {
        hub.files.remove("/model.json");
    });
    desk.run(&["model", "use", NAME]).fails(&["8 dimensions", "384"]);
    nothing_happened(&desk);
    assert_eq!(names(&desk.user_models()), [""; 0]);
    hub.change(|hub| {
        hub.files.insert("/model.json".into(), XLMR[2].1.to_vec());
    });
    desk.run(&["model", "use", NAME]).fails(&["tiny-xlmr"]);
    nothing_happened(&desk);
}

#[test]
fn without_a_network_the_error_says_what_to_do() {
    let hub = hub();
    let mut desk = desk_at(&hub);
    desk.set("UBP_OFFLINE", "1");
    let refused = desk.run(&["model", "use", NAME]).fails(&["UBP_OFFLINE is set", "copy the folder"]);
    assert!(refused.err.contains(desk.user_models().to_str().unwrap()), "{}", refused.err);
    assert_eq!(hub.requests(), [""; 0]);
    let error = &desk.run(&["model", "use", NAME, "--json"]).json()["error"];
    assert_eq!(error["code"], "model");
    assert!(error["hint"].as_str().unwrap().contains("ubp model use FOLDER"));
    desk.set("UBP_OFFLINE", "0");
    desk.set("UBP_HUB", "http://127.0.0.1:1");
    desk.run(&["model", "use", NAME]).fails(&["the hub cannot be reached", "copy the folder"]);
    desk.set("UBP_HUB", &hub.url);
    hub.change(|hub| hub.files.clear());
    desk.run(&["model", "use", NAME]).fails(&["the hub returned status 404"]);
    for bad in ["http://hub.example", "ftp://hub.example", "nonsense"] {
        desk.set("UBP_HUB", bad);
        desk.run(&["model", "use", NAME]).fails(&["UBP_HUB", "https://"]);
    }
    nothing_happened(&desk);
}

#[test]
fn model_files_copied_by_hand_need_no_network() {
    let hub = hub();
    let mut desk = desk_at(&hub);
    desk.run(&["model", "use", NAME]).ok();
    // A copy from another machine, without the record of the installation.
    let folder = desk.user_models().join(NAME);
    fs::remove_file(folder.join("install.json")).unwrap();
    desk.set("UBP_OFFLINE", "1");
    let asked = hub.requests().len();
    desk.run(&["model", "use", NAME]).ok();
    assert!(folder.join("install.json").exists());
    assert_eq!(hub.requests().len(), asked);
}

#[test]
fn an_unknown_name_lists_the_known_ones() {
    let desk = Desk::new();
    let failed = desk.run(&["model", "use", "gpt-embed"]).fails(&["'gpt-embed'", "all-MiniLM-L6-v2"]);
    for known in KNOWN {
        assert!(failed.err.contains(known.name));
    }
    nothing_happened(&desk);
}
