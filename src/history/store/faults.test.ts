import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { failAndHeal, failureOf, seen } from '../../../test/support/store-faults.js';
import { candleRules } from '../candles/rules.js';
import type { FileConnection } from './file-connection.js';
import { openFile } from './open.js';
import { HistoryStore } from './store.js';
import {
  accountKey,
  cleanUp,
  GENESIS,
  newFolder,
  newStore,
  oneFill,
  readTrades,
  spotDecimals,
} from './testing.js';

afterEach(cleanUp);

interface Faulty {
  readonly store: HistoryStore;
  readonly connection: FileConnection;
}

async function faultyStore(): Promise<Faulty> {
  const connection = await openFile({ folder: newFolder(), genesisHash: GENESIS });
  onTestFinished(() => connection.close());
  return {
    connection,
    store: new HistoryStore(connection, { rules: candleRules, decimalsOf: spotDecimals }),
  };
}

describe('a disk that refuses', () => {
  test('a full one takes nothing of a write, and the same store goes on when it has room', async () => {
    const { store, connection } = await faultyStore();
    failAndHeal(store, {
      reason: 'full',
      break: () => connection.runStatements('pragma max_page_count = 1'),
      heal: () => connection.runStatements('pragma max_page_count = 1000000'),
    });
  });

  test('one that may only be read serves what is there, and takes writes again when it may', async () => {
    const { store, connection } = await faultyStore();
    failAndHeal(store, {
      reason: 'readonly',
      break: () => connection.runStatements('pragma query_only = on'),
      heal: () => connection.runStatements('pragma query_only = off'),
    });
  });
});

describe('a write that cannot be', () => {
  test('a signature that is none or a market that is no number takes the whole batch back', async () => {
    const store = await newStore();
    store.writeBatch({ transactions: [oneFill(1)] });
    const before = seen(store);
    const { records } = oneFill(3);
    const bad = [
      oneFill(3, {}, { signature: 'short' }),
      oneFill(3, {}, { records: records.map((one) => ({ ...one, market: Number.NaN })) }),
    ];
    for (const wrong of bad) {
      const batch = { transactions: [oneFill(2, { maker: accountKey(77) }), wrong] };
      expect(failureOf(() => store.writeBatch(batch))).toMatchObject({
        reason: 'internal',
        canRecover: false,
      });
      expect(seen(store)).toEqual(before);
    }
    store.writeBatch({ transactions: [oneFill(2, { maker: accountKey(77) })] });
    expect(readTrades(store, { market: 'perp_0', limit: 1 })[0]?.maker).toBe(accountKey(77));
  });
});
