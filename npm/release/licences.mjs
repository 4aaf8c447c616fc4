// Collects the licences of everything that is compiled into the program. Cargo lists the dependencies; the
// texts come from their sources.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** The text for a release build of the workspace's package `name` for `target`, a Rust target triple. */
export function thirdPartyLicences(name, target) {
  const packages = compiledIn(name, target);
  const texts = new Map();
  for (const one of packages) {
    for (const text of licenceTexts(one)) {
      const key = text.replace(/\s+/g, " ").trim();
      if (!texts.has(key)) texts.set(key, { text: text.trim(), names: [] });
      texts.get(key).names.push(`${one.name} ${one.version} (${one.license ?? "see below"})`);
    }
  }
  const parts = [
    "ubp contains the works listed below, under the licences that follow them. It also contains SQLite, which\n" +
      "is in the public domain, the standard library of Rust (MIT OR Apache-2.0, https://www.rust-lang.org),\n" +
      "and the embedding model that NOTICE describes.\n",
  ];
  for (const { text, names } of texts.values()) {
    parts.push(`${"=".repeat(80)}\n${[...new Set(names)].join("\n")}\n${"-".repeat(80)}\n\n${text}\n`);
  }
  return parts.join("\n");
}

/** External packages that are compiled into `name` with its default features. */
function compiledIn(name, target) {
  const cargo = (...args) => execFileSync("cargo", [...args, "--locked"], { cwd: root, maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "inherit"] }).toString();
  // `cargo tree` selects the features of this package only; `cargo metadata` has the paths of the sources.
  const tree = cargo("tree", "--package", name, "--target", target, "--edges", "normal,no-proc-macro", "--prefix", "none", "--format", "{p}");
  const compiled = new Set(tree.split("\n").map((line) => /^(\S+) v(\S+)/.exec(line)?.slice(1).join(" ")));
  const { packages } = JSON.parse(cargo("metadata", "--format-version", "1", "--filter-platform", target));
  const others = packages.filter((one) => one.source !== null && compiled.has(`${one.name} ${one.version}`));
  return others.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.version < b.version ? -1 : 1));
}

function licenceTexts(one) {
  const folder = dirname(one.manifest_path);
  const named = (pattern) =>
    readdirSync(folder)
      .filter((name) => pattern.test(name) && statSync(join(folder, name)).isFile())
      .sort();
  let files = named(/^(licen[cs]e|copying|unlicense)/i);
  if (one.license_file && existsSync(join(folder, one.license_file))) files = [...new Set([...files, one.license_file])];
  // If there is a choice, take the MIT licence: it names the authors.
  const mit = files.filter((name) => /mit/i.test(name));
  if (/\bOR\b|\//.test(one.license ?? "") && /\bMIT\b/.test(one.license) && mit.length > 0) files = mit;
  const texts = [...files, ...named(/^notice/i)].map((name) => readFileSync(join(folder, name), "utf8"));
  return files.length > 0 ? texts : [...texts, standardText(one)];
}

// Some packages name their licence without including its text.
function standardText(one) {
  const by = one.authors.length > 0 ? one.authors.join(", ") : `the authors of ${one.name}, ${one.repository ?? ""}`;
  const permits = (name) => new RegExp(`\\b${name}\\b`).test(one.license ?? "");
  if (permits("MIT")) {
    const text = readFileSync(join(root, "LICENSE-MIT"), "utf8");
    return text.replace(/^Copyright.*$/m, `Copyright (c) ${by}`);
  }
  if (permits("Apache-2.0")) return readFileSync(join(root, "LICENSE-APACHE"), "utf8");
  throw new Error(`${one.name} ${one.version}: no licence text, and no built-in text for ${one.license}`);
}
