//! Who reads the messages in an answer of fields. Programs and agents do, unless a person's view asks.

use std::cell::RefCell;
use std::rc::Rc;

use crate::hint::Voice;

thread_local! {
    static READER: RefCell<Option<Rc<dyn Voice>>> = const { RefCell::new(None) };
}

/// Runs `work`. Messages in the answers that it makes are in the words of `voice`.
pub fn told_to<T>(voice: impl Voice + 'static, work: impl FnOnce() -> T) -> T {
    struct Former(Option<Rc<dyn Voice>>);
    impl Drop for Former {
        fn drop(&mut self) {
            READER.set(self.0.take());
        }
    }
    let _former = Former(READER.replace(Some(Rc::new(voice))));
    work()
}

/// The reader, if it is not a program.
pub(super) fn reader() -> Option<Rc<dyn Voice>> {
    READER.with_borrow(Clone::clone)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::hint::{Buttons, Next};
    use crate::message;
    use crate::message::{Language, Message};

    const FRENCH: Language = Language::new(
        "fr",
        |english| match english {
            "read it: {call}" => Some("lisez-le : {call}".into()),
            "“Mark page as reviewed”" => Some("« Marquer la page »".into()),
            "{command} in a terminal" => Some("{command} dans un terminal".into()),
            _ => None,
        },
        |_| None,
    );

    fn json(message: &Message) -> String {
        serde_json::to_string(message).unwrap()
    }

    #[test]
    fn messages_in_answers_are_for_programs_unless_a_person_reads_them() {
        let button = message!("read it: {call}", call = Next::call("review_page"));
        let command = message!("read it: {call}", call = Next::call("status"));
        assert_eq!(json(&button), "\"read it: `ubp review`\"");
        told_to(Buttons(FRENCH), || {
            assert_eq!(json(&button), "\"lisez-le : « Marquer la page »\"");
            assert_eq!(json(&command), "\"lisez-le : `ubp status` dans un terminal\"");
            told_to(Buttons::default(), || assert_eq!(json(&button), "\"read it: “Mark page as reviewed”\""));
            assert_eq!(json(&button), "\"lisez-le : « Marquer la page »\"");
            assert_eq!(button.to_string(), "read it: `ubp review`", "files are in English");
        });
        assert_eq!(json(&button), "\"read it: `ubp review`\"");
    }
}
