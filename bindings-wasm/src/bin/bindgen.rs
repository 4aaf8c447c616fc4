//! Generates JavaScript and types for a compiled module, for browsers and Node. It is part of the workspace, so that
//! one lockfile sets the version of wasm-bindgen on both sides, which must be equal.
#![allow(clippy::print_stderr)]

use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [module, name, folder] = arguments.as_slice() else {
        eprintln!("usage: ubp-bindgen MODULE NAME FOLDER");
        return ExitCode::from(2);
    };
    let mut bindgen = Bindgen::new();
    let made = bindgen.input_path(module).out_name(name).typescript(true).web(true);
    match made.and_then(|bindgen| bindgen.generate(folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}
