// A short run of what `rounds.mjs` does at length.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rounds } from './rounds.mjs';

test('random edits from browser, disk and agent at once lose no letter', async () => {
  const seed = Number(process.env.UBP_SEED ?? Date.now());
  const sum = await rounds(60, seed).catch((error) => assert.fail(`seed ${seed}: ${error.stack}`));
  assert.ok(sum.typed > 0 && sum.disk > 0 && sum.agent > 0, JSON.stringify(sum));
});
