//! Writing a site to a folder: where the web app and the model come from, and how the folder changes from one
//! whole site to the next.

pub(crate) mod folder;
pub(crate) mod model;
pub(crate) mod web_app;
