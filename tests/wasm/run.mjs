#!/usr/bin/env node
// Tests the built modules in Node and in Chromium, and compares them with the native program. The last line is
// `N passed, N failed`, with `, N skipped` if tests were skipped.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const usage = `Usage: tests/wasm/run.mjs --native PROGRAM --tools FOLDER [--engines PROGRAM] [--project FOLDER] [FILE]…

  --native    a native ubp, to compare text and links with
  --tools     the folder that \`bindings-wasm/build.sh --setup\` made
  --engines   a native ubp with its model, to compare vectors and rankings with (default: not compared)
  --project   a folder with the npm package in its node_modules, to compare rankings with
  FILE        test files (default: all)

Needs Chromium, at the path in CHROMIUM or on the PATH.`;

const here = dirname(fileURLToPath(import.meta.url));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    native: { type: "string" },
    tools: { type: "string" },
    engines: { type: "string" },
    project: { type: "string" },
    help: { type: "boolean", short: "h" },
  },
});
if (values.help) console.log(usage);
else process.exitCode = testAll();

function fail(message) {
  console.error(`tests/wasm/run.mjs: ${message}`);
  process.exit(2);
}

function existing(path, name) {
  if (!path) fail(`${name} is missing\n\n${usage}`);
  if (!existsSync(path)) fail(`${path} does not exist`);
  return resolve(path);
}

function onPath(names) {
  const folders = (process.env.PATH ?? "").split(":");
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
}

/** A Node with SQLite: this one, or one installed for the tests of the npm packages. */
function nodeWithSqlite() {
  const tools = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "ubp-ci/node/node_modules");
  const candidates = [process.execPath, join(tools, "node24/bin/node"), join(tools, "node22/bin/node")];
  const has = (node) => existsSync(node) && spawnSync(node, ["-e", 'require("node:sqlite")']).status === 0;
  return candidates.find(has);
}

function testAll() {
  for (const name of ["base", "semantic"]) {
    existing(join(here, `../../bindings-wasm/dist/${name}/ubp_${name}_bg.wasm`), "bindings-wasm/dist");
  }
  const chromium = process.env.CHROMIUM ?? onPath(["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"]);
  if (!chromium) fail("Chromium is missing; install: apt-get install chromium-headless-shell");
  const env = {
    ...process.env,
    UBP_NATIVE: existing(values.native, "--native"),
    UBP_WASM_TOOLS: existing(values.tools, "--tools"),
    UBP_CHROMIUM: chromium,
    NO_COLOR: "1",
  };
  if (values.engines) {
    env.UBP_NATIVE_ENGINES = existing(values.engines, "--engines");
    env.UBP_NODE_WITH_SQLITE = nodeWithSqlite() ?? fail("no Node with SQLite found; install one: tests/run --setup");
  }
  if (values.project) env.UBP_NODE_PROJECT = existing(values.project, "--project");
  delete env.NODE_OPTIONS;
  const files = positionals.length > 0 ? positionals.map((file) => resolve(file)) : readdirSync(here).filter((name) => name.endsWith(".test.mjs")).map((name) => join(here, name));
  // Sequentially, because some tests measure time.
  const args = ["--test", "--test-concurrency=1", "--test-timeout=1800000", "--test-reporter=tap", ...files.sort()];
  const ran = spawnSync(process.execPath, args, { env, encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "inherit"] });
  const count = (name) => Number(new RegExp(`^# ${name} (\\d+)$`, "m").exec(ran.stdout)?.[1] ?? 0);
  const [good, bad, skipped] = [count("pass"), count("fail") + count("cancelled"), count("skipped")];
  if (bad > 0 || ran.status !== 0 || good === 0) console.log(ran.stdout);
  else console.log(ran.stdout.split("\n").filter((line) => /^\s*# (?!Subtest|tests|suites|pass|fail|cancelled|skipped|todo|duration)|# SKIP|^ok /.test(line)).join("\n"));
  const failed = bad > 0 ? bad : Number(ran.status !== 0 || good === 0);
  console.log(`\n${good} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
  return failed > 0 ? 1 : 0;
}
