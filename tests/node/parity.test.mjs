// With equal parameters and an equal index, the command line and Node give equal answers.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { native, repository, split, ubpPackage, vault } from "./support.mjs";

const fixture = JSON.parse(readFileSync(join(repository, "tests/tests/parity/cases.json"), "utf8"));

/** `answer` without times and other values that differ with each run. */
function withoutTimes(answer) {
  const notYet = (value) => value?.dry_run === true && "same_name" in value;
  return JSON.parse(
    JSON.stringify(answer, function (key, value) {
      // A page that does not exist yet is dated by the call.
      const ofTheClock = key === "latency_ms" || key === "audit_id" || (["created_at", "updated_at"].includes(key) && notYet(this));
      return ofTheClock ? undefined : value;
    }),
  );
}

test("every call returns what the command prints", async (t) => {
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

/** `answer` without values that differ with each run: times are replaced, ids are numbered. */
function settled(answer, names) {
  const time = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;
  const counted = names.reduce((text, name, at) => text.replaceAll(name, `name ${at}`), JSON.stringify(answer));
  // Trash folders are named after the time and the id of the change.
  const untimed = counted.replaceAll(/[\dT-]+Z-name /g, "name ");
  return JSON.parse(untimed, function (key, value) {
    // Memories have their times in seconds.
    const isTime = key === "latency_ms" || (typeof value === "number" && ["created_at", "last_accessed"].includes(key));
    // The page of a memory has its id and times.
    const isHash = ["previous_hash", "content_hash"].includes(key) && this.filepath?.startsWith("memory/");
    return isTime || isHash ? undefined : time.test(value) ? "a time" : value;
  });
}

test("every step makes the same changes as a command and as a call", async (t) => {
  const [commanded, called] = [vault(fixture.files), vault(fixture.files)];
  const [one, other] = [await ubpPackage.open(commanded), await ubpPackage.open(called)];
  const names = [[], []];
  try {
    for (const { command, operation, params } of fixture.steps) {
      await t.test(command ?? operation, async () => {
        const given = names.map((given) => JSON.parse(JSON.stringify(params).replaceAll("{entry}", given.at(-1))));
        const expected = command
          ? JSON.parse((await native([...split(command.replaceAll("{entry}", names[0].at(-1))), "--json"], { cwd: commanded })).out)
          : one.callSync(operation, given[0]);
        const answer = await other.call(operation, given[1]);
        [expected, answer].forEach(({ audit_id, memory_id, comment, accepted }, at) => {
          names[at].push(...[audit_id, memory_id, comment, accepted?.[0]?.audit_id].filter(Boolean));
        });
        assert.deepEqual(settled(answer, names[1]), settled(expected, names[0]));
      });
    }
  } finally {
    await one.close();
    await other.close();
  }
});
