//! The rows about paths, and more paths to the outside: every tool with a path parameter rejects them.

use serde_json::json;
use ubp_tests::mcp::McpClient;
use ubp_tests::tables::{self, Row};

use super::{Folder, listed};

/// The tools with a path parameter, and the name of that parameter.
const BY_PATH: [(&str, &str); 3] =
    [("index_markdown", "filepath"), ("delete_document", "filename"), ("reindex_document", "filename")];

/// A folder with files outside of the documents folder, and links to them inside of it.
fn tempting() -> (Folder, McpClient) {
    let folder = Folder::new();
    folder.write("secret.md", "secret");
    folder.write("documents-evil/x.md", "evil");
    folder.write("elsewhere/y.md", "elsewhere");
    std::os::unix::fs::symlink(folder.path("secret.md"), folder.path("documents/link.md")).unwrap();
    std::os::unix::fs::symlink(folder.path("elsewhere"), folder.path("documents/linked")).unwrap();
    let mut client = folder.documents();
    listed(&mut client, 3);
    (folder, client)
}

/// Asserts that nothing outside of the documents folder was read or changed.
fn untouched(folder: &Folder, client: &mut McpClient) {
    assert_eq!(folder.read("secret.md"), "secret");
    assert_eq!(folder.read("documents-evil/x.md"), "evil");
    assert_eq!(folder.read("elsewhere/y.md"), "elsewhere");
    assert_eq!(listed(client, 3).len(), 3);
    let found = client.ask("search", json!({ "query": "secret evil elsewhere" })).unwrap();
    assert!(!found["results"].to_string().contains("secret"), "{found}");
}

#[test]
fn every_path_in_the_table_is_rejected() {
    let refused: fn(&Row) = refused;
    let paths = ["`../secret.md`", "`/etc/passwd`", "`../documents-evil/x.md`", "`link.md`"];
    tables::run("documents", "Paths", &paths.map(|path| (path, refused)));
}

fn refused(row: &Row) {
    let (folder, mut client) = tempting();
    for (tool, field) in BY_PATH {
        let (code, words) = client.refusal(tool, json!({ field: row.code(0)[0] })).unwrap();
        assert_eq!(code, "outside_project", "{tool}: {words}");
    }
    untouched(&folder, &mut client);
}

#[test]
fn every_tool_rejects_paths_to_the_outside_in_every_notation() {
    let (folder, mut client) = tempting();
    let absolute = |name: &str| folder.path(name).to_string_lossy().into_owned();
    let outside = [
        "documents/../../secret.md".to_owned(),
        "sub/../../secret.md".into(),
        absolute("secret.md"),
        absolute("documents-evil/x.md"),
        format!("{}/../secret.md", absolute("documents")),
        "note1.md\0../../secret.md".into(),
        "..\\secret.md".into(),
        "linked/y.md".into(),
        "..".into(),
    ];
    let no_document = ["~/secret.md", "file:///etc/passwd", "", "."].map(str::to_owned);
    for (attack, is_outside) in
        outside.iter().map(|path| (path, true)).chain(no_document.iter().map(|path| (path, false)))
    {
        for (tool, field) in BY_PATH {
            let (code, words) = client.refusal(tool, json!({ field: attack })).unwrap();
            let right = code == "outside_project" || code == "invalid_params" && !is_outside;
            assert!(right, "{tool} {attack:?}: {code}: {words}");
        }
    }
    untouched(&folder, &mut client);
}
