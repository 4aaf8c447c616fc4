//! Tells the linker that Node provides the symbols of Node-API.

use std::path::Path;
use std::process::Command;

/// The target for which rustup's toolchains link with LLD unless they are told otherwise.
const WITH_LLD: &str = "x86_64-unknown-linux-gnu";

fn main() {
    napi_build::setup();
    // Strings that end alike share their bytes.
    if variable("CARGO_CFG_TARGET_OS") == "linux" {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-O2");
    }
    // So do functions with equal code, which only LLD finds: 0.6 MB.
    if variable("TARGET") == WITH_LLD && links_with_lld() {
        println!("cargo::rustc-cdylib-link-arg=-Wl,--icf=all");
    }
}

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

/// Whether the toolchain has LLD, and neither flags nor settings choose another linker.
fn links_with_lld() -> bool {
    let is_chosen =
        ["linker", "fuse-ld"].iter().any(|flag| variable("CARGO_ENCODED_RUSTFLAGS").contains(flag));
    let Ok(answer) = Command::new(variable("RUSTC")).args(["--print", "sysroot"]).output() else {
        return false;
    };
    let sysroot = String::from_utf8_lossy(&answer.stdout);
    let lld = Path::new(sysroot.trim()).join("lib/rustlib").join(WITH_LLD).join("bin/gcc-ld/ld.lld");
    !is_chosen && std::env::var_os("RUSTC_LINKER").is_none() && lld.exists()
}
