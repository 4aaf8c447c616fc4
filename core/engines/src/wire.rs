//! Protobuf messages: their fields, and a check that `model.onnx` is a complete message before an engine reads it. With an
//! invalid length in a damaged file, rten may never return.

use super::session::Outcome;
use ubp_core::word;

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
        Err(word!("model.onnx is damaged or not an ONNX model; download it again").into())
    }
}

fn message(bytes: &[u8], kind: Message, depth: usize) -> Option<()> {
    if depth > DEEPEST {
        return None;
    }
    for field in Fields(bytes) {
        let field = field?;
        if let (Value::Bytes(inside), Some(kind)) = (field.value, kind.field(field.number)) {
            message(inside, kind, depth + 1)?;
        }
    }
    Some(())
}

/// One field of a message.
#[derive(Clone, Copy)]
pub(super) struct Field<'a> {
    pub number: u64,
    pub value: Value<'a>,
    /// The field as it is in the message, with its number.
    pub raw: &'a [u8],
}

/// The content of a field.
#[derive(Clone, Copy)]
pub(super) enum Value<'a> {
    Varint(u64),
    /// A message, a string, or packed numbers.
    Bytes(&'a [u8]),
    /// A number of 4 or 8 bytes.
    Fixed,
}

/// The fields of a message in order; `None` for the first that is incomplete, and then no more.
pub(super) struct Fields<'a>(pub &'a [u8]);

impl<'a> Iterator for Fields<'a> {
    type Item = Option<Field<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        let whole = std::mem::take(&mut self.0);
        if whole.is_empty() {
            return None;
        }
        let (number, value, rest) = match field(whole) {
            Some(field) => field,
            None => return Some(None),
        };
        self.0 = rest;
        Some(Some(Field { number, value, raw: &whole[..whole.len() - rest.len()] }))
    }
}

/// Number and value of the first field, and the rest of the message.
fn field(mut bytes: &[u8]) -> Option<(u64, Value<'_>, &[u8])> {
    let tag = varint(&mut bytes)?;
    let value = match tag & 7 {
        0 => Value::Varint(varint(&mut bytes)?),
        1 => {
            bytes = bytes.get(8..)?;
            Value::Fixed
        }
        2 => {
            let length = usize::try_from(varint(&mut bytes)?).ok()?;
            let (inside, rest) = bytes.split_at_checked(length)?;
            bytes = rest;
            Value::Bytes(inside)
        }
        5 => {
            bytes = bytes.get(4..)?;
            Value::Fixed
        }
        _ => return None,
    };
    Some((tag >> 3, value, bytes))
}

/// Appends the field `number` with the content `bytes` to a message.
pub(super) fn append(message: &mut Vec<u8>, number: u64, bytes: &[u8]) {
    append_varint(message, number << 3 | 2);
    append_varint(message, bytes.len() as u64);
    message.extend_from_slice(bytes);
}

/// Appends the field `number` with the number `value` to a message.
pub(super) fn append_number(message: &mut Vec<u8>, number: u64, value: u64) {
    append_varint(message, number << 3);
    append_varint(message, value);
}

fn append_varint(message: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        message.push(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    message.push(value.to_le_bytes()[0]);
}

/// Removes a number from the start of `bytes`.
pub(super) fn varint(bytes: &mut &[u8]) -> Option<u64> {
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

    #[test]
    fn appended_fields_are_read_back() {
        let mut message = Vec::new();
        append_number(&mut message, 1, 300);
        append(&mut message, 16, &[7; 200]);
        let fields: Vec<Field> = Fields(&message).flatten().collect();
        assert!(matches!(fields[0], Field { number: 1, value: Value::Varint(300), .. }));
        assert!(matches!(fields[1], Field { number: 16, value: Value::Bytes(&[7, ..]), .. }));
        assert_eq!([fields[0].raw, fields[1].raw].concat(), message);
        assert!(Fields(&message[..message.len() - 1]).any(|field| field.is_none()));
    }
}
