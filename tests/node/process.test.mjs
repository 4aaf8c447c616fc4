// Tests of the command as a process: signals, pipes, panics.
import assert from "node:assert/strict";
import { once } from "node:events";
import { cpSync, copyFileSync, existsSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { bundled, folder, longPages, native, project, shim, sleep, start, testingAddon, ubp, vault } from "./support.mjs";

const posix = process.platform !== "win32";
const signals = { skip: !posix && "Windows sends no signals to other processes" };

/** Starts `ubp add` in a new process group, with so much text that embedding takes long. */
async function adding() {
  const root = vault(longPages(600), { model: bundled });
  const running = start(process.execPath, [shim, "add"], { cwd: root, detached: true });
  while (!existsSync(join(root, ".ubp/metadata.db"))) await sleep(20);
  await sleep(800);
  assert.equal(running.child.exitCode, null, "it is running");
  return { root, ...running };
}

function isAlive(group) {
  try {
    process.kill(-group, 0);
    return true;
  } catch {
    return false;
  }
}

async function within(millis, promise) {
  const late = Symbol("late");
  const first = await Promise.race([promise, sleep(millis).then(() => late)]);
  assert.notEqual(first, late, `ends within ${millis} ms`);
  return first;
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  test(`${signal} stops ubp add with a message`, signals, async () => {
    const { child, ended, root } = await adding();
    process.kill(-child.pid, signal);
    const { code, signal: died, err } = await within(30_000, ended);
    assert.deepEqual([code, died], [130, null], err);
    assert.match(err, /interrupted; finished work is kept/);
    assert.ok(!isAlive(child.pid), "no process is left");
    const after = await ubp(["search", "--fulltext", "page", "-l", "--no-refresh"], { cwd: root });
    assert.equal(after.code, 0, "the index is intact");
  });
}

test("a second Ctrl-C exits at once", signals, async () => {
  const { child, ended } = await adding();
  process.kill(child.pid, "SIGINT");
  process.kill(child.pid, "SIGINT");
  await sleep(5);
  process.kill(child.pid, "SIGINT");
  const { code } = await within(10_000, ended);
  assert.equal(code, 130);
  assert.ok(!isAlive(child.pid), "no process is left");
});

const page = `# Long\n\n${"A line of text that goes on and on. 長い文書。\n".repeat(230_000)}`;

test("an answer of several megabytes passes a pipe completely, even to a slow reader", async () => {
  const root = vault({ "long.md": page });
  const args = ["get", "long", "--json"];
  const running = start(process.execPath, [shim, ...args], { cwd: root });
  running.child.stdout.pause();
  setTimeout(() => running.child.stdout.resume(), 1500);
  const { code, out, err } = await running.ended;
  assert.equal(code, 0, err);
  assert.ok(out.length > 3_000_000, `${out.length} characters`);
  const there = await native(args, { cwd: root });
  assert.ok(out === there.out, "the same as from the native program");
});

test("writing waits for a pipe that another process made non-blocking", { skip: !posix && "POSIX only" }, async () => {
  const root = vault({ "long.md": page });
  // Node makes pipes non-blocking, for all processes that share them.
  const other = `process.stdout.write("."); setTimeout(() => {}, 4000)`;
  const script = `("$NODE" -e '${other}' & sleep 1; "$NODE" "$SHIM" get long --json) | (sleep 2; wc -c)`;
  const env = { NODE: process.execPath, SHIM: shim };
  const { out, err } = await start("sh", ["-c", script], { cwd: root, env }).ended;
  assert.equal(err.trim().split("\n").filter((line) => line.includes("error")).join(), "");
  assert.ok(Number(out) > 4_000_000, out);
});

test("a closed pipe is not an error", { skip: !posix && "needs a shell" }, async () => {
  const root = vault({ "long.md": page });
  const script = `("$NODE" "$SHIM" get long --json; echo "status $?" >&2) | head -c 10`;
  const env = { NODE: process.execPath, SHIM: shim };
  const { out, err } = await start("sh", ["-c", script], { cwd: root, env }).ended;
  assert.equal(out.length, 10);
  assert.equal(err.trim().split("\n").pop(), "status 0", err);
  assert.doesNotMatch(err, /error:|panicked/);
});

/** The packages with another addon, or without an addon. */
function installed({ addon } = {}) {
  const root = folder();
  cpSync(join(project, "node_modules"), join(root, "node_modules"), { recursive: true });
  const scope = join(root, "node_modules/@ubp");
  const [platform] = readdirSync(scope);
  if (addon) copyFileSync(addon, join(scope, platform, "ubp.node"));
  else rmSync(scope, { recursive: true });
  return { root, platform: `@ubp/${platform}`, shim: join(root, "node_modules/ubp/bin/ubp.js") };
}

test("a panic becomes an error, with status 2", async () => {
  const { shim, root } = installed({ addon: testingAddon });
  const ran = await within(20_000, start(process.execPath, [shim, "panic"], { cwd: root }).ended);
  assert.deepEqual([ran.code, ran.signal], [2, null], ran.err);
  assert.match(ran.err, /error: internal error: asked to panic/);
});

test("a panic in a call rejects only that call", async () => {
  const { root } = installed({ addon: testingAddon });
  const pages = vault({ "a.md": "# A\n\nwords\n" });
  const script = `
    const { open, UbpError } = require("ubp");
    (async () => {
      const client = await open(${JSON.stringify(pages)});
      const error = await client.call("panic").catch((error) => error);
      if (!(error instanceof UbpError) || error.code !== "internal") throw error;
      try { client.callSync("panic"); throw new Error("no panic"); } catch (error) {
        if (error.code !== "internal") throw error;
      }
      console.log((await client.call("search", { query: "words" })).results.length);
      await client.close();
    })();`;
  const ran = await within(20_000, start(process.execPath, ["-e", script], { cwd: root }).ended);
  assert.deepEqual([ran.code, ran.out], [0, "1\n"], ran.err);
});

test("the error for a missing package names it", async () => {
  const { shim, root, platform } = installed();
  const ran = await start(process.execPath, [shim, "status"], { cwd: root }).ended;
  assert.equal(ran.code, 2);
  assert.match(ran.err, new RegExp(`error: the package ${platform} is not installed`));
  assert.match(ran.err, /hint: install again without `--omit=optional`/);
  const script = 'require("ubp").open(".").catch((error) => console.log(error.name, error.code))';
  const library = await start(process.execPath, ["-e", script], { cwd: root }).ended;
  assert.equal(library.out, "UbpError addon\n", library.err);
});

test("the error for an addon of another platform names it and quotes the system", async () => {
  const { shim, root, platform } = installed({ addon: join(project, "package.json") });
  const ran = await start(process.execPath, [shim, "status"], { cwd: root }).ended;
  assert.equal(ran.code, 2);
  assert.match(ran.err, new RegExp(`error: ${platform} cannot be loaded: `));
  assert.match(ran.err, /hint: delete node_modules/);
});

/** Whether this `ubp` has a command. */
async function has(command) {
  return new RegExp(`^  ${command} `, "m").test((await ubp(["help"])).out);
}

for (const signal of ["SIGTERM", "SIGINT"]) {
  test(`${signal} ends an mcp-server that waits for a message`, signals, async (t) => {
    if (!(await has("mcp-server"))) return t.skip("this build has no mcp-server");
    const root = vault({ "a.md": "# A\n" });
    const running = start(process.execPath, [shim, "mcp-server"], { cwd: root, input: null, detached: true });
    await sleep(1500);
    assert.equal(running.child.exitCode, null, "it waits");
    const busy = cpuTicks(running.child.pid);
    await sleep(1000);
    if (busy !== null) assert.ok(cpuTicks(running.child.pid) - busy < 30, "waiting uses no CPU time");
    process.kill(running.child.pid, signal);
    const { code, signal: died, err } = await within(10_000, running.ended);
    assert.equal(died, null, err);
    assert.ok([0, 130].includes(code), `status ${code}: ${err}`);
    assert.ok(!isAlive(running.child.pid), "no process is left");
  });
}

test("an mcp-server exits when its client closes the input", async (t) => {
  if (!(await has("mcp-server"))) return t.skip("this build has no mcp-server");
  const root = vault({ "a.md": "# A\n\nwords\n" });
  const hello = {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
  };
  const running = start(process.execPath, [shim, "mcp-server"], { cwd: root, input: null });
  running.child.stdin.write(`${JSON.stringify(hello)}\n`);
  const [first] = await within(20_000, once(running.child.stdout, "data"));
  assert.equal(JSON.parse(first.toString().split("\n")[0]).id, 1);
  running.child.stdin.end();
  const { code, err } = await within(10_000, running.ended);
  assert.equal(code, 0, err);
});

/** CPU time of a process in clock ticks of 1/100 s, or `null` if it is not available. */
function cpuTicks(pid) {
  if (process.platform !== "linux") return null;
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return Number(fields[11]) + Number(fields[12]);
}
