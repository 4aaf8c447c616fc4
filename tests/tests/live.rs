//! Projects held open by several processes at once: killed, orphaned, idle and busy.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use ubp_tests::generator::Random;
use ubp_tests::{signal, skipped};

use super::process::{equal, forget_index, project, ubp};

/// A server in a separate process.
struct Server {
    child: Child,
    /// Dropped to stop the server.
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    errors: std::path::PathBuf,
}

impl Server {
    fn start(folder: &Path) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_live-server"));
        command.arg(folder);
        Self::run(command)
    }

    fn run(mut command: Command) -> Self {
        let errors = tempfile::Builder::new().prefix("ubp-live-errors-").tempfile().unwrap();
        let (file, errors) = errors.keep().unwrap();
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(file).spawn().unwrap();
        let (input, output) = (child.stdin.take(), child.stdout.take().unwrap());
        Self { child, input, output: BufReader::new(output), errors }
    }

    fn ask(&mut self, line: &str) -> Value {
        self.try_ask(line).unwrap_or_else(|| panic!("{line}: no answer; {}", self.said()))
    }

    /// The answer, or `None` if the process is gone.
    fn try_ask(&mut self, line: &str) -> Option<Value> {
        writeln!(self.input.as_mut()?, "{line}").ok()?;
        let mut answer = String::new();
        self.output.read_line(&mut answer).ok()?;
        serde_json::from_str(&answer).ok()
    }

    #[track_caller]
    fn call(&mut self, name: &str, params: &Value) -> Value {
        let answer = self.ask(&format!("call {name} {params}"));
        assert_eq!(answer.get("error"), None, "{name}: {}", self.said());
        answer
    }

    fn is_indexer(&mut self) -> bool {
        self.ask("state")["indexer"] == true
    }

    fn refreshes(&mut self) -> u64 {
        self.ask("state")["refreshes"].as_u64().unwrap()
    }

    /// Whether a full-text search for `word` finds a page. The answer must come from a fresh index.
    #[track_caller]
    fn knows(&mut self, word: &str) -> bool {
        let answer = self.call("fulltext_search", &json!({ "query": word }));
        assert_eq!(answer["index"]["fresh"], true, "{answer}");
        answer["results"].as_array().is_some_and(|results| !results.is_empty())
    }

    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// What it printed to standard error, without the warning about the model that every project here causes.
    fn said(&self) -> String {
        let said = fs::read_to_string(&self.errors).unwrap_or_default();
        said.lines().filter(|line| !line.contains("no-such-model")).collect::<Vec<_>>().join("\n")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_file(&self.errors);
    }
}

#[track_caller]
fn eventually(what: &str, mut is_so: impl FnMut() -> bool) -> Duration {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(30), "never {what}");
        thread::sleep(Duration::from_millis(10));
    }
    begun.elapsed()
}

fn wait_until_settled(server: &mut Server) {
    eventually("settled", || server.call("list_pages", &json!({ "limit": 1 }))["index"]["fresh"] == true);
}

#[test]
fn when_the_indexing_process_is_killed_another_takes_over_within_two_seconds() {
    let folder = project(50);
    let folder = folder.path();
    let mut servers: Vec<Server> = (0..3).map(|_| Server::start(folder)).collect();
    wait_until_settled(&mut servers[0]);
    for round in 0..2 {
        let at = servers.iter_mut().position(Server::is_indexer).unwrap();
        servers.remove(at).kill();
        // While no server watches.
        let word = ["quokka", "axolotl"][round];
        fs::write(folder.join(format!("{word}.md")), word).unwrap();
        // `state` does not read files: the servers must notice by themselves.
        let took = eventually("taken over", || servers.iter_mut().any(Server::is_indexer));
        assert!(took < Duration::from_secs(2), "{took:?}");
        println!("taken over after {took:?}");
        for server in &mut servers {
            assert!(server.knows(word));
            assert_eq!(server.said(), "");
        }
        assert_eq!(servers.iter_mut().filter_map(|server| server.is_indexer().then_some(())).count(), 1);
    }
}

/// The CPU time of a process.
#[cfg(target_os = "linux")]
fn cpu_time(server: &Server) -> Duration {
    let stat = fs::read_to_string(format!("/proc/{}/stat", server.child.id())).unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    // In clock ticks, which are 1/100 s on Linux.
    let ticks: u64 = fields[11..13].iter().map(|field| field.parse::<u64>().unwrap()).sum();
    Duration::from_millis(ticks * 10)
}

#[cfg(target_os = "linux")]
#[test]
fn idle_servers_use_almost_no_cpu_time() {
    let folder = project(500);
    let mut servers: Vec<Server> = (0..2).map(|_| Server::start(folder.path())).collect();
    for server in &mut servers {
        wait_until_settled(server);
    }
    for server in &servers {
        eventually("idle", || {
            let before = cpu_time(server);
            thread::sleep(Duration::from_millis(100));
            cpu_time(server) == before
        });
    }
    let before: Vec<_> = servers.iter_mut().map(|server| (server.refreshes(), cpu_time(server))).collect();
    // The servers check the lock, the settings and a few other files once per second.
    thread::sleep(Duration::from_millis(2_500));
    for (server, (refreshes, time)) in servers.iter_mut().zip(before) {
        assert_eq!(server.refreshes(), refreshes);
        let spent = cpu_time(server).saturating_sub(time);
        assert!(spent <= Duration::from_millis(50), "{spent:?} of work in 2.5 s");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn files_are_polled_if_they_cannot_be_watched() {
    for limit in ["max_inotify_instances", "max_inotify_watches"] {
        let folder = project(20);
        let folder = folder.path();
        let without_watches = |and_then: &str| {
            let script = format!("echo 0 >/proc/sys/user/{limit} && exec {and_then}");
            let mut command = Command::new("unshare");
            command.args(["--user", "--map-root-user", "sh", "-c", &script]);
            command
        };
        if !without_watches("true").output().is_ok_and(|output| output.status.success()) {
            return skipped("files that cannot be watched: no permission to set limits");
        }
        let program = format!("'{}' '{}'", env!("CARGO_BIN_EXE_live-server"), folder.display());
        let mut server = Server::run(without_watches(&program));
        wait_until_settled(&mut server);
        assert!(server.is_indexer());
        let mut reader = Server::start(folder);
        for word in ["quokka", "axolotl"] {
            fs::write(folder.join(format!("{word}.md")), word).unwrap();
            assert!(server.knows(word) && reader.knows(word));
        }
        let before = server.refreshes();
        fs::write(folder.join("numbat.md"), "numbat").unwrap();
        eventually("polled", || server.refreshes() > before);
        let said = server.said();
        assert!(said.lines().count() == 1 && said.contains("cannot watch files"), "{said}");
        assert!(said.contains("fs.inotify.max_user_"), "{said}");
        assert_eq!(reader.said(), "");
    }
}

#[test]
fn a_server_exits_when_its_input_or_its_parent_ends() {
    let folder = project(5);
    let mut server = Server::start(folder.path());
    wait_until_settled(&mut server);
    let id = server.child.id();
    // An orphan whose input stays open, because another process holds the other end.
    let fifo = folder.path().join("input");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let answers = folder.path().join("answers");
    let script = format!(
        "'{}' '{}' <'{}' >'{}' 2>/dev/null & echo $!; wait",
        env!("CARGO_BIN_EXE_live-server"),
        folder.path().display(),
        fifo.display(),
        answers.display()
    );
    let mut shell = Command::new("bash").args(["-c", &script]).stdout(Stdio::piped()).spawn().unwrap();
    let mut held = fs::OpenOptions::new().write(true).open(&fifo).unwrap();
    let mut line = String::new();
    BufReader::new(shell.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let orphan: u32 = line.trim().parse().unwrap();
    let is_there = |id: u32| signal::send("-0", id);
    assert!(is_there(orphan));
    writeln!(held, "state").unwrap();
    eventually("running", || fs::metadata(&answers).is_ok_and(|file| file.len() > 0));
    shell.kill().unwrap();
    shell.wait().unwrap();
    let took = eventually("ended", || !is_there(orphan));
    assert!(took < Duration::from_secs(4), "{took:?}");
    drop(held);
    // The server that still has its parent keeps running until its input ends.
    assert!(is_there(id));
    server.input = None;
    assert!(server.child.wait().unwrap().success());
    assert_eq!(server.said(), "");
}

/// The content of the index, whether or not it is up to date.
fn held(folder: &Path) -> Vec<String> {
    const QUESTIONS: [&str; 3] = [
        "SELECT path, title, doc_id, hex(hash), front_matter FROM pages",
        "SELECT path, ordinal, section_id, heading_path, first_line, text FROM sections JOIN pages USING (page)",
        "SELECT pages.path, line, link_type, target, state, other.path, ambiguous
         FROM links JOIN pages USING (page) LEFT JOIN pages AS other ON other.page = target_page",
    ];
    let db = rusqlite::Connection::open(folder.join(".ubp/metadata.db")).unwrap();
    let mut lines = Vec::new();
    for question in QUESTIONS {
        let mut statement = db.prepare(question).unwrap();
        let columns = statement.column_count();
        let mut rows = statement.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            let fields: Vec<String> =
                (0..columns).map(|column| format!("{:?}", row.get_ref(column).unwrap())).collect();
            lines.push(fields.join(" "));
        }
    }
    lines.sort_unstable();
    lines
}

/// Changes files the way people and tools do until `stop` is set. Returns the number of changes.
fn keep_changing(folder: &Path, pause: Duration, stop: &AtomicBool) -> usize {
    let mut random = Random::new(7);
    let mut changes = 0;
    let mut own: Vec<String> = Vec::new();
    let begun = Instant::now();
    while !stop.load(Ordering::Relaxed) {
        changes += 1;
        let number = random.below(60);
        let text = format!(
            "# Page {number}\n\nRound {changes} of [[busy {}]] [[page {}]]\n",
            random.below(60),
            random.below(9)
        );
        let name = format!("busy {number}.md");
        match (random.below(10), own.pop()) {
            (0, Some(gone)) => {
                let _ = fs::remove_file(folder.join(gone));
            }
            (1, Some(from)) => {
                let to = format!("moved/{changes}.md");
                fs::create_dir_all(folder.join("moved")).unwrap();
                if fs::rename(folder.join(from), folder.join(&to)).is_ok() {
                    own.push(to);
                }
            }
            // As editors save: write another file, then rename it.
            (2..5, kept) => {
                let beside = folder.join(".saving.tmp");
                fs::write(&beside, text).unwrap();
                fs::rename(beside, folder.join(&name)).unwrap();
                own.extend(kept);
                own.push(name);
            }
            (_, kept) => {
                fs::write(folder.join(&name), text).unwrap();
                own.extend(kept);
                own.push(name);
            }
        }
        thread::sleep((pause * u32::try_from(changes).unwrap()).saturating_sub(begun.elapsed()));
    }
    changes
}

/// Calls the server until `stop` is set. Returns the server, the number of answers and the longest wait.
fn keep_asking(mut server: Server, stop: &AtomicBool, may_die: bool) -> (Server, usize, Duration) {
    let questions = [
        ("fulltext_search", json!({ "query": "round page" })),
        ("search", json!({ "query": "session token" })),
        ("list_pages", json!({ "limit": 5 })),
        ("get_graph", json!({ "limit": 20 })),
    ];
    let (mut answers, mut longest) = (0, Duration::ZERO);
    while !stop.load(Ordering::Relaxed) {
        let (name, params) = &questions[answers % questions.len()];
        let begun = Instant::now();
        if may_die {
            if server.try_ask(&format!("call {name} {params}")).is_none() {
                break;
            }
        } else {
            server.call(name, params);
        }
        longest = longest.max(begun.elapsed());
        answers += 1;
        thread::sleep(Duration::from_millis(50));
    }
    (server, answers, longest)
}

#[test]
fn servers_stay_consistent_while_files_change_and_the_indexing_one_is_killed() {
    let soak = std::env::var_os("UBP_SOAK").is_some();
    let (count, time) = if soak { (10, Duration::from_secs(60)) } else { (4, Duration::from_secs(5)) };
    let folder = project(if soak { 1_000 } else { 200 });
    let folder = folder.path();
    let mut servers: Vec<Server> = (0..count).map(|_| Server::start(folder)).collect();
    wait_until_settled(&mut servers[0]);
    let at = servers.iter_mut().position(Server::is_indexer).unwrap();
    let doomed = servers[at].child.id();
    let stop = AtomicBool::new(false);
    let servers = thread::scope(|scope| {
        let stop = &stop;
        let changing = scope.spawn(move || keep_changing(folder, Duration::from_millis(50), stop));
        let asking: Vec<_> = servers
            .into_iter()
            .enumerate()
            .map(|(number, server)| scope.spawn(move || keep_asking(server, stop, number == at)))
            .collect();
        thread::sleep(time / 2);
        let killed = signal::send("-9", doomed);
        // Other commands run at the same time.
        let output = ubp(folder, &["search", "round", "--json"]);
        thread::sleep(time / 2);
        // Before anything can fail: the scope ends only when its threads do.
        stop.store(true, Ordering::Relaxed);
        assert!(killed);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        println!("{} changes", changing.join().unwrap());
        asking.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    let mut left = Vec::new();
    for (number, (server, answers, longest)) in servers.into_iter().enumerate() {
        println!("server {number}: {answers} answers, the longest after {longest:?}");
        assert_eq!(server.said(), "");
        if number != at {
            assert!(answers > 10, "{answers}");
            left.push(server);
        }
    }
    for server in &mut left {
        wait_until_settled(server);
    }
    assert_eq!(left.iter_mut().filter_map(|server| server.is_indexer().then_some(())).count(), 1);
    #[cfg(target_os = "linux")]
    for server in &left {
        println!("{} kB of its own", private_kilobytes(server));
    }
    drop(left);
    let found = held(folder);
    forget_index(folder);
    assert!(ubp(folder, &["rebuild"]).status.success());
    equal(&found, &held(folder), "the index after all changes");
}

/// The proportional set size (PSS) of a process: its own memory and its share of shared memory.
#[cfg(target_os = "linux")]
fn private_kilobytes(server: &Server) -> u64 {
    let maps = fs::read_to_string(format!("/proc/{}/smaps_rollup", server.child.id())).unwrap();
    let line = maps.lines().find_map(|line| line.strip_prefix("Pss:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

#[test]
fn an_index_deleted_while_servers_run_is_rebuilt() {
    let folder = project(100);
    let folder = folder.path();
    let mut servers: Vec<Server> = (0..3).map(|_| Server::start(folder)).collect();
    for server in &mut servers {
        wait_until_settled(server);
    }
    for round in 0..6 {
        if round % 2 == 0 {
            fs::remove_file(folder.join(".ubp/metadata.db")).unwrap();
        } else {
            forget_index(folder);
        }
        let word = ["quokka", "axolotl", "numbat", "bilby", "wombat", "potoroo"][round];
        fs::write(folder.join(format!("{word}.md")), word).unwrap();
        if round >= 4 {
            let output = ubp(folder, &["search", word, "-l"]);
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
        for server in &mut servers {
            wait_until_settled(server);
            eventually("indexed", || server.knows(word));
            assert_eq!(server.call("status", &json!({}))["page_count"], 101 + round, "round {round}");
        }
    }
    for server in &servers {
        let said = server.said();
        assert!(said.lines().all(|line| line.contains("opening it again")), "{said}");
    }
    let output = Command::new("sh").arg("-c").arg(format!("ls {}/.ubp", folder.display())).output().unwrap();
    assert!(!String::from_utf8_lossy(&output.stdout).contains("damaged"), "{output:?}");
    drop(servers);
    let found = held(folder);
    forget_index(folder);
    assert!(ubp(folder, &["rebuild"]).status.success());
    equal(&found, &held(folder), "the index that was made anew");
}
