//! Tells the linker that Node provides the symbols of Node-API.

fn main() {
    napi_build::setup();
    // Strings that end alike share their bytes.
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux") {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-O2");
    }
}
