//! Commands: what they need from the project.

use std::collections::HashSet;

use super::Kind;
use super::extract::{What, flag, script_claim, variable};
use super::project::Tool;
use super::words::key;
use crate::path;

/// A part of a command that can be checked.
pub(super) struct Part {
    pub kind: Kind,
    pub text: String,
    pub what: What,
}

/// Commands that run another one.
const PREFIXES: [&str; 7] = ["sudo", "time", "env", "npx", "bunx", "exec", "command"];

const INTERPRETERS: [&str; 11] =
    ["bash", "sh", "zsh", "python", "python3", "node", "deno", "ruby", "perl", "source", "."];

/// The parts of a line of commands that can be checked; `None` if it has no command that is known.
pub(super) fn parts(line: &str, programs: &HashSet<String>) -> Option<Vec<Part>> {
    let line = line.trim_start_matches(['$', '%', '>']).trim();
    let line = line.split(" #").next().unwrap_or_default();
    let mut parts = Vec::new();
    let mut is_known = false;
    for command in line.split([';', '|', '&']) {
        let words: Vec<&str> = command.split_whitespace().collect();
        is_known |= one(&words, programs, &mut parts).is_some();
    }
    is_known.then_some(parts)
}

/// Adds the parts of one command; `None` if it is not known.
fn one(mut words: &[&str], programs: &HashSet<String>, parts: &mut Vec<Part>) -> Option<()> {
    let mut variables = Vec::new();
    let (program, arguments) = loop {
        let (first, rest) = words.split_first()?;
        words = rest;
        match first.split_once('=').and_then(|(name, _)| variable(name)) {
            Some(variable) => {
                variables.push((first.split('=').next().unwrap_or_default().to_owned(), variable))
            }
            None if PREFIXES.contains(first) => {}
            None => break (*first, rest),
        }
    };
    let name = path::file_name(program);
    let plain = arguments.iter().copied().filter(|word| !word.starts_with('-'));
    let mut add = |kind, text: &str, what| parts.push(Part { kind, text: text.to_owned(), what });
    let defined = |tool, name: &str| What::Defined(tool, name.trim_matches(['"', '\'']).to_owned());
    let whole = [&[program], arguments].concat().join(" ");
    match name {
        "npm" | "pnpm" | "yarn" | "bun" => {
            let mut plain = plain;
            let first = plain.next()?;
            let is_run = matches!(first, "run" | "run-script");
            let script = if is_run { plain.next()? } else { first };
            // Without `run`, npm has commands of its own.
            if is_run || name != "npm" || matches!(first, "test" | "start") {
                add(Kind::Command, &whole, defined(Tool::Npm, script));
            }
        }
        "make" | "gmake" | "just" => {
            let tool = if name == "just" { Tool::Just } else { Tool::Make };
            // What follows a recipe of just are its arguments.
            let most = if tool == Tool::Just { 1 } else { usize::MAX };
            if arguments
                .iter()
                .any(|word| matches!(*word, "-C" | "-f" | "--directory" | "--file" | "--justfile"))
            {
                return None;
            }
            for target in plain.filter(|word| !word.contains('=')).take(most) {
                add(Kind::Command, &format!("{name} {target}"), defined(tool, target));
            }
        }
        "cargo" => cargo(arguments, &whole, &mut add),
        _ if INTERPRETERS.contains(&program) => {
            let script = arguments.first()?;
            add(Kind::Path, script, script_claim(script)?);
        }
        _ if programs.contains(name) => own(name, arguments, &mut add),
        _ if program.starts_with("./") => add(Kind::Path, program, script_claim(program)?),
        _ => return None,
    }
    for (text, what) in variables {
        parts.push(Part { kind: Kind::Variable, text, what });
    }
    Some(())
}

fn cargo(arguments: &[&str], whole: &str, add: &mut dyn FnMut(Kind, &str, What)) {
    let arguments = match arguments.split_first() {
        Some((first, rest)) if first.starts_with('+') => rest,
        _ => arguments,
    };
    let own: Vec<&str> = arguments.iter().copied().take_while(|word| *word != "--").collect();
    let mut is_complete = false;
    let flags = own.iter().enumerate().filter_map(|(at, word)| match word.split_once('=') {
        Some((flag, value)) => Some((flag, value)),
        None => Some((*word, *own.get(at + 1)?)),
    });
    for (flag, value) in flags {
        let tools: &[&str] = match flag {
            "-p" | "--package" | "--bin" | "--example" | "--test" | "--bench" => &[value],
            "--features" | "-F" => {
                for feature in value.trim_matches(['"', '\'']).split(',') {
                    let feature = path::file_name(feature);
                    if is_name(feature) {
                        add(Kind::Command, whole, What::Defined(Tool::CargoFeature, feature.to_owned()));
                    }
                }
                is_complete = true;
                continue;
            }
            _ => continue,
        };
        for target in tools.iter().filter(|target| is_name(target)) {
            add(Kind::Command, whole, What::Defined(Tool::CargoTarget, (*target).to_owned()));
            is_complete = true;
        }
    }
    match own.as_slice() {
        ["install", rest @ ..] => {
            if let Some(package) = rest.iter().find(|word| is_name(word)) {
                add(Kind::Command, whole, What::Defined(Tool::CargoTarget, (*package).to_owned()));
            }
        }
        [first, ..] if !is_complete && is_name(first) => {
            add(Kind::Command, whole, What::Defined(Tool::CargoAlias, (*first).to_owned()));
        }
        _ => {}
    }
}

/// A command of a program of the project: the first word after its name, and its flags.
fn own(name: &str, arguments: &[&str], add: &mut dyn FnMut(Kind, &str, What)) {
    let own = arguments.iter().copied().take_while(|word| *word != "--");
    for (at, word) in own.enumerate() {
        if let Some(key) = flag(word) {
            add(Kind::Flag, word.split('=').next().unwrap_or(word), What::Names(vec![key]));
        } else if at == 0 && word.len() >= 4 && word.chars().all(|c| c.is_ascii_lowercase() || c == '-') {
            add(Kind::Command, &format!("{name} {word}"), What::Names(vec![key(word)]));
        }
    }
}

fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic())
        && word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
}
