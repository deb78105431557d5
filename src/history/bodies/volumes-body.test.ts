import { afterEach, expect, test } from 'vitest';
import type { HistoryMarket } from '../model/records.js';
import { cleanUp, fill, MIDNIGHT, newStore, transaction } from '../store/testing.js';
import { makeVolumesBody } from './make-body.js';
import { SOL_PERP, USDT } from './testing.js';

afterEach(cleanUp);

const HOUR = 3_600;

function traded(slot: number, ts: number, marketType: 'perp' | 'spot' = 'perp') {
  const market = { marketType, marketIndex: marketType === 'perp' ? 0 : 5 };
  const amounts =
    marketType === 'perp'
      ? { baseAssetAmountFilled: 1_500_000_000n, quoteAssetAmountFilled: 200_000_001n }
      : { baseAssetAmountFilled: 1_500_000n, quoteAssetAmountFilled: 1_500_000n };
  const fills = [fill({ ts, fillRecordId: BigInt(slot), ...market, ...amounts })];
  return transaction({ slot, fills });
}

async function volumesOf(markets: readonly HistoryMarket[]) {
  const reader = await newStore();
  reader.writeBatch({
    transactions: [
      traded(1, MIDNIGHT - 1),
      traded(2, MIDNIGHT),
      traded(3, MIDNIGHT + HOUR - 1),
      traded(4, MIDNIGHT + HOUR),
      traded(5, MIDNIGHT + 60, 'spot'),
    ],
  });
  const span = { from: MIDNIGHT, to: MIDNIGHT + HOUR };
  const { body } = makeVolumesBody({ kind: 'volumes', ...span }, { reader, markets });
  return JSON.parse(Buffer.from(body).toString()) as unknown;
}

test('volumes: are of the trades from the first second to before the last one', async () => {
  const perp = { symbol: 'SOL-PERP', marketIndex: 0, marketType: 'perp' };
  const spot = { symbol: 'USDT', marketIndex: 5, marketType: 'spot' };
  expect(await volumesOf([USDT, SOL_PERP])).toEqual({
    success: true,
    total: '401.500002',
    markets: [
      { ...perp, quoteVolume: '400.000002', baseVolume: '3.000000000' },
      { ...spot, quoteVolume: '1.500000', baseVolume: '1.500000000' },
    ],
  });
});

test('volumes: a market that did not trade is there as well', async () => {
  const other: HistoryMarket = { ...SOL_PERP, key: 'perp_7', marketIndex: 7, symbol: 'X-PERP' };
  expect(await volumesOf([other])).toMatchObject({
    total: '0.000000',
    markets: [{ symbol: 'X-PERP', quoteVolume: '0.000000', baseVolume: '0.000000000' }],
  });
});
