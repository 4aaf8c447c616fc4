//! Writes a site to a folder: sources of the web app and the model, what makes it installable, and replacement of the previous site.

pub mod folder;
pub mod installable;
pub mod model;
pub mod web_app;
