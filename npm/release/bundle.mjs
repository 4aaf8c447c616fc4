#!/usr/bin/env node
// Packs the native program as an MCP bundle (.mcpb), which Claude Desktop installs with a double click.
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { thirdPartyLicences } from "./licences.mjs";
import { PLATFORMS, thisPlatform } from "./platforms.mjs";

/** The tool that validates and packs bundles. */
const PACKER = "@anthropic-ai/mcpb@2.1.2";

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const { values } = parseArgs({
  options: {
    program: { type: "string" },
    platform: { type: "string" },
    out: { type: "string", default: join(root, "target/archives") },
    folder: { type: "string" },
    help: { type: "boolean", short: "h" },
  },
});
if (values.help || !values.program) {
  console.log(
    "Usage: node npm/release/bundle.mjs --program FILE [--platform NAME] [--out FOLDER | --folder FOLDER]\n\n" +
      "  --program  the ubp to pack; it must run on this machine\n  --folder   write the contents of the bundle there, and pack nothing",
  );
  process.exit(values.help ? 0 : 2);
}
const platform = values.platform ?? thisPlatform();
const { target, os } = PLATFORMS[platform];
const program = resolve(values.program);
const version = execFileSync(program, ["--version"]).toString().trim().split(" ").pop();
const { description, homepage, repository, keywords } = JSON.parse(readFileSync(join(root, "npm/ubp/package.json"), "utf8"));

const entry = `server/${basename(program)}`;
const manifest = {
  manifest_version: "0.3",
  name: "ubp",
  display_name: "Unified Blueprint",
  version,
  description,
  author: { name: "The UBP developers" },
  repository: { type: "git", url: repository.url.replace(/^git\+/, "") },
  homepage,
  license: "MIT OR Apache-2.0",
  keywords,
  server: {
    type: "binary",
    entry_point: entry,
    mcp_config: { command: `\${__dirname}/${entry}`, args: ["-C", "${user_config.project}", "mcp-server", "--write"] },
  },
  tools_generated: true,
  prompts_generated: true,
  user_config: {
    project: {
      type: "directory",
      title: "Project",
      description: "A folder in which `ubp init` was run. Its pages are read; changes become proposals, which you accept or reject.",
      required: true,
    },
  },
  compatibility: { platforms: [os] },
};

const staging = values.folder ? resolve(values.folder) : mkdtempSync(join(tmpdir(), "ubp-bundle-"));
try {
  mkdirSync(join(staging, "server"), { recursive: true });
  copyFileSync(program, join(staging, entry));
  writeFileSync(join(staging, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  for (const file of ["LICENSE-APACHE", "LICENSE-MIT"]) copyFileSync(join(root, file), join(staging, file));
  copyFileSync(join(root, "core/models/all-MiniLM-L6-v2/NOTICE"), join(staging, "NOTICE"));
  writeFileSync(join(staging, "THIRD-PARTY-LICENSES"), thirdPartyLicences("ubp-cli", target));
  check(staging);
  if (!values.folder) {
    const out = resolve(values.out);
    mkdirSync(out, { recursive: true });
    const file = join(out, `ubp-${version}-${target}.mcpb`);
    // On Windows, npx is a script of the shell, which splits paths at blanks.
    const shell = process.platform === "win32";
    const paths = [staging, file].map((path) => (shell ? `"${path}"` : path));
    execFileSync("npx", ["--yes", PACKER, "pack", ...paths], { stdio: "inherit", shell });
    console.log(`${file} (${(statSync(file).size / 1e6).toFixed(1)} MB)`);
  }
} finally {
  if (!values.folder) rmSync(staging, { recursive: true, force: true });
}

/** Starts the server as a client does that has installed the bundle. */
function check(folder) {
  const project = mkdtempSync(join(tmpdir(), "ubp-bundle-project-"));
  try {
    execFileSync(program, ["-C", project, "init", "--yes"], { stdio: "ignore" });
    const { command, args } = manifest.server.mcp_config;
    const filled = (text) => text.replace("${__dirname}", folder).replace("${user_config.project}", project);
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "bundle", version } };
    const input = `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`;
    const { stdout } = spawnSync(filled(command), args.map(filled), { input, encoding: "utf8", timeout: 60_000 });
    const answer = JSON.parse(stdout.split("\n")[0] || "null");
    if (answer?.result?.serverInfo?.name !== "ubp") throw new Error(`the server of the bundle does not answer: ${stdout}`);
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
}
