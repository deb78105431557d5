/** Trades of an account from a real store: selection, order and paging. */
import { afterAll, describe, expect, test } from 'vitest';
import { TRANSFER_EXPLANATION } from '../../../test/support/logged-records.js';
import type { MarketKey } from '../../contract/markets.js';
import type { HistoryMarket } from '../model/records.js';
import type { HistoryStore } from '../store/store.js';
import {
  accountKey,
  cleanUp,
  fill,
  newStore,
  oneFill,
  signature,
  transaction,
} from '../store/testing.js';
import { makeAccountBody } from './account-body.js';
import { SOL_PERP, USDT } from './testing.js';

const MARKETS: ReadonlyMap<MarketKey, HistoryMarket> = new Map([
  [SOL_PERP.key, SOL_PERP],
  [USDT.key, USDT],
]);
const [ME, OTHER, NOBODY] = [accountKey(50), accountKey(51), accountKey(52)];
const SPOT = { marketType: 'spot', marketIndex: 5 } as const;

afterAll(cleanUp);

interface Answer {
  readonly records: readonly Readonly<Record<string, string>>[];
  readonly meta: { readonly nextPage: string | null };
}

function ask(store: HistoryStore, limit: number, before?: string, account = ME): Answer {
  const place = before === undefined ? {} : { before };
  const query = { kind: 'account', records: 'trade', account, limit, ...place } as const;
  const { body } = makeAccountBody(query, { store, markets: MARKETS });
  return JSON.parse(Buffer.from(body).toString());
}

/** The numbers of all trades, page by page. */
function walk(store: HistoryStore, limit: number, between = () => {}): string[] {
  const ids: string[] = [];
  let before: string | undefined;
  for (let page = 0; page < 1_000; page += 1) {
    const { records, meta } = ask(store, limit, before);
    ids.push(...records.map((row) => `${row['symbol']} ${row['fillRecordId']}`));
    if (meta.nextPage === null) return ids;
    before = meta.nextPage;
    between();
  }
  throw new Error('the pages have no end');
}

describe('the trades of an account', () => {
  test('are those in which it was taker or maker, newest first, of the served markets', async () => {
    const store = await newStore();
    store.writeBatch({
      transactions: [
        oneFill(1, { taker: ME }),
        oneFill(2, { maker: ME }),
        oneFill(3),
        oneFill(4, { taker: ME, maker: ME }),
        oneFill(5, { taker: ME, actionExplanation: TRANSFER_EXPLANATION }),
        oneFill(6, { taker: ME, ...SPOT }),
        oneFill(7, { taker: ME, marketIndex: 9 }),
        oneFill(8, { filler: ME }),
        oneFill(9, { taker: OTHER, maker: null }),
      ],
    });
    expect(walk(store, 20)).toEqual(['USDT 6', 'SOL-PERP 4', 'SOL-PERP 2', 'SOL-PERP 1']);
    const [newest] = ask(store, 1).records;
    expect(newest).toMatchObject({ user: ME, taker: ME, symbol: 'USDT', marketType: 'spot' });
    // Six decimals of the token, nine in the body.
    expect(newest?.['baseAssetAmountFilled']).toBe('2000.000000000');
    expect(ask(store, 5, undefined, OTHER).records).toHaveLength(1);
    expect(ask(store, 5, undefined, NOBODY)).toMatchObject({
      records: [],
      meta: { nextPage: null },
    });
  });

  test('may be those of one market', async () => {
    const store = await newStore();
    const spot = oneFill(2, { taker: ME, ...SPOT });
    store.writeBatch({
      transactions: [oneFill(1, { taker: ME }), spot, oneFill(3, { maker: ME })],
    });
    const query = {
      kind: 'account',
      records: 'trade',
      account: ME,
      market: 'perp_0',
      limit: 9,
    } as const;
    const { body } = makeAccountBody(query, { store, markets: MARKETS });
    const { records }: Answer = JSON.parse(Buffer.from(body).toString());
    expect(records.map((row) => row['fillRecordId'])).toEqual(['3', '1']);
  });

  test.each([1, 2, 3, 7])(
    'of %i rows a page join without a double or a hole while trades come',
    async (limit) => {
      const store = await newStore();
      // Several trades of both roles and of two markets in a slot, in one transaction and in
      // others.
      const slots = Array.from({ length: 12 }, (_, at) => at + 1);
      const transactions = slots.map((slot) =>
        transaction({
          slot,
          fills: [0, 1, 2].map((index) =>
            fill({
              ...{ index, fillRecordId: BigInt(slot * 3 + index) },
              ...(index === 1 ? { maker: ME } : { taker: ME }),
              ...(index === 2 ? SPOT : {}),
            }),
          ),
        }),
      );
      store.writeBatch({ transactions });
      const all = walk(store, 1_000);
      expect(all).toHaveLength(36);
      let slot = 100;
      const paged = walk(store, limit, () => {
        slot += 1;
        store.writeBatch({ transactions: [oneFill(slot, { taker: ME })] });
      });
      expect(paged).toEqual(all);
    },
  );

  test('keep their order while the places of a slot move', async () => {
    const store = await newStore();
    const parts = [3, 1, 2].map((id) =>
      transaction({
        ...{ slot: 9, place: id, signature: signature(id) },
        fills: [fill({ taker: ME, fillRecordId: BigInt(id) })],
      }),
    );
    store.writeBatch({ transactions: parts });
    const before = walk(store, 2);
    const places = parts.map((one, at) => ({ signature: one.signature, slot: 9, place: at }));
    store.finaliseTransactions(places);
    expect(walk(store, 1)).toEqual(before);
    expect(before).toEqual(['SOL-PERP 3', 'SOL-PERP 2', 'SOL-PERP 1']);
  });

  test('take only a cursor of theirs', async () => {
    const store = await newStore();
    for (const text of ['EQAAAAAAAAAD6AAAAAAAAAAB', 'x', '']) {
      expect(() => ask(store, 1, text)).toThrow(/page must be a cursor/);
    }
  });
});
