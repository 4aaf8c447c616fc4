// The packages of a release beside npm, as far as one machine can check them.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { archiveName, folder, here, names, release, repository, run, smallArchive, version } from "./support.mjs";

const made = release({ real: true });
const read = (name) => readFileSync(join(made, name), "utf8");
const sha256 = (file) => createHash("sha256").update(readFileSync(file)).digest("hex");
const downloads = `https://github.com/unified-blueprint/ubp/releases/download/v${version}`;
const sourcePackage = `ubp-bin-${version.replaceAll("-", "_")}-1.src.tar.gz`;
const debian = (architecture) => join(made, `ubp_${version.replaceAll("-", "~")}_${architecture}.deb`);
const native = { "x86_64-unknown-linux-gnu": "amd64", "aarch64-unknown-linux-gnu": "arm64" }[here];

/** Fails unless this is the address of an archive of the release and its checksum. */
function checkDownload(url, sum) {
  assert.ok(url.startsWith(`${downloads}/`), url);
  assert.equal(sum, sha256(join(made, url.slice(downloads.length + 1))), url);
}

test("SHA256SUMS lists all files of the release, and sha256sum agrees", () => {
  const listed = read("SHA256SUMS").trim().split("\n").map((line) => line.slice(66));
  assert.deepEqual([...listed, "SHA256SUMS"].sort(), names(made));
  for (const name of ["install.sh", "ubp.rb", "ubp.json", "Containerfile", sourcePackage]) assert.ok(listed.includes(name), name);
  run("sha256sum", ["--check", "--strict", "--quiet", "SHA256SUMS"], { cwd: made });
});

test("no file keeps a placeholder, and a missing archive is an error", () => {
  for (const name of ["install.sh", "ubp.rb", "ubp.json", "Containerfile"]) assert.doesNotMatch(read(name), /@[a-z]+(:[\w-]+)?@/, name);
  const out = folder();
  smallArchive(out, here);
  const script = join(repository, "npm/release/packages.mjs");
  assert.throws(() => run(process.execPath, [script, "--archives", out]), /these archives are missing:\n.*darwin/);
  assert.deepEqual(names(out), [archiveName(here)]);
});

test("the Debian package installs into a root of its own, and its program runs", { skip: !native && "no Debian package for this system" }, () => {
  const root = folder();
  const admin = join(root, "var/lib/dpkg");
  mkdirSync(join(admin, "info"), { recursive: true });
  mkdirSync(join(admin, "updates"));
  for (const file of ["status", "available"]) writeFileSync(join(admin, file), "");
  // The root is empty, so the libraries of the package are not installed in it: those of this machine are used.
  const dpkg = (...args) => run("dpkg", [`--root=${root}`, "--force-depends", "--force-not-root", "--force-bad-path", "--log=/dev/null", ...args]);
  dpkg("--install", debian(native));
  assert.equal(run(join(root, "usr/bin/ubp"), ["--version"]), `ubp ${version}\n`);
  assert.match(readFileSync(join(root, "usr/share/bash-completion/completions/ubp"), "utf8"), /ubp/);
  assert.match(dpkg("--status", "ubp"), /^Status: install ok installed$/m);
  assert.equal(dpkg("--verify", "ubp"), "");
  dpkg("--purge", "ubp");
  assert.ok(!existsSync(join(root, "usr/bin/ubp")));
});

test("both Debian packages have the fields and files that Debian expects", () => {
  for (const [architecture, libc] of [["amd64", native === "amd64" ? /libc6 \(>= 2\.\d+\)/ : /2\.28/], ["arm64", native === "arm64" ? /libc6/ : /libc6 \(>= 2\.28\)/]]) {
    const field = (name) => run("dpkg-deb", ["--field", debian(architecture), name]).trim();
    assert.equal(field("Package"), "ubp");
    assert.equal(field("Architecture"), architecture);
    assert.equal(field("Version"), version.replaceAll("-", "~"));
    assert.match(field("Depends"), libc);
    assert.ok(Number(field("Installed-Size")) > 0);
    const listed = run("dpkg-deb", ["--contents", debian(architecture)]).trim().split("\n");
    for (const line of listed) assert.match(line, /^(drwxr-xr-x|-rwxr-xr-x|-rw-r--r--) root\/root /, "owner and rights");
    for (const file of ["bin/ubp", "share/doc/ubp/copyright", "share/doc/ubp/changelog.gz", "share/doc/ubp/CHANGELOG.md.gz", "share/doc/ubp/NOTICE", "share/doc/ubp/THIRD-PARTY-LICENSES.gz"]) {
      assert.ok(listed.some((line) => line.endsWith(` ./usr/${file}`)), file);
    }
    const unpacked = folder();
    run("dpkg-deb", ["--raw-extract", debian(architecture), unpacked]);
    run("md5sum", ["--check", "--strict", "--quiet", "DEBIAN/md5sums"], { cwd: unpacked });
  }
});

test("the same archives give the same packages", () => {
  const [one, two] = [folder(), folder()];
  const small = release();
  const script = join(repository, "npm/release/packages.mjs");
  for (const out of [one, two]) run(process.execPath, [script, "--archives", small, "--out", out], { env: { ...process.env, TZ: out === one ? "UTC" : "Asia/Tokyo" } });
  assert.equal(readFileSync(join(one, "SHA256SUMS"), "utf8"), readFileSync(join(two, "SHA256SUMS"), "utf8"));
});

test("Ruby reads the formula, which installs the archive for each system", () => {
  run("ruby", ["-c", join(made, "ubp.rb")]);
  const cases = [["macos", "arm", "aarch64-apple-darwin"], ["macos", "intel", "x86_64-apple-darwin"], ["linux", "arm", "aarch64-unknown-linux-musl"], ["linux", "intel", "x86_64-unknown-linux-musl"]];
  for (const [system, processor, target] of cases) {
    const work = folder();
    run("tar", ["-xzf", join(made, archiveName(target)), "-C", work, "--strip-components=1"]);
    const reader = join(dirname(fileURLToPath(import.meta.url)), "formula.rb");
    const read = JSON.parse(run("ruby", [reader, join(made, "ubp.rb"), system, processor], { cwd: work }));
    checkDownload(read.url, read.sha256);
    assert.ok(read.url.endsWith(archiveName(target)), read.url);
    assert.equal(read.version, version);
    assert.ok(read.desc.length < 80, "Homebrew limits descriptions to 80 characters");
    assert.deepEqual(read.installed, ["bin/ubp", "bash_completion/ubp", "zsh_completion/_ubp", "fish_completion/ubp.fish", "doc/NOTICE", "doc/THIRD-PARTY-LICENSES"]);
  }
});

test("the Scoop manifest has what its schema requires, and right checksums", () => {
  const manifest = JSON.parse(read("ubp.json"));
  for (const key of ["version", "homepage", "license"]) assert.equal(typeof manifest[key], "string", key);
  assert.deepEqual(Object.keys(manifest.architecture), ["64bit", "arm64"]);
  for (const [name, { url, hash, extract_dir: unpacked }] of Object.entries(manifest.architecture)) {
    checkDownload(url, hash);
    const inside = run("python3", ["-m", "zipfile", "-l", join(made, url.slice(downloads.length + 1))]);
    assert.ok(inside.includes(`${unpacked}/${manifest.bin}`), name);
    const next = manifest.autoupdate.architecture[name];
    assert.equal(next.url.replaceAll("$version", version), url);
    assert.equal(next.extract_dir.replaceAll("$version", version), unpacked);
  }
});

test("makepkg reads PKGBUILD as .SRCINFO says, checks the sums, and builds a package", () => {
  const work = folder();
  run("tar", ["-xzf", join(made, sourcePackage), "-C", work]);
  const at = join(work, "ubp-bin");
  assert.deepEqual(names(at), [".SRCINFO", "PKGBUILD"]);
  run("bash", ["-n", "PKGBUILD"], { cwd: at });
  // Small archives, which makepkg finds beside PKGBUILD instead of downloading them.
  const small = release();
  run("tar", ["-xzf", join(small, sourcePackage), "-C", work]);
  for (const machine of ["x86_64", "aarch64"]) copyFileSync(join(small, archiveName(`${machine}-unknown-linux-gnu`)), join(at, archiveName(`${machine}-unknown-linux-gnu`)));
  run("chmod", ["-R", "a+rwX", work]);
  // makepkg refuses to run as root.
  const user = process.getuid() === 0 ? { uid: 65534, gid: 65534 } : {};
  const configuration = join(work, "makepkg.conf");
  writeFileSync(configuration, "CARCH=x86_64\nCHOST=x86_64-pc-linux-gnu\nBUILDENV=(!color !check)\nOPTIONS=(!strip !debug)\nINTEGRITY_CHECK=(sha256)\nPKGEXT=.pkg.tar\nSRCEXT=.src.tar.gz\nDLAGENTS=('https::/bin/false')\n");
  // fakeroot closes every descriptor that the limit allows, which can be millions.
  // makepkg ends if there is no pacman, and only asks it which packages are installed: none are.
  const env = { ...process.env, HOME: work, PACMAN: "true" };
  const makepkg = (...args) => run("bash", ["-c", 'ulimit -Sn 1024 && exec makepkg "$@"', "makepkg", "--config", configuration, "--nodeps", ...args], { cwd: at, env, ...user });
  assert.equal(makepkg("--printsrcinfo").trim(), readFileSync(join(at, ".SRCINFO"), "utf8").trim());
  makepkg("--force");
  const built = names(at).find((name) => name.endsWith(".pkg.tar"));
  const files = run("tar", ["-tf", join(at, built)]).split("\n");
  for (const file of ["bin/ubp", "share/bash-completion/completions/ubp", "share/zsh/site-functions/_ubp", "share/licenses/ubp-bin/LICENSE-MIT"]) assert.ok(files.includes(`usr/${file}`), file);
  writeFileSync(join(at, archiveName("x86_64-unknown-linux-gnu")), "something else");
  assert.throws(() => makepkg("--verifysource"));
});

test("the first stage of the Containerfile unpacks and checks each archive", () => {
  const text = read("Containerfile");
  const step = /^RUN ((?:.*\\\n)*.*)$/m.exec(text)[1].replaceAll("\\\n", " ").replaceAll(/ (?=\/(archives|ubp))/g, " $ROOT");
  for (const [given, machine] of [["amd64", "x86_64"], ["arm64", "aarch64"]]) {
    const root = folder();
    mkdirSync(join(root, "archives"));
    const archive = archiveName(`${machine}-unknown-linux-musl`);
    copyFileSync(join(made, archive), join(root, "archives", archive));
    const unpack = () => run("dash", ["-ec", step], { env: { PATH: process.env.PATH, ROOT: root, TARGETARCH: given } });
    unpack();
    assert.equal(run(join(root, "ubp/bin/ubp"), ["--target"]).trim(), `${machine}-unknown-linux-musl`);
    assert.ok(existsSync(join(root, "ubp/share/doc/ubp/LICENSE-MIT")));
    rmSync(join(root, "ubp"), { recursive: true });
    writeFileSync(join(root, "archives", archive), "something else");
    assert.throws(unpack);
    assert.ok(!existsSync(join(root, "ubp")));
  }
  assert.match(text, /^ENTRYPOINT \["ubp"\]$/m);
  assert.match(text, /^USER [1-9]\d*$/m, "not root");
});
