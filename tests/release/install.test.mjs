// The installer, run by dash against a server on this machine.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import { archiveName, folder, here, names, path, realArchive, release, run, smallArchive, version } from "./support.mjs";

const TOOLS = ["uname", "getconf", "tar", "gzip", "mktemp", "rm", "mv", "cp", "chmod", "mkdir", "cut", "awk", "cat", "sh"];
const made = release();
const bin = path([...TOOLS, "curl", "sha256sum"]);
/** Answers in place of files of the release. */
const replaced = new Map();
let address;
const server = createServer((request, response) => {
  const name = request.url.slice(1);
  const content = replaced.get(name) ?? (existsSync(join(made, name)) ? readFileSync(join(made, name)) : undefined);
  if (content === undefined) response.writeHead(404).end();
  else if (content === "cut off") response.writeHead(200, { "content-length": 1e6 }).write("x".repeat(100), () => request.socket.destroy());
  else response.end(content);
});
before(() => new Promise((ready) => server.listen(0, "127.0.0.1", ready)).then(() => (address = `http://127.0.0.1:${server.address().port}`)));
after(() => server.close());
afterEach(() => replaced.clear());

/** Runs the installer with an empty home, and returns what it said. */
async function install(args = ["--from", address], { PATH = bin, home = folder(), cwd = home, input, ...options } = {}, shell = "/bin/dash") {
  const script = input === undefined ? [join(made, "install.sh")] : ["-s", "--"];
  const child = spawn(shell, [...script, ...args], { cwd, env: { PATH, HOME: home }, stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"], ...options });
  if (input !== undefined) child.stdin.end(input);
  const [out, err] = [child.stdout, child.stderr].map((stream) => stream.setEncoding("utf8").reduce((all, part) => all + part, ""));
  const code = await new Promise((ended) => child.on("close", ended));
  return { code, out: await out, err: await err, home, program: join(home, ".local/bin/ubp") };
}

/** Fails unless the installer failed with this message, and left no file. */
async function refused(message, ...given) {
  const ran = await install(...given);
  assert.equal(ran.code, 1, ran.out + ran.err);
  assert.match(ran.err, message);
  assert.deepEqual(names(ran.home), []);
}

test("shellcheck finds nothing in the installer", () => run("shellcheck", ["--shell=sh", "--severity=style", join(made, "install.sh")]));

test("it installs the program of this machine, and says how to undo that", async () => {
  replaced.set(archiveName(here), readFileSync(realArchive()));
  replaced.set("SHA256SUMS", `${run("sha256sum", [realArchive()]).slice(0, 64)}  ${archiveName(here)}\n`);
  const { code, out, err, program, home } = await install();
  assert.deepEqual([code, err], [0, ""]);
  assert.match(out, new RegExp(`^Installed ubp ${version} as ${program}\\.$`, "m"));
  assert.match(out, /Add this line to its settings/);
  assert.equal(run(program, ["--version"]), `ubp ${version}\n`);
  assert.deepEqual(names(join(home, ".local/bin")), ["ubp"]);
  const undo = /^To undo this: {2}(.+)$/m.exec(out)[1];
  run("sh", ["-c", undo]);
  assert.deepEqual(names(join(home, ".local/bin")), []);
});

test("with wget, shasum or openssl instead of curl and sha256sum", async () => {
  for (const tools of [["wget", "sha256sum"], ["curl", "openssl"], ["curl", "shasum"]]) {
    const perl = tools.includes("shasum") ? ["perl"] : [];
    const { code, err, program } = await install(undefined, { PATH: path([...TOOLS, ...tools, ...perl]) });
    assert.deepEqual([code, err], [0, ""], tools.join());
    assert.equal(run(program, ["--target"]).trim(), here);
  }
  await refused(/curl or wget is needed/, undefined, { PATH: path([...TOOLS, "sha256sum"]) });
  await refused(/sha256sum, shasum or openssl is needed/, undefined, { PATH: path([...TOOLS, "curl"]) });
});

test("with BusyBox alone, as on Alpine", async () => {
  const PATH = folder();
  run("busybox", ["--install", "-s", PATH]);
  const { code, err, program } = await install(undefined, { PATH }, join(PATH, "ash"));
  assert.deepEqual([code, err], [0, ""]);
  assert.equal(run(program, ["--target"]).trim(), here.replace("gnu", "musl"));
});

test("from standard input, into another folder, relative or with blanks", async () => {
  const input = readFileSync(join(made, "install.sh"), "utf8");
  const { code, err, out, home } = await install(["--from", `${address}/`, "--to", "my programs"], { input });
  assert.deepEqual([code, err], [0, ""]);
  assert.equal(statSync(join(home, "my programs/ubp")).mode & 0o777, 0o755);
  run("sh", ["-c", /^To undo this: {2}(.+)$/m.exec(out)[1]]);
  assert.deepEqual(names(join(home, "my programs")), []);
  const cut = await install(["--from", address], { input: input.slice(0, input.lastIndexOf("main")) });
  assert.deepEqual([cut.code, cut.out, names(cut.home)], [0, "", []], "half a script does nothing");
});

test("it chooses by system, processor and C library", async () => {
  const faked = (system, machine, scripts = {}) => path([...TOOLS.filter((name) => name !== "uname" && !(name in scripts)), "curl", "sha256sum"], {
    uname: `[ "$1" = -s ] && echo ${system} || echo ${machine}`,
    ...scripts,
  });
  const old = { getconf: '[ "$1" = LONG_BIT ] && echo 64 || echo "glibc 2.27"' };
  const none = { getconf: "exit 1" };
  const rosetta = { sysctl: "echo 1" };
  for (const [target, PATH] of [
    ["x86_64-unknown-linux-musl", faked("Linux", "x86_64", old)],
    ["x86_64-unknown-linux-musl", faked("Linux", "amd64", none)],
    ["aarch64-unknown-linux-musl", faked("Linux", "arm64", none)],
    ["x86_64-apple-darwin", faked("Darwin", "x86_64")],
    ["aarch64-apple-darwin", faked("Darwin", "arm64")],
    ["aarch64-apple-darwin", faked("Darwin", "x86_64", rosetta)],
  ]) {
    const { code, err, program } = await install(undefined, { PATH });
    assert.deepEqual([code, err], [0, ""], target);
    assert.equal(run(program, ["--target"]).trim(), target);
  }
  await refused(/not built for processors of type riscv64/, undefined, { PATH: faked("Linux", "riscv64") });
  await refused(/not built for FreeBSD/, undefined, { PATH: faked("FreeBSD", "amd64") });
  await refused(/on Windows, use Scoop/, undefined, { PATH: faked("MINGW64_NT-10.0", "x86_64") });
  await refused(/system of 64 bits/, undefined, { PATH: faked("Linux", "x86_64", { getconf: "echo 32" }) });
});

test("a wrong checksum, archive, version or address installs nothing", async () => {
  const name = archiveName(here);
  const broken = async (message, changes) => {
    for (const [file, content] of Object.entries(changes)) replaced.set(file, content);
    await refused(message);
    replaced.clear();
  };
  await broken(/is not what was released, and was not installed:\n.*expected {2}0{64}/, { SHA256SUMS: `${"0".repeat(64)}  ${name}\n` });
  await broken(/is not what was released/, { [name]: "something else" });
  await broken(/cannot download .*tar\.gz/, { [name]: "cut off" });
  await broken(/SHA256SUMS does not list/, { SHA256SUMS: "<html>the portal of a hotel</html>" });
  await refused(/cannot download http:.*SHA256SUMS/, ["--from", `${address}/nowhere`]);
  await refused(/cannot download http:\/\/127\.0\.0\.1:1\/SHA256SUMS/, ["--from", "http://127.0.0.1:1"]);
  await refused(/SHA256SUMS does not list ubp-0\.0\.1-/, ["--from", address, "--version", "v0.0.1"]);
  const other = folder();
  replaced.set(name, readFileSync(smallArchive(other, here, { says: "9.9.9" })));
  replaced.set("SHA256SUMS", run("sha256sum", [name], { cwd: other }));
  const { code, err, home } = await install();
  assert.equal(code, 1);
  assert.match(err, /contains ubp 9\.9\.9, not ubp/);
  assert.deepEqual(names(join(home, ".local/bin")), []);
});

test("an existing ubp is replaced, and nothing else is", async () => {
  const home = folder();
  const at = join(home, ".local/bin");
  mkdirSync(at, { recursive: true });
  const program = join(at, "ubp");
  writeFileSync(program, "#!/bin/sh\necho ubp 0.0.1\n", { mode: 0o755 });
  const first = await install(undefined, { home, PATH: `${bin}:${at}` });
  assert.match(first.out, /in place of ubp 0\.0\.1\./);
  assert.doesNotMatch(first.out, /settings/);
  assert.match((await install(undefined, { home })).out, new RegExp(`in place of ubp ${version}\\.`));
  for (const text of ["#!/bin/sh\necho other 1.0\n", "notes of mine"]) {
    writeFileSync(program, text, { mode: 0o755 });
    const { code, err } = await install(undefined, { home });
    assert.equal(code, 1);
    assert.match(err, /is not ubp, and stays as it is/);
    assert.equal(readFileSync(program, "utf8"), text);
  }
  const elsewhere = folder();
  mkdirSync(join(elsewhere, "ubp"));
  assert.match((await install(["--from", address, "--to", elsewhere])).err, /is a folder/);
  const dangling = folder();
  symlinkSync("/nowhere", join(dangling, "ubp"));
  assert.match((await install(["--from", address, "--to", dangling])).err, /is not ubp/);
  assert.deepEqual([names(at), names(dangling)], [["ubp"], ["ubp"]]);
});

test("a folder that cannot be written, and wrong arguments, are errors", async () => {
  // Root writes to every folder, so that another user runs the installer.
  const user = process.getuid() === 0 ? { uid: 65534, gid: 65534 } : {};
  const locked = folder();
  run("chmod", ["555", locked]);
  await refused(/cannot be written/, ["--from", address, "--to", locked], user);
  await refused(/cannot be created/, ["--from", address, "--to", join(locked, "bin")], user);
  await refused(/cannot be created/, ["--from", address, "--to", "/dev/null/bin"]);
  assert.deepEqual(names(locked), []);
  for (const args of [["--to"], ["--version", "latest"], ["--version", "1/../../x"], ["--from", ""], ["now"]]) {
    const { code, err } = await install(args);
    assert.equal(code, 2, err);
    assert.match(err, /^install\.sh: /m);
  }
  assert.match((await install(["--help"])).out, /^Usage: sh install\.sh/);
});
