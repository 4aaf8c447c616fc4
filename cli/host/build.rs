//! Takes the web app into the program, if it was built: every file of `web-viewer/dist`, compressed, and a
//! list of them as Rust. Builds for development go without, so that a change of the app compiles nothing of them.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// Beyond this, compressing takes longer and gains next to nothing.
const LEVEL: u8 = 8;

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    let app = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web-viewer/dist");
    let out =
        PathBuf::from(env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("cargo names no OUT_DIR"))?);
    let mut files = Vec::new();
    let is_release = env::var_os("PROFILE").is_some_and(|profile| profile == "release");
    // A path that is not there counts as changed in every build, and would make each of them slow: the repository has
    // the folder, and the web app changes only what differs in it.
    if is_release {
        println!("cargo::rerun-if-changed={}", app.display());
    }
    if is_release && app.join("index.html").is_file() {
        list(&app, "", &mut files)?;
        files.sort();
    }
    let mut table = String::from("&[\n");
    for (number, path) in files.iter().enumerate() {
        let packed = miniz_oxide::deflate::compress_to_vec(&fs::read(app.join(path))?, LEVEL);
        let name = format!("web-app-{number}");
        fs::write(out.join(&name), packed)?;
        let _ = writeln!(table, "    ({path:?}, include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{name}\"))),");
    }
    table.push(']');
    fs::write(out.join("web_app.rs"), table)
}

/// Paths of all files, `/`-separated. What is hidden belongs to git.
fn list(folder: &Path, below: &str, files: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name =
            entry.file_name().into_string().map_err(|_| io::Error::other("a name that is not Unicode"))?;
        if name.starts_with('.') {
            continue;
        }
        if entry.file_type()?.is_dir() {
            list(&entry.path(), &format!("{below}{name}/"), files)?;
        } else {
            files.push(format!("{below}{name}"));
        }
    }
    Ok(())
}
