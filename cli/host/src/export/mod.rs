//! Writing a site to a folder: where the web app and the model come from, and how the folder changes from one
//! whole site to the next.

pub mod folder;
pub mod model;
pub mod web_app;
