//! Checks of installed models.
#![allow(clippy::unwrap_used)]

use sha2::{Digest, Sha256};
use ubp_core::embed::{MemoryFiles, ModelFiles};

use super::{InstallRecord, InstalledModel, RecordedFile};
use crate::models::hex;
use crate::models::places::Place;

/// The files of a tiny model.
const XLMR: [(&str, &[u8]); 3] = [
    ("model.onnx", include_bytes!("../../../../../core/models/tiny/xlmr/model.onnx")),
    ("tokenizer.json", include_bytes!("../../../../../core/models/tiny/xlmr/tokenizer.json")),
    ("model.json", include_bytes!("../../../../../core/models/tiny/xlmr/model.json")),
];

#[test]
fn an_installed_model_must_match_its_record() {
    let place = tempfile::tempdir().unwrap();
    let models = place.path().join("models");
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
    assert!(problem().contains("invalid file name '../../secret'"));
    assert!(InstalledModel::open("../tiny-xlmr", Place::User, &models).unwrap().is_none());
}

#[cfg(unix)]
#[test]
fn symbolic_links_to_models_in_a_project_are_refused() {
    let place = tempfile::tempdir().unwrap();
    let models = place.path().join("models");
    let elsewhere = place.path().join("elsewhere/tiny");
    std::fs::create_dir_all(&elsewhere).unwrap();
    std::os::unix::fs::symlink(place.path().join("elsewhere"), &models).unwrap();
    let refused = |name: &str| InstalledModel::open(name, Place::Project, &models).unwrap_err().to_string();
    assert!(refused("tiny").contains("symbolic link"));
    std::fs::remove_file(&models).unwrap();
    std::fs::create_dir(&models).unwrap();
    std::os::unix::fs::symlink(&elsewhere, models.join("tiny")).unwrap();
    assert!(refused("tiny").contains("symbolic link"));
}

#[test]
fn the_recorded_checksum_matches_that_of_the_files() {
    let files = [("tokenizer.json", "t"), ("model.onnx", "o"), ("model.json", "j")];
    let recorded = files.map(|(name, content)| RecordedFile {
        name: name.into(),
        bytes: 1,
        sha256: hex(&Sha256::digest(content)),
    });
    let memory = MemoryFiles::new(files.map(|(name, content)| (name, content.as_bytes())));
    assert_eq!(InstallRecord::new("x".into(), recorded.into()).checksum(), memory.checksum().unwrap());
}
