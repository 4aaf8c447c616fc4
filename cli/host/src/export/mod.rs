//! Writes a site to a folder: sources of the web app and the model, and replacement of the previous site.

pub mod folder;
pub mod model;
pub mod web_app;
