//! Compresses the graphs and tokenizers of the bundled models: most of them is text and numbers in decimal digits. The
//! weights of all-MiniLM-L6-v2 stay as they are, because processes share them in the mapped binary, and those of the
//! multilingual model are packed already.

// Cargo passes values to build scripts in environment variables and files.
#![allow(clippy::disallowed_methods)]

use std::path::Path;
use std::{env, fs, io};

/// Higher levels take longer and save almost nothing.
const LEVEL: u8 = 8;

const MODELS: [&str; 2] = ["all-MiniLM-L6-v2", "multilingual-e5-small"];
const FILES: [&str; 2] = ["model.onnx", "tokenizer.json"];

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    let variable =
        |name| env::var_os(name).ok_or_else(|| io::Error::other(format!("cargo did not set {name}")));
    let (package, out) = (variable("CARGO_MANIFEST_DIR")?, variable("OUT_DIR")?);
    let is_bundled = env::var_os("CARGO_FEATURE_BUNDLED_MODEL").is_some();
    for model in MODELS {
        for file in FILES {
            let path = format!("../models/{model}/{file}");
            println!("cargo::rerun-if-changed={path}");
            if is_bundled {
                let packed =
                    miniz_oxide::deflate::compress_to_vec(&fs::read(Path::new(&package).join(path))?, LEVEL);
                fs::write(Path::new(&out).join(format!("{model}.{file}.deflated")), packed)?;
            }
        }
    }
    Ok(())
}
