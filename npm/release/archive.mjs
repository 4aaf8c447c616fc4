#!/usr/bin/env node
// Packs the native program for users without npm, with shell completions, licences and notices.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { thirdPartyLicences } from "./licences.mjs";
import { PLATFORMS, thisPlatform } from "./platforms.mjs";

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const { values } = parseArgs({
  options: {
    program: { type: "string" },
    platform: { type: "string" },
    out: { type: "string", default: join(root, "target/archives") },
    help: { type: "boolean", short: "h" },
  },
});
if (values.help || !values.program) {
  console.log("Usage: node npm/release/archive.mjs --program FILE [--platform NAME] [--out FOLDER]\n\n  --program  the ubp to pack; it must run on this machine");
  process.exit(values.help ? 0 : 2);
}
const platform = values.platform ?? thisPlatform();
const { target, os } = PLATFORMS[platform];
const program = resolve(values.program);
const version = execFileSync(program, ["--version"]).toString().trim().split(" ").pop();
const name = `ubp-${version}-${target}`;
const out = resolve(values.out);
const staging = mkdtempSync(join(tmpdir(), "ubp-archive-"));
try {
  const folder = join(staging, name);
  mkdirSync(join(folder, "completions"), { recursive: true });
  copyFileSync(program, join(folder, basename(program)));
  const completions = { bash: "ubp.bash", zsh: "_ubp", fish: "ubp.fish", powershell: "_ubp.ps1", elvish: "ubp.elv" };
  for (const [shell, file] of Object.entries(completions)) {
    writeFileSync(join(folder, "completions", file), execFileSync(program, ["completions", shell]));
  }
  for (const file of ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"]) copyFileSync(join(root, file), join(folder, file));
  copyFileSync(join(root, "core/models/all-MiniLM-L6-v2/NOTICE"), join(folder, "NOTICE"));
  writeFileSync(join(folder, "THIRD-PARTY-LICENSES"), thirdPartyLicences("ubp-cli", target));
  mkdirSync(out, { recursive: true });
  // bsdtar, the tar of Windows, can write zip files; GNU tar cannot.
  const file = join(out, os === "win32" ? `${name}.zip` : `${name}.tar.gz`);
  execFileSync("tar", os === "win32" ? ["-a", "-cf", file, name] : ["-czf", file, name], { cwd: staging, stdio: "inherit" });
  console.log(`${file} (${(statSync(file).size / 1e6).toFixed(1)} MB)`);
} finally {
  rmSync(staging, { recursive: true, force: true });
}
