// Tests of the library.
import assert from "node:assert/strict";
import { once } from "node:events";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { bundled, folder, longPages, project, sleep, start, ubpPackage, vault } from "./support.mjs";

const { UbpError, open, openSync } = ubpPackage;
const pages = { "login.md": "# Login\n\nSee [[tokens]].\n", "tokens.md": "# Tokens\n\nA token expires.\n" };

async function withClient(root, work) {
  const client = await open(root);
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

const refused = async (promise, code) => {
  const error = await promise.then(
    () => assert.fail("no error"),
    (error) => error,
  );
  assert.ok(error instanceof UbpError && error instanceof Error, String(error));
  assert.equal(error.name, "UbpError");
  assert.equal(error.code, code, error.message);
  return error;
};

test("a project is opened from any folder in it, by path or URL", async () => {
  const root = vault({ ...pages, "deep/er/page.md": "# Deep\n" });
  for (const from of [root, join(root, "deep/er"), pathToFileURL(join(root, "deep"))]) {
    await withClient(from, async (client) => assert.equal(client.root, root));
  }
  const client = openSync(root);
  assert.equal(client.root, root);
  assert.equal(client.callSync("list_pages").total_count ?? client.callSync("list_pages").pages.length, 3);
  await client.close();
});

test("errors carry code, message and hint", async () => {
  const nowhere = folder();
  const none = await refused(open(nowhere), "no_project");
  assert.match(none.hint, /ubp init/);
  assert.throws(() => openSync(nowhere), { name: "UbpError", code: "no_project" });
  const root = vault(pages);
  await withClient(root, async (client) => {
    const wrong = await refused(client.call("search", { colour: "red" }), "invalid_params");
    assert.match(wrong.message, /colour/);
    assert.equal(wrong.hint, null);
    const similar = await refused(client.call("get_page", { page: "Logon" }), "page_not_found");
    assert.match(similar.hint, /login\.md/);
    await refused(client.call("nonsense"), "invalid_params");
    await refused(client.call("search", [1]), "invalid_params");
    await refused(client.call("search", null), "invalid_params");
    assert.throws(() => client.callSync("nonsense"), { code: "invalid_params" });
  });
  writeFileSync(join(root, ".ubp/manifest.json"), '{\n  "version": 1,\n');
  const broken = await refused(open(root), "manifest");
  assert.match(broken.message, /manifest\.json:\d+: /);
});

test("answers include changes of files", async () => {
  const root = vault(pages);
  await withClient(root, async (client) => {
    const found = async (word) => (await client.call("search", { query: word, mode: "fulltext" })).results[0]?.filepath;
    for (let round = 0; round < 10; round += 1) {
      writeFileSync(join(root, "news.md"), `# News\n\nround${round}x happened\n`);
      await client.call("add");
      assert.equal(await found(`round${round}x`), "news.md", "at once with a full refresh");
    }
    writeFileSync(join(root, "news.md"), "# News\n\nsomething else happened\n");
    const begun = Date.now();
    while ((await found("something")) !== "news.md") {
      assert.ok(Date.now() - begun < 20_000, "soon without a full refresh");
      await sleep(20);
    }
  });
});

test("a damaged index is replaced with a notice", async () => {
  const root = vault(pages);
  await withClient(root, (client) => client.call("status"));
  writeFileSync(join(root, ".ubp/metadata.db"), "this is no database, although it is long enough to be read");
  const client = await open(root);
  const [notice] = await once(client, "notice");
  assert.equal(notice.warning, true);
  assert.match(notice.message, /the index could not be used/);
  assert.equal((await client.call("list_pages")).pages.length, 2);
  await client.close();
});

test("an aborted call is rejected as cancelled, whether it waits or runs", async () => {
  const root = vault(longPages(300), { model: bundled });
  await withClient(root, async (client) => {
    const before = new AbortController();
    before.abort(new Error("not wanted"));
    const error = await refused(client.call("add", {}, { signal: before.signal }), "cancelled");
    assert.equal(error.cause.message, "not wanted");

    const running = new AbortController();
    const waiting = new AbortController();
    const first = client.call("rebuild", {}, { signal: running.signal });
    const second = client.call("add", {}, { signal: waiting.signal });
    waiting.abort();
    await sleep(300);
    const begun = Date.now();
    running.abort();
    await refused(first, "cancelled");
    await refused(second, "cancelled");
    assert.ok(Date.now() - begun < 30_000, `${Date.now() - begun} ms`);
    // Reading continues during the call and after it.
    const { results } = await client.call("search", { query: "page", mode: "fulltext" });
    assert.ok(results.length > 0);
  });
});

test("long calls emit progress, and searches run at the same time", async () => {
  const root = vault(longPages(60), { model: bundled });
  await withClient(root, async (client) => {
    const told = [];
    client.on("progress", (event) => told.push(event));
    let done = false;
    const rebuilt = client.call("rebuild").finally(() => (done = true));
    const { results } = await client.call("search", { query: "page", mode: "fulltext" });
    assert.ok(results.length >= 0);
    await rebuilt;
    assert.ok(done);
    const last = told.filter(({ stage }) => stage === "pages").pop();
    assert.ok(last, JSON.stringify(told));
    assert.deepEqual(last, { operation: "rebuild", stage: "pages", done: 60, total: 60 });
  });
});

test("closing cancels running calls, and later calls are rejected", async () => {
  const root = vault(longPages(300), { model: bundled });
  const client = await open(root);
  const rebuilt = client.call("rebuild");
  const refusedLater = refused(rebuilt, "cancelled");
  await sleep(200);
  const begun = Date.now();
  const closing = client.close();
  assert.equal(client.closed, true);
  assert.equal(client.close(), closing, "closing twice returns the same promise");
  await Promise.all([closing, refusedLater]);
  assert.ok(Date.now() - begun < 30_000, `${Date.now() - begun} ms`);
  const error = await refused(client.call("status"), "closed");
  assert.match(error.hint, /open\(\)/);
  assert.throws(() => client.callSync("status"), { code: "closed" });
});

test("an open project does not keep the process alive, and an unreachable one is closed", async () => {
  const root = vault(pages);
  const script = `
    const { open } = require("ubp");
    (async () => {
      for (let i = 0; i < 5; i++) await (await open(${JSON.stringify(root)})).call("status");
      globalThis.gc();
      await new Promise((resolve) => setTimeout(resolve, 200));
      globalThis.held = await open(${JSON.stringify(root)});
      console.log((await globalThis.held.call("list_pages")).pages.length);
    })();`;
  const { ended } = start(process.execPath, ["--expose-gc", "-e", script], { cwd: project });
  const late = sleep(15_000).then(() => "late");
  const ran = await Promise.race([ended, late]);
  assert.deepEqual([ran.code, ran.out], [0, "2\n"], ran.err);
});

test("terminating a worker thread with running calls crashes nothing", async () => {
  const root = vault(longPages(40));
  const script = `
    const { Worker, isMainThread, parentPort } = require("node:worker_threads");
    const { open } = require("ubp");
    if (isMainThread) {
      (async () => {
        for (let round = 0; round < 5; round++) {
          const worker = new Worker(__filename);
          await new Promise((resolve) => worker.once("message", resolve));
          await worker.terminate();
        }
        const client = await open(${JSON.stringify(root)});
        console.log((await client.call("list_pages", { limit: 1 })).pages.length);
        await client.close();
      })();
    } else {
      open(${JSON.stringify(root)}).then((client) => {
        for (let i = 0; i < 50; i++) client.call("search", { query: "page" }).catch(() => {});
        parentPort.postMessage("busy");
      });
    }`;
  const file = join(project, "worker.cjs");
  writeFileSync(file, script);
  const ran = await start(process.execPath, [file], { cwd: project }).ended;
  assert.deepEqual([ran.code, ran.signal, ran.out], [0, null, "1\n"], ran.err);
});

test("import and require give the same package", async () => {
  const file = join(project, "both.mjs");
  writeFileSync(
    file,
    `import { createRequire } from "node:module";
     import * as esm from "ubp";
     const cjs = createRequire(import.meta.url)("ubp");
     console.log(Object.keys(esm).sort().join(), esm.UbpError === cjs.UbpError, esm.open === cjs.open);`,
  );
  const ran = await start(process.execPath, [file], { cwd: project }).ended;
  assert.equal(ran.out, "UbpError,open,openSync,run true true\n", ran.err);
});

test("run executes the command, returns its exit status, and can be stopped", async () => {
  const root = vault(pages);
  const script = `
    import { run } from "ubp";
    const found = await run(["search", "token", "-l"]);
    const wrong = await run(["no-such-command"]);
    const stopped = await run(["add"], { signal: AbortSignal.abort() });
    console.error(JSON.stringify([found, wrong, stopped]));`;
  const file = join(project, "run.mjs");
  writeFileSync(file, script);
  const ran = await start(process.execPath, [file], { cwd: root }).ended;
  assert.match(ran.out, /^tokens\.md$/m);
  assert.equal(ran.err.trim().split("\n").pop(), "[0,2,130]", ran.err);
});

test("a read-only folder can be read", { skip: process.getuid?.() === 0 && "root can write everywhere" }, async () => {
  const root = vault(pages);
  chmodSync(join(root, ".ubp"), 0o555);
  try {
    await withClient(root, async (client) => assert.equal((await client.call("list_pages")).pages.length, 2));
  } finally {
    chmodSync(join(root, ".ubp"), 0o755);
  }
});

test("the package contains the schemas", () => {
  const schema = JSON.parse(readFileSync(join(project, "node_modules/ubp/generated/search.json"), "utf8"));
  assert.equal(schema.name, "search");
  assert.equal(schema.input.properties.query.type, "string");
});
