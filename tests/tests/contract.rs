//! Compares the files in `npm/ubp/generated` with the operation table. UBP_UPDATE=1 writes them.

use std::fs;
use std::path::Path;

#[test]
fn the_generated_contract_matches_the_operation_table() {
    let folder = Path::new("../npm/ubp/generated");
    let files = ubp_tests::contract::files().unwrap();
    let on_disk = || fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    if std::env::var_os("UBP_UPDATE").is_some_and(|value| value == "1") {
        for entry in on_disk().filter(|entry| !files.contains_key(&*entry.file_name().to_string_lossy())) {
            fs::remove_file(entry.path()).unwrap();
        }
        for (name, text) in &files {
            fs::write(folder.join(name), text).unwrap();
        }
    }
    let way_out = "run: UBP_UPDATE=1 cargo test -p ubp-tests --no-default-features contract";
    for (name, text) in &files {
        let found = fs::read_to_string(folder.join(name)).unwrap_or_default().replace("\r\n", "\n");
        assert!(found == *text, "npm/ubp/generated/{name} is out of date; {way_out}");
    }
    for entry in on_disk() {
        let name = entry.file_name().to_string_lossy().into_owned();
        assert!(files.contains_key(&name), "npm/ubp/generated/{name} belongs to no operation; {way_out}");
    }
}
