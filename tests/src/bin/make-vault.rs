//! Generates a vault: `make-vault FOLDER [PAGES [BYTES]]`.
#![allow(clippy::print_stderr)]

use std::path::PathBuf;
use std::process::ExitCode;

use ubp_tests::generator::Vault;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let folder = arguments.next().filter(|argument| !argument.to_string_lossy().starts_with('-'));
    let Some(folder) = folder.map(PathBuf::from) else {
        eprintln!("usage: make-vault FOLDER [PAGES [BYTES]]");
        return ExitCode::from(2);
    };
    let mut number = |default: usize| {
        arguments.next().and_then(|argument| argument.to_str()?.parse().ok()).unwrap_or(default)
    };
    let vault = Vault { pages: number(1_000), page_bytes: number(2_800), seed: 1, japanese: false };
    match vault.write_to(&folder) {
        Ok(bytes) => {
            eprintln!("{} pages, {bytes} bytes", vault.pages);
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{}: {error}", folder.display());
            ExitCode::FAILURE
        }
    }
}
