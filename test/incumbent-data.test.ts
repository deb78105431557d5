/**
 * The data interface in the forms of the system in production: every value against the record or the
 * account that it comes from, never against another body of ours.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FundingRateEvent } from '../src/engine/events.js';
import { engineWith, ORACLE, PERP, SPOT } from '../src/engine/testing.js';
import type { Fill } from '../src/history/model/records.js';
import { MarketDataScene } from './support/market-data-scene.js';

type Row = Readonly<Record<string, unknown>>;

let scene: MarketDataScene;
let fill: Fill;
let rate: FundingRateEvent;

beforeAll(async () => {
  scene = await MarketDataScene.start(engineWith(PERP, SPOT, ORACLE));
  fill = scene.fill({ ts: scene.ts - 60, quoteAssetAmountFilled: 200_000_001n });
  rate = scene.fundingRate({ ts: scene.ts - 30, fundingRate: -7_000_001n });
});

afterAll(() => scene?.stop());

async function body(path: string): Promise<Record<string, Row[]>> {
  const { status, body } = await scene.get(path);
  expect([path, status]).toEqual([path, 200]);
  return body;
}

describe('the older paths by marketName', () => {
  test('/fundingRates has the integers of the record as text', async () => {
    const { fundingRates = [] } = await body('/data/fundingRates?marketName=SOL-PERP');
    const raw = ({ index: _, ...members }: FundingRateEvent) =>
      Object.fromEntries(Object.entries(members).map(([name, value]) => [name, String(value)]));
    const [row = {}] = fundingRates;
    expect(row).toMatchObject({
      ...{ ...raw(rate), marketIndex: 0, recordId: String(row['slot']) },
    });
    expect(Object.keys(row)).toHaveLength(15);
  });

  test('/trades has each trade as JSON in a text, in decimals', async () => {
    const { trades } = (await body('/trades?marketIndex=0&marketType=perp'))[
      'data'
    ] as unknown as Row;
    const [row = {}] = (trades as string[]).map((text): Row => JSON.parse(text));
    expect(Number(row['quoteAssetAmountFilled'])).toBe(200.000001);
    expect(Number(row['baseAssetAmountFilled'])).toBe(Number(fill.baseAssetAmountFilled) / 1e9);
    expect([row['taker'], row['maker']]).toEqual([fill.taker, fill.maker]);
    expect(row['ts']).toBe(fill.ts);
  });
});
