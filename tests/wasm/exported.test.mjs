// The database of an exported site, opened as the site opens it, gives the same answers as the command for public pages.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { filesOf, folder, hosts, native, nativeProgram, settleTimes, share, vault } from "./support.mjs";

const open = {
  "Home.md": "# Home\n\nBegin with [[Tokens]] and [[設計/認証|depends_on]].\n",
  "Tokens.md": "---\nsource_refs: [src/token.js]\ntags: [security]\n---\n# Tokens\n\nA session token expires after an hour. See [[Home]].\n",
  "設計/認証.md": "# 認証\n\n認証の流れは[[Tokens|references]]に基づく。\n",
  "src/token.js": "export const hours = 1;\n",
};
const hidden = { "Plan.md": "---\npublish: false\n---\n# Plan\n\nA secret token plan for [[Home]].\n" };

const project = vault({ ...open, ...hidden });
const publicOnly = vault(open);
for (const root of [project, publicOnly]) settleTimes(root, new Date("2026-11-20T10:20:30Z"));
const site = join(folder(), "site");
await native(nativeProgram, ["export", site, "--no-semantic"], project);
const [database] = readdirSync(join(site, "data")).filter((name) => name.endsWith(".db"));
const bytes = readFileSync(join(site, "data", database));
const printed = async (...args) => JSON.parse(await native(nativeProgram, [...args, "--json"], publicOnly));

for (const host of hosts) {
  test(`${host.name}: an exported database contains the public pages only`, async () => {
    await host.start();
    await host.ask("openDatabase", { url: share(bytes) });
    const call = (name, params = {}) => host.ask("call", { name, params });

    const facts = ({ pages }) => pages.map(({ filepath, title, tags, staleness }) => ({ filepath, title, tags, staleness }));
    assert.deepEqual(facts(await call("list_pages")), facts(await printed("list")));

    const found = ({ results }) => results.map(({ filepath, score, sections }) => ({ filepath, score, snippets: sections.map(({ content }) => content) }));
    for (const query of ["session token", "認証", "begin"]) {
      const answer = found(await call("search", { query }));
      assert.ok(answer.length > 0, query);
      assert.deepEqual(answer, found(await printed("search", query)), query);
    }
    assert.deepEqual((await call("search", { query: "secret plan" })).results, []);

    const links = ({ outlinks, backlinks }) => ({ outlinks, backlinks });
    for (const page of ["Home.md", "Tokens.md"]) assert.deepEqual(links(await call("get_page", { page })), links(await printed("get", page)));
    assert.equal((await host.refused("call", { name: "get_page", params: { page: "Plan.md" } })).code, "page_not_found");
    assert.match((await call("render_page", { page: "Home.md" })).html, /href="[^"]*Tokens\.html"/);
  });
}

test("a dropped folder of the same files includes the hidden page", async () => {
  const [host] = hosts;
  await host.start();
  await host.ask("openFiles", { url: share(JSON.stringify(filesOf(project))) });
  assert.ok((await host.ask("call", { name: "list_pages", params: {} })).pages.some(({ filepath }) => filepath === "Plan.md"));
});
