/** The reader's choices, and the texts that the page makes of what it knows. */
import { ClientError, type MarketInfo } from '@slotbook/client';
import { describe, expect, test } from 'vitest';
import { type Choices, readChoices, writeChoices } from './choices.js';
import { panelText } from './error-text.js';
import { formatsOf } from './formats.js';
import { groupingsOf } from './grouping.js';
import { listMarkets, openingMarket, searchMarkets } from './market-list.js';
import { marketRow, orderRows, sparklinePath } from './market-rows.js';
import { snippetsOf } from './snippets.js';
import { shortfallText } from './walk.js';

test('an order that does not fill says why, and how little it is', () => {
  const said = (reason: string | undefined, unfilled: bigint, filledBase = 1n) =>
    shortfallText({ reason, unfilled, filledBase } as never, '0.01 SOL', 10n);
  expect(said('belowMinOrderSize', 1_000_000n)).toBe(
    'The smallest order of this market is 0.01 SOL',
  );
  expect(said('oracleInvalid', 1n)).toBe('Not filled: oracle invalid');
  // A rest below one step cannot fill.
  expect(said(undefined, 9n)).toBeUndefined();
  expect(said(undefined, 10n)).toBe('The book has no more within its price');
  expect(said(undefined, 10n, 0n)).toBe('The book has nothing to fill it');
  expect(said(undefined, 0n)).toBeUndefined();
});

test('a panel without rows loads, is empty, or is not kept, in words of their own', () => {
  const notKept = new ClientError('NO_HISTORY', 'no history');
  const texts = [
    { isLoaded: false, error: undefined },
    { isLoaded: true, error: undefined },
    { isLoaded: false, error: notKept },
    { isLoaded: false, error: new Error('it broke') },
  ].map((state) => panelText({ subject: 'trades', ...state }));
  expect(texts).toEqual([
    'Loading trades',
    'No trades yet',
    'This service keeps no trades',
    'The trades could not be read: it broke',
  ]);
});

describe('markets', () => {
  const markets = Array.from({ length: 148 }, (_, index) => ({
    ...{ symbol: `M${index}-PERP`, marketType: index === 0 ? 'spot' : 'perp' },
  })) as unknown as readonly MarketInfo[];

  test('are all listed', () => {
    expect(searchMarkets(listMarkets(markets, []), '')).toHaveLength(148);
    expect(searchMarkets(listMarkets(markets, []), 'm147')).toHaveLength(1);
    const usdc = { symbol: 'USDC', marketType: 'spot', quoteAsset: 'USDC' } as MarketInfo;
    expect(listMarkets([...markets, usdc], [])).toHaveLength(148);
  });

  test('are opened by their own names alone', () => {
    expect(openingMarket(markets, 'm7-perp')?.symbol).toBe('M7-PERP');
    expect(openingMarket(markets, 'NOPE-PERP')).toBeUndefined();
    expect(openingMarket(markets, null)?.symbol).toBe('M1-PERP');
  });
});

describe('the table of all markets', () => {
  const stats = {
    ...{ price: 80, price24hAgo: 100, volume24h: 900, baseVolume24h: 10, fundingRate: 0.001 },
    ...{ openInterest: 500, longOpenInterest: 5, fundingRateTs: 7_201, oraclePrice: 79 },
  };
  const near = { bps: 10, bidBase: 3_000_000_000n, askBase: 2_000_000_000n };
  const liquidity = { depth: [{ ...near, bidQuote: 240_000_000n, askQuote: 160_000_000n }] };
  const rowOf = (symbol: string, marketType: string, unit: 'base' | 'quote', isKnown = true) =>
    marketRow(
      { market: { symbol, marketType }, stats: isKnown ? stats : null } as never,
      isKnown ? (liquidity as never) : undefined,
      { best: isKnown ? { bid: 79_990_000n, ask: 80_010_000n } : undefined, unit },
    );

  test('has its figures in the unit, of the thinner side, and nothing where nothing is known', () => {
    expect(rowOf('A-PERP', 'perp', 'quote')).toMatchObject({
      ...{ price: 80, volume: 900, openInterest: 500, funding: 0.001, fundingAt: 10_800 },
      ...{ spreadBps: 2.5, depth: 160 },
    });
    expect(rowOf('A-PERP', 'perp', 'quote').change).toBeCloseTo(-0.2, 9);
    expect(rowOf('A', 'spot', 'base')).toMatchObject({
      ...{ volume: 10, openInterest: null, funding: null, fundingAt: null, depth: 2 },
    });
    expect(rowOf('B', 'spot', 'base', false)).toMatchObject({
      ...{ price: null, change: null, volume: null, spreadBps: null, depth: null },
    });
  });

  /** Amounts of different tokens are compared by their values. */
  function ofValue(symbol: string, volume: number) {
    const row = rowOf(symbol, 'spot', 'base');
    return { ...row, volume: 9 - volume, value: { ...row.value, volume } };
  }

  test('is sorted with favourites first and unknown figures last, both ways', () => {
    const rows = [
      ofValue('A', 1),
      rowOf('B', 'spot', 'base', false),
      ofValue('C', 3),
      ofValue('D-X', 2),
    ];
    const namesOf = (isRising: boolean, favourites: readonly string[], find = '') =>
      orderRows(rows, { find, key: 'volume', isRising, favourites }).map(({ symbol }) => symbol);
    expect(namesOf(false, [])).toEqual(['C', 'D-X', 'A', 'B']);
    expect(namesOf(true, ['B'])).toEqual(['B', 'A', 'D-X', 'C']);
    expect(namesOf(true, [], ' -x')).toEqual(['D-X']);
  });

  test('has a line through prices, flat where they are equal', () => {
    expect(sparklinePath([1, 3, 2])).toBe('M0.0 19.0L40.0 1.0L80.0 10.0');
    expect(sparklinePath([5, 5])).toBe('M0.0 19.0L80.0 19.0');
    expect(sparklinePath([5])).toBe('');
  });
});

test('amounts have the decimals of their market and are named', () => {
  const { base, quote, formatSizeNumber, formatQuote } = formatsOf({
    ...{ tick: 100_000n, step: 100_000n, decimals: 9, baseAsset: 'BTC', quoteAsset: 'USDC' },
  } as unknown as MarketInfo);
  expect([base, quote]).toEqual(['BTC', 'USDC']);
  expect(formatSizeNumber(0.0081)).toBe('0.0081');
  expect([99_990_000n, 1_234_567_890n].map(formatQuote)).toEqual(['99.99', '1,235']);
});

test('groupings are the price steps 1, 2 and 5 that are whole ticks', () => {
  expect(groupingsOf(100n, 85_000_000n, 1)).toEqual([
    ...[1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000],
  ]);
  // A tick of a quarter: only the steps that are whole ticks.
  expect(groupingsOf(250_000n, 85_000_000n, 1)).toEqual([1, 2, 4]);
  expect(groupingsOf(1n, null, 7)).toEqual([1, 7]);
});

test('choices come from the address, else from the last visit, and those that are not the default go there', () => {
  const stored = (name: string) => (name === 'unit' || name === 'amm' ? 'quote' : null);
  const read = (query: string): Choices => readChoices(new URLSearchParams(query), stored);
  expect(read('candle=240&side=sell&size=12.5&amm=off')).toEqual({
    ...{ chart: 'candles', span: '3600' },
    ...{ unit: 'quote', time: 'utc', candle: '240', amm: 'off', least: '0', side: 'sell' },
    ...{ size: '12.5', account: '' },
  });
  expect(read('unit=base&candle=7&size=1e9')).toMatchObject({
    unit: 'base',
    candle: '1',
    size: '',
  });
  const query = new URLSearchParams();
  writeChoices(query, read('candle=240'));
  expect(String(query)).toBe('unit=quote&candle=240');
});

test('what is seen is copied as a link, a command and programs', () => {
  const texts = snippetsOf({
    ...{ url: 'http://host/v1/', link: 'http://host/v1/?market=A%26B', market: 'A&B' },
    ...{ grouping: 10, hasAmm: true, moment: { epoch: 'e1', seq: 7 } },
  });
  expect(texts.map(([name]) => name)).toEqual(['Link', 'curl', 'TypeScript', 'Python']);
  const address =
    'http://host/v1/l2?marketName=A%26B&depth=20&includeIndicative=true&includeVamm=true&grouping=10&epoch=e1&seq=7';
  const [link, curl, typeScript, python] = texts.map(([, text]) => text);
  expect(link).toBe('http://host/v1/?market=A%26B');
  expect(curl).toBe(`curl -s '${address}'`);
  expect(python).toContain(`urlopen("${address}")`);
  expect(typeScript).toContain('"marketName": "A&B"');
});
