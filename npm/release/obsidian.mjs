#!/usr/bin/env node
// Packs the plugin for Obsidian: a zip for a vault, the same three files for BRAT and the list of community plugins, and a zip
// with the model for search by meaning.
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { thirdPartyLicences } from "./licences.mjs";

const usage = `Usage: node npm/release/obsidian.mjs [--out FOLDER]

Builds the plugin and packs it. Needs bindings-wasm/dist, and the packages of the web app.

  --out  where the files go (default: target/obsidian)`;

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const { values } = parseArgs({ options: { out: { type: "string", default: join(root, "target/obsidian") }, help: { type: "boolean", short: "h" } } });
if (values.help) {
  console.log(usage);
  process.exit();
}

const plugin = join(root, "npm/obsidian");
const semantic = join(root, "bindings-wasm/dist/semantic/ubp_semantic_bg.wasm");
const model = join(root, "core/models/all-MiniLM-L6-v2");
const MODEL_FILES = ["model.onnx", "model.onnx.data", "tokenizer.json", "model.json"];
const out = resolve(values.out);
const staging = mkdtempSync(join(tmpdir(), "ubp-obsidian-"));

function fail(message) {
  console.error(`npm/release/obsidian.mjs: ${message}`);
  process.exit(1);
}

/** A zip of one folder, written by Python because GNU tar writes no zip files. */
function zip(file, folder) {
  rmSync(file, { force: true });
  execFileSync(process.platform === "win32" ? "python" : "python3", ["-m", "zipfile", "-c", file, folder], { cwd: staging, stdio: "inherit" });
  console.log(`${file} (${(statSync(file).size / 1e6).toFixed(1)} MB)`);
}

function notices(folder) {
  for (const name of ["LICENSE-APACHE", "LICENSE-MIT"]) copyFileSync(join(root, name), join(folder, name));
  const svelte = readFileSync(join(root, "web-viewer/node_modules/svelte/LICENSE.md"), "utf8");
  writeFileSync(join(folder, "THIRD-PARTY-LICENSES"), `${thirdPartyLicences("ubp-wasm", "wasm32-unknown-unknown")}\n\nsvelte\n\n${svelte}`);
}

try {
  execFileSync(process.execPath, [join(plugin, "build.mjs")], { stdio: "inherit" });
  const { id, version, minAppVersion } = JSON.parse(readFileSync(join(plugin, "manifest.json"), "utf8"));
  const versions = JSON.parse(readFileSync(join(plugin, "versions.json"), "utf8"));
  const workspace = /\[workspace\.package\]\s*version = "([^"]+)"/.exec(readFileSync(join(root, "Cargo.toml"), "utf8"))?.[1];
  if (version !== workspace) fail(`the version in npm/obsidian/manifest.json must be ${workspace}, as in Cargo.toml`);
  if (versions[version] !== minAppVersion) fail(`npm/obsidian/versions.json must have ${version} with ${minAppVersion}`);
  mkdirSync(out, { recursive: true });
  const folder = join(staging, id);
  mkdirSync(folder);
  for (const name of ["main.js", "manifest.json", "styles.css"]) {
    copyFileSync(join(plugin, "dist", name), join(folder, name));
    copyFileSync(join(plugin, "dist", name), join(out, name));
  }
  notices(folder);
  zip(join(out, `${id}-obsidian-${version}.zip`), id);
  rmSync(folder, { recursive: true });
  if (!existsSync(semantic)) fail("the semantic module is missing; run bindings-wasm/build.sh");
  mkdirSync(join(folder, "meaning"), { recursive: true });
  copyFileSync(semantic, join(folder, "meaning/ubp_semantic_bg.wasm"));
  for (const name of MODEL_FILES) copyFileSync(join(model, name), join(folder, "meaning", name));
  for (const name of ["LICENSE", "NOTICE"]) copyFileSync(join(model, name), join(folder, "meaning", `${name}-MODEL`));
  notices(join(folder, "meaning"));
  zip(join(out, `${id}-obsidian-meaning-${version}.zip`), id);
} finally {
  rmSync(staging, { recursive: true, force: true });
}
