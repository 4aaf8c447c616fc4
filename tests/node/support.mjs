// Helpers: the project with the installed packages, vaults, and processes.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after } from "node:test";
import { fileURLToPath } from "node:url";

/** An environment variable that run.mjs sets. */
function given(name) {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: start these tests with tests/node/run.mjs`);
  return value;
}

export const repository = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
/** A project with the packed packages in its node_modules. */
export const project = given("UBP_NODE_PROJECT");
export const nativeProgram = given("UBP_NATIVE");
/** An addon that can panic on request. */
export const testingAddon = given("UBP_TESTING_ADDON");
export const npx = given("UBP_NPX");
export const shim = join(project, "node_modules/ubp/bin/ubp.js");
/** The package, as a program in that project loads it. */
export const ubpPackage = createRequire(join(project, "index.js"))("ubp");

/** A folder that is deleted after the tests. */
export function folder() {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "ubp-node-test-")));
  after(() => rmSync(path, { recursive: true, force: true, maxRetries: 5 }));
  return path;
}

export function write(root, files) {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

/** A project with these files, whose root folder is the vault. All files have the same time, so that no test depends on the clock. */
export function vault(files, { model } = {}) {
  const root = folder();
  const manifest = {
    version: "1.0",
    schema_version: 1,
    pages_dir: ".",
    templates_dir: "meta/templates",
    frontmatter: "preserved",
    embedding_model: model ?? { name: "no-such-model", version: "1.0", dimensions: 8 },
  };
  write(root, { ".ubp/manifest.json": JSON.stringify(manifest), ...files });
  const now = new Date();
  for (const path of Object.keys(files)) utimesSync(join(root, path), now, now);
  return root;
}

export const bundled = { name: "all-MiniLM-L6-v2", version: "1.0", dimensions: 384 };

/** A running process, its output so far, and a promise of its end. */
export function start(program, args, { cwd, input, env, ...options } = {}) {
  const child = spawn(program, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    ...options,
  });
  if (typeof input === "string") child.stdin.end(input);
  const out = [];
  const err = [];
  child.stdout.on("data", (chunk) => out.push(chunk));
  child.stderr.on("data", (chunk) => err.push(chunk));
  const ended = new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      resolve({ code, signal, out: Buffer.concat(out).toString(), err: Buffer.concat(err).toString() });
    });
  });
  return { child, ended };
}

/** Runs the installed `ubp` on the Node that runs the tests. */
export const ubp = (args, options) => start(process.execPath, [shim, ...args], options).ended;

/** The native program. */
export const native = (args, options) => start(nativeProgram, args, options).ended;

/** Splits a command line: blanks separate arguments, `'` quotes. */
export function split(line) {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain);
}

/** Many pages with enough text to keep a model busy for a while. */
export function longPages(count) {
  const designs = join(repository, "docs/design");
  const words = readdirSync(designs).sort().flatMap((name) => readFileSync(join(designs, name), "utf8").split(/\s+/));
  const pages = {};
  for (let page = 0; page < count; page += 1) {
    const begin = (page * 97) % (words.length - 600);
    pages[`pages/page-${page}.md`] = `# Page ${page}\n\n${page} ${words.slice(begin, begin + 500).join(" ")}\n`;
  }
  return pages;
}

export const sleep = (millis) => new Promise((resolve) => setTimeout(resolve, millis));
