//! Compresses the tokenizer of the multilingual model: half of its 3 MB are numbers in decimal digits.

// Cargo passes values to build scripts in environment variables and files.
#![allow(clippy::disallowed_methods)]

use std::path::Path;
use std::{env, fs, io};

/// Higher levels take longer and save almost nothing.
const LEVEL: u8 = 8;

fn main() -> io::Result<()> {
    let tokenizer = "../models/multilingual-e5-small/tokenizer.json";
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={tokenizer}");
    if env::var_os("CARGO_FEATURE_BUNDLED_MODEL").is_none() {
        return Ok(());
    }
    let variable =
        |name| env::var_os(name).ok_or_else(|| io::Error::other(format!("cargo did not set {name}")));
    let (package, out) = (variable("CARGO_MANIFEST_DIR")?, variable("OUT_DIR")?);
    let packed =
        miniz_oxide::deflate::compress_to_vec(&fs::read(Path::new(&package).join(tokenizer))?, LEVEL);
    fs::write(Path::new(&out).join("tokenizer.json.deflated"), packed)
}
