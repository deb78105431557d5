import { describe, expect, test } from 'vitest';
import type { MatchRequest } from '../contract/book-requests.js';
import { EngineError } from './errors.js';
import { JIT_OFFERS_MAX } from './match.js';
import { ADDRESS, engineWith, idOf, ORACLE, PERP, parsed, SPOT, USER } from './testing.js';

const engine = engineWith(PERP, SPOT, ORACLE, USER);
const market = idOf(engine, 'SOL-PERP');

/** The captured user's only ask: 0.1 at 900. */
const ASK = { price: 900_000_000n, size: 100_000_000n };

const BUY: MatchRequest = {
  market,
  side: 'buy',
  orderType: 'market',
  size: 10n ** 9n,
  includeVamm: false,
};

function matched(change: Partial<MatchRequest> = {}): Record<string, unknown> {
  return parsed(engine.match({ ...BUY, ...change }));
}

/** The code and the parameter of the error for a request. */
function refused(change: Partial<MatchRequest>): readonly unknown[] {
  try {
    engine.match({ ...BUY, ...change });
  } catch (error) {
    if (error instanceof EngineError) return [error.code, error.context['param']];
    throw error;
  }
  return [];
}

describe('match', () => {
  test('the body says what is filled, what it costs and what is not', () => {
    expect(matched()).toEqual({
      fills: [
        {
          source: 'dlob',
          maker: ADDRESS.user,
          orderId: 6,
          price: '900000000',
          size: '100000000',
          quote: '90000000',
          takerFee: '90000',
          makerRebate: '18000',
        },
      ],
      filledBase: '100000000',
      filledQuote: '90000000',
      averagePrice: '900000000',
      worstPrice: '900000000',
      priceImpact: '0',
      takerFee: '90000',
      unfilled: '900000000',
      rests: null,
      slot: 350_000_000,
      seq: 1,
      model: 'spec',
      marketName: 'SOL-PERP',
      marketType: 'perp',
      marketIndex: 0,
      ts: 1_750_000_000_000,
      epoch: 'e1',
      state: 'live',
    });
  });

  test('offers of the auction come first, the best before the others', () => {
    const jit = [{ price: 950_000_000n, size: ASK.size }, ASK, { price: 901_000_000n, size: 1n }];
    const auction = { auctionStart: ASK.price, auctionEnd: 920_000_000n, auctionDuration: 10 };
    const { fills } = matched({ jit, ...auction, slotsElapsed: 5 });
    expect(fills).toMatchObject([
      { source: 'jit', maker: null, orderId: null, price: '900000000' },
      { source: 'jit', price: '901000000', size: '1' },
      { source: 'dlob' },
    ]);
  });

  test('sizes beyond 64 bits are what no book fills', () => {
    const { fills, unfilled } = matched({ size: 10n ** 30n });
    expect(fills).toHaveLength(1);
    expect(unfilled).toBe(String(10n ** 30n - ASK.size));
  });

  test('the fee is that of the tier, and less for the referred', () => {
    const fee = (change: Partial<MatchRequest>): unknown => matched(change)['takerFee'];
    expect(fee({ feeTier: 5 })).toBe('45000');
    expect(fee({ referred: true })).toBe('85500');
  });

  test("the sender's own orders are passed over", () => {
    expect(matched({ taker: ADDRESS.user })['fills']).toEqual([]);
    expect(matched({ taker: ADDRESS.perp })['fills']).toHaveLength(1);
  });

  test('a reduce-only order fills no more than the position that it reduces', () => {
    const filled = (position: bigint) => matched({ reduceOnly: true, position })['filledBase'];
    expect([-30_000_000n, 0n, 10n ** 9n].map(filled)).toEqual(['30000000', '0', '0']);
  });

  test.each<[string, Partial<MatchRequest>, string, string]>([
    ['no size', { size: undefined }, 'INVALID_MATCH', 'size'],
    ['size and quote', { quote: 1n }, 'INVALID_MATCH', 'quote'],
    ['a size of 0', { size: 0n }, 'MATCH_OUT_OF_RANGE', 'size'],
    ['a size below 0', { size: -1n }, 'MATCH_OUT_OF_RANGE', 'size'],
    ['a huge size', { size: 10n ** 30n + 1n }, 'MATCH_OUT_OF_RANGE', 'size'],
    ['a quote of 0', { size: undefined, quote: 0n }, 'MATCH_OUT_OF_RANGE', 'quote'],
    ['a limit order without limit', { orderType: 'limit' }, 'INVALID_MATCH', 'limitPrice'],
    ['a limit of 0', { limitPrice: 0n }, 'MATCH_OUT_OF_RANGE', 'limitPrice'],
    ['a limit of 65 bits', { limitPrice: 1n << 64n }, 'MATCH_OUT_OF_RANGE', 'limitPrice'],
    ['post-only at market', { postOnly: true }, 'INVALID_MATCH', 'postOnly'],
    ['reduce-only without position', { reduceOnly: true }, 'INVALID_MATCH', 'position'],
    ['half an auction', { auctionStart: 1n, auctionEnd: 1n }, 'INVALID_MATCH', 'auctionDuration'],
    ['an auction from 0', auction(0n, 5n, 1), 'INVALID_MATCH', 'auctionStart'],
    ['an auction to below 0', auction(1n, -5n, 1), 'MATCH_OUT_OF_RANGE', 'auctionEnd'],
    ['an auction that improves', auction(5n, 4n, 1), 'INVALID_MATCH', 'auctionEnd'],
    [
      'an auction beyond the limit',
      { ...auction(4n, 6n, 1), limitPrice: 5n },
      'INVALID_MATCH',
      'auctionEnd',
    ],
    ['a long auction', auction(4n, 5n, 256), 'MATCH_OUT_OF_RANGE', 'auctionDuration'],
    [
      'a part of a slot',
      { ...auction(4n, 5n, 9), slotsElapsed: 0.5 },
      'MATCH_OUT_OF_RANGE',
      'slotsElapsed',
    ],
    ['a sixth tier', { feeTier: 6 }, 'MATCH_OUT_OF_RANGE', 'feeTier'],
    ['no number of a tier', { feeTier: Number.NaN }, 'MATCH_OUT_OF_RANGE', 'feeTier'],
    ['an offer at 0', { jit: [{ price: 0n, size: 1n }] }, 'MATCH_OUT_OF_RANGE', 'jit'],
    ['an offer of 0', { jit: [{ price: 1n, size: 0n }] }, 'MATCH_OUT_OF_RANGE', 'jit'],
    ['many offers', { jit: Array(JIT_OFFERS_MAX + 1).fill(ASK) }, 'MATCH_OUT_OF_RANGE', 'jit'],
    ['another side', { side: 'bid' as 'buy' }, 'INVALID_MATCH', 'side'],
    ['another type', { orderType: 'oracle' as 'limit' }, 'INVALID_MATCH', 'orderType'],
    ['another model', { model: 'sdk' as 'spec' }, 'INVALID_MATCH', 'model'],
    ['a taker that is no key', { taker: 'me' }, 'INVALID_MATCH', 'taker'],
    ['an unknown market', { market: 99 }, 'MARKET_NOT_FOUND', undefined as unknown as string],
  ])('%s is refused by name', (_, change, code, param) => {
    expect(refused(change)).toEqual([code, param]);
  });
});

function auction(start: bigint, end: bigint, duration: number): Partial<MatchRequest> {
  return { auctionStart: start, auctionEnd: end, auctionDuration: duration };
}
