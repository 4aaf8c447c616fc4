//! `ubp completions`: scripts with which a shell completes commands, flags and names of pages, and the answers that
//! those scripts request on Tab.

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{Arg, Args, Command, CommandFactory};
use clap_complete::Shell;
use clap_complete::engine::{
    ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter, complete,
};
use ubp_core::ops::complete::{self as pages, Params};
use ubp_core::path::{page_name, without_page_extension};

use crate::ExitStatus;
use crate::args::{Arguments, Global};
use crate::output::CommandResult;
use crate::session::Session;
use crate::terminal::Terminal;

/// Limit on the names of pages in one answer.
const MOST: usize = 100;

/// Value names of arguments that take a page.
const PAGE: [&str; 5] = ["PAGE", "TARGET", "PAGE|FOLDER", "PAGE|FILE|FOLDER", "FROM... TO"];

/// `ubp completions`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp completions bash > ~/.local/share/bash-completion/completions/ubp\n  \
    ubp completions zsh > ~/.zfunc/_ubp          a folder of $fpath\n  \
    ubp completions fish > ~/.config/fish/completions/ubp.fish\n\n\
    bash, zsh and fish also complete the paths, titles and aliases of pages.")]
pub struct CompletionsArgs {
    /// The shell
    pub shell: Shell,
    /// Index of the word to complete; set by the scripts
    #[arg(long, hide = true, requires = "words")]
    pub at: Option<usize>,
    /// The words of the command line
    #[arg(last = true, hide = true)]
    pub words: Vec<OsString>,
}

pub(crate) fn run(
    terminal: &mut Terminal<'_>,
    folder: &Path,
    global: &Global,
    args: CompletionsArgs,
) -> CommandResult {
    if let Some(at) = args.at {
        return answer(terminal, folder, global, at, args.words);
    }
    let mut generated = Vec::new();
    let script: &[u8] = match args.shell {
        Shell::Bash => include_bytes!("completions/ubp.bash"),
        Shell::Zsh => include_bytes!("completions/ubp.zsh"),
        Shell::Fish => include_bytes!("completions/ubp.fish"),
        shell => {
            clap_complete::generate(shell, &mut Arguments::command(), "ubp", &mut generated);
            &generated
        }
    };
    terminal.io.out.write_all(script)?;
    Ok(ExitStatus::Success)
}

/// Prints the completions of word `at`, one per line, each with its description after a tab. Errors print nothing.
fn answer(
    terminal: &mut Terminal<'_>,
    folder: &Path,
    global: &Global,
    at: usize,
    words: Vec<OsString>,
) -> CommandResult {
    let typed = words.get(at).map(|word| word.to_string_lossy().into_owned()).unwrap_or_default();
    let folder = named_folder(folder, &words);
    let is_flag = typed.starts_with('-') && !typed.contains('=');
    let named = match at {
        0 | 1 => Vec::new(),
        _ if is_flag => Vec::new(),
        _ => {
            page_names(terminal, &folder, global, typed.rsplit_once('=').map_or(&*typed, |(_, value)| value))
        }
    };
    let mut command = with_pages(Arguments::command(), &named, &folder);
    let mut found = complete(&mut command, words, at, Some(&folder)).unwrap_or_default();
    // Offer flags only if nothing else fits, or a `-` is typed.
    if typed.is_empty() && found.iter().any(|found| !is_a_flag(found)) {
        found.retain(|found| !is_a_flag(found));
    }
    // A page can be offered twice: as a page and as a file.
    let mut seen = HashSet::new();
    for candidate in found.iter().filter(|candidate| seen.insert(candidate.get_value())) {
        let value = candidate.get_value().to_string_lossy();
        let help = candidate.get_help().map(ToString::to_string).unwrap_or_default();
        let help = help.lines().next().unwrap_or_default();
        let gap = if help.is_empty() { "" } else { "\t" };
        terminal.put(format!("{value}{gap}{help}"))?;
    }
    Ok(ExitStatus::Success)
}

fn is_a_flag(candidate: &CompletionCandidate) -> bool {
    candidate.get_value().to_string_lossy().starts_with('-')
}

/// The folder given by `-C` or `--directory`, otherwise `folder`.
fn named_folder(folder: &Path, words: &[OsString]) -> PathBuf {
    let named =
        words.iter().zip(words.iter().skip(1)).find(|(flag, _)| *flag == "-C" || *flag == "--directory");
    named.map_or_else(|| folder.to_path_buf(), |(_, named)| folder.join(named))
}

/// Names of pages that begin with `typed`, each with the title of its page. A path that fits is preferred to a title.
fn page_names(
    terminal: &mut Terminal<'_>,
    folder: &Path,
    global: &Global,
    typed: &str,
) -> Vec<(String, String)> {
    terminal.quiet = true;
    let Ok(session) = Session::open(terminal, folder) else { return Vec::new() };
    // A word without a slash may be the start of a title.
    let text = if typed.contains('/') { session.place_of_page(typed) } else { typed.to_owned() };
    let params = Params { text, limit: Some(MOST) };
    let Ok(found) = session.read(terminal, global, |context| pages::run(context, params)) else {
        return Vec::new();
    };
    let lower = typed.to_lowercase();
    let names = found.pages.into_iter().filter_map(|page| {
        let path = terminal.path(&page.filepath);
        // Leave out bare file names: files in several folders may share one.
        let file = [page_name(&page.filepath), without_page_extension(&page.filepath)];
        let alias = Some(page.name).filter(|name| !file.contains(&name.as_str()));
        let names: Vec<String> = [path, page.title.clone()].into_iter().chain(alias).collect();
        let exact = names.iter().find(|name| name.starts_with(typed));
        let name = exact.or_else(|| names.iter().find(|name| name.to_lowercase().starts_with(&lower)))?;
        Some((name.clone(), page.title))
    });
    let names: Vec<(String, String)> = names.filter(|(name, _)| !name.contains(['\n', '\t'])).collect();
    // Prefer names with the typed case: a shell reduces candidates to their common prefix.
    let exact: Vec<(String, String)> =
        names.iter().filter(|(name, _)| name.starts_with(typed)).cloned().collect();
    if exact.is_empty() { names } else { exact }
}

/// The command with these names as possible values of every argument that takes a page.
fn with_pages(command: Command, named: &[(String, String)], folder: &Path) -> Command {
    let below: Vec<String> = command.get_subcommands().map(|command| command.get_name().to_owned()).collect();
    let command = below.into_iter().fold(command, |command, name| {
        command.mut_subcommand(name, |command| with_pages(command, named, folder))
    });
    command.mut_args(|arg| {
        if !takes_page(&arg) {
            return arg;
        }
        let named = named.to_vec();
        let files = takes_file(&arg).then(|| PathCompleter::any().current_dir(folder));
        arg.add(ArgValueCompleter::new(move |typed: &std::ffi::OsStr| {
            let pages = named.iter().map(|(name, title)| {
                let help = Some(title).filter(|title| *title != name).map(|title| title.clone().into());
                CompletionCandidate::new(name).help(help)
            });
            pages.chain(files.iter().flat_map(|files| files.complete(typed))).collect()
        }))
    })
}

fn takes_page(arg: &Arg) -> bool {
    arg.get_value_names().is_some_and(|names| names.iter().any(|name| PAGE.contains(&name.as_str())))
}

/// Whether the argument also takes files of the project.
fn takes_file(arg: &Arg) -> bool {
    arg.get_value_names().is_some_and(|names| names.iter().any(|name| name.contains("FILE")))
}
