//! temp
use crate::Result;
use crate::ports::Embedder;
use std::ops::Range;
/// t
pub fn chunks(_e: &dyn Embedder, _h: &[String], text: &str) -> Result<Vec<Range<usize>>> {
    Ok(vec![0..text.len()])
}
/// t
pub fn passage(h: &[String], piece: &str) -> String {
    format!("{}\n{piece}", h.join(" > "))
}
