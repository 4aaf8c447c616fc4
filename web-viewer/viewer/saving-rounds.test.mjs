// A run of `rounds.mjs`, which `tests/run --soak` makes longer.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rounds } from './rounds.mjs';

test('concurrent random edits from browser, disk and agent lose no letter', async () => {
  const seed = Number(process.env.UBP_SEED ?? Date.now());
  const sum = await rounds(process.env.UBP_SOAK ? 500 : 60, seed).catch((error) => assert.fail(`seed ${seed}: ${error.stack}`));
  assert.ok(sum.typed > 0 && sum.disk > 0 && sum.agent > 0, JSON.stringify(sum));
});
