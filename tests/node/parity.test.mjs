// Equal parameters on an equal index give equal answers, at the terminal and in Node.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { native, repository, split, ubpPackage, vault } from "./support.mjs";

const fixture = JSON.parse(readFileSync(join(repository, "tests/tests/parity/cases.json"), "utf8"));

/** `answer` without what the clock says, which is never the same twice. */
function withoutTimes(answer) {
  const notYet = (value) => value?.dry_run === true && "same_name" in value;
  return JSON.parse(
    JSON.stringify(answer, function (key, value) {
      // A page that is not there yet is as old as the question.
      const ofTheClock = key === "latency_ms" || key === "audit_id" || (["created_at", "updated_at"].includes(key) && notYet(this));
      return ofTheClock ? undefined : value;
    }),
  );
}

test("every golden call gives what the command prints", async (t) => {
  const root = vault(fixture.files);
  for (const command of fixture.before) {
    const ran = await native(split(command), { cwd: root });
    assert.equal(ran.code, 0, ran.err);
  }
  const client = await ubpPackage.open(root);
  try {
    for (const { command, operation, params } of fixture.cases) {
      await t.test(command, async () => {
        const ran = await native([...split(command), "--json"], { cwd: root });
        assert.equal(ran.code, 0, ran.err);
        const printed = withoutTimes(JSON.parse(ran.out));
        assert.deepEqual(withoutTimes(await client.call(operation, params)), printed);
        assert.deepEqual(withoutTimes(client.callSync(operation, params)), printed);
      });
    }
  } finally {
    await client.close();
  }
});
