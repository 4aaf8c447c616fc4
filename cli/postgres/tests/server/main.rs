//! Tests against a real PostgreSQL, in the folder that `UBP_POSTGRES_SERVER` names (`tests/postgres/prepare` prints it).
//! Without it, they are skipped, and say so.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod encryption;
mod faults;
mod hub;
mod project;
mod pushing;
mod reading;
mod rights;
mod server;
mod several;
