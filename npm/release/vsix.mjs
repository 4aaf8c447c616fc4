#!/usr/bin/env node
// Packs the extension for VS Code, VSCodium and code-server: with the program for one platform, or without it.
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve, dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { thirdPartyLicences } from "./licences.mjs";
import { PLATFORMS, thisPlatform } from "./platforms.mjs";

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const source = join(root, "npm/vscode");
const { values } = parseArgs({
  options: {
    program: { type: "string" },
    platform: { type: "string" },
    out: { type: "string", default: join(root, "target/archives") },
    help: { type: "boolean", short: "h" },
  },
});
if (values.help) {
  console.log(
    "Usage: node npm/release/vsix.mjs [--program FILE] [--platform NAME] [--out FOLDER]\n\n" +
      "  --program  the ubp to pack (default: none; the extension then looks for it on the machine)",
  );
  process.exit(0);
}
if (Number(process.versions.node.split(".")[0]) < 22) {
  console.error(`npm/release/vsix.mjs: @vscode/vsce needs Node 22 or newer; this is ${process.versions.node}`);
  process.exit(2);
}
execFileSync(process.execPath, [join(source, "build.mjs")], { stdio: "inherit" });
const manifest = JSON.parse(readFileSync(join(source, "package.json"), "utf8"));
const { version } = JSON.parse(readFileSync(join(root, "npm/ubp/package.json"), "utf8"));
if (manifest.version !== version) {
  console.error(`npm/release/vsix.mjs: the version in npm/vscode/package.json must be ${version}, as in npm/ubp`);
  process.exit(1);
}
const platform = values.program && (values.platform ?? thisPlatform());
const staging = mkdtempSync(join(tmpdir(), "ubp-vsix-"));
try {
  const out = resolve(values.out);
  mkdirSync(out, { recursive: true });
  const target = platform && editorPlatform(platform);
  const file = join(out, `unified-blueprint-${version}${target ? `-${target}` : ""}.vsix`);
  stage();
  const { createVSIX } = createRequire(join(source, "package.json"))("@vscode/vsce");
  await createVSIX({ cwd: staging, packagePath: file, dependencies: false, ...(target && { target }) });
  console.log(`${file} (${(statSync(file).size / 1e6).toFixed(1)} MB)`);
} finally {
  rmSync(staging, { recursive: true, force: true });
}

/** The name of a platform in the marketplaces, which call musl by its best-known system. */
function editorPlatform(name) {
  const { os, cpu, libc } = PLATFORMS[name];
  return `${libc === "musl" ? "alpine" : os}-${cpu}`;
}

function stage() {
  const { scripts: _scripts, devDependencies: _devDependencies, private: _private, ...published } = manifest;
  writeFileSync(join(staging, "package.json"), `${JSON.stringify(published, null, 2)}\n`);
  for (const name of ["dist", "l10n", "media", "README.md", "package.nls.json", "package.nls.ja.json"]) cpSync(join(source, name), join(staging, name), { recursive: true });
  copyFileSync(join(root, "CHANGELOG.md"), join(staging, "CHANGELOG.md"));
  const licence = ["LICENSE-MIT", "LICENSE-APACHE"].map((name) => readFileSync(join(root, name), "utf8").trim());
  writeFileSync(join(staging, "LICENSE.txt"), `MIT or Apache-2.0, at your option.\n\n${licence.join(`\n\n${"-".repeat(80)}\n\n`)}\n`);
  // Otherwise vsce leaves out nothing and says that it should.
  writeFileSync(join(staging, ".vscodeignore"), "\n");
  if (!values.program) return;
  const { target, os } = PLATFORMS[platform];
  const program = join(staging, "bin", os === "win32" ? "ubp.exe" : "ubp");
  mkdirSync(dirname(program));
  copyFileSync(resolve(values.program), program);
  chmodSync(program, 0o755);
  copyFileSync(join(root, "core/models/all-MiniLM-L6-v2/NOTICE"), join(staging, "NOTICE"));
  writeFileSync(join(staging, "THIRD-PARTY-LICENSES"), thirdPartyLicences("ubp-cli", target));
}
