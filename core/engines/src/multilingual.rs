//! The built-in multilingual model, multilingual-e5-small. Its linear layers are stored with 4 bits per weight, half of
//! what the engines need, and unpacked when the model is read: see [`unpacked`].

use std::borrow::Cow;

use ubp_core::embed::{DESCRIPTION_FILE, MODEL_FILE, ModelFiles, TOKENIZER_FILE, short_hash};
use ubp_core::{Error, Result};

use super::packed::{inflated, packed};

macro_rules! file {
    ($name:literal) => {
        include_bytes!(concat!("../../models/multilingual-e5-small/", $name))
    };
}

static WEIGHTS: &[u8] = file!("model.onnx.data.packed");
static MODEL: &[u8] = packed!("multilingual-e5-small", "model.onnx");
static TOKENIZER: &[u8] = packed!("multilingual-e5-small", "tokenizer.json");
static DESCRIPTION: &[u8] = file!("model.json");
static SUMS: &[u8] = file!("SHA256SUMS");

/// Inputs of a linear layer that share one scale per output.
const BLOCK: usize = 32;

/// The files of multilingual-e5-small in the binary.
#[derive(Debug, Clone, Copy, Default)]
pub struct MultilingualFiles;

impl ModelFiles for MultilingualFiles {
    fn names(&self) -> Vec<String> {
        [MODEL_FILE, "model.onnx.data", TOKENIZER_FILE, DESCRIPTION_FILE].map(Into::into).into()
    }

    fn read(&self, name: &str) -> Result<Cow<'static, [u8]>> {
        let damaged = || Error::Internal(format!("the model in the binary is damaged: {name}"));
        Ok(match name {
            MODEL_FILE => inflated(MODEL, name)?,
            "model.onnx.data" => Cow::Owned(unpacked(WEIGHTS).ok_or_else(damaged)?),
            TOKENIZER_FILE => inflated(TOKENIZER, name)?,
            DESCRIPTION_FILE => Cow::Borrowed(DESCRIPTION),
            _ => return Err(Error::Internal(format!("the model in the binary has no file {name}"))),
        })
    }

    /// Computed from the list of checksums, which a test compares with the files.
    fn checksum(&self) -> Result<String> {
        Ok(short_hash(SUMS))
    }
}

/// Unpacks the weights that the graph refers to. `core/models/export_multilingual.py` describes the format.
fn unpacked(packed: &[u8]) -> Option<Vec<u8>> {
    let (count, rest) = packed.split_first_chunk()?;
    let count = usize::try_from(u32::from_le_bytes(*count)).ok()?;
    let (records, mut content) = rest.split_at_checked(count.checked_mul(8)?)?;
    let records: Vec<(usize, usize)> = records
        .chunks_exact(8)
        .map(|record| {
            let (blocks, outputs) = record.split_first_chunk()?;
            let number = |bytes: [u8; 4]| usize::try_from(u32::from_le_bytes(bytes)).ok();
            Some((number(*blocks)?, number(outputs.try_into().ok()?)?))
        })
        .collect::<Option<_>>()?;
    let length = records.iter().map(|&(blocks, outputs)| outputs * (blocks * BLOCK).max(1)).sum();
    let mut weights = Vec::with_capacity(length);
    for (blocks, outputs) in records {
        if blocks == 0 {
            let (raw, rest) = content.split_at_checked(outputs)?;
            weights.extend_from_slice(raw);
            content = rest;
        }
        for _ in 0..blocks {
            let (factors, rest) = content.split_at_checked(2 * outputs)?;
            let (rows, rest) = rest.split_at_checked(BLOCK / 2 * outputs)?;
            unpack_block(factors, rows, outputs, &mut weights);
            content = rest;
        }
    }
    (content.is_empty() && weights.len() == length).then_some(weights)
}

/// Appends the 8-bit weights of one block: first the rows in the lower four bits, then those in the upper ones.
fn unpack_block(factors: &[u8], rows: &[u8], outputs: usize, weights: &mut Vec<u8>) {
    let factors: Vec<f32> = factors
        .chunks_exact(2)
        .map(|half| half.try_into().map_or(0.0, |half| float(u16::from_le_bytes(half))))
        .collect();
    for shift in [0, 4] {
        for row in rows.chunks_exact(outputs.max(1)) {
            let row = row.iter().zip(&factors);
            weights
                .extend(row.map(|(pair, factor)| rounded((f32::from((pair >> shift) & 15) - 8.0) * factor)));
        }
    }
}

/// Converts an IEEE half-precision number. Subnormal numbers come out wrong, but so small that they are rounded to 0.
fn float(half: u16) -> f32 {
    const EXPONENTS: u32 = (127 - 15) << 23;
    f32::from_bits(u32::from(half & 0x8000) << 16 | ((u32::from(half & 0x7fff) << 13) + EXPONENTS))
}

/// Rounds to the nearest integer, ties to even, and returns its lowest byte. After adding this constant, the integer is in
/// the lowest bits. Without SSE4.1, `round_ties_even` takes ten times as long.
fn rounded(value: f32) -> u8 {
    let [byte, ..] = (value + 12_582_912.0).to_bits().to_le_bytes();
    byte
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use ubp_core::embed::MemoryFiles;

    #[test]
    fn the_checksums_match_the_unpacked_files() {
        let files = MultilingualFiles;
        let copies = MemoryFiles::new(files.names().into_iter().map(|name| {
            let bytes = files.read(&name).unwrap();
            (name, bytes)
        }));
        assert_eq!(files.checksum().unwrap(), copies.checksum().unwrap());
    }

    #[test]
    fn truncated_and_overlong_weights_are_errors() {
        assert!(unpacked(WEIGHTS).is_some());
        for length in [0, 3, 4, 11, 1000, WEIGHTS.len() - 1] {
            assert!(unpacked(&WEIGHTS[..length]).is_none(), "{length}");
        }
        assert!(unpacked(&[WEIGHTS, b"x"].concat()).is_none());
    }

    #[test]
    fn numbers_are_rounded_to_even() {
        for (value, expected) in
            [(0.5, 0), (1.5, 2), (2.5, 2), (-0.5, 0), (-1.5, -2), (-2.6, -3), (63.0, 63), (-63.4, -63)]
        {
            assert_eq!(i8::from_le_bytes([rounded(value)]), expected, "{value}");
        }
        assert_eq!((float(0x3c00), float(0xc000), float(0x3555)), (1.0, -2.0, 0.333_251_95));
    }
}
