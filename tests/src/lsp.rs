//! A minimal client of the language server: a process, and messages behind headers. It keeps everything that it hears, so that
//! tests can count answers. Real editors have their own tests; this one also sends what no editor would.

use std::io::{BufRead, BufReader, Error, Result, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Much longer than any answer takes.
const PATIENCE: Duration = Duration::from_secs(60);

#[derive(Default)]
struct Heard {
    messages: Vec<Value>,
    ended: bool,
}

/// A connected server.
pub struct LspClient {
    child: Child,
    input: Arc<Mutex<Option<ChildStdin>>>,
    heard: Arc<(Mutex<Heard>, Condvar)>,
    last: i64,
}

impl LspClient {
    /// Starts `server`, without a word to it.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn start(mut server: Command) -> Result<Self> {
        let mut child = server.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let output = output.ok_or_else(|| Error::other("no output"))?;
        let input = Arc::new(Mutex::new(input));
        let heard = Arc::<(Mutex<Heard>, Condvar)>::default();
        let (ear, mouth) = (heard.clone(), input.clone());
        thread::spawn(move || {
            let mut output = BufReader::new(output);
            while let Ok(message) = read(&mut output) {
                // Requests of the server have to be answered.
                if let (Some(id), Some(_)) = (message.get("id"), message.get("method")) {
                    let answer = json!({ "jsonrpc": "2.0", "id": id, "result": null });
                    let _ = write(&mouth, &framed(answer.to_string().as_bytes()));
                }
                ear.0.lock().unwrap_or_else(PoisonError::into_inner).messages.push(message);
                ear.1.notify_all();
            }
            ear.0.lock().unwrap_or_else(PoisonError::into_inner).ended = true;
            ear.1.notify_all();
        });
        Ok(Self { child, input, heard, last: 0 })
    }

    /// Sends `initialize` and `initialized`, and returns the answer.
    ///
    /// # Errors
    /// As [`LspClient::ask`].
    pub fn initialize(&mut self, params: &Value) -> Result<Value> {
        let answer = self.ask("initialize", params)?;
        self.notify("initialized", &json!({}))?;
        Ok(answer)
    }

    /// The result of a request.
    ///
    /// # Errors
    /// If the server ends or answers with an error.
    pub fn ask(&mut self, method: &str, params: &Value) -> Result<Value> {
        let mut answer = self.answered(method, params)?;
        match answer.get("error") {
            Some(error) => Err(Error::other(format!("{method} {params}: {error}"))),
            None => Ok(answer["result"].take()),
        }
    }

    /// The answer to a request, which may be an error.
    ///
    /// # Errors
    /// If the server ends.
    pub fn answered(&mut self, method: &str, params: &Value) -> Result<Value> {
        let id = self.send(method, params)?;
        self.answer(&json!(id))
    }

    /// Sends a request without waiting, and returns its id.
    ///
    /// # Errors
    /// If the server no longer reads.
    pub fn send(&mut self, method: &str, params: &Value) -> Result<i64> {
        self.last += 1;
        self.say(&json!({ "jsonrpc": "2.0", "id": self.last, "method": method, "params": params }))?;
        Ok(self.last)
    }

    /// Sends a notification.
    ///
    /// # Errors
    /// If the server no longer reads.
    pub fn notify(&mut self, method: &str, params: &Value) -> Result<()> {
        self.say(&json!({ "jsonrpc": "2.0", "method": method, "params": params }))
    }

    /// Sends a message.
    ///
    /// # Errors
    /// If the server no longer reads.
    pub fn say(&mut self, message: &Value) -> Result<()> {
        self.write(&framed(message.to_string().as_bytes()))
    }

    /// Sends bytes as they are.
    ///
    /// # Errors
    /// If the server no longer reads.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        write(&self.input, bytes)
    }

    /// Waits for the answer to the request `id`, the first if there are several.
    ///
    /// # Errors
    /// If the server ends or does not answer.
    pub fn answer(&mut self, id: &Value) -> Result<Value> {
        self.until(&format!("an answer to {id}"), |heard| {
            heard.iter().find(|message| is_answer(message, id)).cloned()
        })
    }

    /// The number of answers to the request `id` until now.
    pub fn answers(&self, id: &Value) -> usize {
        let heard = self.heard.0.lock().unwrap_or_else(PoisonError::into_inner);
        heard.messages.iter().filter(|message| is_answer(message, id)).count()
    }

    /// Waits until `found` finds something in all messages of the server.
    ///
    /// # Errors
    /// If the server ends before, or it takes too long.
    pub fn until<T>(&self, what: &str, found: impl Fn(&[Value]) -> Option<T>) -> Result<T> {
        let begun = Instant::now();
        let mut heard = self.heard.0.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(found) = found(&heard.messages) {
                return Ok(found);
            }
            if heard.ended || begun.elapsed() > PATIENCE {
                let last: Vec<_> = heard.messages.iter().rev().take(5).collect();
                return Err(Error::other(format!("never {what}; the last messages: {last:?}")));
            }
            let waited = self.heard.1.wait_timeout(heard, Duration::from_secs(1));
            heard = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// The parameters of all notifications and requests of the server with this method, until now.
    pub fn told(&self, method: &str) -> Vec<Value> {
        let heard = self.heard.0.lock().unwrap_or_else(PoisonError::into_inner);
        let told = heard.messages.iter().filter(|message| message["method"] == method);
        told.map(|message| message["params"].clone()).collect()
    }

    /// Forgets what was heard.
    pub fn forget(&mut self) {
        self.heard.0.lock().unwrap_or_else(PoisonError::into_inner).messages.clear();
    }

    /// Asks the server to shut down and exit, and returns its exit status.
    ///
    /// # Errors
    /// If it does not answer.
    pub fn close(mut self) -> Result<Option<i32>> {
        self.ask("shutdown", &Value::Null)?;
        self.notify("exit", &Value::Null)?;
        self.exit_status()
    }

    /// Closes the stream without a word, and returns the exit status of the server.
    ///
    /// # Errors
    /// If it does not end.
    pub fn leave(mut self) -> Result<Option<i32>> {
        self.hang_up();
        self.exit_status()
    }

    fn hang_up(&self) {
        *self.input.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Waits until the server ends, and returns its exit status.
    ///
    /// # Errors
    /// If it does not end.
    pub fn exit_status(&mut self) -> Result<Option<i32>> {
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            if let Some(status) = self.child.try_wait()? {
                return Ok(status.code());
            }
            thread::sleep(Duration::from_millis(5));
        }
        Err(Error::other("the server does not end"))
    }
}

fn write(input: &Mutex<Option<ChildStdin>>, bytes: &[u8]) -> Result<()> {
    let mut input = input.lock().unwrap_or_else(PoisonError::into_inner);
    let input = input.as_mut().ok_or_else(|| Error::other("closed"))?;
    input.write_all(bytes)?;
    input.flush()
}

fn is_answer(message: &Value, id: &Value) -> bool {
    message.get("method").is_none() && message.get("id") == Some(id)
}

/// A message with its header.
pub fn framed(body: &[u8]) -> Vec<u8> {
    [format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes(), body].concat()
}

fn read(output: &mut impl BufRead) -> Result<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line)? == 0 {
            return Err(Error::other("the end"));
        }
        match line.trim().split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                length = value.trim().parse().map_err(Error::other)?;
            }
            Some(_) => {}
            None => break,
        }
    }
    let mut body = vec![0; length];
    output.read_exact(&mut body)?;
    Ok(serde_json::from_slice(&body)?)
}

impl Drop for LspClient {
    fn drop(&mut self) {
        self.hang_up();
        // The server must not outlive the test.
        if self.child.try_wait().is_ok_and(|ended| ended.is_none()) {
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
    }
}
