#!/usr/bin/env node
// Packs the npm packages into npm/dist: the root package, and the package with the addon for one platform.
import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { thirdPartyLicences } from "./licences.mjs";
import { PLATFORMS, thisPlatform } from "./platforms.mjs";

const usage = `Usage: node npm/release/pack.mjs [--only root|platform] [--platform NAME] [--addon FILE] [--out FOLDER]

  --only      one of the two packages (default: both)
  --platform  ${Object.keys(PLATFORMS).join(", ")} (default: this one)
  --addon     a built addon (default: it is built, in the release profile)
  --out       where the tarballs go (default: npm/dist)`;

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const { values } = parseArgs({
  options: {
    only: { type: "string" },
    platform: { type: "string" },
    addon: { type: "string" },
    out: { type: "string", default: join(root, "npm/dist") },
    help: { type: "boolean", short: "h" },
  },
});
if (values.help) {
  console.log(usage);
  process.exit();
}
const platform = values.platform ?? thisPlatform();
const { target, ...runsOn } = PLATFORMS[platform] ?? fail(`unknown platform ${platform}`);
const out = resolve(values.out);
const version = workspaceVersion();
const staging = mkdtempSync(join(tmpdir(), "ubp-pack-"));
try {
  mkdirSync(out, { recursive: true });
  // The root package has no code of others.
  if (values.only !== "platform") pack(stageRoot());
  if (values.only !== "root") pack(stagePlatform(values.addon ?? buildAddon()), thirdPartyLicences("ubp-node", target));
} finally {
  rmSync(staging, { recursive: true, force: true });
}

function fail(message) {
  console.error(`npm/release/pack.mjs: ${message}`);
  process.exit(1);
}

function workspaceVersion() {
  const manifest = readFileSync(join(root, "Cargo.toml"), "utf8");
  return /\[workspace\.package\]\s*version = "([^"]+)"/.exec(manifest)?.[1] ?? fail("Cargo.toml has no version");
}

function buildAddon() {
  const args = ["build", "--release", "--locked", "-p", "ubp-node", "--message-format", "json-render-diagnostics"];
  const output = execFileSync("cargo", args, { cwd: root, maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "inherit"] });
  const messages = output.toString().trim().split("\n").map((line) => JSON.parse(line));
  const built = messages.filter((one) => one.reason === "compiler-artifact" && one.target.name === "ubp_node").pop();
  return built?.filenames.find((name) => /\.(so|dylib|dll)$/.test(name)) ?? fail("cargo built no addon");
}

function stageRoot() {
  const source = join(root, "npm/ubp");
  const manifest = JSON.parse(readFileSync(join(source, "package.json"), "utf8"));
  const expected = Object.fromEntries(Object.keys(PLATFORMS).map((name) => [`@ubp/${name}`, version]));
  const given = manifest.optionalDependencies;
  const same = Object.keys({ ...expected, ...given }).every((name) => given[name] === expected[name]);
  if (manifest.version !== version || !same) fail(`the version in npm/ubp/package.json must be ${version}, as in Cargo.toml`);
  const folder = join(staging, "root");
  cpSync(source, folder, { recursive: true });
  // As a declaration file, because compilers would treat a `.ts` file as a source of the program that imports it.
  renameSync(join(folder, "generated/contract.ts"), join(folder, "generated/contract.d.ts"));
  for (const name of readdirSync(join(folder, "generated")).filter((name) => name.endsWith(".json"))) {
    const file = join(folder, "generated", name);
    writeFileSync(file, JSON.stringify(JSON.parse(readFileSync(file, "utf8"))));
  }
  return folder;
}

function stagePlatform(addon) {
  const folder = join(staging, "platform");
  mkdirSync(folder);
  const file = join(folder, "ubp.node");
  copyFileSync(addon, file);
  if (target.includes("linux")) execFileSync("strip", ["--strip-unneeded", file], { stdio: "inherit" });
  // Stripping removes the signature, without which macOS loads no library.
  if (target.includes("apple")) {
    execFileSync("strip", ["-x", file], { stdio: "inherit" });
    execFileSync("codesign", ["--force", "--sign", "-", file], { stdio: "inherit" });
  }
  const { os, cpu, libc } = runsOn;
  const manifest = {
    name: `@ubp/${platform}`,
    version,
    description: `The part of the npm package ubp for ${platform}`,
    license: "MIT OR Apache-2.0",
    repository: { type: "git", url: "git+https://github.com/unified-blueprint/ubp.git" },
    engines: { node: ">=18" },
    os: [os],
    cpu: [cpu],
    ...(libc && { libc: [libc] }),
    main: "ubp.node",
    files: ["ubp.node", "LICENSE-APACHE", "LICENSE-MIT", "NOTICE", "THIRD-PARTY-LICENSES"],
    publishConfig: { access: "public" },
  };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest, null, 2) + "\n");
  const readme = `# @ubp/${platform}\n\nThe part of the package ubp for this platform. Install ubp, not this.\n`;
  writeFileSync(join(folder, "README.md"), readme);
  return folder;
}

function pack(folder, licences) {
  for (const name of ["LICENSE-APACHE", "LICENSE-MIT"]) copyFileSync(join(root, name), join(folder, name));
  copyFileSync(join(root, "core/models/all-MiniLM-L6-v2/NOTICE"), join(folder, "NOTICE"));
  if (licences) writeFileSync(join(folder, "THIRD-PARTY-LICENSES"), licences);
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const options = { cwd: folder, stdio: ["ignore", "pipe", "inherit"], shell: process.platform === "win32" };
  const [{ filename }] = JSON.parse(execFileSync(npm, ["pack", "--json", "--pack-destination", out], options));
  // Older versions of npm print a name that differs from the file's.
  const file = join(out, filename.replace(/^@/, "").replace("/", "-"));
  if (!existsSync(file)) fail(`npm packed no ${file}`);
  console.log(`${file} (${(statSync(file).size / 1e6).toFixed(1)} MB)`);
}
