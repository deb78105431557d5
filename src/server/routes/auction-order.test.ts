/** The auctions of /auctionParams: recorded slippages of the dlob-server, and its rules for prices. */
import { describe, expect, test } from 'vitest';
import { type AuctionOrderRequest, parseAuctionOrder } from '../api/auction-order-params.js';
import { FakeBook } from '../testing/running-server.js';
import { ServerError } from '../transport/errors.js';
import { type AuctionPrices, deriveAuction } from './auction-order.js';

const book = new FakeBook();
const [row] = book.rows;
if (row === undefined) throw new Error('the fake book has markets');
const indexes = [0, 13, 3];
book.rows = indexes.map((marketIndex, id) => ({
  ...{ ...row, id, marketIndex },
  symbol: `M${marketIndex}-PERP`,
  name: `M${marketIndex}-PERP`,
}));

const order = 'direction=long&amount=1000000000&assetType=base';

function asked(marketIndex: number, more = ''): AuctionOrderRequest {
  return parseAuctionOrder(`marketIndex=${marketIndex}&marketType=perp&${order}${more}`, book);
}

const at = (price: number): bigint => BigInt(Math.round(price * 1_000_000));

function prices(given: Partial<Record<keyof AuctionPrices, number>>): AuctionPrices {
  const { oracle = 100, mark = 100, best = 100, entry = 100, worst = 100, spreadPercent } = given;
  const raw = { oracle: at(oracle), mark: at(mark), best: at(best), entry: at(entry) };
  return { ...raw, worst: at(worst), spreadPercent };
}

const fromOracle = '&auctionStartPriceOffset=0&auctionStartPriceOffsetFrom=oracle';

describe('slippage that nobody chose', () => {
  // Of the dlob-server with start and oracle at 100: major, mid-major and other markets.
  test.each([
    ['99 to 101', { spreadPercent: 2 }, '', [1.98, 2.5625, 3.45]],
    ['99 to 101, version 2', { spreadPercent: 2 }, '&version=2', [2.376, 3.075, 4.14]],
    ['99.99 to 100.01', { spreadPercent: 0.02 }, '', [0.035, 0.335, 0.777]],
    ['the same, to 101', { spreadPercent: 0.02, worst: 101 }, '', [0.55, 0.625, 0.777]],
    ['crossed', { spreadPercent: 0 }, '', [0.035, 0.3125, 0.75]],
    ['empty', {}, '', [0.035, 0.313125, 0.75075]],
  ] as const)('of a book from %s is the recorded one', (_, given, more, expected) => {
    const found = indexes.map(
      (index) => deriveAuction(asked(index, `${fromOracle}${more}`), prices(given)).slippagePercent,
    );
    for (const [at, percent] of expected.entries()) expect(found[at]).toBeCloseTo(percent, 9);
  });
});

describe('an auction', () => {
  test.each(['long', 'short'])('of a prediction market has no price above 1: %s', (direction) => {
    const request = asked(3, `&auctionStartPriceOffset=9&slippageTolerance=50`);
    const market = { ...request.market, isPrediction: true };
    const near = prices({ oracle: 0.98, mark: 0.98, best: 0.99, entry: 1, worst: 1 });
    const all = { ...request, market, direction } as AuctionOrderRequest;
    const { start, end, limit } = deriveAuction(all, near);
    const top = direction === 'long' ? [end, limit] : [start];
    expect(top).toEqual(top.map(() => at(1)));
  });

  const given = prices({ oracle: 100, mark: 101, best: 102, entry: 103, worst: 104 });
  const one = (index: number, more: string) => deriveAuction(asked(index, more), given);

  test('of a large market begins at the mark, of another below the best price', () => {
    expect(one(0, '&slippageTolerance=5').start).toBe(at(101));
    expect(one(3, '&slippageTolerance=5').start).toBe(at(101.898));
  });

  test('ends a tenth of a percent beyond the worst price, but not beyond the limit', () => {
    expect(one(0, '&slippageTolerance=5')).toMatchObject({ end: at(104.104), limit: at(106.05) });
    expect(one(0, '&slippageTolerance=1')).toMatchObject({ end: at(102.01), limit: at(102.01) });
  });

  test.each([
    ['forceUpToSlippage=true', at(106.05)],
    ['auctionEndPriceOffset=0', at(104)],
    ['auctionEndPriceOffset=-1', at(105.04)],
    ['auctionEndPriceOffsetFrom=entry', at(103.103)],
    ['auctionEndPriceOffsetFrom=oracle', at(101.101)],
    ['additionalEndPriceBuffer=2', at(106.104)],
  ])('with %s ends there', (more, end) => {
    expect(one(0, `&slippageTolerance=5&${more}`).end).toBe(end);
  });

  test('a buffer moves the limit as well, and neither below zero', () => {
    const moved = one(0, '&slippageTolerance=5&additionalEndPriceBuffer=2');
    expect(moved.limit).toBe(at(108.05));
    const low = prices({ oracle: 100, mark: 99, best: 98, entry: 97, worst: 96 });
    const request = asked(0, '&slippageTolerance=5&additionalEndPriceBuffer=200');
    expect(() => deriveAuction({ ...request, direction: 'short' }, low)).toThrow(/must be above 0/);
  });

  test('a price that is not there is not the best one', () => {
    const request = asked(0, '&slippageTolerance=5&auctionStartPriceOffsetFrom=best');
    const known = prices({ oracle: 0, mark: 0, best: 102, entry: 103, worst: 104 });
    expect(deriveAuction(request, known).start).toBe(at(102));
  });

  test('without a bound on slippage has its limit 15 % from its start', () => {
    expect(one(0, '&allowInfSlippage=true').limit).toBe(at(116.15));
  });

  test('of a seller is the mirror image, and never begins beyond its end', () => {
    const request = { ...asked(0, '&slippageTolerance=5'), direction: 'short' as const };
    const low = prices({ oracle: 100, mark: 99, best: 98, entry: 97, worst: 96 });
    expect(deriveAuction(request, low)).toMatchObject({
      ...{ start: at(99), end: at(95.904), limit: at(94.05) },
    });
    const far = { ...asked(0, '&slippageTolerance=0'), direction: 'short' as const };
    expect(deriveAuction(far, low)).toMatchObject({ start: at(99), end: at(99) });
  });
});

test.each([
  ['direction=up', 'INVALID_PARAM', 'direction'],
  ['assetType=', 'INVALID_PARAM', 'assetType'],
  ['amount=0', 'OUT_OF_RANGE', 'amount'],
  ['amount=1.5', 'INVALID_PARAM', 'amount'],
  ['slippageTolerance=much', 'INVALID_PARAM', 'slippageTolerance'],
  ['auctionEndPriceOffsetFrom=top', 'INVALID_PARAM', 'auctionEndPriceOffsetFrom'],
  ['version=3', 'OUT_OF_RANGE', 'version'],
])('%s is refused', (wrong, code, param) => {
  const [name = ''] = wrong.split('=');
  const rest = order.split('&').filter((part) => !part.startsWith(`${name}=`));
  const parse = () => parseAuctionOrder(`marketName=M0-PERP&${[...rest, wrong].join('&')}`, book);
  expect(parse).toThrow(ServerError);
  expect(parse).toThrow(expect.objectContaining({ code, param }));
});
