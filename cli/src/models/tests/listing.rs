//! `ubp model`, and what an installed folder has to be.

use sha2::{Digest, Sha256};

use super::{Desk, XLMR};
use crate::models::hex;
use crate::models::installed::{InstallRecord, InstalledModel, RecordedFile};
use crate::models::known::{BUNDLED, KNOWN};
use crate::models::places::Place;

#[test]
fn the_list_names_what_is_used_and_what_is_known() {
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

#[test]
fn a_folder_is_taken_at_its_record() {
    let desk = Desk::new();
    let models = desk.user_models();
    let folder = models.join("tiny-xlmr");
    std::fs::create_dir_all(&folder).unwrap();
    for (name, bytes) in XLMR {
        std::fs::write(folder.join(name), bytes).unwrap();
    }
    let open = || InstalledModel::open("tiny-xlmr", Place::User, &models);
    let problem = || open().unwrap_err().to_string();
    assert!(problem().contains("never checked"));
    let files = XLMR.map(|(name, bytes)| RecordedFile {
        name: name.into(),
        bytes: bytes.len() as u64,
        sha256: hex(&Sha256::digest(bytes)),
    });
    let record = InstallRecord::new("here".into(), files.into());
    record.write(&folder).unwrap();
    assert_eq!(open().unwrap().unwrap().record, record);

    let description = String::from_utf8(XLMR[2].1.to_vec()).unwrap();
    std::fs::write(folder.join("model.json"), description.replace("24", "25")).unwrap();
    assert!(problem().contains("model.json was changed"));
    std::fs::write(folder.join("model.json"), &description).unwrap();
    std::fs::write(folder.join("model.onnx"), "short").unwrap();
    assert!(problem().contains("model.onnx is not the file that was installed"));
    std::fs::remove_file(folder.join("model.onnx")).unwrap();
    assert!(problem().contains("model.onnx"));
    std::fs::write(folder.join("install.json"), "{").unwrap();
    assert!(problem().contains("install.json is damaged"));
    let foreign = r#"{"source":"x","files":[{"name":"../../secret","bytes":1,"sha256":"00"}]}"#;
    std::fs::write(folder.join("install.json"), foreign).unwrap();
    assert!(problem().contains("names a file '../../secret'"));
    assert!(InstalledModel::open("../tiny-xlmr", Place::User, &models).unwrap().is_none());
}

#[cfg(unix)]
#[test]
fn a_clone_cannot_lead_to_models_elsewhere() {
    let desk = Desk::new();
    let models = desk.project().join(".ubp/models");
    let elsewhere = desk.user_models().join("tiny");
    std::fs::create_dir_all(&elsewhere).unwrap();
    std::os::unix::fs::symlink(desk.user_models(), &models).unwrap();
    let refused = |name: &str| InstalledModel::open(name, Place::Project, &models).unwrap_err().to_string();
    assert!(refused("tiny").contains("symbolic link"));
    std::fs::remove_file(&models).unwrap();
    std::fs::create_dir(&models).unwrap();
    std::os::unix::fs::symlink(&elsewhere, models.join("tiny")).unwrap();
    assert!(refused("tiny").contains("symbolic link"));
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
