// With equal parameters and equal files, the command line and browsers give equal answers.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { filesOf, hosts, native, nativeProgram, repository, settleTimes, share, split, vault } from "./support.mjs";

const fixture = JSON.parse(readFileSync(join(repository, "tests/tests/parity/cases.json"), "utf8"));
const effectOf = (operation) => JSON.parse(readFileSync(join(repository, `npm/ubp/generated/${operation}.json`), "utf8")).effect;
// Browsers have no proposals, so they count none.
const own = ["latency_ms", "proposal_count"];
const comparable = (answer) => JSON.parse(JSON.stringify(answer, (key, value) => (own.includes(key) ? undefined : value)));

const root = vault(fixture.files);
settleTimes(root, new Date("2026-11-20T10:20:30Z"));
for (const command of fixture.before) await native(nativeProgram, split(command), root);
// Other tests cover changes and the ranking of search. Browsers change no pages, so they have no templates, no proposals, and nothing
// that waits for a decision.
const elsewhere = ["audit", "evaluate", "get_proposal", "link_code", "list_proposals", "list_templates", "queue", "suggest_types"];
const reads = fixture.cases.filter(({ operation, params }) => effectOf(operation) === "read" && !elsewhere.includes(operation) && !params.claims);

for (const host of hosts) {
  test(`${host.name}: every reading call returns what the command prints`, async (t) => {
    assert.ok(reads.length > 20);
    await host.start();
    await host.ask("openFiles", { url: share(JSON.stringify(filesOf(root))), name: "golden" });
    for (const { command, operation, params } of reads) {
      await t.test(command, async () => {
        const printed = JSON.parse(await native(nativeProgram, [...split(command), "--json"], root));
        const answered = await host.ask("call", { name: operation, params });
        assert.deepEqual(comparable(answered), comparable(printed));
      });
    }
  });

  test(`${host.name}: what pages say about code is not checked without it`, async () => {
    await host.start();
    await host.ask("openFiles", { url: share(JSON.stringify(filesOf(root))), name: "golden" });
    const { code, message } = await host.refused("call", { name: "doctor", params: { claims: true } });
    assert.equal(code, "invalid_params");
    assert.match(message, /cannot be checked in a browser without a server/);
  });

  test(`${host.name}: an index file gives the same ranking as the command`, async (t) => {
    await host.start();
    await host.ask("openDatabase", { url: share(readFileSync(join(root, ".ubp/metadata.db"))) });
    for (const { command, operation, params } of reads.filter(({ operation }) => operation === "search")) {
      await t.test(command, async () => {
        const printed = JSON.parse(await native(nativeProgram, [...split(command), "--json"], root));
        const answered = await host.ask("call", { name: operation, params });
        // Without the sources, freshness differs.
        const found = ({ results }) => results.map(({ filepath, score, sections, updated_at }) => ({ filepath, score, sections, updated_at }));
        assert.deepEqual(found(answered), found(printed));
      });
    }
  });

  test(`${host.name}: messages are in the language of the reader, and in English without one`, async () => {
    await host.start();
    const texts = {
      "broken link to '{target}'": "「{target}」へのリンク切れ",
      "the key `a` is repeated; its first value is used": "`a` の重複",
      "no page is called '{page}'": "ページ「{page}」なし",
    };
    const messages = async () => {
      const { findings } = await host.ask("call", { name: "doctor" });
      const { message } = await host.refused("call", { name: "get_page", params: { page: "nope" } });
      return [...findings.map((finding) => finding.message), message];
    };
    await host.ask("setReader", { texts });
    await host.ask("openFiles", { files: [{ path: "a.md", text: "---\na: 1\na: 2\n---\n[[x]]\n", modified: 0 }] });
    const told = await messages();
    for (const message of ["「x」へのリンク切れ", "`a` の重複", "ページ「nope」なし"]) assert.ok(told.includes(message), told.join("\n"));
    await host.ask("setReader", {});
    const english = await messages();
    for (const message of ["broken link to 'x'", "the key `a` is repeated; its first value is used", "no page is called 'nope'"]) {
      assert.ok(english.includes(message), english.join("\n"));
    }
  });

  test(`${host.name}: a folder that changed answers as if it had just been opened`, async () => {
    await host.start();
    const before = [
      { path: "a.md", text: "# A\n\n[[b|depends_on]] apple\n", modified: 1 },
      { path: "b.md", text: "# B\n\npear\n", modified: 1 },
      { path: "gone.md", text: "# Gone\n\n[[b]]\n", modified: 1 },
    ];
    await host.ask("openFiles", { files: before });
    // The same size at the same time: only the content tells.
    const changed = [
      { path: "b.md", text: "# B\n\nplum\n", modified: 1 },
      { path: "new/c.md", text: "# C\n\n[[b|extends]]\n", modified: 2 },
      { path: "shot.png", text: "", modified: 2 },
    ];
    await host.ask("changeFiles", { files: changed, removed: ["gone.md", "never.md"] });
    const calls = [
      { name: "get_page", params: { page: "b.md" } },
      { name: "list_pages" },
      { name: "search", params: { query: "plum", mode: "fulltext" } },
      { name: "search", params: { query: "pear", mode: "fulltext" } },
      { name: "doctor" },
    ];
    const answers = async () => {
      const all = [];
      for (const call of calls) all.push(await host.ask("call", call));
      return all;
    };
    const now = await answers();
    assert.deepEqual(now[0].backlinks.map(({ filepath, link_type }) => [filepath, link_type]), [["a.md", "depends_on"], ["new/c.md", "extends"]]);
    await host.ask("openFiles", { files: [before[0], ...changed] });
    assert.deepEqual(now, await answers());
    await host.ask("changeFiles", { files: [], removed: [] });
    assert.deepEqual(now, await answers());
    await host.ask("changeFiles", { files: [{ path: "../out.md", text: "x", modified: 1 }], removed: [] });
    assert.match(JSON.stringify(await host.ask("call", { name: "doctor" })), /out\.md/);
  });

  test(`${host.name}: links are resolved and planned for editors, and never written`, async () => {
    await host.start();
    const text = "# A\n\nsee Kiosk there\n";
    await host.ask("openFiles", { files: [{ path: "a.md", text, modified: 0 }, { path: "kiosk.md", text: "# Kiosk\n", modified: 0 }] });
    const { links } = await host.ask("call", { name: "resolve_links", params: { page: "a.md", links: ["[[kiosk|depends_on]]", "[[c]]"] } });
    assert.deepEqual(links.map(({ filepath, link_type }) => [filepath, link_type]), [["kiosk.md", "depends_on"], [null, "references"]]);
    const params = { source: "a.md", target: "kiosk.md", line: 3, text: "Kiosk" };
    const plan = await host.ask("call", { name: "accept", params: { ...params, dry_run: true } });
    const after = text.replace("Kiosk there", `${plan.link} there`);
    assert.equal(plan.content_hash, `sha256:${createHash("sha256").update(after).digest("hex")}`);
    assert.match(plan.diff, /^-see Kiosk there\n\+see \[\[kiosk\|Kiosk\]\] there$/m);
    const refused = await host.refused("call", { name: "accept", params });
    assert.equal(refused.code, "io");
    assert.match(refused.message, /a\.md/);
    assert.match((await host.ask("call", { name: "get_page", params: { filepath: "a.md" } })).content, /see Kiosk there/);
  });

  test(`${host.name}: attachments of a dropped folder can be read, and nothing is written`, async () => {
    await host.start();
    const files = [
      { path: "a.md", text: "![[x.png]]", modified: 0 },
      { path: "x.png", base64: "AAEC", modified: 0 },
    ];
    assert.equal((await host.ask("openFiles", { files, name: "small" })).name, "small");
    assert.equal(await host.ask("file", { path: "x.png" }), 3);
    assert.equal(await host.ask("file", { path: "y.png" }), null);
    const error = await host.refused("call", { name: "create_page", params: { title: "New" } });
    assert.equal(error.code, "invalid_params");
    assert.match(error.message, /unknown operation 'create_page'/);
  });
}
