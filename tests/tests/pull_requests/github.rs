//! A stand-in for GitHub's and GitLab's comments, and for what runs the steps of an action.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use ubp_core::page::{LinkTypes, Value as Yaml, parse};

/// Comments, by id.
#[derive(Default)]
pub struct Comments {
    pub kept: BTreeMap<u64, Value>,
    /// Method and path of every call that changes something.
    pub changes: Vec<String>,
    /// Answers every change with this status.
    pub refusal: Option<u16>,
}

/// The server, on a port of its own.
pub struct Server {
    pub address: String,
    pub comments: Arc<Mutex<Comments>>,
}

impl Server {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let comments = Arc::new(Mutex::new(Comments::default()));
        let (kept, own) = (comments.clone(), address.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                answer(stream.unwrap(), &mut kept.lock().unwrap(), &own);
            }
        });
        Self { address, comments }
    }

    /// Adds a comment of somebody, and returns its id.
    pub fn add(&self, kind: &str, body: &str) -> u64 {
        self.comments.lock().unwrap().add(kind, body)
    }

    pub fn body(&self, id: u64) -> String {
        self.comments.lock().unwrap().kept[&id]["body"].as_str().unwrap().to_owned()
    }

    /// The calls that changed something since the last time.
    pub fn changes(&self) -> Vec<String> {
        std::mem::take(&mut self.comments.lock().unwrap().changes)
    }
}

impl Comments {
    fn add(&mut self, kind: &str, body: &str) -> u64 {
        let id = 100 + self.kept.len() as u64;
        self.kept.insert(id, json!({ "id": id, "body": body, "user": { "type": kind } }));
        id
    }
}

/// Two comments fit on a page of the answer.
const PAGE: usize = 2;

fn answer(mut stream: TcpStream, comments: &mut Comments, own: &str) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    let mut words = line.split_whitespace();
    let (method, target) =
        (words.next().unwrap_or_default().to_owned(), words.next().unwrap_or_default().to_owned());
    let (mut length, mut kind, mut is_allowed) = (0, String::new(), false);
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).unwrap();
        let header = header.trim_end();
        if header.is_empty() {
            break;
        }
        let (name, value) = header.split_once(':').unwrap();
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse().unwrap(),
            "content-type" => kind = value.trim().to_owned(),
            "authorization" => is_allowed |= value.trim() == "Bearer secret",
            "private-token" => is_allowed |= value.trim() == "secret",
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let text = String::from_utf8(body).unwrap();
    let text = match kind.starts_with("application/json") {
        true => serde_json::from_str::<Value>(&text)
            .map(|json| json["body"].as_str().unwrap_or_default().to_owned()),
        false => Ok(decoded(text.strip_prefix("body=").unwrap_or_default())),
    };
    let text = text.unwrap_or_default();
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let id = path.rsplit('/').next().and_then(|id| id.parse::<u64>().ok());
    if method != "GET" {
        comments.changes.push(format!("{method} {path}"));
    }
    let mut links = String::new();
    let (status, answer) = match (method.as_str(), id, comments.refusal) {
        _ if !is_allowed => (401, json!({})),
        ("POST" | "PATCH" | "PUT", _, Some(status)) => (status, json!({})),
        ("GET", ..) => {
            let number = query
                .split('&')
                .find_map(|part| part.strip_prefix("page="))
                .map_or(1, |n| n.parse().unwrap());
            let all: Vec<Value> = comments.kept.values().cloned().collect();
            if all.len() > number * PAGE {
                links = format!("link: <{own}{path}?page={}>; rel=\"next\"\r\n", number + 1);
            }
            // GitLab has larger pages.
            let size = if query.contains("sort") { all.len() } else { PAGE };
            (200, all.into_iter().skip((number - 1) * PAGE).take(size).collect())
        }
        ("POST", ..) => {
            let id = comments.add("Bot", &text);
            (201, comments.kept[&id].clone())
        }
        ("PATCH" | "PUT", Some(id), _) if comments.kept.contains_key(&id) => {
            comments.kept.get_mut(&id).unwrap()["body"] = text.into();
            (200, comments.kept[&id].clone())
        }
        _ => (404, json!({})),
    };
    let answer = answer.to_string();
    let length = answer.len();
    let head = format!(
        "HTTP/1.1 {status} x\r\ncontent-type: application/json\r\n{links}content-length: {length}\r\nconnection: close\r\n\r\n"
    );
    stream.write_all((head + &answer).as_bytes()).unwrap();
}

/// Undoes the encoding of a form.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let digits = [rest.next().unwrap(), rest.next().unwrap()];
                u8::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).unwrap()
            }
            other => other,
        });
    }
    String::from_utf8(bytes).unwrap()
}

/// Reads YAML.
pub fn yaml(text: &str) -> Yaml {
    let page = parse(&format!("---\n{text}\n---\n"), &LinkTypes::default());
    assert!(page.diagnostics.is_empty(), "{:?}", page.diagnostics);
    Yaml::Map(page.front_matter.fields)
}

/// The value at these keys of maps.
pub fn at<'a>(value: &'a Yaml, keys: &[&str]) -> Option<&'a Yaml> {
    keys.iter().try_fold(value, |value, key| match value {
        Yaml::Map(entries) => entries.iter().find(|(name, _)| name == key).map(|(_, value)| value),
        _ => None,
    })
}

pub fn text<'a>(value: &'a Yaml, keys: &[&str]) -> Option<&'a str> {
    match at(value, keys)? {
        Yaml::Text(text) => Some(text),
        _ => None,
    }
}

/// Runs the steps of a composite action, as a runner does.
pub struct Runner<'a> {
    /// The folder of the action.
    pub action: PathBuf,
    /// The checkout.
    pub checkout: &'a Path,
    /// Files of the job.
    pub temporary: &'a Path,
    /// Values of `github.…` expressions.
    pub github: BTreeMap<String, String>,
    /// Inputs that the workflow gives.
    pub inputs: BTreeMap<String, String>,
    /// The environment of the job.
    pub environment: BTreeMap<String, String>,
}

/// What a run of the action left behind.
pub struct Job {
    pub succeeded: bool,
    pub log: String,
    pub summary: String,
    pub outputs: BTreeMap<String, String>,
}

impl Runner<'_> {
    pub fn run(&self) -> Job {
        let action = yaml(&std::fs::read_to_string(self.action.join("action.yml")).unwrap());
        assert_eq!(text(&action, &["runs", "using"]), Some("composite"));
        let mut known = self.github.clone();
        let Some(Yaml::Map(inputs)) = at(&action, &["inputs"]) else { panic!("no inputs") };
        for (name, input) in inputs {
            let default = filled(text(input, &["default"]).unwrap_or_default(), &self.github);
            known.insert(format!("inputs.{name}"), self.inputs.get(name).cloned().unwrap_or(default));
        }
        for name in self.inputs.keys() {
            assert!(known.contains_key(&format!("inputs.{name}")), "unknown input {name}");
        }
        let Some(Yaml::List(steps)) = at(&action, &["runs", "steps"]) else { panic!("no steps") };
        let summary = self.temporary.join("summary");
        let _ = std::fs::remove_file(&summary);
        let mut job =
            Job { succeeded: true, log: String::new(), summary: String::new(), outputs: BTreeMap::new() };
        for step in steps {
            let is_due = match text(step, &["if"]) {
                None => true,
                Some(condition) => {
                    let (name, value) = condition.split_once(" == ").unwrap();
                    known[name] == value.trim_matches('\'')
                }
            };
            if is_due {
                job.succeeded = self.step(step, &mut known, &summary, &mut job.log);
            }
            if !job.succeeded {
                break;
            }
        }
        job.summary = std::fs::read_to_string(summary).unwrap_or_default();
        let Some(Yaml::Map(outputs)) = at(&action, &["outputs"]) else { panic!("no outputs") };
        for (name, output) in outputs {
            let value = text(output, &["value"]).unwrap_or_default();
            job.outputs.insert(name.clone(), filled(value, &known));
        }
        job
    }

    fn step(
        &self,
        step: &Yaml,
        known: &mut BTreeMap<String, String>,
        summary: &Path,
        log: &mut String,
    ) -> bool {
        let script = text(step, &["run"]).unwrap();
        assert!(!script.contains("${{"), "values belong into the environment: {script}");
        assert_eq!(text(step, &["shell"]), Some("bash"));
        let (file, outputs) = (self.temporary.join("step.sh"), self.temporary.join("outputs"));
        std::fs::write(&file, script).unwrap();
        std::fs::write(&outputs, "").unwrap();
        let folder = filled(text(step, &["working-directory"]).unwrap_or("."), known);
        let mut command = Command::new("bash");
        command
            .args(["--noprofile", "--norc", "-e", "-o", "pipefail"])
            .arg(&file)
            .current_dir(self.checkout.join(folder))
            .envs(&self.environment)
            .env("GITHUB_ACTION_PATH", &self.action)
            .env("GITHUB_OUTPUT", &outputs)
            .env("GITHUB_STEP_SUMMARY", summary)
            .env("RUNNER_TEMP", self.temporary);
        if let Some(Yaml::Map(environment)) = at(step, &["env"]) {
            for (name, value) in environment {
                let Yaml::Text(value) = value else { panic!("{name}") };
                command.env(name, filled(value, known));
            }
        }
        let ran = command.output().unwrap();
        log.push_str(&said(&ran));
        if let Some(id) = text(step, &["id"]) {
            for line in std::fs::read_to_string(outputs).unwrap().lines() {
                let (name, value) = line.split_once('=').unwrap();
                known.insert(format!("steps.{id}.outputs.{name}"), value.to_owned());
            }
        }
        ran.status.success()
    }
}

pub fn said(output: &Output) -> String {
    String::from_utf8_lossy(&[&*output.stdout, &*output.stderr].concat()).into_owned()
}

/// The text with the values of its expressions; unknown ones are empty, as on GitHub.
fn filled(text: &str, known: &BTreeMap<String, String>) -> String {
    let mut parts = text.split("${{");
    let mut filled = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once("}}").unwrap();
        filled.push_str(known.get(name.trim()).map_or("", String::as_str));
        filled.push_str(rest);
    }
    filled
}
