/** Memory and repairs of a market's trades. */
import { expect, test } from 'vitest';
import { TRADES_KNOWN_MAX, TRADES_PAGE, TRADES_REREAD } from '../limits.js';
import { KnownTrades } from './repair.js';
import type { LiveTrade } from './trade.js';

/** A trade with the remembered fields. */
function trade(id: number): LiveTrade {
  return { fillRecordId: BigInt(id), txSig: `tx ${id}`, txSigIndex: 0 } as LiveTrade;
}

test('a day of trades leaves those of one repair behind, the newest', () => {
  const known = new KnownTrades();
  for (let id = 1; id <= 10_000; id += 1) {
    known.addTrades([trade(id)]);
    expect(known.listAll().length).toBeLessThanOrEqual(TRADES_PAGE + TRADES_REREAD);
  }
  const oldest = 10_000 - TRADES_PAGE + 1;
  expect([known.hasTrade(trade(oldest)), known.lastId]).toEqual([true, 10_000n]);
  // A large batch is no exception.
  known.addTrades(Array.from({ length: 3_000 }, (_, index) => trade(20_000 + index)));
  expect(known.listAll().length).toBeLessThanOrEqual(TRADES_KNOWN_MAX);
});
