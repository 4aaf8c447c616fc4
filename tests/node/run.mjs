#!/usr/bin/env node
// Tests the packed npm packages: installs them into an empty project without network access, on the newest Node
// or on every supported one. The last line is `N passed, N failed`, with `, N skipped` if tests were skipped.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

// Limit on the installed size of both packages, in bytes.
const LARGEST = 107e6;

const usage = `Usage: tests/node/run.mjs --native PROGRAM --testing-addon FILE [--dist FOLDER] [--node PROGRAM]… [FILE]…

  --native         the native ubp of the same build
  --testing-addon  an addon built with the feature "testing"
  --dist           the packed packages (default: npm/dist)
  --node           the Node to test with (default: the newest that \`tests/run --setup\` installed)
  --all-nodes      test with every Node that it installed
  FILE             test files (default: all)
  --setup          install Node versions and the TypeScript compiler, then exit`;

const here = dirname(fileURLToPath(import.meta.url));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    native: { type: "string" },
    "testing-addon": { type: "string" },
    dist: { type: "string", default: join(here, "../../npm/dist") },
    node: { type: "string", multiple: true },
    "all-nodes": { type: "boolean" },
    setup: { type: "boolean" },
    help: { type: "boolean", short: "h" },
  },
});
const tools = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "ubp-ci/node");
if (values.help) {
  console.log(usage);
} else if (values.setup) {
  setUp();
} else {
  process.exitCode = testAll();
}

function setUp() {
  mkdirSync(tools, { recursive: true });
  const wanted = readFileSync(join(here, "package-lock.json"), "utf8");
  const stamp = join(tools, "installed");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  for (const name of ["package.json", "package-lock.json"]) writeFileSync(join(tools, name), readFileSync(join(here, name)));
  const options = { cwd: tools, stdio: "inherit", shell: process.platform === "win32" };
  execFileSync("npm", ["ci", "--no-audit", "--no-fund", "--ignore-scripts"], options);
  writeFileSync(stamp, wanted);
}

function fail(message) {
  console.error(`tests/node/run.mjs: ${message}`);
  process.exit(2);
}

function testAll() {
  const native = existing(values.native, "--native");
  const testingAddon = existing(values["testing-addon"], "--testing-addon");
  const dist = resolve(values.dist);
  const tarballs = newest(dist);
  const nodes = values.node ?? (values["all-nodes"] ? installedNodes() : installedNodes().slice(-1));
  const files = positionals.length > 0 ? positionals.map((file) => resolve(file)) : testFiles();
  let [passed, failed, without] = [0, 0, 0];
  for (const node of nodes) {
    const version = execFileSync(node, ["--version"]).toString().trim();
    const project = mkdtempSync(join(tmpdir(), "ubp-node-project-"));
    try {
      const installed = install(node, project, tarballs);
      console.log(`\n# Node ${version}: installed ${(installed / 1e6).toFixed(1)} MB`);
      const env = {
        ...process.env,
        UBP_NODE_PROJECT: project,
        UBP_NATIVE: native,
        UBP_TESTING_ADDON: testingAddon,
        UBP_NPX: npmProgram("npx"),
        UBP_TYPESCRIPT: tools,
        NO_COLOR: "1",
      };
      delete env.NODE_OPTIONS;
      const args = ["--test", "--test-reporter=tap", ...files];
      const ran = spawnSync(node, args, { env, encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "inherit"] });
      const count = (name) => Number(new RegExp(`^# ${name} (\\d+)$`, "m").exec(ran.stdout)?.[1] ?? 0);
      const [good, bad, skipped] = [count("pass"), count("fail") + count("cancelled"), count("skipped")];
      if (bad > 0 || ran.status !== 0 || good === 0) console.log(ran.stdout);
      else console.log(ran.stdout.split("\n").filter((line) => /^\s*# (?!Subtest|tests|suites|pass|fail|cancelled|skipped|todo|duration)|# SKIP/.test(line)).join("\n"));
      console.log(`Node ${version}: ${good} passed, ${bad} failed, ${skipped} skipped`);
      passed += good;
      without += skipped;
      failed += bad > 0 ? bad : Number(ran.status !== 0 || good === 0);
      if (installed > LARGEST) {
        console.log(`the packages take ${installed} bytes; the limit is ${LARGEST / 1e6} MB`);
        failed += 1;
      }
    } finally {
      rmSync(project, { recursive: true, force: true, maxRetries: 5 });
    }
  }
  console.log(`\n${passed} passed, ${failed} failed${without > 0 ? `, ${without} skipped` : ""}`);
  return failed > 0 || passed === 0 ? 1 : 0;
}

function existing(path, name) {
  if (!path) fail(`${name} is missing\n\n${usage}`);
  if (!existsSync(path)) fail(`${path} does not exist`);
  return resolve(path);
}

function newest(dist) {
  const version = JSON.parse(readFileSync(join(here, "../../npm/ubp/package.json"), "utf8")).version;
  const found = existsSync(dist) ? readdirSync(dist).filter((name) => name.endsWith(`-${version}.tgz`)) : [];
  const libc = process.platform === "linux" ? (process.report.getReport().header.glibcVersionRuntime ? "-gnu" : "-musl") : "";
  const machine = `ubp-${process.platform}-${process.arch}${libc}`;
  const wanted = [found.find((name) => name === `ubp-${version}.tgz`), found.find((name) => name.startsWith(machine))];
  if (wanted.includes(undefined)) fail(`${dist} has no packages of ${version} for ${machine}; create them: node npm/release/pack.mjs`);
  return wanted.map((name) => join(dist, name));
}

function installedNodes() {
  const found = [18, 20, 22, 24].map((major) => join(tools, `node_modules/node${major}/bin/node`));
  if (!found.every((path) => existsSync(path))) fail(`Node versions are missing in ${tools}; install them: tests/run --setup`);
  return found;
}

function npmProgram(name) {
  return join(tools, `node_modules/npm10/bin/${name}-cli.js`);
}

function testFiles() {
  return readdirSync(here).filter((name) => name.endsWith(".test.mjs")).sort().map((name) => join(here, name));
}

/** Installs the packages without network access; returns their size in bytes. */
function install(node, project, tarballs) {
  writeFileSync(join(project, "package.json"), '{ "private": true }\n');
  const command = [node, npmProgram("npm"), "install", "--offline", "--no-audit", "--no-fund", ...tarballs];
  // A new network namespace has no network. Where that is unavailable, rely on npm's `--offline`.
  const isolated = spawnSync("unshare", ["-rn", "true"]).status === 0;
  if (!isolated) console.log("# cannot isolate npm from the network here: relying on its --offline");
  const [program, ...args] = isolated ? ["unshare", "-rn", ...command] : command;
  const cache = mkdtempSync(join(tmpdir(), "ubp-npm-cache-"));
  try {
    // An empty cache, so that nothing comes from an earlier installation.
    execFileSync(program, args, { cwd: project, stdio: "inherit", env: { ...process.env, npm_config_cache: cache } });
  } finally {
    rmSync(cache, { recursive: true, force: true });
  }
  return size(join(project, "node_modules"));
}

function size(path) {
  const status = statSync(path);
  if (!status.isDirectory()) return status.size;
  return readdirSync(path).reduce((sum, name) => sum + size(join(path, name)), 0);
}
