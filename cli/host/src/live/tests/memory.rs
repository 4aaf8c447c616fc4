//! Memory of servers as reported by the system: they share one copy of the vectors, and do not map the database while
//! idle.

use ubp_testing::HashEmbedder;

use super::*;

/// Number of mappings in this process of files whose names start with `name`.
fn mappings(folder: &Folder, name: &str) -> usize {
    let beginning = format!("{}", fs::canonicalize(folder.path(".ubp")).unwrap().join(name).display());
    let maps = fs::read_to_string("/proc/self/maps").unwrap();
    maps.lines().filter(|line| line.contains(&beginning)).count()
}

fn cache_files(folder: &Folder) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder.path(".ubp")).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.filter(|path| path.to_string_lossy().contains("metadata.db-cache-")).collect()
}

fn serve_with_vectors(folder: &Folder) -> Server {
    let find_model: Box<FindModel> = Box::new(|_, _| Ok(Some(Arc::new(HashEmbedder::full_size()))));
    let timing = Timing { tick: Duration::from_millis(50), ..Timing::default() };
    serve(folder.0.path(), timing, find_model)
}

fn found(server: &Server, query: &str) -> Value {
    let answer = server.answer("search", json!({"query": query, "mode": "vector"}));
    assert_eq!(answer["search_type"], "vector", "{answer}");
    assert!(!answer["results"].as_array().unwrap().is_empty(), "{answer}");
    answer["results"].clone()
}

#[test]
fn servers_share_one_copy_of_the_vectors() {
    let folder = Folder::new([]);
    for page in 0..30 {
        let sections = (0..90).map(|n| format!("## Part {n}\n\nword{page} term{n} other{}\n\n", page * n));
        folder.write(&format!("pages/{page}.md"), &sections.collect::<String>());
    }
    let first = serve_with_vectors(&folder);
    let pending = |server: &Server| server.answer("status", json!({}))["index"]["pending"].as_u64().unwrap();
    eventually("embedded", || first.pages().len() == 30 && pending(&first) == 0);
    let expected = found(&first, "word7 term3");
    let others: Vec<Server> = (0..3).map(|_| serve_with_vectors(&folder)).collect();
    for server in &others {
        assert_eq!(found(server, "word7 term3"), expected);
    }
    // A file that was just written for an older state is not replaced at once.
    eventually("shared", || mappings(&folder, "metadata.db-cache-") == 4);
    let files = cache_files(&folder);
    assert_eq!(files.len(), 1, "{files:?}");

    // Replace a mapped file with invalid data: processes that mapped the old file keep it.
    fs::remove_file(&files[0]).unwrap();
    fs::write(&files[0], vec![7; 1_000]).unwrap();
    let late = serve_with_vectors(&folder);
    assert_eq!(found(&late, "word7 term3"), expected);
    assert_eq!(found(&first, "word7 term3"), expected);

    folder.write("pages/3.md", "## Part\n\nunheard-of\n");
    first.finds("unheard-of", &["3.md"]);
    eventually("embedded", || pending(&first) == 0);
    let expected = found(&first, "unheard-of");
    assert_eq!(expected[0]["filepath"], "3.md");
    for server in others.iter().chain([&late]) {
        assert_eq!(found(server, "unheard-of"), expected);
    }
}

#[test]
fn an_idle_server_unmaps_the_database() {
    let folder = Folder::new([("a.md", "zebra"), ("b.md", "lion")]);
    let timing =
        Timing { tick: Duration::from_millis(20), rest: Duration::from_millis(300), ..Timing::default() };
    let server = folder.serve_with(timing);
    server.settle();
    for _ in 0..3 {
        assert_eq!(server.with_word("zebra"), ["a.md"]);
        assert!(mappings(&folder, "metadata.db") > 0, "the database is mapped while it is used");
        eventually("unmapped", || mappings(&folder, "metadata.db") == mappings(&folder, "metadata.db-shm"));
    }
}
