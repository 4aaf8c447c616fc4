// Packages for Debian and systems that use its packages, packed with dpkg-deb.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { gzipSync } from "node:zlib";

const MAINTAINER = "Unified Blueprint contributors <unified-blueprint@users.noreply.github.com>";

/** From which file of the archive each installed file comes. */
const INSTALLED = {
  "usr/bin/ubp": "ubp",
  "usr/share/bash-completion/completions/ubp": "completions/ubp.bash",
  "usr/share/zsh/vendor-completions/_ubp": "completions/_ubp",
  "usr/share/fish/vendor_completions.d/ubp.fish": "completions/ubp.fish",
  "usr/share/doc/ubp/README.md": "README.md",
  "usr/share/doc/ubp/NOTICE": "NOTICE",
  "usr/share/doc/ubp/CHANGELOG.md.gz": "CHANGELOG.md",
  "usr/share/doc/ubp/THIRD-PARTY-LICENSES.gz": "THIRD-PARTY-LICENSES",
};

/** Writes `ubp_VERSION_ARCHITECTURE.deb` into the folder `out`. The same archive gives the same bytes. */
export function debianPackage(release, architecture, target, out) {
  const staging = mkdtempSync(join(tmpdir(), "ubp-deb-"));
  try {
    execFileSync("tar", ["-xzf", release.files[target], "-C", staging], { stdio: "inherit" });
    const source = join(staging, `ubp-${release.version}-${target}`);
    const tree = join(staging, "tree");
    for (const [to, from] of Object.entries(INSTALLED)) {
      const file = join(tree, to);
      mkdirSync(dirname(file), { recursive: true, mode: 0o755 });
      if (to.endsWith(".gz")) writeFileSync(file, gzipSync(readFileSync(join(source, from)), { level: 9 }));
      else copyFileSync(join(source, from), file);
      chmodSync(file, to.startsWith("usr/bin/") ? 0o755 : 0o644);
    }
    writeFileSync(join(tree, "usr/share/doc/ubp/copyright"), copyright(release, source), { mode: 0o644 });
    const program = readFileSync(join(source, "ubp"));
    // A hyphen would begin the revision of the package, and `~` comes before everything: 1.0.0~rc.1 is older than 1.0.0.
    const version = release.version.replaceAll("-", "~");
    const built = statSync(join(source, "ubp")).mtime;
    writeFileSync(join(tree, "usr/share/doc/ubp/changelog.gz"), gzipSync(changelog(version, built), { level: 9 }), { mode: 0o644 });
    writeControl(tree, release, version, architecture, libraries(program, release.files[target]));
    const file = join(out, `ubp_${version}_${architecture}.deb`);
    const dated = { SOURCE_DATE_EPOCH: String(Math.floor(built.getTime() / 1000)) };
    // Most of the program is a model, which xz packs 9 % smaller than gzip, in seventeen times the time.
    const args = ["--root-owner-group", "-Zgzip", "-z6", "--build", tree, file];
    execFileSync("dpkg-deb", args, { stdio: ["ignore", "ignore", "inherit"], env: { ...dated, ...process.env } });
    console.log(`${file} (${(statSync(file).size / 1e6).toFixed(1)} MB)`);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/** The libraries that the program needs: the C library in the newest version whose symbols it names. */
function libraries(program, archive) {
  const versions = [...program.toString("latin1").matchAll(/\0GLIBC_2\.(\d+)(?=\.\d+\0|\0)/g)].map(([, minor]) => Number(minor));
  if (versions.length === 0) throw new Error(`${archive}: the program does not use glibc`);
  return `libc6 (>= 2.${Math.max(...versions)}), libgcc-s1 | libgcc1`;
}

function writeControl(tree, { description, homepage }, version, architecture, depends) {
  const files = filesIn(join(tree, "usr"));
  const kilobytes = files.reduce((sum, file) => sum + Math.ceil(statSync(file).size / 1024), 0);
  const [, name, summary] = /^([^:]+): (.+)$/.exec(description);
  const fields = {
    Package: "ubp",
    Version: version,
    Architecture: architecture,
    Maintainer: MAINTAINER,
    "Installed-Size": kilobytes,
    Depends: depends,
    Recommends: "git",
    Section: "text",
    Priority: "optional",
    Homepage: homepage,
    Description: `${summary.split(", as a")[0]}\n ${name} keeps a link graph, a full-text index and a semantic\n index of a folder of Markdown pages, and knows which pages describe which\n code, and which of them are out of date. Everything runs on this machine, in\n one program that contains its embedding models.`,
  };
  const control = Object.entries(fields).map(([field, value]) => `${field}: ${value}\n`);
  mkdirSync(join(tree, "DEBIAN"), { mode: 0o755 });
  writeFileSync(join(tree, "DEBIAN/control"), control.join(""), { mode: 0o644 });
  const md5 = (file) => createHash("md5").update(readFileSync(file)).digest("hex");
  const lines = files.map((file) => `${md5(file)}  ${relative(tree, file)}\n`);
  writeFileSync(join(tree, "DEBIAN/md5sums"), lines.join(""), { mode: 0o644 });
}

/** In the format of Debian; the changes themselves are in CHANGELOG.md.gz. */
function changelog(version, date) {
  const entry = "  * A release of Unified Blueprint; CHANGELOG.md.gz lists its changes.";
  return `ubp (${version}) unstable; urgency=medium\n\n${entry}\n\n -- ${MAINTAINER}  ${date.toUTCString().replace("GMT", "+0000")}\n`;
}

function filesIn(folder) {
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => (entry.isDirectory() ? filesIn(join(folder, entry.name)) : [join(folder, entry.name)]));
}

/** In the machine-readable format of Debian. */
function copyright({ homepage }, source) {
  const mit = readFileSync(join(source, "LICENSE-MIT"), "utf8").trim();
  const holder = /^Copyright \(c\) (.+)$/m.exec(mit)[1];
  const indented = (text) => text.split("\n").map((line) => ` ${line.trim() === "" ? "." : line}\n`).join("");
  return (
    `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: ubp\nSource: ${homepage}\n` +
    "Comment: NOTICE describes the embedding model, and THIRD-PARTY-LICENSES.gz has the licences of all works in the program.\n\n" +
    `Files: *\nCopyright: ${holder}\nLicense: Expat or Apache-2.0\n\n` +
    `License: Expat\n${indented(mit.replace(/^MIT License\s+Copyright.*\s+/, ""))}\n` +
    "License: Apache-2.0\n On Debian systems, the text of the Apache License, version 2.0, is in\n /usr/share/common-licenses/Apache-2.0.\n"
  );
}
