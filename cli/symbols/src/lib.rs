//! Definitions in source files, by name, and fingerprints of what they say.
//!
//! A page can name a symbol, such as `src/auth/login.ts#Session.refresh`. This crate finds its definition in the text of the
//! file, and hashes it without comments and layout. It knows nothing about pages, and reads no files.
//!
//! ```
//! use ubp_symbols::{Change, Language, Limits, Source, Target, find};
//!
//! let before = "export const login = (user: string) => check(user);";
//! let after = "// Signs in.\nexport const login = (user: string) =>\n  check(user, true);";
//! let fingerprint = |text: &str| {
//!     let source = Source::read(Language::TypeScript, text.as_bytes(), Limits::default()).unwrap();
//!     let Target::Found(parts) = find(source.definitions(), "login") else { panic!("not found") };
//!     source.fingerprint(&parts)
//! };
//! assert_eq!(fingerprint(after).change_since(&fingerprint(before)), Change::Body);
//! ```
//!
//! # Invariants
//!
//! - No text makes it panic, overflow the stack, or take longer than its limits: `tests/hostile.rs`.
//! - Comments and layout change no hash: the cases in `cases`.
//! - Hashes do not depend on how a grammar names its nodes, so that a new version of a grammar keeps them: `tokens.rs`.

mod anchor;
mod code;
mod definition;
mod fingerprint;
mod formats;
mod grammar;
mod language;
mod limits;
mod outline;
mod source;
mod tokens;

pub use anchor::{Target, find};
pub use definition::{Definition, Kind};
pub use fingerprint::{Change, Fingerprint, Hash};
pub use language::Language;
pub use limits::{Limits, Unreadable};
pub use source::Source;
