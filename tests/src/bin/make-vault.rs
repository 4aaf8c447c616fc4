//! Generates a vault: `make-vault FOLDER [PAGES [BYTES]]`, or copies of another one with permuted words:
//! `make-vault FOLDER --like VAULT [PAGES]`.
#![allow(clippy::print_stderr)]

use std::path::PathBuf;
use std::process::ExitCode;

use ubp_tests::generator::{Vault, write_copies};

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1).peekable();
    let folder = arguments.next().filter(|argument| !argument.to_string_lossy().starts_with('-'));
    let Some(folder) = folder.map(PathBuf::from) else {
        eprintln!("usage: make-vault FOLDER [PAGES [BYTES]]\n       make-vault FOLDER --like VAULT [PAGES]");
        return ExitCode::from(2);
    };
    let is_copy = arguments.next_if(|argument| argument == "--like").is_some();
    let like = if is_copy { arguments.next().map(PathBuf::from) } else { None };
    let mut number = |default: usize| {
        arguments.next().and_then(|argument| argument.to_str()?.parse().ok()).unwrap_or(default)
    };
    let pages = number(1_000);
    let written = match like {
        Some(like) => write_copies(&like, &folder, pages, 1),
        None => Vault { pages, page_bytes: number(2_800), seed: 1, japanese: false }.write_to(&folder),
    };
    match written {
        Ok(bytes) => {
            eprintln!("{pages} pages, {bytes} bytes");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{}: {error}", folder.display());
            ExitCode::FAILURE
        }
    }
}
