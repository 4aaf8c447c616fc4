//! The addon behind the npm package `ubp`: the command and the engine for Node. It carries JSON
//! between JavaScript and the operation table, on threads of its own, and knows no operation by name.
//!
//! No signal is listened for here. Node owns the handlers of its process, and a second owner leaves
//! its main thread spinning; `bin/ubp.js` hears signals and passes them on as a request to stop.
//!
//! JSON goes in and out as text, since `JSON.parse` is quicker than making objects field by field.
//!
//! **Invariants**
//! - A call never holds up the event loop, and a write never holds up a search (`tests/node/responsive.test.mjs`).
//! - Command and addon are built with the same features of every dependency, so that neither is built anew.
//! - The command in Node is the native one (`tests/node/parity.test.mjs`, `process.test.mjs`: pipes, signals,
//!   panics).

// The code that `#[napi]` writes calls Node's interface, which is unsafe by nature.
#![allow(unsafe_code)]
// In a test build it registers nothing with Node, so nothing calls what it would register.
#![cfg_attr(test, allow(dead_code))]

mod answer;
mod command;
mod lanes;
mod project;
mod stop;
