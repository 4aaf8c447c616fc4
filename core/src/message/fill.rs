//! What can fill the placeholders of messages.

use std::borrow::Cow;
use std::io;

use super::{Message, Style, Value};
use crate::hint::Next;
use crate::message;
use crate::show::Span;

/// What can fill a placeholder.
pub trait Fill {
    /// The value.
    fn fill(&self) -> Value;
}

impl<T: Fill + ?Sized> Fill for &T {
    fn fill(&self) -> Value {
        (**self).fill()
    }
}

impl<T: Fill + ?Sized> Fill for Box<T> {
    fn fill(&self) -> Value {
        (**self).fill()
    }
}

impl Fill for Value {
    fn fill(&self) -> Value {
        self.clone()
    }
}

impl Fill for Message {
    fn fill(&self) -> Value {
        Value::Message(Style::Plain, self.clone())
    }
}

impl Fill for Next {
    fn fill(&self) -> Value {
        Value::Ask(self.clone())
    }
}

macro_rules! fill_with_text {
    ($($type:ty),*) => {$(
        impl Fill for $type {
            fn fill(&self) -> Value {
                Value::Text(self.to_string())
            }
        }
    )*};
}

fill_with_text!(
    str,
    String,
    Cow<'_, str>,
    char,
    u8,
    u16,
    u32,
    u64,
    usize,
    i32,
    i64,
    f64,
    std::path::Display<'_>,
    serde_json::Value,
    crate::ports::ContentHash
);

macro_rules! fill_with_reported {
    ($($type:ty),*) => {$(
        impl Fill for $type {
            fn fill(&self) -> Value {
                Message::reported(self.to_string()).fill()
            }
        }
    )*};
}

fill_with_reported!(fast_glob::Error, rusqlite::Error, serde_json::Error);

#[cfg(not(target_family = "wasm"))]
fill_with_reported!(base64::DecodeError, regex::Error);

impl Fill for crate::Error {
    fn fill(&self) -> Value {
        self.message().fill()
    }
}

/// The usual errors of a file system are translated.
impl Fill for io::Error {
    fn fill(&self) -> Value {
        let meaning = match self.kind() {
            io::ErrorKind::NotFound => message!("no such file or folder"),
            io::ErrorKind::PermissionDenied => message!("permission denied"),
            io::ErrorKind::AlreadyExists => message!("it already exists"),
            io::ErrorKind::StorageFull => message!("no space left on the disk"),
            io::ErrorKind::ReadOnlyFilesystem => message!("the file system is read-only"),
            io::ErrorKind::NotADirectory => message!("not a folder"),
            io::ErrorKind::IsADirectory => message!("it is a folder"),
            io::ErrorKind::DirectoryNotEmpty => message!("the folder is not empty"),
            io::ErrorKind::ConnectionRefused => message!("connection refused"),
            io::ErrorKind::AddrInUse => message!("the address is already in use"),
            io::ErrorKind::TimedOut => message!("no answer in time"),
            io::ErrorKind::BrokenPipe => message!("the pipe is closed"),
            _ => return Message::reported(self.to_string()).fill(),
        };
        match self.get_ref() {
            // Words of ubp itself or of a library, not of the system.
            Some(_) => Message::reported(self.to_string()).fill(),
            None => Message::foreign(self.to_string(), meaning).fill(),
        }
    }
}

impl Fill for Span<'_> {
    fn fill(&self) -> Value {
        match *self {
            Self::Text(text) => Value::Text(text.into()),
            Self::Path(path) => Value::Path(path.into()),
            Self::Place(path, line) => Value::Place(path.into(), line),
            Self::File(path) => Value::File(path.into()),
            Self::Code(name) => Value::Code(name.into()),
            Self::Strong(text) => Value::Message(Style::Strong, Message::verbatim(text)),
            Self::Faint(text) => Value::Message(Style::Faint, Message::verbatim(text)),
            Self::Alarm(text) => Value::Message(Style::Alarm, Message::verbatim(text)),
            Self::Title(title) => Value::Title(title.into()),
            Self::Words(words) => Value::Words(words.into()),
            Self::Label(label) => Value::Label(label.into()),
            Self::Trust(staleness) => Value::Trust(staleness),
            Self::Quoted(message) => Value::Words(message.to_string()),
            Self::Said(style, message) => Value::Message(style, message.clone()),
        }
    }
}
