//! Tests of whole pages: the cases in `cases/`, properties of every page, hostile
//! pages, and the examples of the Markdown and YAML specifications.

mod cases;
mod corpora;
mod hostile;
mod properties;

use super::{LinkTypes, Page, parse};

fn page(text: &str) -> Page {
    parse(text, &LinkTypes::default())
}
