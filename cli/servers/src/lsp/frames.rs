//! Messages on two streams: a header with the number of bytes, and JSON. `lsp-server` has the types; it ends the connection at
//! the first message that is not valid, where the protocol asks for an error.

use std::io::{BufRead, Read as _, Write};

use lsp_server::Message;
use serde_json::{Value, json};

/// Limit on the bytes of a message; many times a page of 1 MB.
pub(super) const LONGEST: usize = 64 * 1024 * 1024;
/// Limit on the bytes of a header.
const LONGEST_HEADER: u64 = 4096;

/// What was read.
pub(super) enum Frame {
    /// A message.
    Message(Message),
    /// Something that is not one: the error that answers it.
    Invalid(Value),
    /// The end of the stream, also because what follows cannot be read.
    End,
}

/// Reads the next message.
pub(super) fn read(input: &mut impl BufRead) -> Frame {
    let mut length = None;
    loop {
        let mut line = Vec::new();
        match input.by_ref().take(LONGEST_HEADER).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return Frame::End,
            // The rest of the stream has no known beginning.
            Ok(_) if !line.ends_with(b"\n") => return Frame::End,
            Ok(_) => {}
        }
        let text = String::from_utf8_lossy(&line);
        let text = text.trim();
        if text.is_empty() {
            break;
        }
        if let Some((name, value)) = text.split_once(':')
            && name.trim().eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse::<usize>().ok();
        }
    }
    let Some(length) = length.filter(|length| *length <= LONGEST) else { return Frame::End };
    let mut body = Vec::new();
    match input.by_ref().take(length as u64).read_to_end(&mut body) {
        Ok(read) if read == length => {}
        _ => return Frame::End,
    }
    parsed(&body)
}

/// The message that a body contains.
pub(super) fn parsed(body: &[u8]) -> Frame {
    let value: Value = match serde_json::from_slice(body) {
        Ok(value) => value,
        Err(error) => return Frame::Invalid(refusal(Value::Null, -32700, &error.to_string())),
    };
    let id = value.get("id").cloned().unwrap_or(Value::Null);
    let is_question = value.get("id").is_some();
    match serde_json::from_value(value) {
        // An id of another type would make it a notification, which nobody answers.
        Ok(Message::Notification(_)) if is_question => {
            Frame::Invalid(refusal(Value::Null, -32600, "the id is neither a number of 32 bits nor a text"))
        }
        Ok(message) => Frame::Message(message),
        Err(error) => Frame::Invalid(refusal(id, -32600, &error.to_string())),
    }
}

fn refusal(id: Value, code: i32, reason: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": reason } })
}

/// Writes a message.
pub(super) fn write(output: &mut impl Write, message: &Value) -> std::io::Result<()> {
    let text = serde_json::to_string(message)?;
    write!(output, "Content-Length: {}\r\n\r\n{text}", text.len())?;
    output.flush()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn told(input: &str) -> Vec<String> {
        let mut input = input.as_bytes();
        let mut all = Vec::new();
        loop {
            match read(&mut input) {
                Frame::Message(Message::Request(request)) => all.push(format!("request {}", request.method)),
                Frame::Message(_) => all.push("other".into()),
                Frame::Invalid(error) => all.push(error["error"]["code"].to_string()),
                Frame::End => return all,
            }
        }
    }

    fn framed(body: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{body}", body.len())
    }

    #[test]
    fn what_is_not_a_message_is_refused_and_the_next_is_read() {
        let good = framed(r#"{"jsonrpc":"2.0","id":1,"method":"shutdown"}"#);
        let all = format!("{}{}{}{good}", framed("{"), framed("[1]"), framed("{\"id\":3}"));
        assert_eq!(told(&all), ["-32700", "-32600", "-32600", "request shutdown"]);
    }

    #[test]
    fn headers_may_have_any_case_and_others_beside_them() {
        let body = r#"{"jsonrpc":"2.0","id":1,"method":"x"}"#;
        let text = format!("content-type: a\r\nCONTENT-LENGTH: {}\r\n\r\n{body}", body.len());
        assert_eq!(told(&text), ["request x"]);
    }

    #[test]
    fn a_stream_without_lengths_ends() {
        for text in [
            "hello",
            "Content-Length: x\r\n\r\n{}",
            "Content-Length: 99999999999\r\n\r\n",
            "Content-Length: 5\r\n\r\n{}",
            &"x".repeat(9000),
        ] {
            assert!(told(text).is_empty());
        }
    }
}
