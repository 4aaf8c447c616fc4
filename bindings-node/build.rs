//! Tells the linker that Node provides the symbols of its interface.

fn main() {
    napi_build::setup();
}
