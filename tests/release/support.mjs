// A release for the tests: the archive of this machine's program, and small ones in place of those for all other platforms.
import { execFileSync } from "node:child_process";
import { copyFileSync, linkSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after } from "node:test";
import { fileURLToPath } from "node:url";
import { PLATFORMS, thisPlatform } from "../../npm/release/platforms.mjs";

export const repository = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
export const { version } = JSON.parse(readFileSync(join(repository, "npm/ubp/package.json"), "utf8"));
export const here = PLATFORMS[thisPlatform()].target;

/** The archive that npm/release/archive.mjs packed for this machine. */
export function realArchive() {
  const folder = process.env.UBP_ARCHIVES;
  if (!folder) throw new Error("UBP_ARCHIVES is not set: pack an archive with npm/release/archive.mjs, and name its folder");
  return join(folder, archiveName(here));
}

export const archiveName = (target) => `ubp-${version}-${target}.${target.includes("windows") ? "zip" : "tar.gz"}`;

/** A folder that every user can read, deleted after the tests. */
export function folder() {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "ubp-release-test-")));
  execFileSync("chmod", ["755", path]);
  after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

export function run(program, args, options = {}) {
  return execFileSync(program, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], ...options });
}

/** Packs an archive with the files of a real one, whose program is a script that prints the version and the target. */
export function smallArchive(out, target, { says = version } = {}) {
  const staging = folder();
  const top = join(staging, `ubp-${version}-${target}`);
  mkdirSync(join(top, "completions"), { recursive: true });
  const program = target.includes("windows") ? "ubp.exe" : "ubp";
  // The zero bytes are as in the table of versions of a program that needs glibc 2.28.
  const script = `#!/bin/sh\n[ "$1" = --target ] && echo ${target} && exit\necho "ubp ${says}"\nexit\n\0GLIBC_2.17\0GLIBC_2.28\0`;
  writeFileSync(join(top, program), script, { mode: 0o755 });
  for (const name of ["ubp.bash", "_ubp", "ubp.fish", "_ubp.ps1", "ubp.elv"]) writeFileSync(join(top, "completions", name), `# ${name}\n`);
  for (const name of ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"]) copyFileSync(join(repository, name), join(top, name));
  for (const name of ["NOTICE", "THIRD-PARTY-LICENSES"]) writeFileSync(join(top, name), `${name}\n`);
  const file = join(out, archiveName(target));
  if (file.endsWith(".zip")) run("python3", ["-m", "zipfile", "-c", file, top], { cwd: staging });
  else run("tar", ["-czf", file, `ubp-${version}-${target}`], { cwd: staging });
  return file;
}

/** All files of a release, made by npm/release/packages.mjs; `real` with the real archive of this machine. */
export function release({ real = false } = {}) {
  const out = folder();
  for (const { target } of Object.values(PLATFORMS)) {
    if (real && target === here) link(realArchive(), join(out, archiveName(target)));
    else smallArchive(out, target);
  }
  run(process.execPath, [join(repository, "npm/release/packages.mjs"), "--archives", out]);
  return out;
}

function link(from, to) {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
}

/** A folder for PATH with links to these programs, and with these scripts. */
export function path(programs, scripts = {}) {
  const bin = folder();
  for (const name of programs) {
    const found = run("sh", ["-c", `command -v ${name}`]).trim();
    run("ln", ["-s", found, join(bin, name)]);
  }
  for (const [name, text] of Object.entries(scripts)) writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  return bin;
}

export const names = (at) => readdirSync(at).sort();
