//! Checks that `model.onnx` is a complete protobuf message before an engine reads it: with an invalid length in a
//! damaged file, rten may never return.

use super::session::Outcome;

/// The ONNX messages that engines parse.
#[derive(Clone, Copy)]
enum Message {
    Model,
    Graph,
    Node,
    Attribute,
    Tensor,
    ValueInfo,
    Type,
    TensorType,
    Shape,
    /// A message without nested messages.
    Leaf,
}

impl Message {
    /// The type of the message in field `number`, if it contains one.
    fn field(self, number: u64) -> Option<Self> {
        Some(match (self, number) {
            (Self::Model, 7) | (Self::Attribute, 6 | 11) => Self::Graph,
            (Self::Graph, 1) => Self::Node,
            (Self::Graph, 5) | (Self::Attribute, 5 | 10) => Self::Tensor,
            (Self::Graph, 11..=13) => Self::ValueInfo,
            (Self::Node, 5) => Self::Attribute,
            (Self::ValueInfo, 2) => Self::Type,
            (Self::Type, 1) => Self::TensorType,
            (Self::TensorType, 2) => Self::Shape,
            (Self::Model, 8 | 14) | (Self::Tensor, 13) | (Self::Shape, 1) => Self::Leaf,
            _ => return None,
        })
    }
}

/// Maximum depth of nested messages, more than any encoder has.
const DEEPEST: usize = 32;

/// Checks that `bytes` have the structure of a complete model.
pub(super) fn check(bytes: &[u8]) -> Outcome<()> {
    if !bytes.is_empty() && message(bytes, Message::Model, 0).is_some() {
        Ok(())
    } else {
        Err("model.onnx is damaged or not an ONNX model; download it again".into())
    }
}

fn message(mut bytes: &[u8], kind: Message, depth: usize) -> Option<()> {
    if depth > DEEPEST {
        return None;
    }
    while !bytes.is_empty() {
        let tag = varint(&mut bytes)?;
        match tag & 7 {
            0 => drop(varint(&mut bytes)?),
            1 => bytes = bytes.get(8..)?,
            2 => {
                let length = usize::try_from(varint(&mut bytes)?).ok()?;
                let (inside, rest) = bytes.split_at_checked(length)?;
                if let Some(kind) = kind.field(tag >> 3) {
                    message(inside, kind, depth + 1)?;
                }
                bytes = rest;
            }
            5 => bytes = bytes.get(4..)?,
            _ => return None,
        }
    }
    Some(())
}

fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_must_be_within_the_file() {
        assert!(check(b"").is_err());
        assert!(check(b"\x08\x08").is_ok());
        assert!(check(b"\x3a\x02\x0a\x00").is_ok());
        assert!(check(b"\x3a\x02\x0a\x01").is_err());
        assert!(check(b"\x3a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01").is_err());
        assert!(check(&[0xff; 64]).is_err());
        assert!(check(b"\x3a").is_err());
    }
}
