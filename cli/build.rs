//! Packs the catalogues of messages, which are part of the program: every `.po` file of `src/language`, compressed, and a
//! table of them by language in Rust.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// Compression level; higher ones take longer for almost no gain.
const LEVEL: u8 = 8;

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/language");
    // Read at run time, not with `env!`: a shared cache may provide a script compiled in another clone.
    let folder =
        |name: &str| env::var_os(name).map(PathBuf::from).ok_or_else(|| io::Error::other(name.to_owned()));
    let (package, out) = (folder("CARGO_MANIFEST_DIR")?, folder("OUT_DIR")?);
    let mut table = String::from("&[\n");
    for language in entries(&package.join("src/language"))?.iter().filter(|path| path.is_dir()) {
        let tag = name(language);
        let _ = writeln!(table, "    ({tag:?}, &[");
        for file in entries(language)?.iter().filter(|path| path.extension().is_some_and(|kind| kind == "po"))
        {
            let packed = format!("{tag}-{}", name(file));
            fs::write(out.join(&packed), miniz_oxide::deflate::compress_to_vec(&fs::read(file)?, LEVEL))?;
            let domain = name(file).trim_end_matches(".po").to_owned();
            let _ = writeln!(
                table,
                "        ({domain:?}, include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{packed}\"))),"
            );
        }
        table.push_str("    ]),\n");
    }
    table.push(']');
    fs::write(out.join("catalogues.rs"), table)
}

/// The paths in a folder, in order.
fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    found.sort();
    Ok(found)
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
