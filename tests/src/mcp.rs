//! A minimal MCP client: a process, and one JSON message per line. The official clients have their own suites; this one
//! is for tests with many calls or many servers.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Error, Result, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Much longer than building an index takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// A connected server.
pub struct McpClient {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    last: u64,
    early: HashMap<u64, Value>,
    /// The folders that it works in, if it tells them.
    folders: Option<Vec<PathBuf>>,
    /// How often it was asked for them.
    asked: usize,
}

impl McpClient {
    /// Starts `server` and initializes the connection.
    ///
    /// # Errors
    /// If it cannot be started or does not answer.
    pub fn start(mut server: Command) -> Result<Self> {
        server.stderr(Stdio::null());
        Self::connect(server, None)
    }

    /// Like [`McpClient::start`], for a client that works in these folders.
    ///
    /// # Errors
    /// As [`McpClient::start`].
    pub fn start_in(mut server: Command, folders: &[PathBuf]) -> Result<Self> {
        server.stderr(Stdio::null());
        Self::connect(server, Some(folders.to_vec()))
    }

    /// Like [`McpClient::start`], with standard error of the server in `log`.
    ///
    /// # Errors
    /// As [`McpClient::start`].
    pub fn start_with_log(mut server: Command, log: File) -> Result<Self> {
        server.stderr(log);
        Self::connect(server, None)
    }

    /// Starts `server` and waits until the tool, which must be read-only, answers from an up-to-date index.
    ///
    /// # Errors
    /// As [`McpClient::start`] and [`McpClient::ask`], and if that takes too long.
    pub fn start_fresh(server: Command, tool: &str, arguments: &Value) -> Result<Self> {
        let mut client = Self::start(server)?;
        let begun = Instant::now();
        while client.ask(tool, arguments.clone())?["index"]["fresh"] != true {
            if begun.elapsed() > PATIENCE {
                return Err(Error::other("the index is never fresh"));
            }
            thread::sleep(Duration::from_millis(20));
        }
        Ok(client)
    }

    fn connect(mut server: Command, folders: Option<Vec<PathBuf>>) -> Result<Self> {
        let mut child = server.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let output = BufReader::new(output.ok_or_else(|| Error::other("no output"))?);
        let mut client = Self { child, input, output, last: 0, early: HashMap::new(), folders, asked: 0 };
        let capabilities = match client.folders {
            Some(_) => json!({ "roots": { "listChanged": true } }),
            None => json!({}),
        };
        let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": capabilities,
                            "clientInfo": { "name": "ubp-tests", "version": "1" } });
        client.request("initialize", hello)?;
        client.write(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        Ok(client)
    }

    /// Works in other folders from now on, and tells the server so.
    ///
    /// # Errors
    /// If the server no longer reads.
    pub fn move_to(&mut self, folders: &[PathBuf]) -> Result<()> {
        self.folders = Some(folders.to_vec());
        self.write(&json!({ "jsonrpc": "2.0", "method": "notifications/roots/list_changed" }))
    }

    /// How often the server asked for the folders.
    pub fn times_asked(&self) -> usize {
        self.asked
    }

    /// Calls a tool and waits for its result.
    ///
    /// # Errors
    /// If the connection ends, and for protocol errors.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Result<Value> {
        self.request("tools/call", json!({ "name": tool, "arguments": arguments }))
    }

    /// The structured result of a tool call.
    ///
    /// # Errors
    /// As [`McpClient::call`], and if the tool returns an error.
    pub fn ask(&mut self, tool: &str, arguments: Value) -> Result<Value> {
        let mut result = self.call(tool, arguments)?;
        if result["isError"] == true {
            return Err(Error::other(format!("{tool}: {result}")));
        }
        Ok(result["structuredContent"].take())
    }

    /// The code and the message of the error that a tool call returns.
    ///
    /// # Errors
    /// As [`McpClient::call`], and if the tool succeeds.
    pub fn refusal(&mut self, tool: &str, arguments: Value) -> Result<(String, String)> {
        let result = self.call(tool, arguments)?;
        let error = &result["_meta"]["unified-blueprint/error"];
        match (&result["isError"], error["code"].as_str(), error["message"].as_str()) {
            (Value::Bool(true), Some(code), Some(message)) => Ok((code.to_owned(), message.to_owned())),
            _ => Err(Error::other(format!("{tool} refused nothing: {result}"))),
        }
    }

    /// The listed tools.
    ///
    /// # Errors
    /// As [`McpClient::call`].
    pub fn tools(&mut self) -> Result<Vec<Value>> {
        let mut listed = self.request("tools/list", json!({}))?;
        match listed["tools"].take() {
            Value::Array(tools) => Ok(tools),
            _ => Err(Error::other(format!("no tools: {listed}"))),
        }
    }

    /// The names of the listed tools.
    ///
    /// # Errors
    /// As [`McpClient::call`].
    pub fn tool_names(&mut self) -> Result<Vec<String>> {
        let name = |tool: &Value| tool["name"].as_str().map(str::to_owned);
        Ok(self.tools()?.iter().filter_map(name).collect())
    }

    /// Sends a request and waits for its result.
    ///
    /// # Errors
    /// As [`McpClient::call`].
    pub fn request(&mut self, method: &str, params: Value) -> Result<Value> {
        let id = self.send(method, params)?;
        self.answer(id)
    }

    /// Sends a request without waiting.
    ///
    /// # Errors
    /// If the server no longer reads.
    pub fn send(&mut self, method: &str, params: Value) -> Result<u64> {
        self.last += 1;
        self.write(&json!({ "jsonrpc": "2.0", "id": self.last, "method": method, "params": params }))?;
        Ok(self.last)
    }

    /// Waits for the result of the request `id`.
    ///
    /// # Errors
    /// As [`McpClient::call`].
    pub fn answer(&mut self, id: u64) -> Result<Value> {
        loop {
            if let Some(mut message) = self.early.remove(&id) {
                return match message.get("error") {
                    Some(error) => Err(Error::other(error.to_string())),
                    None => Ok(message["result"].take()),
                };
            }
            let mut line = String::new();
            if self.output.read_line(&mut line)? == 0 {
                return Err(Error::other("the server closed its output"));
            }
            let message: Value = serde_json::from_str(&line)?;
            if message["method"] == "roots/list" {
                let folders = self.folders.iter().flatten();
                let roots: Vec<Value> =
                    folders.map(|folder| json!({ "uri": format!("file://{}", folder.display()) })).collect();
                self.asked += 1;
                self.write(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": { "roots": roots } }))?;
            } else if let Some(id) = message["id"].as_u64() {
                self.early.insert(id, message);
            }
        }
    }

    /// The server's process.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Kills the server at once.
    ///
    /// # Errors
    /// If it cannot be killed.
    pub fn kill(mut self) -> Result<()> {
        self.child.kill()
    }

    /// Closes the connection, waits until the server exits, and returns its exit status.
    ///
    /// # Errors
    /// If waiting fails.
    pub fn close(mut self) -> Result<Option<i32>> {
        self.input = None;
        Ok(self.child.wait()?.code())
    }

    fn write(&mut self, message: &Value) -> Result<()> {
        let input = self.input.as_mut().ok_or_else(|| Error::other("closed"))?;
        writeln!(input, "{message}")?;
        input.flush()
    }
}

impl Drop for McpClient {
    fn drop(&mut self) {
        self.input = None;
        // The server must not outlive the test.
        if self.child.try_wait().is_ok_and(|ended| ended.is_none()) {
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
    }
}
