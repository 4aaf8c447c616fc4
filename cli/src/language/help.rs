//! The help of the commands in the reader's language.

use std::borrow::Cow;
use std::collections::BTreeSet;

use clap::builder::StyledStr;
use clap::{Arg, Command, CommandFactory};
use ubp_core::message;
use ubp_core::message::Language;
use ubp_core::word;

use crate::args::Arguments;

/// `command` and its subcommands with their texts in `language`. A text without a translation stays as it is.
pub(crate) fn translated(mut command: Command, language: Language) -> Command {
    // The flags and commands for help exist from here on.
    command.build();
    words_of(command, language)
}

fn words_of(mut command: Command, language: Language) -> Command {
    let word = |text: &StyledStr| translation(&text.to_string(), language);
    let usage = command.get_styles().get_usage();
    let title = message!("Usage:").in_language(language);
    let template = format!(
        "{{before-help}}{{about-with-newline}}\n{usage}{title}{usage:#} {{usage}}\n\n{{all-args}}{{after-help}}"
    );
    if let Some(text) = command.get_about().and_then(word) {
        command = command.about(text);
    }
    if let Some(text) = command.get_long_about().and_then(word) {
        command = command.long_about(text);
    }
    if let Some(text) = command.get_after_help().and_then(word) {
        command = command.after_help(text);
    }
    if let Some(text) = command.get_after_long_help().and_then(word) {
        command = command.after_long_help(text);
    }
    command
        .help_template(template)
        .subcommand_help_heading(named(word!("Commands"), language))
        .mut_args(|argument| argument_in(argument, language))
        .mut_subcommands(|command| words_of(command, language))
}

fn named(word: &'static str, language: Language) -> &'static str {
    translation(word, language).unwrap_or(word)
}

/// The translation of a text. clap needs texts that stay, as those of the catalogues in the program do.
fn translation(text: &str, language: Language) -> Option<&'static str> {
    match language.of(text)? {
        Cow::Borrowed(translated) => Some(translated),
        Cow::Owned(_) => None,
    }
}

fn argument_in(mut argument: Arg, language: Language) -> Arg {
    let heading = match argument.get_help_heading() {
        Some(heading) => translation(heading, language),
        None if argument.is_positional() => Some(named(word!("Arguments"), language)),
        None => Some(named(word!("Options"), language)),
    };
    if let Some(heading) = heading {
        argument = argument.help_heading(heading);
    }
    let told = |text: &StyledStr| {
        let text = text.to_string();
        language.of(&text).map_or(text, Cow::into_owned)
    };
    let short = argument.get_help().map(told).unwrap_or_default();
    let long = argument.get_long_help().map(told);
    let Values { after_short, after_long } = Values::of(&argument, language);
    let is_long = long.is_some() || after_short != after_long;
    let long = long.unwrap_or_else(|| short.clone());
    argument = argument.help(format!("{short}{after_short}").trim_start().to_owned());
    if is_long {
        argument = argument.long_help(format!("{long}{after_long}").trim_start().to_owned());
    }
    argument.hide_default_value(true).hide_possible_values(true)
}

/// What clap says in English about the values of an argument.
struct Values {
    after_short: String,
    after_long: String,
}

impl Values {
    fn of(argument: &Arg, language: Language) -> Self {
        let (mut short, mut long) = (String::new(), String::new());
        if !argument.get_action().takes_values() {
            return Self { after_short: short, after_long: long };
        }
        if !argument.is_hide_default_value_set() && !argument.get_default_values().is_empty() {
            let values: Vec<_> =
                argument.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
            let told = message!("default: {value}", value = values.join(" ")).in_language(language);
            short = format!(" [{told}]");
            long = format!("\n\n[{told}]");
        }
        let possible = argument.get_possible_values();
        let possible: Vec<_> = possible.iter().filter(|value| !value.is_hide_set()).collect();
        if argument.is_hide_possible_values_set() || possible.is_empty() {
            return Self { after_short: short.clone(), after_long: short };
        }
        let names: Vec<&str> = possible.iter().map(|value| value.get_name()).collect();
        let told = message!("possible values: {values}", values = names.join(", ")).in_language(language);
        short.push_str(&format!(" [{told}]"));
        if possible.iter().all(|value| value.get_help().is_none()) {
            return Self { after_short: short.clone(), after_long: short };
        }
        let title = message!("Possible values:").in_language(language);
        let widest = names.iter().map(|name| name.len()).max().unwrap_or(0);
        let mut list = format!("\n\n{title}");
        for value in possible {
            let means = value.get_help().map(|text| {
                let text = text.to_string();
                language.of(&text).map_or(text, Cow::into_owned)
            });
            let name = format!("{}:", value.get_name());
            list.push_str(&format!("\n- {name:<gap$}{}", means.unwrap_or_default(), gap = widest + 2));
        }
        Self { after_short: short, after_long: format!("{list}{long}") }
    }
}

/// All texts of the help, each once: what a catalogue must have besides the messages of the code.
pub fn texts() -> BTreeSet<String> {
    let mut command = Arguments::command();
    command.build();
    let mut texts = BTreeSet::new();
    collect(&command, &mut texts);
    texts
}

fn collect(command: &Command, texts: &mut BTreeSet<String>) {
    let own = [
        command.get_about(),
        command.get_long_about(),
        command.get_after_help(),
        command.get_after_long_help(),
    ];
    texts.extend(own.into_iter().flatten().map(ToString::to_string));
    for argument in command.get_arguments().filter(|argument| !argument.is_hide_set()) {
        let own = [argument.get_help(), argument.get_long_help()];
        texts.extend(own.into_iter().flatten().map(ToString::to_string));
        texts.extend(argument.get_help_heading().map(str::to_owned));
        let values = argument.get_possible_values();
        texts.extend(values.iter().filter_map(|value| value.get_help()).map(ToString::to_string));
    }
    let shown = command.get_subcommands().filter(|command| !command.is_hide_set());
    shown.for_each(|command| collect(command, texts));
    texts.remove("");
}
