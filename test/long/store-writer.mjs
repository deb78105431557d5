/**
 * Writes to a store until it is killed, for test/long/store-kill.test.ts: a line on standard output for each
 * batch that is stored. Usage: node store-writer.mjs FOLDER SEED
 */
import { writeSync } from 'node:fs';
import { candleRules } from '../../dist/src/history/candles/rules.js';
import { openStore } from '../../dist/src/history/store/store.js';
import { GENESIS, MIDNIGHT, fill, signature, transaction } from '../../dist/src/history/store/testing.js';

const [folder, seed] = process.argv.slice(2);
const store = await openStore({ folder, genesisHash: GENESIS, rules: candleRules, decimalsOf: () => 6 });

/** A small linear congruential generator: what is written depends on the seed alone. */
let state = Number(seed) >>> 0;
function below(limit) {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state % limit;
}

function oneTransaction(slot) {
  return transaction({
    slot,
    signature: signature(slot),
    fills: [0, 1].map((index) =>
      fill({ index, fillRecordId: BigInt(slot * 2 + index), ts: MIDNIGHT + slot }),
    ),
  });
}

let next = Number(store.readProgress().get('next') ?? '1');
// Batches of any size, which begin again with some of what is stored, as after a reconnect.
for (;;) {
  const from = Math.max(1, next - below(20));
  const to = next + 1 + below(60);
  const transactions = [];
  for (let slot = from; slot < to; slot += 1) transactions.push(oneTransaction(slot));
  store.writeBatch({ transactions, progress: { next: String(to) } });
  next = to;
  writeSync(1, `${to}\n`);
}
