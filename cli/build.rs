//! Says whether the web app was built, so that the program can take it in.

use std::path::Path;

fn main() {
    println!("cargo::rustc-check-cfg=cfg(web_app)");
    println!("cargo::rerun-if-changed=build.rs");
    let app = Path::new(env!("CARGO_MANIFEST_DIR")).join("../web-viewer/dist");
    // A path that is not there counts as changed in every build, and would make each of them slow.
    if app.join("index.html").is_file() {
        println!("cargo::rerun-if-changed={}", app.display());
        println!("cargo::rustc-cfg=web_app");
    }
}
