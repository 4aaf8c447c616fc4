//! Vectors computed once for all projects.

use ubp_testing::{CountingEmbedder, HashEmbedder};

use super::*;

fn environment(folder: &std::path::Path) -> Environment {
    Environment::with([(FOLDER, folder.to_str().unwrap())])
}

#[test]
fn a_text_is_embedded_once_and_queries_are_not_kept() {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("cache");
    let counting = Arc::new(CountingEmbedder::default());
    let open = || {
        let (embedder, problem) = sharing(counting.clone(), "", &environment(&cache));
        assert_eq!(problem, None);
        embedder
    };
    let first = open().embed(TextKind::Passage, &["a", "b"]).unwrap();
    assert_eq!(open().embed(TextKind::Passage, &["b", "c", "a"]).unwrap()[0], first[1]);
    assert_eq!(counting.texts(), 3, "only c was new");
    assert_eq!(open().known(&["a", "d"]).unwrap(), [Some(first[0].clone()), None]);
    open().embed(TextKind::Query, &["a"]).unwrap();
    assert_eq!(counting.texts(), 4);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&cache), 0o700);
        for entry in fs::read_dir(&cache).unwrap().flatten().filter(|entry| entry.file_name() != LOCK) {
            assert_eq!(mode(&entry.path()), 0o600, "{:?}", entry.path());
        }
    }
}

#[test]
fn a_model_of_another_origin_has_its_own_vectors() {
    let folder = tempfile::tempdir().unwrap();
    let open =
        |origin: &str| sharing(Arc::new(HashEmbedder::default()), origin, &environment(folder.path())).0;
    open("http://a/v1").embed(TextKind::Passage, &["a"]).unwrap();
    assert_eq!(open("http://b/v1").known(&["a"]).unwrap(), [None]);
    assert_eq!(open("").known(&["a"]).unwrap(), [None]);
    assert!(open("http://a/v1").known(&["a"]).unwrap()[0].is_some());
}

#[test]
fn many_at_once_embed_each_text_about_once() {
    let folder = tempfile::tempdir().unwrap();
    let counting = Arc::new(CountingEmbedder::default());
    let texts: Vec<String> = (0..320).map(|number| format!("text {number}")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                let (embedder, _) = sharing(counting.clone(), "", &environment(folder.path()));
                for batch in texts.chunks(32) {
                    embedder.embed(TextKind::Passage, batch).unwrap();
                }
            });
        }
    });
    assert_eq!(counting.texts(), texts.len());
}

#[test]
fn a_damaged_file_is_reported_and_not_used() {
    let folder = tempfile::tempdir().unwrap();
    let place = Place::of(&environment(folder.path())).unwrap().unwrap();
    fs::write(&place.file, "this is not a database".repeat(1_000)).unwrap();
    let (embedder, problem) = sharing(Arc::new(HashEmbedder::default()), "", &environment(folder.path()));
    let problem = problem.unwrap().to_string();
    assert!(problem.contains(&*place.file.to_string_lossy()), "{problem}");
    assert_eq!(embedder.embed(TextKind::Passage, &["a"]).unwrap().len(), 1);
    let blocked = folder.path().join("file");
    fs::write(&blocked, "").unwrap();
    let (embedder, problem) = sharing(embedder, "", &environment(&blocked));
    assert!(problem.is_some());
    assert_eq!(embedder.embed(TextKind::Passage, &["a"]).unwrap().len(), 1);
}

#[test]
fn the_environment_moves_limits_and_turns_off() {
    let of = |variables: &[(&str, &str)]| Place::of(&Environment::with(variables.iter().copied()));
    assert_eq!(of(&[]).unwrap(), None, "a user without a folder");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let place = of(&[(FOLDER, path), (MEGABYTES, "5")]).unwrap().unwrap();
    assert_eq!((place.file.parent().unwrap(), place.limit), (folder.path(), 5_000_000));
    assert_eq!(place.size().unwrap(), None);
    for off in ["off", "0", "FALSE"] {
        assert_eq!(of(&[(FOLDER, off), ("HOME", path)]).unwrap(), None);
    }
    assert!(of(&[(FOLDER, path), (MEGABYTES, "much")]).is_err());
    #[cfg(all(unix, not(target_os = "macos")))]
    {
        let file = of(&[("HOME", "/home/me")]).unwrap().unwrap().file;
        assert_eq!(file.parent().unwrap(), std::path::Path::new("/home/me/.cache/ubp"));
        let file = of(&[("HOME", "/home/me"), ("XDG_CACHE_HOME", "/cache")]).unwrap().unwrap().file;
        assert_eq!(file.parent().unwrap(), std::path::Path::new("/cache/ubp"));
    }
}
