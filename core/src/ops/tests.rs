//! Tests that apply to every operation.
#![allow(clippy::unwrap_used)]

mod attaching;
mod budget;
mod current;
mod documents;
mod duplicates;
mod explain;
mod missing;
mod names;
mod passages;
mod proposing;
mod queueing;
mod recording;
mod remembering;
mod rights;
mod saving;
mod suggesting;
mod words;
mod writing;
