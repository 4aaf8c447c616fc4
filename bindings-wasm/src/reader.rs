//! The person who reads what the engine says. The catalogue of their language is in JavaScript, so that only those who
//! need it load it; without a reader, answers are for programs.

use std::borrow::Cow;
use std::cell::RefCell;

use ubp_core::Error;
use ubp_core::hint::Buttons;
use ubp_core::message::{Language, Message, told_to};
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// A language.
    #[wasm_bindgen(typescript_type = "Words")]
    pub type Words;

    #[wasm_bindgen(method)]
    fn translated(this: &Words, english: &str) -> Option<String>;

    #[wasm_bindgen(method)]
    fn retold(this: &Words, english: &str) -> Option<String>;
}

thread_local! {
    static WORDS: RefCell<Option<Words>> = const { RefCell::new(None) };
}

const LANGUAGE: Language = Language::new(
    "",
    |english| WORDS.with_borrow(|words| words.as_ref()?.translated(english)).map(Cow::Owned),
    |english| WORDS.with_borrow(|words| words.as_ref()?.retold(english)),
);

/// Sets the language in which later calls answer.
#[wasm_bindgen(js_name = setReader)]
pub fn set_reader(words: Option<Words>) {
    WORDS.set(words);
}

/// Does `work`, whose answer is for the reader.
pub(crate) fn answering<T>(work: impl FnOnce() -> T) -> T {
    match WORDS.with_borrow(Option::is_some) {
        true => told_to(Buttons(LANGUAGE), work),
        false => work(),
    }
}

/// The message and the hint of an error.
pub(crate) fn told(error: &Error) -> (String, Option<String>) {
    let voice = Buttons(LANGUAGE);
    let message = match WORDS.with_borrow(Option::is_some) {
        true => error.message().told(&voice),
        false => error.to_string(),
    };
    (message, error.hint().map(|hint: Message| hint.told(&voice)))
}
