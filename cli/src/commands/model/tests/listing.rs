//! `ubp model`, and builds without an engine for models.

use ubp_host::models::known::{BUNDLED, KNOWN};

use super::Desk;

#[test]
fn the_list_shows_the_model_in_use_and_known_models() {
    let desk = Desk::new();
    let list = desk.run(&["model", "--json"]).ok().json();
    assert_eq!(list["in_use"]["name"], BUNDLED);
    assert_eq!(list["in_use"]["available"], cfg!(feature = "engines"));
    let names: Vec<&str> =
        list["models"].as_array().unwrap().iter().map(|model| model["name"].as_str().unwrap()).collect();
    assert_eq!(names[0], BUNDLED);
    for known in KNOWN {
        assert!(names.contains(&known.name));
    }
    let text = desk.run(&["model", "list"]).ok().out;
    assert!(text.starts_with(&format!("In use: {BUNDLED} (384 dimensions)\n")), "{text}");
    assert!(text.contains("ruri-v3-30m") && text.contains("44 MB to download"), "{text}");
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
fn a_build_without_engines_reports_that_it_runs_no_models() {
    let desk = Desk::new();
    desk.run(&["model", "use", "ruri-v3-30m"]).fails(&["this build of ubp cannot run models"]);
    desk.run(&["model", "use", BUNDLED]).ok();
    let list = desk.run(&["model", "--json"]).ok().json();
    assert!(list["in_use"]["problem"].as_str().unwrap().contains("this build"));
}
