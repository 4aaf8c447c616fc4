//! `ubp model`, and builds that run no models.

use ubp_host::models::known::{BUNDLED, KNOWN, MULTILINGUAL};

use super::Desk;

#[test]
fn the_list_names_what_is_used_and_what_is_known() {
    let desk = Desk::new();
    let list = desk.run(&["model", "--json"]).ok().json();
    assert_eq!(list["in_use"]["name"], BUNDLED);
    assert_eq!(list["in_use"]["available"], cfg!(feature = "engines"));
    let names: Vec<&str> =
        list["models"].as_array().unwrap().iter().map(|model| model["name"].as_str().unwrap()).collect();
    assert_eq!(names[..2], [BUNDLED, MULTILINGUAL]);
    for known in KNOWN {
        assert!(names.contains(&known.name));
    }
    let text = desk.run(&["model", "list"]).ok().out;
    assert!(text.starts_with(&format!("In use: {BUNDLED} (384 dimensions)\n")), "{text}");
    assert!(text.contains("ruri-v3-30m") && text.contains("44 MB to download"), "{text}");
}

#[test]
fn both_models_inside_are_one_word_away() {
    let desk = Desk::new();
    for (word, name) in
        [(MULTILINGUAL, MULTILINGUAL), ("intfloat/multilingual-e5-small", MULTILINGUAL), (BUNDLED, BUNDLED)]
    {
        let chosen = desk.run(&["model", "use", word, "--json"]).ok().json();
        assert_eq!((&chosen["name"], &chosen["location"]), (&name.into(), &"bundled".into()));
        assert_eq!(desk.manifest()["embedding_model"]["name"], name);
        let list = desk.run(&["model", "--json"]).ok().json();
        assert_eq!(list["in_use"]["available"], cfg!(feature = "engines"));
    }
}

#[test]
fn the_list_needs_no_project() {
    let desk = Desk::new();
    let elsewhere = desk.root.path().to_str().unwrap().to_owned();
    let list = desk.run(&["-C", &elsewhere, "model", "--json"]).ok().json();
    assert!(list["in_use"].is_null());
    desk.run(&["-C", &elsewhere, "model", "use", BUNDLED]).fails(&["no UBP project", "ubp init"]);
}

#[cfg(not(feature = "engines"))]
#[test]
fn a_build_without_engines_says_so() {
    let desk = Desk::new();
    desk.run(&["model", "use", "ruri-v3-30m"]).fails(&["this build of ubp runs no models"]);
    desk.run(&["model", "use", BUNDLED]).ok();
    let list = desk.run(&["model", "--json"]).ok().json();
    assert!(list["in_use"]["problem"].as_str().unwrap().contains("this build"));
}
