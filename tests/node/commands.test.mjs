// Tests of the command as installed by npm.
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { folder, native, npx, project, start, ubp, write } from "./support.mjs";

test("npx starts a project, indexes it and searches by meaning", async () => {
  const root = join(project, "with-npx");
  write(root, { "pages/login.md": "# Login\n\nUsers sign in with a password. See [[tokens]].\n" });
  write(root, { "pages/tokens.md": "# Tokens\n\nA session expires after an hour.\n" });
  const ran = (args) => start(process.execPath, [npx, "--offline", "ubp", ...args], { cwd: root }).ended;
  const init = await ran(["init"]);
  assert.equal(init.code, 0, init.err);
  assert.ok(existsSync(join(root, ".ubp/manifest.json")));
  const add = await ran(["add"]);
  assert.equal(add.code, 0, add.err);
  const search = await ran(["search", "how do people authenticate", "--json"]);
  assert.equal(search.code, 0, search.err);
  const answer = JSON.parse(search.out);
  assert.equal(answer.search_type, "hybrid", "the package contains the model");
  assert.equal(answer.results[0].filepath, "login.md");
});

test("every command behaves like the native program", async () => {
  const root = folder();
  write(root, { "pages/login.md": "# Login\n\nSee [[tokens]].\n", "pages/tokens.md": "# Tokens\n" });
  await ubp(["init"], { cwd: root });
  await ubp(["add"], { cwd: root });
  const commands = [
    ["get", "login"], ["context", "login"], ["list"], ["graph"], ["traverse", "login"], ["impact", "tokens"],
    ["status"], ["stale"], ["doctor"], ["suggest-links"], ["model"], ["completions", "bash"], ["help"],
    ["help", "search"], ["--version"], ["search", "--fulltext", "tokens", "--json"],
    ["get", "nobody"], ["get", "nobody", "--json"], ["no-such-command"], ["list", "--no-such-flag"],
  ];
  for (const args of commands) {
    const [here, there] = [await ubp(args, { cwd: root }), await native(args, { cwd: root })];
    const plain = (text) => text.replace(/"latency_ms":\s*[\d.]+/g, "").replace(/\d+(\.\d+)? ms/g, "");
    assert.equal(plain(here.out), plain(there.out), args.join(" "));
    assert.equal(plain(here.err), plain(there.err), args.join(" "));
    assert.equal(here.code, there.code, args.join(" "));
  }
});

test("arguments and paths in any script are passed unchanged", async () => {
  const root = join(folder(), "設計 ü");
  write(root, { "pages/認証.md": "# 認証の設計\n\nユーザーの認証\n" });
  assert.equal((await ubp(["init"], { cwd: root })).code, 0);
  const found = await ubp(["search", "認証", "-l"], { cwd: root });
  assert.equal(found.out, "pages/認証.md\n", found.err);
});

test("every package contains licences and notices, also those of code by others", () => {
  const scope = join(project, "node_modules/@ubp");
  const packages = [join(project, "node_modules/ubp"), ...readdirSync(scope).map((name) => join(scope, name))];
  assert.equal(packages.length, 2, "npm installs the package for this platform only");
  for (const path of packages) {
    const text = (name) => readFileSync(join(path, name), "utf8");
    assert.match(text("NOTICE"), /all-MiniLM-L6-v2/);
    assert.match(text("LICENSE-APACHE"), /Apache License/);
    assert.match(text("LICENSE-MIT"), /MIT/i);
    if (!existsSync(join(path, "ubp.node"))) {
      const { dependencies = {}, files } = JSON.parse(text("package.json"));
      assert.deepEqual([dependencies, files], [{}, ["bin", "lib", "generated", "index.d.ts", "index.d.mts", "LICENSE-APACHE", "LICENSE-MIT", "NOTICE"]], "it contains no code of others");
      continue;
    }
    const others = text("THIRD-PARTY-LICENSES");
    for (const name of ["rten ", "rusqlite ", "serde_json ", "napi ", "tokenizers ", "clap "]) {
      assert.ok(others.includes(`\n${name}`), `${name} is in ${path}`);
    }
  }
});

test("a background server started from the package is found and stopped", async () => {
  const root = folder();
  write(root, { "pages/login.md": "# Login\n" });
  await ubp(["init"], { cwd: root });
  const started = await ubp(["mcp-server", "--http", "127.0.0.1:0", "--daemon", "--json"], { cwd: root });
  assert.equal(started.code, 0, started.err);
  const { url, pid } = JSON.parse(started.out);
  try {
    assert.notEqual(pid, process.pid);
    const asked = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: "{}" });
    assert.ok(asked.status >= 400 && asked.status < 500, `it answers: ${asked.status}`);
    const found = await native(["mcp-server", "--status", "--json"], { cwd: root });
    assert.equal(JSON.parse(found.out).pid, pid, "the native program finds it, too");
  } finally {
    const stopped = await ubp(["mcp-server", "--stop"], { cwd: root });
    assert.equal(stopped.code, 0, stopped.err);
  }
  await assert.rejects(fetch(url, { method: "POST" }), "the port is closed");
});
