//! Checks that the workspace has the structure that the design prescribes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use cargo_metadata::{CargoOpt, DependencyKind, Metadata, MetadataCommand};
use serde_json::Value;
use ubp_core::ops::OPERATIONS;

fn root() -> PathBuf {
    fs::canonicalize("..").unwrap()
}

fn metadata() -> Metadata {
    MetadataCommand::new()
        .manifest_path(root().join("Cargo.toml"))
        .features(CargoOpt::AllFeatures)
        .other_options(["--locked".to_owned()])
        .exec()
        .unwrap()
}

/// Runtime dependencies of `name`, direct and transitive.
fn needs(metadata: &Metadata, name: &str) -> BTreeSet<String> {
    let resolve = metadata.resolve.as_ref().unwrap();
    let names: BTreeMap<_, _> =
        metadata.packages.iter().map(|package| (&package.id, package.name.to_string())).collect();
    let start = metadata.packages.iter().find(|package| package.name.as_str() == name).unwrap();
    let mut seen = BTreeSet::from([start.id.clone()]);
    let mut waiting = vec![start.id.clone()];
    while let Some(id) = waiting.pop() {
        let node = resolve.nodes.iter().find(|node| node.id == id).unwrap();
        for dependency in &node.deps {
            let runs = dependency.dep_kinds.iter().any(|kind| kind.kind == DependencyKind::Normal);
            if runs && seen.insert(dependency.pkg.clone()) {
                waiting.push(dependency.pkg.clone());
            }
        }
    }
    seen.iter().map(|id| names[id].clone()).filter(|other| other != name).collect()
}

#[test]
fn the_engine_needs_no_network_terminal_or_runtime() {
    let needs = needs(&metadata(), "ubp-core");
    let foreign = [
        "tokio",
        "async-std",
        "smol",
        "reqwest",
        "ureq",
        "hyper",
        "curl",
        "rustls",
        "native-tls",
        "clap",
        "axum",
        "rmcp",
        "notify",
        "ctrlc",
        "indicatif",
        "console",
        "anstream",
        "crossterm",
        "ignore",
        "git2",
        "gix",
    ];
    let found: Vec<&str> = foreign.into_iter().filter(|name| needs.contains(*name)).collect();
    assert!(found.is_empty(), "ubp-core needs {found:?}");
    assert!(needs.contains("rusqlite"), "the list of dependencies is not empty");
}

/// If it had features, Cargo would build the engine again for each combination of them.
#[test]
fn the_engine_has_no_cargo_features() {
    let metadata = metadata();
    let core = metadata.packages.iter().find(|package| package.name.as_str() == "ubp-core").unwrap();
    assert!(core.features.is_empty(), "{:?}", core.features);
    assert!(core.dependencies.iter().all(|dependency| !dependency.optional));
}

/// Test doubles of ports must not be built into any program.
#[test]
fn no_program_depends_on_the_test_doubles() {
    let metadata = metadata();
    for name in ["ubp-core", "ubp-engines", "ubp-cli", "ubp-node", "ubp-wasm"] {
        assert!(!needs(&metadata, name).contains("ubp-testing"), "{name}");
    }
}

#[test]
fn crates_depend_on_each_other_in_one_direction() {
    let metadata = metadata();
    let order = ["ubp-core", "ubp-engines", "ubp-host", "ubp-servers", "ubp-cli", "ubp-tests"];
    for (place, name) in order.into_iter().enumerate() {
        let needs = needs(&metadata, name);
        let own: Vec<&str> = order.into_iter().filter(|other| needs.contains(*other)).collect();
        assert_eq!(own, order[..place], "{name}");
    }
}

#[test]
fn opening_a_project_needs_neither_arguments_nor_a_terminal() {
    let needs = needs(&metadata(), "ubp-host");
    let foreign = ["clap", "anstyle", "console", "indicatif", "axum", "rmcp", "hyper"];
    let found: Vec<&str> = foreign.into_iter().filter(|name| needs.contains(*name)).collect();
    assert!(found.is_empty(), "ubp-host needs {found:?}");
    assert!(needs.contains("notify"), "the list of dependencies is not empty");
}

/// Whoever does not need PostgreSQL does not compile it, and it does not depend on how files are read.
#[test]
fn the_index_in_postgresql_is_optional_and_needs_the_engine_alone() {
    let metadata = metadata();
    let needed = needs(&metadata, "ubp-postgres");
    let own: Vec<&String> = needed.iter().filter(|name| name.starts_with("ubp-")).collect();
    assert_eq!(own, ["ubp-core"]);
    assert!(!needed.contains("openssl-sys") && needed.contains("tokio-postgres"));
    for package in metadata.packages.iter().filter(|package| package.name.starts_with("ubp-")) {
        let postgres = package.dependencies.iter().find(|dependency| dependency.name == "ubp-postgres");
        assert!(postgres.is_none_or(|dependency| dependency.optional), "{}", package.name);
        let default = package.features.get("default").cloned().unwrap_or_default();
        assert!(!default.contains(&"postgres".to_owned()), "{}", package.name);
    }
}

/// It is built without the engine, and can be used without it.
#[test]
fn finding_symbols_needs_no_other_crate_of_the_workspace() {
    let needed = needs(&metadata(), "ubp-symbols");
    let own: Vec<&String> = needed.iter().filter(|name| name.starts_with("ubp-")).collect();
    assert!(own.is_empty(), "{own:?}");
    assert!(needed.contains("tree-sitter"), "the list of dependencies is not empty");
}

#[test]
fn the_addon_depends_on_the_cli_and_no_crate_depends_on_the_addon() {
    let metadata = metadata();
    let needed = needs(&metadata, "ubp-node");
    assert!(needed.contains("ubp-cli") && needed.contains("ubp-host"), "{needed:?}");
    for name in ["ubp-core", "ubp-engines", "ubp-host", "ubp-servers", "ubp-cli", "ubp-tests"] {
        assert!(!needs(&metadata, name).contains("ubp-node"), "{name}");
    }
}

#[test]
fn the_browser_modules_depend_on_the_engine_only() {
    let metadata = metadata();
    let needed = needs(&metadata, "ubp-wasm");
    assert!(needed.contains("ubp-core") && !needed.contains("ubp-host"), "{needed:?}");
    for name in ["ubp-core", "ubp-engines", "ubp-host", "ubp-servers", "ubp-cli", "ubp-node", "ubp-tests"] {
        assert!(!needs(&metadata, name).contains("ubp-wasm"), "{name}");
    }
}

/// Node owns the signals of its process: a second handler makes its main thread spin. A lint ensures that only the
/// program calls `ctrlc`, see `cli/clippy.toml`.
#[test]
fn the_addon_installs_no_signal_handlers() {
    let metadata = metadata();
    let resolve = metadata.resolve.as_ref().unwrap();
    let tokio = metadata.packages.iter().find(|package| package.name.as_str() == "tokio").unwrap();
    let node = resolve.nodes.iter().find(|node| node.id == tokio.id).unwrap();
    let features: Vec<String> = node.features.iter().map(ToString::to_string).collect();
    assert!(!features.iter().any(|name| name == "signal" || name == "full"), "{features:?}");
}

/// Rust files below `folder`.
fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|ext| ext == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}

#[test]
fn files_are_short_and_start_with_a_doc_comment() {
    let mut lines = Vec::new();
    for folder in ["core", "cli", "bindings-node", "bindings-wasm", "tests", "web-viewer/desktop/src"] {
        for file in rust_files(&root().join(folder)) {
            let text = fs::read_to_string(&file).unwrap();
            let count = text.lines().count();
            assert!(count <= 600, "{}: {count} lines", file.display());
            let opening = text.lines().find(|line| !line.starts_with("#!") && !line.trim().is_empty());
            let says = opening.is_some_and(|line| line.starts_with("//!"));
            assert!(says, "{}: does not open with `//!`", file.display());
            lines.push(count);
        }
    }
    lines.sort_unstable();
    assert!(lines[lines.len() / 2] < 200, "median {}", lines[lines.len() / 2]);
}

/// So that renaming a column changes one folder only. SQL written by users is tested where it runs.
#[test]
fn sql_statements_are_in_the_index_only() {
    let core = root().join("core/src");
    let has_statement = |file: &Path| {
        let text = fs::read_to_string(file).unwrap();
        let product = text.split("#[cfg(test)]").next().unwrap_or_default();
        let code = product.lines().filter(|line| !line.trim_start().starts_with("//"));
        let words = ["SELECT ", "INSERT ", "UPDATE ", "DELETE FROM", "CREATE "];
        code.into_iter().any(|line| words.iter().any(|word| line.contains(word)))
    };
    let is_in = |file: &Path, folders: &[&str]| {
        file.strip_prefix(&core).unwrap().iter().any(|part| folders.iter().any(|folder| part == *folder))
    };
    let files = rust_files(&core);
    let outside = files.iter().filter(|file| !is_in(file, &["index", "query", "sql", "tests", "tests.rs"]));
    let found: Vec<&PathBuf> = outside.filter(|file| has_statement(file)).collect();
    assert!(found.is_empty(), "statements outside of `index`: {found:?}");
    assert!(has_statement(&core.join("index/questions/pages.rs")), "statements are recognised");
}

#[test]
fn every_operation_has_a_summary_and_a_unique_name() {
    // Operation names and tool names are separate: the set `documents` has a tool `search`, which is not the operation
    // `search`.
    let (mut names, mut tools) = (BTreeSet::new(), BTreeSet::new());
    for operation in OPERATIONS {
        assert!(names.insert(operation.name), "{} stands twice", operation.name);
        assert!(tools.insert(operation.mcp_name), "{} stands twice", operation.mcp_name);
        let summary = operation.facts.summary;
        assert!(
            summary.ends_with('.') && (20..=120).contains(&summary.len()),
            "{}: {summary}",
            operation.name
        );
        assert!(summary.starts_with(char::is_uppercase), "{}: {summary}", operation.name);
    }
}

/// Every object in a schema, with its location.
fn objects<'a>(schema: &'a Value, place: String, found: &mut Vec<(String, &'a Value)>) {
    match schema {
        Value::Object(map) => {
            if map.contains_key("properties") {
                found.push((place.clone(), schema));
            }
            for (key, value) in map {
                objects(value, format!("{place}/{key}"), found);
            }
        }
        Value::Array(values) => {
            for (at, value) in values.iter().enumerate() {
                objects(value, format!("{place}/{at}"), found);
            }
        }
        _ => {}
    }
}

#[test]
fn input_schemas_reject_unknown_fields_and_describe_every_field() {
    for operation in OPERATIONS {
        let schema = (operation.input_schema)().to_value();
        assert_eq!(schema["type"], "object", "{}", operation.name);
        jsonschema::validator_for(&schema).unwrap();
        let mut found = Vec::new();
        objects(&schema, String::new(), &mut found);
        for (place, object) in found {
            assert_eq!(object["additionalProperties"], false, "{}{place}", operation.name);
            for (field, property) in object["properties"].as_object().unwrap() {
                let described = property["description"].as_str().is_some_and(|text| !text.is_empty());
                assert!(described, "{}{place}/{field} is not described", operation.name);
            }
        }
    }
}

#[test]
fn output_schemas_always_have_every_field() {
    for operation in OPERATIONS {
        let schema = (operation.output_schema)().to_value();
        jsonschema::validator_for(&schema).unwrap();
        let mut found = Vec::new();
        objects(&schema, String::new(), &mut found);
        assert!(!found.is_empty(), "{}", operation.name);
        for (place, object) in found {
            let required: BTreeSet<&str> =
                object["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            let properties: BTreeSet<&str> =
                object["properties"].as_object().unwrap().keys().map(String::as_str).collect();
            assert_eq!(required, properties, "{}{place}", operation.name);
        }
    }
}

/// The `ubp …` commands in code blocks and code spans of a Markdown text.
fn mentioned_commands(text: &str) -> Vec<String> {
    let mut commands = Vec::new();
    let mut fenced = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
            continue;
        }
        let code: Vec<&str> = if fenced {
            vec![line.trim_start_matches(['$', ' '])]
        } else {
            line.split('`').skip(1).step_by(2).collect()
        };
        for piece in code {
            if let Some(rest) = piece.strip_prefix("ubp ")
                && let Some(word) = rest.split_whitespace().find(|word| !word.starts_with('-'))
                && word.chars().all(|c| c.is_ascii_lowercase() || c == '-')
            {
                commands.push(word.to_owned());
            }
        }
    }
    commands
}

#[test]
fn docs_name_only_commands_that_exist() {
    let help = ubp_tests::terminal::Terminal::new().unwrap().ubp("help").out;
    let known: BTreeSet<&str> = help
        .lines()
        .skip_while(|line| !line.starts_with("Commands:"))
        .skip(1)
        .take_while(|line| line.starts_with("  "))
        .filter_map(|line| line.split_whitespace().next())
        .chain(["reindex", "help"])
        .collect();
    assert!(known.contains("search"), "{help}");
    let mut documents: Vec<PathBuf> = ["README.md", "CONTRIBUTING.md"]
        .iter()
        .map(|name| root().join(name))
        .filter(|path| path.exists())
        .collect();
    let docs = root().join("docs");
    if docs.is_dir() {
        let entries = walk(&docs);
        documents.extend(entries.into_iter().filter(|path| path.extension().is_some_and(|ext| ext == "md")));
    }
    if documents.is_empty() {
        println!("no documents are there to be checked");
    }
    for document in documents {
        for command in mentioned_commands(&fs::read_to_string(&document).unwrap()) {
            assert!(
                known.contains(command.as_str()),
                "{}: `ubp {command}` does not exist",
                document.display()
            );
        }
    }
}

fn walk(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files.extend(walk(&path)) } else { files.push(path) }
    }
    files
}

/// Whether a file, given by its path below `src`, is for tests only. Folders of such files are not on the map.
fn is_for_tests(path: &Path) -> bool {
    path.iter().filter_map(|part| part.to_str()).any(|part| {
        let stem = part.split('.').next().unwrap_or_default();
        stem.ends_with("tests") || ["cases", "snapshots"].contains(&stem) || part.contains(".test.")
    })
}

/// All code of the crates and of the web app, as paths from the root.
fn code() -> Vec<PathBuf> {
    let metadata = metadata();
    let crates = metadata.workspace_packages().into_iter().map(|package| package.manifest_path.as_std_path());
    let folders = crates.filter_map(Path::parent).map(Path::to_path_buf).chain([root().join("web-viewer")]);
    let mut found = Vec::new();
    for source in folders.map(|folder| folder.join("src")) {
        let files = walk(&source).into_iter().filter(|file| {
            let is_code = file.extension().is_some_and(|ext| {
                ["rs", "ts", "js", "svelte", "css"].contains(&ext.to_str().unwrap_or_default())
            });
            is_code && !is_for_tests(file.strip_prefix(&source).unwrap())
        });
        found.extend(files.map(|file| file.strip_prefix(root()).unwrap().to_path_buf()));
    }
    assert!(found.iter().any(|file| file.ends_with("core/src/lib.rs")), "{found:?}");
    found
}

/// The text between backticks.
fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

#[test]
fn the_map_is_short_and_lists_every_code_folder() {
    let map = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let lines = map.lines().count();
    assert!(lines <= 150, "ARCHITECTURE.md has {lines} lines");
    let mut named = BTreeSet::new();
    for row in map.lines().filter(|line| line.starts_with("| `")) {
        let rooms: Vec<&str> = names(row).filter(|name| name.ends_with('/')).collect();
        let room = Path::new(rooms[0]);
        let at = |name: &&str| {
            let places = [room.join(name), room.parent().unwrap().join(name)];
            places.into_iter().find(|place| root().join(place).is_dir())
        };
        named.insert(room.to_path_buf());
        named.extend(rooms[1..].iter().filter_map(at));
        let first = row.split('|').nth(1).unwrap();
        assert!(root().join(room).is_dir(), "{} is on the map and nowhere else", room.display());
        for name in names(first).skip(1) {
            assert!(at(&name).is_some(), "{name} of {} is on the map and nowhere else", room.display());
        }
    }
    for file in code() {
        let from_source =
            file.ancestors().skip(1).take_while(|folder| folder.iter().any(|part| part == "src"));
        for folder in from_source {
            assert!(named.contains(folder), "{} is not in ARCHITECTURE.md", folder.display());
        }
    }
}

#[test]
fn the_map_names_only_files_that_exist() {
    let map = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let mut files = code();
    files.push("tests/tests/architecture.rs".into());
    let code_names = names(&map).filter(|name| name.ends_with(".rs") || name.ends_with(".ts"));
    let missing: Vec<&str> =
        code_names.filter(|name| !files.iter().any(|file| file.ends_with(name))).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
