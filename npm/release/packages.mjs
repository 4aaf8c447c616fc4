#!/usr/bin/env node
// Writes what a release offers beside npm, from the archives that archive.mjs packed: Debian packages, a Homebrew formula, a
// Scoop manifest, an AUR package, a Containerfile, the installer, and the checksums of all files.
import { createHash } from "node:crypto";
import { createReadStream, mkdirSync, existsSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { sourcePackage } from "./packages/aur.mjs";
import { debianPackage } from "./packages/deb.mjs";
import { scoopManifest } from "./packages/scoop.mjs";
import { PLATFORMS } from "./platforms.mjs";

const usage = `Usage: node npm/release/packages.mjs [--archives FOLDER] [--out FOLDER]

  --archives  the archives of all platforms, as archive.mjs packs them (default: target/archives)
  --out       where the packages go (default: the folder of the archives); SHA256SUMS lists its files and the archives`;

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const { values } = parseArgs({
  options: {
    archives: { type: "string", default: join(root, "target/archives") },
    out: { type: "string" },
    help: { type: "boolean", short: "h" },
  },
});
if (values.help) {
  console.log(usage);
  process.exit();
}
const archives = resolve(values.archives);
const out = resolve(values.out ?? archives);
const { version, description, homepage } = JSON.parse(readFileSync(join(root, "npm/ubp/package.json"), "utf8"));
const repository = /^repository = "([^"]+)"/m.exec(readFileSync(join(root, "Cargo.toml"), "utf8"))?.[1] ?? fail("Cargo.toml names no repository");

const files = {};
for (const { target, os } of Object.values(PLATFORMS)) {
  files[target] = join(archives, `ubp-${version}-${target}.${os === "win32" ? "zip" : "tar.gz"}`);
}
const missing = Object.values(files).filter((file) => !existsSync(file));
if (missing.length > 0) fail(`these archives are missing:\n  ${missing.join("\n  ")}`);

const sums = Object.fromEntries(await Promise.all(Object.entries(files).map(async ([target, file]) => [target, await sha256(file)])));
// Its name and address are the same in all packages; the sums are those of the archives.
const release = { version, description, homepage, repository, downloads: `${repository}/releases/download/v${version}`, files, sums };
mkdirSync(out, { recursive: true });
write("install.sh", filled("install.sh"), 0o755);
write("ubp.rb", filled("ubp.rb"));
write("Containerfile", filled("Containerfile"));
write("ubp.json", scoopManifest(release));
sourcePackage(release, filled("PKGBUILD"), out);
for (const [architecture, target] of [["amd64", "x86_64-unknown-linux-gnu"], ["arm64", "aarch64-unknown-linux-gnu"]]) {
  debianPackage(release, architecture, target, out);
}
await writeSums();

function fail(message) {
  console.error(`npm/release/packages.mjs: ${message}`);
  process.exit(1);
}

function write(name, text, mode = 0o644) {
  writeFileSync(join(out, name), text, { mode });
}

/** A template with the values of this release: `@version@`, `@repository@`, `@description@`, `@sum:TARGET@`. */
function filled(name) {
  const template = readFileSync(join(root, "npm/release/packages", name), "utf8");
  return template.replace(/@([a-z]+)(?::([\w-]+))?@/g, (whole, field, target) => {
    const value = field === "sum" ? sums[target] : release[field];
    return typeof value === "string" ? value : fail(`${name}: ${whole} has no value`);
  });
}

async function sha256(file) {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return hash.digest("hex");
}

/** In the format of sha256sum: of everything that a release offers, so that one file checks each of them. */
async function writeSums() {
  const offered = new Map();
  for (const folder of new Set([archives, out])) {
    for (const name of readdirSync(folder)) {
      if (name !== "SHA256SUMS" && statSync(join(folder, name)).isFile()) offered.set(name, join(folder, name));
    }
  }
  const lines = [];
  for (const name of [...offered.keys()].sort()) lines.push(`${await sha256(offered.get(name))}  ${name}\n`);
  write("SHA256SUMS", lines.join(""));
  console.log(`${join(out, "SHA256SUMS")} (${lines.length} files)`);
}
