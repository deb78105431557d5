/** /openapi.json describes the bodies of the history's paths as they are, no more and no less. */
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LogDecoder } from '../src/engine/events.js';
import { PROGRAM } from '../src/engine/testing.js';
import { accountKey } from '../src/history/store/testing.js';
import { MarketDataScene } from './support/market-data-scene.js';
import { closedSchema } from './support/message-schemas.js';

let scene: MarketDataScene;
let ajv: Ajv2020;

beforeAll(async () => {
  scene = await MarketDataScene.start();
  scene.fill();
  scene.fill({ takerExistingQuoteEntryAmount: 5n, takerExistingBaseAssetAmount: 6n });
  const none = { makerOrderBaseAssetAmount: null, makerOrderDirection: null, makerFee: null };
  scene.fill({ ...none, maker: null, makerOrderId: null, filler: null, referrerReward: null });
  scene.fill({ taker: null, takerOrderId: null, takerOrderDirection: null, takerFee: null });
  scene.fill({ marketType: 'spot', marketIndex: 1, spotFulfillmentMethodFee: 7n });
  scene.fundingRate();
  scene.fundingRate({ fundingRate: -1n, baseAssetAmountWithUnsettledLp: -(2n ** 90n) });
  for (const [type] of ACCOUNT_PATHS) logOne(type);
  ajv = new Ajv2020({ strict: false, allErrors: true, logger: false });
  for (const format of ['market-name', 'public-key', 'whole-number', 'jit-offer', 'cursor']) {
    ajv.addFormat(format, true);
  }
  const { body } = await scene.get('/openapi.json');
  ajv.addSchema({ ...closedSchema(body, ['properties']), $id: 'api' });
});

afterAll(() => scene?.stop());

/** Paths of an account's records, each with the name of its body. */
const ACCOUNT_PATHS = [
  ['FundingPaymentRecord', 'FundingPaymentRecords', '/user/{user}/fundingPayments'],
  ['DepositRecord', 'DepositRecords', '/user/{user}/deposits'],
  ['SettlePnlRecord', 'SettlePnlRecords', '/user/{user}/settlePnl'],
  ['LiquidationRecord', 'LiquidationRecords', '/user/{user}/liquidations'],
  ['OrderRecord', 'OrderRecords', '/user/{user}/orders/perp'],
  ['NewUserRecord', 'NewUserRecords', '/authority/{userAuthority}/accounts'],
] as const;

interface Synthetic {
  readonly type: string;
  readonly log: string;
  readonly expected: Readonly<Record<string, unknown>>;
}

const synthetic: readonly Synthetic[] = readFileSync(
  new URL('golden/vectors/synthetic/events.jsonl', import.meta.url),
  'utf8',
)
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as Synthetic);

function firstOf(type: string): Synthetic {
  const found = synthetic.find((one) => one.type === type);
  if (found === undefined) throw new Error(`there is no ${type}`);
  return found;
}

/** Stores a record as the program logs it, twice, as of a market of the scene. */
function logOne(type: string): void {
  const lines = [`Program ${PROGRAM} invoke [1]`, firstOf(type).log, `Program ${PROGRAM} success`];
  const { records } = new LogDecoder(PROGRAM).decode(lines);
  const market = (of: number) => (of < 0 ? of : type === 'DepositRecord' ? 3 : 0);
  for (let times = 0; times < 2; times += 1) {
    scene.log(records.map((one) => ({ ...one, market: market(one.market) })));
  }
}

test.each(ACCOUNT_PATHS)('a %s is served as %s, page by page', async (type, name, pattern) => {
  const { expected } = firstOf(type);
  const path = pattern.replace(/\{(\w+)\}/, (_, member: string) => String(expected[member]));
  const { status, body } = await scene.get(`${path}?limit=1`);
  expect(status).toBe(200);
  expect(errorsOf(name, body)).toEqual([]);
  const first: RecordsBody = body;
  expect(first.records).toHaveLength(1);
  const next = await scene.get(`${path}?limit=1&page=${first.meta.nextPage}`);
  const second: RecordsBody = next.body;
  expect(second).toMatchObject({ meta: { nextPage: null } });
  expect(second.records[0]?.txSig).not.toBe(first.records[0]?.txSig);
  const other = await scene.get(`${path.replace(/\/[^/]{32,44}\//, `/${accountKey(9)}/`)}`);
  expect(other.body).toMatchObject({ records: [], meta: { nextPage: null } });
});

interface RecordsBody {
  readonly records: readonly { readonly txSig: string }[];
  readonly meta: { readonly nextPage: string | null };
}

test('an order is served with its placement and its actions', async () => {
  const { user, order } = firstOf('OrderRecord').expected as {
    user: string;
    order: { orderId: number };
  };
  const { status, body } = await scene.get(`/user/${user}/orders/id/${order.orderId}`);
  expect(status).toBe(200);
  expect(errorsOf('OrderLife', body)).toEqual([]);
  expect(body).toMatchObject({ record: { user, orderId: order.orderId }, actions: [] });
  const filled = await scene.get(`/user/${accountKey(2)}/orders/id/7`);
  expect(errorsOf('OrderLife', filled.body)).toEqual([]);
  const { record, actions }: { record: unknown; actions: readonly unknown[] } = filled.body;
  expect([record, actions.length > 0]).toEqual([null, true]);
});

function errorsOf(name: string, value: unknown): unknown[] {
  const validate = ajv.getSchema(`api#/components/schemas/${name}`);
  if (validate === undefined) throw new Error(`there is no schema ${name}`);
  validate(value);
  return validate.errors ?? [];
}

/** The day of the scene's records, as archives name it. */
function today(): string {
  return new Date(scene.ts * 1_000).toISOString().slice(0, 10).replaceAll('-', '/');
}

test.each([
  ['Trades', '/trades?symbol=SOL-PERP', 4],
  ['Trades', '/trades?symbol=SOL', 1],
  ['FundingRates', '/fundingRates?symbol=SOL-PERP', 2],
  ['FundingRates', '/fundingRates?symbol=SOL', 0],
  ['Trades', '/trades?marketName=SOL-PERP', 1],
  ['FundingRates', '/fundingRates?marketIndex=0', 1],
  ['Candles', '/candles?symbol=SOL-PERP&resolution=1', 1],
  ['Candles', '/candles?symbol=SOL-PERP&resolution=M', 1],
  ['TradeRecords', '/market/SOL-PERP/trades', 4],
  ['TradeRecords', '/market/SOL-PERP/trades?limit=2', 2],
  ['TradeRecords', '/market/SOL/trades', 1],
  ['FundingRateRecords', '/market/SOL-PERP/fundingRates?limit=1', 1],
  ['FundingRateRecords', '/market/SOL-PERP/fundingRates', 2],
  ['UdfHistory', '/udf/history?symbol=SOL-PERP&resolution=1D&countback=5', 0],
  ['UdfHistory', '/udf/history?symbol=SOL&resolution=60&from=1&to=2', 0],
  ['UdfSearch', '/udf/search', 2],
  ['UdfSymbol', '/udf/symbols?symbol=sol', 0],
  ['UdfConfig', '/udf/config', 0],
  ['UserTradeRecords', `/user/${accountKey(2)}/trades?limit=2`, 2],
  ['FundingMeans', '/stats/fundingRates', 1],
  ['TradeArchive', '/market/SOL-PERP/trades/{today}', 4],
  ['FundingRateArchive', '/market/SOL-PERP/fundingRates/{today}', 2],
  ['CandleRecords', '/market/SOL-PERP/candles/5', 1],
  ['CandleRecords', '/market/SOL/candles/1440', 1],
])('%s is what %s answers', async (name, path, rows) => {
  const { status, text } = await scene.get(path.replace('{today}', today()));
  const body = JSON.parse(text);
  expect([path, status]).toEqual([path, 200]);
  const list = body.records ?? body.markets ?? body.data?.trades ?? body.fundingRates ?? body;
  expect(list.length ?? 0).toBeGreaterThanOrEqual(rows);
  expect(errorsOf(name, body)).toEqual([]);
});

test('a member that is not described, or of another type, would be seen', async () => {
  const [trade] = await scene.rows('/trades?symbol=SOL-PERP');
  expect(errorsOf('Trades', [trade])).toEqual([]);
  expect(errorsOf('Trades', [{ ...trade, colour: 'red' }])).not.toEqual([]);
  expect(errorsOf('Trades', [{ ...trade, slot: '7' }])).not.toEqual([]);
  const { records } = JSON.parse((await scene.get('/market/SOL-PERP/trades')).text);
  const wrong = { ...records[0], takerFee: '0.1' };
  expect(
    errorsOf('TradeRecords', { success: true, records: [wrong], meta: { nextPage: null } }),
  ).toHaveLength(1);
});
