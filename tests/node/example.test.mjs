// Tests the example in the documentation.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { project, repository, start, write } from "./support.mjs";

test("the example in docs/node-api.md runs unchanged", async () => {
  const text = readFileSync(join(repository, "docs/node-api.md"), "utf8");
  const [, example] = /```js\n([\s\S]*?)```/.exec(text);
  const root = join(project, "example");
  write(root, {
    ".ubp/manifest.json": JSON.stringify({
      version: "1.0",
      schema_version: 1,
      pages_dir: "pages",
      frontmatter: "preserved",
      embedding_model: { name: "no-such-model", version: "1.0", dimensions: 8 },
    }),
    "pages/login.md": "# Login\n\n## Flow\n\nA session begins. See [[tokens|depends_on]].\n",
    "pages/tokens.md": "# Tokens\n\nThey expire.\n",
  });
  writeFileSync(join(root, "example.mjs"), example);
  const ran = await start(process.execPath, ["example.mjs", "session"], { cwd: root }).ended;
  assert.equal(ran.code, 0, ran.err);
  const [first, second, ...links] = ran.out.trim().split("\n");
  assert.equal(first, "pages: 2, links: 1");
  assert.match(second, /^login\.md [01]\.\d\d: Login > Flow$/);
  assert.deepEqual(links.slice(-1), ["login.md -> tokens.md (depends_on)"]);
  assert.match(ran.err, /no-such-model/, "the notice of a missing model");
});
