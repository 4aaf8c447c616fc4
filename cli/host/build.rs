//! Builds the web app and embeds it in the program: every file of `web-viewer/dist`, compressed, and a table of them in
//! Rust. Without Node the program is built without the app, and `ubp viewer` reports what is missing. Development
//! builds do not embed it, so that a change of the app does not recompile them.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

use lzma_rust2::{LzmaOptions, LzmaWriter};

/// How hard to compress; the highest level.
const PRESET: u32 = 9;
/// Maximum size of the dictionary, which reading a file back takes in memory. It holds the largest file.
const DICTIONARY: u32 = 8 << 20;

/// Sources of the app, relative to its folder. All must exist in the repository: Cargo treats a missing path as changed
/// in every build.
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
    // Read at run time, not with `env!`: a shared cache may provide a script compiled in another clone.
    let package =
        env::var_os("CARGO_MANIFEST_DIR").ok_or_else(|| io::Error::other("CARGO_MANIFEST_DIR is not set"))?;
    let web = Path::new(&package).join("../../web-viewer");
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("OUT_DIR is not set"))?);
    let mut files = Vec::new();
    let mut missing = "it is a development build. Use `cargo run --release -- viewer`".to_owned();
    if env::var_os("PROFILE").is_some_and(|profile| profile == "release") {
        let dist = web.join("dist");
        for source in SOURCES {
            println!("cargo::rerun-if-changed={}", web.join(source).display());
        }
        let is_built = build(&web);
        if let Err(reason) = &is_built {
            // Rerun when the app is built later by hand. After a build by this script, its own output must not count.
            println!("cargo::rerun-if-changed={}", dist.display());
            missing.clone_from(reason);
        }
        if dist.join("index.html").is_file() {
            list(&dist, "", &mut files)?;
            files.sort();
            if is_built.is_err() {
                println!("cargo::warning=using the existing web-viewer/dist, because {missing}");
            }
        } else {
            println!("cargo::warning=`ubp viewer` will not work, because {missing}");
        }
    }
    let mut table = String::from("&[\n");
    for (number, path) in files.iter().enumerate() {
        let name = format!("web-app-{number}");
        fs::write(out.join(&name), packed(&fs::read(web.join("dist").join(path))?)?)?;
        let _ = writeln!(table, "    ({path:?}, include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{name}\"))),");
    }
    table.push(']');
    println!("cargo::rustc-env=UBP_WEB_APP_MISSING={missing}");
    fs::write(out.join("web_app.rs"), table)
}

/// Compressed by LZMA, which takes a quarter less than deflate.
fn packed(file: &[u8]) -> io::Result<Vec<u8>> {
    let mut options = LzmaOptions::with_preset(PRESET);
    options.dict_size = u32::try_from(file.len()).map_or(DICTIONARY, |size| size.clamp(1 << 12, DICTIONARY));
    let mut writer = LzmaWriter::new_use_header(Vec::new(), &options, Some(file.len() as u64))?;
    writer.write_all(file)?;
    writer.finish()
}

/// Updates `dist`. The error is the reason and what to do, on one line.
fn build(web: &Path) -> Result<(), String> {
    let checked_out_by_cargo = web.components().any(|part| part.as_os_str() == "checkouts");
    let again = if checked_out_by_cargo {
        "install ubp again with `--force`"
    } else {
        "run `node web-viewer/build.mjs && cargo build --release`"
    };
    // A relative path, because absolute ones on Windows may have a verbatim prefix that Node does not support.
    let ran = match Command::new("node").arg("../../web-viewer/build.mjs").output() {
        Ok(ran) => ran,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(format!(
                "Node was not found at build time. Install Node 20.19 or newer from https://nodejs.org, then {again}"
            ));
        }
        Err(error) => {
            return Err(format!("Node could not be started: {error}. Fix that, then {again}"));
        }
    };
    if ran.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&ran.stderr);
    let reason = said.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("build.mjs failed").trim();
    Err(format!("its web app could not be built: {reason}. Fix that, then {again}"))
}

/// Paths of all files, `/`-separated, without hidden ones, which belong to git.
fn list(folder: &Path, below: &str, files: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name =
            entry.file_name().into_string().map_err(|_| io::Error::other("a file name is not Unicode"))?;
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
