//! Checks 10,000 anchors in 2,000 files on two threads, from nothing: grammars are not unpacked, files not read.
//!
//! `cargo bench -p ubp-symbols`. The target is 2 s on two cores, with less than 200 MB of memory.
#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{fs, thread};

use ubp_symbols::{Language, Limits, Source, Target, find};

const FILES: usize = 2_000;
const FUNCTIONS: usize = 25;
const ANCHORS: usize = 5;

/// The start of a file, a function with its number as `@`, and the end.
const LANGUAGES: [(&str, &str, &str, &str); 10] = [
    (
        "rs",
        "use std::fmt;\n\npub struct Session { id: u64 }\n\nimpl Session {\n",
        "    /// Does step @.\n    pub fn step_@(&mut self, user: &str, retries: usize) -> Result<u64, Error> {\n        let mut total = retries * 2;\n        for attempt in 0..retries {\n            total += self.check(user, attempt)?;\n        }\n        Ok(total as u64)\n    }\n\n",
        "}\n",
    ),
    (
        "ts",
        "import { check } from \"./check\";\n\nexport class Session {\n",
        "  /** Does step @. */\n  async step_@(user: string, retries = 3): Promise<number> {\n    let total = retries * 2;\n    for (const attempt of this.attempts) {\n      total += await check(user, attempt, `step ${attempt}`);\n    }\n    return total;\n  }\n\n",
        "}\n",
    ),
    (
        "py",
        "import check\n\nclass Session:\n",
        "    @retry(3)\n    def step_@(self, user: str, retries: int = 3) -> int:\n        \"\"\"Does step @.\"\"\"\n        total = retries * 2\n        for attempt in range(retries):\n            total += check.one(user, attempt, f\"step {attempt}\")\n        return total\n\n",
        "",
    ),
    (
        "go",
        "package session\n\ntype Session struct{ id int }\n\n",
        "// Step@ does step @.\nfunc (s *Session) step_@(user string, retries int) (int, error) {\n\ttotal := retries * 2\n\tfor attempt := 0; attempt < retries; attempt++ {\n\t\tone, err := s.check(user, attempt)\n\t\tif err != nil {\n\t\t\treturn 0, err\n\t\t}\n\t\ttotal += one\n\t}\n\treturn total, nil\n}\n\n",
        "",
    ),
    (
        "java",
        "package session;\n\npublic class Session {\n",
        "  /** Does step @. */\n  @Override public int step_@(String user, int retries) throws Failure {\n    int total = retries * 2;\n    for (int attempt = 0; attempt < retries; attempt++) {\n      total += check(user, attempt, \"step \" + attempt);\n    }\n    return total;\n  }\n\n",
        "}\n",
    ),
    (
        "kt",
        "package session\n\nclass Session {\n",
        "  /** Does step @. */\n  fun step_@(user: String, retries: Int = 3): Int {\n    var total = retries * 2\n    for (attempt in 0 until retries) {\n      total += check(user, attempt, \"step $attempt\")\n    }\n    return total\n  }\n\n",
        "}\n",
    ),
    (
        "cpp",
        "#include <string>\n\nclass Session {\n public:\n",
        "  // Does step @.\n  int step_@(const std::string& user, int retries = 3) {\n    int total = retries * 2;\n    for (int attempt = 0; attempt < retries; ++attempt) {\n      total += check(user, attempt, \"step\");\n    }\n    return total;\n  }\n\n",
        "};\n",
    ),
    (
        "cs",
        "namespace Sessions;\n\npublic class Session {\n",
        "  /// <summary>Does step @.</summary>\n  public async Task<int> step_@(string user, int retries = 3) {\n    var total = retries * 2;\n    foreach (var attempt in attempts) {\n      total += await Check(user, attempt, $\"step {attempt}\");\n    }\n    return total;\n  }\n\n",
        "}\n",
    ),
    (
        "rb",
        "require 'check'\n\nclass Session\n",
        "  # Does step @.\n  def step_@(user, retries = 3)\n    total = retries * 2\n    retries.times do |attempt|\n      total += check(user, attempt, \"step #{attempt}\")\n    end\n    total\n  end\n\n",
        "end\n",
    ),
    (
        "php",
        "<?php\nnamespace Sessions;\n\nclass Session {\n",
        "  /** Does step @. */\n  public function step_@(string $user, int $retries = 3): int {\n    $total = $retries * 2;\n    foreach ($this->attempts as $attempt) {\n      $total += check($user, $attempt, \"step $attempt\");\n    }\n    return $total;\n  }\n\n",
        "}\n",
    ),
];

fn write_files(folder: &Path) -> (Vec<PathBuf>, usize) {
    let mut paths = Vec::new();
    let mut bytes = 0;
    for number in 0..FILES {
        let (extension, start, function, end) = LANGUAGES[number % LANGUAGES.len()];
        let functions = (0..FUNCTIONS).map(|one| function.replace('@', &format!("{number}_{one}")));
        let text = format!("{start}{}{end}", functions.collect::<String>());
        let path = folder.join(format!("session_{number}.{extension}"));
        bytes += text.len();
        fs::write(&path, text).unwrap();
        paths.push(path);
    }
    (paths, bytes)
}

/// Finds and hashes the anchors of a file. Returns how many were found.
fn checked(number: usize, path: &Path) -> usize {
    let text = fs::read(path).unwrap();
    let language = Language::of(path.to_str().unwrap()).unwrap();
    let source = Source::read(language, &text, Limits::default()).unwrap();
    let anchors = (0..ANCHORS).map(|one| format!("Session.step_{number}_{}", one * FUNCTIONS / ANCHORS));
    let found = anchors.filter(|anchor| match find(source.definitions(), anchor) {
        Target::Found(parts) => source.fingerprint(&parts).body_length > 10,
        _ => false,
    });
    found.count()
}

fn run(paths: &[PathBuf], threads: usize) -> (Duration, usize) {
    let started = Instant::now();
    let found = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|worker| {
                let mine = paths.iter().enumerate().skip(worker).step_by(threads);
                scope.spawn(move || mine.map(|(number, path)| checked(number, path)).sum::<usize>())
            })
            .collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).sum()
    });
    (started.elapsed(), found)
}

fn peak_memory() -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or_else(|| "unknown".to_owned(), |line| line.trim().to_owned())
}

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let (paths, bytes) = write_files(folder.path());
    for round in ["cold", "again", "again"] {
        let (time, found) = run(&paths, 2);
        println!(
            "{round}: {found} anchors in {FILES} files of {:.1} MB in {:.2} s, peak memory {}",
            bytes as f64 / 1e6,
            time.as_secs_f64(),
            peak_memory()
        );
        assert_eq!(found, FILES * ANCHORS);
    }
    let (time, _) = run(&paths, 1);
    println!("on one thread: {:.2} s", time.as_secs_f64());
}
