/** Bodies from rows, compared with the specified format and the digits of the rows. */
import { describe, expect, test } from 'vitest';
import type { FundingRatesQuery, TradesQuery } from '../../contract/history-queries.js';
import type { HistoryMarket } from '../model/records.js';
import { type BodyQuery, makeBody } from './make-body.js';
import { fundingRow, KEY, MemoryRows, SOL_PERP, tradeRow, USDT } from './testing.js';

const TRADES: TradesQuery = { kind: 'trades', market: 'perp_0', limit: 10, form: 'spec' };
const RATES: FundingRatesQuery = {
  ...{ kind: 'fundingRates', market: 'perp_0', limit: 10, since: 0, form: 'spec' },
};

function ask(reader: MemoryRows, query: BodyQuery, market: HistoryMarket = SOL_PERP) {
  const { body, ...rest } = makeBody(query, { reader, market, finalisedSlot: 2_000 });
  return { text: Buffer.from(body).toString(), ...rest };
}

function textOf(rows: Partial<MemoryRows>, query: BodyQuery, market?: HistoryMarket): string {
  return ask(Object.assign(new MemoryRows(), rows), query, market).text;
}

describe('/trades', () => {
  // Specification: trade-ts, trade-index, trade-type, trade-filler, trade-taker, trade-maker,
  // trade-taker-order, trade-maker-order, trade-base, trade-quote, trade-taker-fee,
  // trade-maker-fee, trade-action, trade-explanation, trade-precision-quote.
  test('is the record of the specification, members behind it', () => {
    const [filler, taker, maker] = [KEY, '1'.repeat(32), `${'1'.repeat(31)}2`];
    expect(JSON.parse(textOf({ tradeRows: [tradeRow({ taker, maker })] }, TRADES))).toEqual([
      {
        ...{ ts: 1_700_000_000, marketIndex: 0, marketType: 'perp' },
        ...{ filler, taker, maker },
        ...{ takerOrderId: 7, makerOrderId: 4_294_967_295 },
        ...{ baseAssetAmountFilled: 1_500_000_000, quoteAssetAmountFilled: 225_000_000 },
        ...{ takerFee: 225_000, makerFee: -45_000 },
        ...{ action: 'fill', actionExplanation: 'orderFilledWithMatch' },
        ...{ slot: 1_000, txSig: '5'.repeat(88), fillRecordId: 1 },
        ...{ takerOrderDirection: 'long', oraclePrice: 150_012_345 },
      },
    ]);
  });

  // Specification: trade-precision-raw.
  test('integers beyond 2^53 keep every digit', () => {
    const text = textOf(
      {
        tradeRows: [
          tradeRow({
            baseAssetAmountFilled: 18_446_744_073_709_551_615n,
            quoteAssetAmountFilled: 9_007_199_254_740_993n,
            makerFee: -9_223_372_036_854_775_807n,
            fillRecordId: 18_446_744_073_709_551_614n,
          }),
        ],
      },
      TRADES,
    );
    expect(text).toContain('"baseAssetAmountFilled":18446744073709551615,');
    expect(text).toContain('"quoteAssetAmountFilled":9007199254740993,');
    expect(text).toContain('"makerFee":-9223372036854775807,');
    expect(text).toContain('"fillRecordId":18446744073709551614,');
  });

  test('a fill of the AMM has a null maker and costs it nothing; no filler is null', () => {
    const amm = { maker: null, makerOrderId: null, makerFee: null, filler: null };
    const [trade] = JSON.parse(textOf({ tradeRows: [tradeRow(amm)] }, TRADES));
    expect(trade).toMatchObject({ maker: null, makerOrderId: null, makerFee: 0, filler: null });
  });

  // Specification: trade-precision-base.
  test('base of a spot market is at 1e9, whatever the token has', () => {
    const spot = { marketIndex: 5, marketType: 'spot', baseAssetAmountFilled: 1_234_567n } as const;
    const query = { ...TRADES, market: 'spot_5' } as const;
    const rows = { tradeRows: [tradeRow(spot)] };
    expect(textOf(rows, query, USDT)).toContain('"baseAssetAmountFilled":1234567000,');
    const long = { ...USDT, decimals: 11 };
    expect(textOf(rows, query, long)).toContain('"baseAssetAmountFilled":12345,');
  });

  test('a market without a trade has an empty list', () => {
    expect(ask(new MemoryRows(), TRADES)).toEqual({ text: '[]', nextCursor: null });
  });
});

describe('/market/{symbol}/trades', () => {
  const query = { ...TRADES, form: 'records' } as const;

  test('is an envelope of decimals as text, nothing being an empty text', () => {
    const amm = { maker: null, makerOrderId: null, makerFee: null, makerOrderDirection: null };
    const { success, records, meta } = JSON.parse(textOf({ tradeRows: [tradeRow(amm)] }, query));
    expect([success, meta]).toEqual([true, { nextPage: null }]);
    expect(records[0]).toMatchObject({
      ...{
        ts: 1_700_000_000,
        txSigIndex: 1,
        slot: 1_000,
        symbol: 'SOL-PERP',
        marketFilter: 'perp',
      },
      ...{ baseAssetAmountFilled: '1.500000000', quoteAssetAmountFilled: '225.000000' },
      ...{ takerFee: '0.225000', makerFee: '', makerRebate: '', oraclePrice: '150.012345' },
      ...{ fillRecordId: '1', takerOrderId: '7', makerOrderId: '', maker: '' },
      ...{ makerOrderDirection: '', referrerReward: '0.000000', takerExistingBaseAssetAmount: '' },
    });
  });

  test('a rebate is negative by both of its names', () => {
    const [record] = JSON.parse(textOf({ tradeRows: [tradeRow()] }, query)).records;
    expect([record.makerFee, record.makerRebate]).toEqual(['-0.045000', '-0.045000']);
  });
});

describe('/fundingRates', () => {
  // Specification: funding-ts, funding-symbol, funding-index, funding-rate, funding-oracle,
  // funding-mark.
  test('is the record of the specification, the rate being a fraction per hour', () => {
    expect(JSON.parse(textOf({ fundingRows: [fundingRow()] }, RATES))).toEqual([
      {
        ...{ ts: 1_700_000_000, symbol: 'SOL-PERP', marketIndex: 0 },
        ...{ fundingRate: 0.000_01, oraclePrice: 150, markPrice: 150.1234 },
      },
    ]);
  });

  test.each([
    [1n, 150_000_000n, '0.000000000006666667'],
    [-1n, 150_000_000n, '-0.000000000006666667'],
    [1n, 3n, '0.000333333333333333'],
    [1_500_000_000_000n, 150_000_000n, '10'],
    [9_223_372_036_854_775_807n, 1n, '9223372036854775.807'],
    [0n, 150_000_000n, '0'],
    [5n, 0n, '0'],
    [5n, -1n, '0'],
  ])('rate %s at a price of %s is %s', (fundingRate, oraclePriceTwap, expected) => {
    const text = textOf({ fundingRows: [fundingRow({ fundingRate, oraclePriceTwap })] }, RATES);
    expect(text).toContain(`"fundingRate":${expected},`);
  });

  test('rows before the window are left out', () => {
    const fundingRows = [1, 2, 3].map((ts) => fundingRow({ ts, slot: ts, recordId: BigInt(ts) }));
    const rows = JSON.parse(textOf({ fundingRows }, { ...RATES, since: 2 }));
    expect(rows.map(({ ts }: { ts: number }) => ts)).toEqual([3, 2]);
  });

  test('the records of the system in production have fixed places', () => {
    const { records, meta } = JSON.parse(
      textOf({ fundingRows: [fundingRow()] }, { ...RATES, form: 'records' }),
    );
    expect(meta).toEqual({ nextPage: null });
    expect(records[0]).toMatchObject({
      ...{ recordId: '1', fundingRate: '0.001500000', oraclePriceTwap: '150.000000' },
      cumulativeFundingRateShort: '-123.456789012',
      ...{ periodRevenue: '-5.000001', baseAssetAmountWithAmm: '-7.000000000' },
    });
  });
});
