// Helpers: a server, the two hosts of the modules, vaults, and the native program.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { createReadStream, mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, relative, sep } from "node:path";
import { after } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
export const repository = dirname(dirname(here));
const modules = join(repository, "bindings-wasm/dist");
const model = join(repository, "core/models/all-MiniLM-L6-v2");

/** An environment variable that run.mjs sets. */
function given(name) {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: start these tests with tests/wasm/run.mjs`);
  return value;
}

// ---- a server for code, models and vaults ----------------------------------------------------

const TYPES = { html: "text/html", js: "text/javascript", mjs: "text/javascript", wasm: "application/wasm", json: "application/json" };
const shared = new Map();

const server = createServer((request, response) => {
  const path = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
  const places = { "/tests/": here, "/dist/": modules, "/model/": model };
  // A module can keep a worker busy for longer than the default timeout of idle connections.
  response.setHeader("connection", "close");
  const bytes = shared.get(path);
  if (bytes) {
    response.end(bytes);
    return;
  }
  const start = Object.keys(places).find((start) => path.startsWith(start));
  const file = start && join(places[start], path.slice(start.length));
  if (!file || !statSync(file, { throwIfNoEntry: false })?.isFile()) {
    response.writeHead(404).end();
    return;
  }
  response.setHeader("content-type", TYPES[file.split(".").at(-1)] ?? "application/octet-stream");
  createReadStream(file).pipe(response);
});
const origin = await new Promise((resolve) => {
  server.listen(0, "127.0.0.1", () => resolve(`http://127.0.0.1:${server.address().port}`));
});
after(() => {
  server.close();
  server.closeAllConnections();
});

/** The address from which modules can fetch these bytes. */
export function share(bytes) {
  const path = `/shared/${shared.size}`;
  shared.set(path, bytes);
  return origin + path;
}

// ---- hosts -----------------------------------------------------------------------------------

const codeOf = (name) => `${origin}/dist/${name}/ubp_${name}_bg.wasm`;
const modelFiles = {
  model: `${origin}/model/model.onnx`,
  weights: `${origin}/model/model.onnx.data`,
  tokenizer: `${origin}/model/tokenizer.json`,
  description: `${origin}/model/model.json`,
};

class Host {
  constructor(name, send, script, begin) {
    Object.assign(this, { name, send, script, begin });
  }

  /** Loads a new base module. */
  async start() {
    await this.begin();
    await this.ask("start", { script: this.script("base"), code: codeOf("base") });
    return this;
  }

  /** Loads the semantic module with the bundled model. */
  startSemantic() {
    return this.ask("startSemantic", { script: this.script("semantic"), code: codeOf("semantic"), ...modelFiles });
  }

  async ask(command, given) {
    const { answer, error } = await this.send(command, given);
    if (error) throw Object.assign(new Error(`${command}: ${error.message}`), error);
    return answer;
  }

  /** The module's error for a command that must fail. */
  async refused(command, given) {
    const { answer, error } = await this.send(command, given);
    assert.ok(error, `${command} answered ${JSON.stringify(answer)}`);
    assert.ok(error.isError, "the module must throw an Error");
    return error;
  }
}

let instances = 0;

async function inNode() {
  let engine;
  const begin = async () => {
    instances += 1;
    engine = await import(`./engine.mjs?instance=${instances}`);
  };
  const script = (name) => `${pathToFileURL(join(modules, name, `ubp_${name}.js`))}?instance=${instances}`;
  // Serialised to JSON, like the messages to a worker.
  const send = async (command, given) => JSON.parse(JSON.stringify(await engine.run(command, given)));
  return new Host(`Node ${process.versions.node.split(".")[0]}`, send, script, begin);
}

async function inChromium() {
  const { chromium } = createRequire(join(given("UBP_WASM_TOOLS"), "index.js"))("playwright-core");
  const browser = await chromium.launch({
    executablePath: given("UBP_CHROMIUM"),
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
  after(() => browser.close());
  const page = await browser.newPage();
  page.setDefaultTimeout(0);
  await page.goto(`${origin}/tests/page.html`);
  const begin = () => page.evaluate(() => window.begin());
  const send = (command, given) => page.evaluate(([command, given]) => window.ask(command, given), [command, given]);
  const script = (name) => `${origin}/dist/${name}/ubp_${name}.js`;
  return new Host(`Chromium ${browser.version().split(".")[0]}`, send, script, begin);
}

export const hosts = [await inNode(), await inChromium()];

// ---- vaults ----------------------------------------------------------------------------------

/** A folder that is deleted after the tests. */
export function folder() {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "ubp-wasm-test-")));
  after(() => rmSync(path, { recursive: true, force: true, maxRetries: 5 }));
  return path;
}

export function write(root, files) {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

/** A project with these files, whose root folder is the vault. */
export function vault(files, model = { name: "no-such-model", version: "1.0", dimensions: 8 }) {
  const root = folder();
  const manifest = { version: "1.0", schema_version: 1, pages_dir: ".", frontmatter: "preserved", embedding_model: model };
  write(root, { ".ubp/manifest.json": JSON.stringify(manifest), ...files });
  return root;
}

export const bundled = { name: "all-MiniLM-L6-v2", version: "1.0", dimensions: 384 };

/** Every file below `root` except the index, as a browser provides them after a drop. */
export function filesOf(root) {
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => join(entry.parentPath ?? entry.path, entry.name));
  return paths
    .filter((path) => !/metadata\.db|\.lock$/.test(path) || path.endsWith("refs.lock"))
    .map((path) => ({
      path: relative(root, path).split(sep).join("/"),
      base64: readFileSync(path).toString("base64"),
      modified: Math.floor(statSync(path).mtimeMs),
    }));
}

/** Rounds the time of every file to a precision that browsers have as well. */
export function settleTimes(root, time) {
  for (const { path } of filesOf(root)) utimesSync(join(root, path), time, time);
}

// ---- the native program ----------------------------------------------------------------------

/** Runs the native program, with or without engines. */
export async function native(program, args, cwd) {
  const child = spawn(program, args, { cwd, env: { ...process.env, NO_COLOR: "1" }, stdio: ["ignore", "pipe", "pipe"] });
  const out = [];
  const err = [];
  child.stdout.on("data", (chunk) => out.push(chunk));
  child.stderr.on("data", (chunk) => err.push(chunk));
  const code = await new Promise((resolve, reject) => child.on("error", reject).on("close", resolve));
  assert.equal(code, 0, `${args.join(" ")}: ${Buffer.concat(err)}`);
  return Buffer.concat(out).toString();
}

export const nativeProgram = given("UBP_NATIVE");

/** Rows of an index, read by a Node with SQLite. */
export function rowsOf(database, sql) {
  const script = `
    const { DatabaseSync } = require("node:sqlite");
    const rows = new DatabaseSync(process.argv[1], { readOnly: true }).prepare(process.argv[2]).all();
    process.stdout.write(JSON.stringify(rows));`;
  const args = ["--no-warnings", "-e", script, database, sql];
  return JSON.parse(execFileSync(given("UBP_NODE_WITH_SQLITE"), args, { encoding: "utf8", maxBuffer: 1 << 28 }));
}

/** Splits a command line: blanks separate arguments, `'` quotes. */
export function split(line) {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain);
}
