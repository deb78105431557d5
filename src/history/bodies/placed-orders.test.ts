/** Placed orders of an account from a real store: their outcome by the actions that were logged later. */
import { afterAll, describe, expect, test } from 'vitest';
import { loggedRecords, placedBytes } from '../../../test/support/logged-records.js';
import type { HistoryStore } from '../store/store.js';
import { accountKey, cleanUp, newStore, oneFill, transaction } from '../store/testing.js';
import { makeAccountBody } from './account-body.js';
import { SOL_PERP } from './testing.js';

const MARKETS = new Map([[SOL_PERP.key, SOL_PERP]]);
const [ME, OTHER] = [accountKey(50), accountKey(51)];

afterAll(cleanUp);

describe('the placed orders of an account', () => {
  const HALF = { takerOrderBaseAssetAmount: 4n, takerOrderCumulativeBaseAssetAmountFilled: 2n };
  const WHOLE = { ...HALF, takerOrderCumulativeBaseAssetAmountFilled: 4n };

  function place(slot: number, orderId: number) {
    const bytes = placedBytes(ME, 1_000 + slot, orderId);
    return transaction({ slot, records: loggedRecords([{ index: 0, bytes }]) });
  }

  /** An action in which the account is taker; `id` numbers the fill. */
  function act(slot: number, takerOrderId: number, parts: Parameters<typeof oneFill>[1]) {
    return oneFill(slot, {
      taker: ME,
      takerOrderId,
      takerFee: 250_000n,
      ts: 2_000 + slot,
      ...parts,
    });
  }

  async function stored(): Promise<HistoryStore> {
    const store = await newStore();
    const cancel = { action: 'cancel', actionExplanation: 'none', fillRecordId: null } as const;
    store.writeBatch({
      transactions: [
        ...[place(1, 5), place(2, 6), place(3, 7), place(4, 8)],
        ...[act(5, 5, HALF), act(6, 6, { ...cancel, ...HALF }), act(7, 5, WHOLE), act(8, 7, HALF)],
        // The same number of another account.
        oneFill(9, { taker: OTHER, takerOrderId: 8 }),
      ],
    });
    return store;
  }

  function outcomes(store: HistoryStore, limit: number): unknown[] {
    const found: unknown[] = [];
    for (let before: string | undefined; ; ) {
      const place = before === undefined ? {} : { before };
      const query = { kind: 'account', records: 'order', account: ME, limit, ...place } as const;
      const { body } = makeAccountBody(query, { store, markets: MARKETS });
      const { records, meta } = JSON.parse(Buffer.from(body).toString());
      found.push(
        ...records.map((row: Record<string, unknown>) => [
          ...[row['orderId'], row['lastActionStatus'], row['lastUpdatedTs'], row['cumulativeFee']],
        ]),
      );
      if (meta.nextPage === null) return found;
      before = meta.nextPage;
    }
  }

  test.each([1, 3, 20])('have their outcome in pages of %i', async (limit) => {
    expect(outcomes(await stored(), limit)).toEqual([
      [8, 'open', 1_004, '0.000000'],
      [7, 'partial_fill', 2_008, '0.250000'],
      [6, 'partial_fill_cancelled', 2_006, '0.000000'],
      [5, 'filled', 2_007, '0.500000'],
    ]);
  });

  test('have the same outcome one by one', async () => {
    const store = await stored();
    const query = { kind: 'order', account: ME, orderId: 5 } as const;
    const { body } = makeAccountBody(query, { store, markets: MARKETS });
    const { record, actions } = JSON.parse(Buffer.from(body).toString());
    expect(record).toMatchObject({ lastActionStatus: 'filled', cumulativeFee: '0.500000' });
    expect(actions).toHaveLength(2);
  });

  test('have no record of a market that is not served', async () => {
    const store = await newStore();
    const unserved = { marketType: 'spot', marketIndex: 5 } as const;
    store.writeBatch({ transactions: [act(1, 5, unserved)] });
    const query = { kind: 'order', account: ME, orderId: 5 } as const;
    const read = (markets: typeof MARKETS) =>
      JSON.parse(Buffer.from(makeAccountBody(query, { store, markets }).body).toString());
    const none = { success: true, record: null, actions: [] };
    expect(read(MARKETS)).toEqual(none);
    expect(read(new Map())).toEqual(none);
  });
});
