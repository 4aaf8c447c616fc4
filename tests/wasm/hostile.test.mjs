// Invalid input: every failure is an `Error` with a code, and the module continues to work.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { hosts, native, nativeProgram, share, vault } from "./support.mjs";

const small = [{ path: "a.md", text: "# A\n\nwords about tokens [[b]]\n", modified: 0 }];
const root = vault({ "a.md": "# A\n\nwords\n", "b.md": `# B\n\n${"other words. ".repeat(2000)}\n` });
await native(nativeProgram, ["add"], root);
const database = readFileSync(join(root, ".ubp/metadata.db"));

/** The database with `bytes` written at offset `from`. */
const changed = (from, bytes) => Buffer.concat([database.subarray(0, from), Buffer.from(bytes), database.subarray(from + bytes.length)]);

for (const host of hosts) {
  test(`${host.name}: a file that is not an index is rejected with a message`, async () => {
    await host.start();
    const unusable = {
      nothing: Buffer.alloc(0),
      text: Buffer.from("not a database, whatever its name says"),
      zeros: Buffer.alloc(100_000),
      "only a header": database.subarray(0, 100),
      "a truncated index": database.subarray(0, Math.floor(database.length / 2)),
      "another version": changed(60, [0, 0, 99, 99]),
      "another program": changed(68, [1, 2, 3, 4]),
      "an invalid page size": changed(16, [0, 3]),
    };
    for (const [what, bytes] of Object.entries(unusable)) {
      const error = await host.refused("openDatabase", { url: share(bytes) });
      assert.equal(error.code, "invalid_params", what);
      assert.match(error.message, /not a UBP index/, what);
    }
    // An index in WAL mode can be opened.
    await host.ask("openDatabase", { url: share(changed(18, [2, 2])) });
    assert.equal((await host.ask("call", { name: "list_pages" })).pages.length, 2);
    const damaged = Buffer.from(database);
    damaged.fill(0x5a, 8192, damaged.length - 4096);
    const { code, message } = await host.refused("openDatabase", { url: share(damaged) }).catch(() =>
      host.refused("call", { name: "search", params: { query: "words" } }),
    );
    assert.ok(["invalid_params", "database"].includes(code), message);
    await host.ask("openFiles", { files: small });
    assert.equal((await host.ask("call", { name: "status" })).page_count, 1);
  });

  test(`${host.name}: an opened database is read-only`, async () => {
    await host.start();
    await host.ask("openDatabase", { url: share(database) });
    for (const [name, params] of [["rebuild", {}], ["create_page", { title: "New" }], ["delete_page", { page: "a.md", confirm: true }]]) {
      assert.equal((await host.refused("call", { name, params })).code, "invalid_params", name);
    }
    await host.ask("setBrokenEncoder", { kind: "none" });
    const error = await host.refused("embedPending", { milliseconds: 1000 });
    assert.equal(error.code, "database");
    assert.match(error.hint, /read-only/);
    assert.equal((await host.ask("call", { name: "list_pages" })).pages.length, 2);
  });

  test(`${host.name}: invalid files are skipped and reported by doctor`, async () => {
    await host.start();
    const bytes = { length: 3 };
    const report = await host.ask("openStrangeFiles", {
      given: [null, 7, "text", {}, { path: 5 }, { path: "../out.md", bytes }, { path: "/etc/x.md" }, { path: "a\0b.md" }, { path: "ok.md", bytes: [1, 2], modified: 0 }, { path: "c:\\x.md" }],
    });
    assert.ok(report.findings.filter(({ severity }) => severity === "error").length >= 9, JSON.stringify(report.counts));
    for (const name of ["openFiles"]) assert.equal((await host.ask(name, { files: small })).name, null);
  });

  test(`${host.name}: hostile pages are indexed like others`, async () => {
    await host.start();
    const long = "word [[link]] 認証 ".repeat(60_000);
    const files = {
      "long.md": long,
      "line.md": "x".repeat(1 << 20),
      "nested.md": `${"> ".repeat(20_000)}deep\n\n${"- ".repeat(5_000)}list\n`,
      "brackets.md": "[".repeat(200_000),
      "nul.md": "a\0b [[c\0d]] \u0001\n",
      "yaml.md": "---\ntitle: [unclosed\nkey: : :\n\t- x\n---\ntext\n",
      "deep.md": `---\na: ${"[".repeat(20_000)}\n---\ntext\n`,
      "maps.md": `---\n${Array.from({ length: 3_000 }, (_, depth) => `${" ".repeat(depth)}k:`).join("\n")}\n---\n`,
      "bomb.md": `---\na: &a [x,x,x,x,x,x,x,x,x]\n${"bcdefghij".split("").map((k, i) => `${k}: &${k} [${Array(9).fill(`*${"abcdefghij"[i]}`).join(",")}]`).join("\n")}\n---\n`,
    };
    const bytes = { "latin.md": "/+7/AP8=", "utf16.md": Buffer.from("\ufeff# 認証\n", "utf16le").toString("base64") };
    const given = [
      ...Object.entries(files).map(([path, text]) => ({ path, text, modified: 0 })),
      ...Object.entries(bytes).map(([path, base64]) => ({ path, base64, modified: 1e300 })),
      ...small,
    ];
    await host.ask("openFiles", { url: share(JSON.stringify(given)) });
    assert.equal((await host.ask("call", { name: "status" })).page_count, given.length);
    for (const [path, text] of Object.entries(files)) {
      await host.ask("call", { name: "get_page", params: { page: path, max_tokens: 1000 } });
      assert.ok((await host.ask("parse", { text })).links.length >= 0);
    }
    for (const query of ['"', "(((", "a* OR NEAR(b", "\0", "'; DROP TABLE pages; --", "😀", "認", "x".repeat(100_000), "* ^ : -"]) {
      const mode = "fulltext";
      await host.ask("call", { name: "search", params: { query, mode } }).catch((error) => assert.equal(error.code, "invalid_params"));
    }
    const found = await host.ask("call", { name: "search", params: { query: "tokens" } });
    assert.equal(found.results[0].filepath, "a.md");
  });

  test(`${host.name}: invalid calls are rejected with code and hint`, async () => {
    await host.start();
    await host.ask("openFiles", { files: small });
    for (const [name, params] of [
      ["no_such_operation", {}], ["", {}], ["search", {}], ["search", { query: 5 }], ["search", { query: "x", colour: "red" }],
      ["search", { query: "x", limit: 1e9 }], ["search", { query: "x", limit: -1 }], ["search", { query: "x", alpha: null, depth: 1.5 }], ["search", []], ["search", "text"],
    ]) {
      const error = await host.refused("call", { name, params });
      assert.equal(error.code, "invalid_params", `${name} ${JSON.stringify(params)}`);
      assert.equal(error.name, "UbpError");
      assert.equal(error.hint, null);
    }
    for (const kind of ["cyclic", "deep", "bigint", "function", "text"]) {
      assert.equal((await host.refused("callWith", { name: "search", kind })).code, "invalid_params", kind);
    }
    const missing = await host.refused("call", { name: "get_page", params: { page: "aa" } });
    assert.equal(missing.code, "page_not_found");
    assert.equal(typeof missing.hint, "string");
    const files = [...small, { path: ".ubp/manifest.json", text: '{\n "pages_dir": 5 }', modified: 0 }];
    const manifest = await host.refused("openFiles", { files });
    assert.equal(manifest.code, "manifest");
    assert.match(manifest.message, /manifest\.json:2/);
    assert.equal((await host.ask("call", { name: "status" })).page_count, 1);
  });

  test(`${host.name}: invalid answers of an encoder are errors, and full-text search still works`, async () => {
    await host.start();
    await host.ask("openFiles", { files: small });
    for (const info of [null, {}, { name: 1 }, "model"]) {
      assert.equal((await host.refused("setEncoderWith", { info })).code, "invalid_params");
    }
    for (const kind of ["throws", "short", "few", "nan", "text", "ranges"]) {
      await host.ask("setBrokenEncoder", { kind });
      const error = await host.refused("embedPending", { milliseconds: 1000 });
      assert.equal(error.code, "model", kind);
      if (kind === "throws") assert.match(error.message, /out of order/);
      const found = await host.ask("call", { name: "search", params: { query: "tokens", mode: "fulltext" } });
      assert.equal(found.results.length, 1);
    }
    await host.ask("setBrokenEncoder", { kind: "none" });
    assert.deepEqual(await host.ask("embedPending", { milliseconds: 5000 }), { done: 1, total: 1 });
  });

  test(`${host.name}: an encoder cannot call the project during embedding`, async () => {
    await host.start();
    await host.ask("openFiles", { files: small });
    await host.ask("setNosyEncoder");
    const error = await host.refused("embedPending", { milliseconds: 1000 });
    assert.equal(error.code, "model");
    assert.match(error.message, /still running/);
    assert.equal((await host.ask("call", { name: "status" })).page_count, 1);
  });

  test(`${host.name}: after an aborted call the module is unusable, and a new one works`, async () => {
    await host.start();
    await host.ask("openFiles", { files: small });
    await host.ask("setBrokenEncoder", { kind: "none" });
    await host.refused("breakOff");
    for (const [command, given] of [["call", { name: "status" }], ["openFiles", { files: small }], ["parse", { text: "" }]]) {
      const error = await host.refused(command, given);
      assert.equal(error.code, "internal");
      assert.match(error.hint, /worker/);
    }
    await host.start();
    await host.ask("openFiles", { files: small });
    assert.equal((await host.ask("call", { name: "status" })).page_count, 1);
  });

  test(`${host.name}: an invalid model is an error`, async () => {
    await host.start();
    await host.startSemantic();
    const description = '{"name":"m","window":16,"dimensions":4}';
    for (const given of [
      { model: "", tokenizer: "", description: "" }, { model: "", tokenizer: "", description: "{}" },
      { model: "x", tokenizer: "{}", description }, { model: "\u0008\u0007", tokenizer: '{"model":{"type":"WordPiece"}}', description },
    ]) {
      const error = await host.refused("newEncoder", given);
      assert.equal(error.code, "model", error.message);
    }
    assert.equal((await host.ask("embed", { kind: "query", texts: ["still here"] }))[0].length, 384);
  });

  test(`${host.name}: a closed project cannot be used, and the module still works`, async () => {
    await host.start();
    await host.ask("openFiles", { files: small });
    await host.refused("useAfterFree");
    await host.ask("openFiles", { files: small });
    assert.equal((await host.ask("call", { name: "status" })).page_count, 1);
  });
}
