//! Builds the web app and takes it into the program: every file of `web-viewer/dist`, compressed, and a list of them as
//! Rust. Without Node the program is built all the same, and says what is missing when somebody asks for the viewer.
//! Builds for development go without, so that a change of the app compiles nothing of them.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

/// Beyond this, compressing takes longer and gains next to nothing.
const LEVEL: u8 = 8;

/// What the app is made from, relative to its folder. All of it is in the repository: a path that is not there counts as
/// changed in every build, and would make each of them slow.
const SOURCES: [&str; 10] = [
    "build.mjs",
    "index.html",
    "package.json",
    "package-lock.json",
    "svelte.config.js",
    "tsconfig.json",
    "vite.config.ts",
    "src",
    "../npm/ubp/generated/contract.ts",
    "../bindings-wasm/dist",
];

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    // Asked for when it runs: a script that was compiled in another clone may be taken from a shared cache.
    let package =
        env::var_os("CARGO_MANIFEST_DIR").ok_or_else(|| io::Error::other("cargo names no package"))?;
    let web = Path::new(&package).join("../../web-viewer");
    let out =
        PathBuf::from(env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("cargo names no OUT_DIR"))?);
    let mut files = Vec::new();
    let mut missing = "it is a build for development. Use `cargo run --release -- viewer`".to_owned();
    if env::var_os("PROFILE").is_some_and(|profile| profile == "release") {
        let dist = web.join("dist");
        for source in SOURCES {
            println!("cargo::rerun-if-changed={}", web.join(source).display());
        }
        let is_built = build(&web);
        if let Err(reason) = &is_built {
            // Nothing else tells that somebody builds it later. Where this script does, what it writes is no news.
            println!("cargo::rerun-if-changed={}", dist.display());
            missing.clone_from(reason);
        }
        if dist.join("index.html").is_file() {
            list(&dist, "", &mut files)?;
            files.sort();
            if is_built.is_err() {
                println!("cargo::warning=web-viewer/dist is taken as it is, because {missing}");
            }
        } else {
            println!("cargo::warning=`ubp viewer` will not work, because {missing}");
        }
    }
    let mut table = String::from("&[\n");
    for (number, path) in files.iter().enumerate() {
        let packed = miniz_oxide::deflate::compress_to_vec(&fs::read(web.join("dist").join(path))?, LEVEL);
        let name = format!("web-app-{number}");
        fs::write(out.join(&name), packed)?;
        let _ = writeln!(table, "    ({path:?}, include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{name}\"))),");
    }
    table.push(']');
    println!("cargo::rustc-env=UBP_WEB_APP_MISSING={missing}");
    fs::write(out.join("web_app.rs"), table)
}

/// Brings `dist` up to date. An error is the reason why that cannot be, and what to do, on one line.
fn build(web: &Path) -> Result<(), String> {
    let checked_out_by_cargo = web.components().any(|part| part.as_os_str() == "checkouts");
    let again = if checked_out_by_cargo {
        "install ubp again with `--force`"
    } else {
        "run `node web-viewer/build.mjs && cargo build --release`"
    };
    // Cargo runs this in `cli/host`; a path from there has no prefix that Node on Windows would stumble over.
    let ran = match Command::new("node").arg("../../web-viewer/build.mjs").output() {
        Ok(ran) => ran,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(format!(
                "Node was not found when it was built. Install Node 20.19 or newer from https://nodejs.org, then {again}"
            ));
        }
        Err(error) => {
            return Err(format!("Node could not be started: {error}. When that is solved, {again}"));
        }
    };
    if ran.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&ran.stderr);
    let reason = said.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("build.mjs failed").trim();
    Err(format!("its web app could not be built: {reason}. When that is solved, {again}"))
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
