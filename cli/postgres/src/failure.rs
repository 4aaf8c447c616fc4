//! What can go wrong with the database, in words.

use tokio_postgres::error::SqlState;
use ubp_core::message::Message;
use ubp_core::{Error, message};

/// An error of the index in PostgreSQL.
pub(crate) fn failure(message: Message) -> Error {
    Error::SharedIndex { message, hint: None }
}

/// The same, with what to do.
pub(crate) fn failure_with(message: Message, hint: Message) -> Error {
    Error::SharedIndex { message, hint: Some(Box::new(hint)) }
}

/// What PostgreSQL said, with its detail; never a password, which no message of the server or client contains.
pub(crate) fn words(error: &tokio_postgres::Error) -> String {
    if let Some(said) = error.as_db_error() {
        return match said.detail() {
            Some(detail) => format!("{}: {detail}", said.message()),
            None => said.message().to_owned(),
        };
    }
    let mut words = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(next) = cause {
        let next_words = next.to_string();
        if !words.contains(&next_words) {
            words = format!("{words}: {next_words}");
        }
        cause = next.source();
    }
    words
}

/// An error of a statement. Whatever the transaction did is undone.
pub(crate) fn failed(error: &tokio_postgres::Error) -> Error {
    let error_words = Message::reported(words(error));
    let Some(code) = error.code() else {
        return failure_with(
            message!("the connection to PostgreSQL was lost: {error}", error = error_words),
            message!("nothing was changed; try again"),
        );
    };
    let is = |codes: &[&SqlState]| codes.contains(&code);
    if is(&[&SqlState::ADMIN_SHUTDOWN, &SqlState::CRASH_SHUTDOWN, &SqlState::CANNOT_CONNECT_NOW]) {
        failure_with(
            message!("PostgreSQL is shutting down or starting: {error}", error = error_words),
            message!("nothing was changed; try again"),
        )
    } else if is(&[
        &SqlState::DISK_FULL,
        &SqlState::OUT_OF_MEMORY,
        &SqlState::CONFIGURATION_LIMIT_EXCEEDED,
        &SqlState::INSUFFICIENT_RESOURCES,
        &SqlState::IO_ERROR,
    ]) {
        failure_with(
            message!("PostgreSQL is out of space or memory: {error}", error = error_words),
            message!("nothing was changed; free some space on the server, then try again"),
        )
    } else if is(&[
        &SqlState::QUERY_CANCELED,
        &SqlState::LOCK_NOT_AVAILABLE,
        &SqlState::T_R_DEADLOCK_DETECTED,
    ]) {
        failure_with(
            message!("PostgreSQL stopped waiting: {error}", error = error_words),
            message!(
                "nothing was changed; try again, or raise statement_timeout and lock_timeout of the role"
            ),
        )
    } else if is(&[&SqlState::INSUFFICIENT_PRIVILEGE]) {
        failure_with(
            message!("PostgreSQL does not allow it: {error}", error = error_words),
            message!(
                "nothing was changed; `GRANT ubp_push TO role` lets a role push, `GRANT ubp_read TO role` read"
            ),
        )
    } else if words(error).contains("docid page") {
        failure_with(
            message!(
                "the full text in PostgreSQL was damaged in a crash of the server: {error}",
                error = error_words
            ),
            message!("`REINDEX TABLE ubp.passages` repairs it; nothing else is damaged"),
        )
    } else {
        failure(message!("PostgreSQL: {error}", error = error_words))
    }
}

/// The index of the full text has fewer rows than the table.
pub(crate) fn words_lost() -> Error {
    failure_with(
        message!("the full text in PostgreSQL was lost when the server restarted"),
        message!("`REINDEX TABLE ubp.passages` repairs it; nothing else is damaged"),
    )
}

/// Turns errors of the client into errors of the engine.
pub(crate) trait OrFailure<T> {
    /// # Errors
    /// [`Error::SharedIndex`].
    fn or_failure(self) -> Result<T, Error>;
}

impl<T> OrFailure<T> for Result<T, tokio_postgres::Error> {
    fn or_failure(self) -> Result<T, Error> {
        self.map_err(|error| failed(&error))
    }
}
