/** User accounts in the client library, compared with the SDK: decoding, and the displayed values. */
import { runSuite } from './setup.mjs';

/** The rows of the client's accounts. */
export async function clientAccounts(bench) {
  const results = await runSuite('bench/peers/account-suite.mjs', bench.rounds);
  const bars = { bar: 20, wish: 50, better: 'higher' };
  return results.map((result) => ({ row: 'accounts', against: 'SDK', ...result, ...bars }));
}

/** The rows of the client's streams. */
export async function clientDeltas(bench) {
  const results = await runSuite('bench/client/delta-suite.mjs', bench.rounds);
  const bars = { bar: null, wish: null, better: 'higher' };
  return results.map((result) => ({ row: 'deltas', ...result, ...bars }));
}
