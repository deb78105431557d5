/** The demo as anyone starts it: its trades come out of /ws, and make the candles there. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type PlainTrade, plainCandles } from './plain-candles.js';
import { DemoService } from './support/demo-service.js';
import { Probe } from './support/socket-scene.js';
import { until } from './support/until.js';

/** Trades of one market that are waited for. */
const TRADES = 12;

/** The members of messages that are looked at. */
interface Message {
  readonly type?: string;
  readonly code?: string;
  readonly message?: string;
  readonly channelType?: string;
  readonly channel?: string;
  readonly data?: unknown;
  readonly candle?: Readonly<Record<string, unknown>> & { readonly ts: number };
  readonly trades?: readonly { readonly fillRecordId: string }[];
}

/** A row of /trades: its amounts are far below 2^53 in a demo. */
interface TradeRow {
  readonly ts: number;
  readonly fillRecordId: number;
  readonly baseAssetAmountFilled: number;
  readonly quoteAssetAmountFilled: number;
  readonly oraclePrice: number;
}

let service: DemoService;
let client: Probe;

beforeAll(async () => {
  service = await DemoService.start({ makers: '20', rate: '20', fills: '8' });
  client = await Probe.open(service.socketUrl);
});

afterAll(async () => {
  await client?.close();
  await service?.stop();
});

function messages(): Message[] {
  return client.texts.map((text) => JSON.parse(text));
}

/** Subscribes, again while the history is still being opened. */
async function subscribe(message: object): Promise<void> {
  const isAnswer = ({ type, code, message: text }: Message): boolean =>
    type === 'subscription' || code !== undefined || text?.startsWith('Subscribe') === true;
  await vi.waitFor(async () => {
    const before = client.texts.length;
    client.send({ type: 'subscribe', ...message });
    const answer = await until(() => messages().slice(before).find(isAnswer));
    expect(answer.code).toBeUndefined();
  });
}

async function tradeRows(): Promise<TradeRow[]> {
  const { text } = await service.get('/trades?symbol=SOL-PERP&limit=1000');
  return (JSON.parse(text) as TradeRow[]).toReversed();
}

function asPlain(row: TradeRow): PlainTrade {
  const [base, quote] = [BigInt(row.baseAssetAmountFilled), BigInt(row.quoteAssetAmountFilled)];
  const [id, oracle] = [BigInt(row.fillRecordId), BigInt(row.oraclePrice)];
  return { ts: row.ts, fillRecordId: id, base, quote, oracle };
}

/** What a chart has kept of the candle messages, by start. */
function keptCandles(resolution: string): Map<number, Readonly<Record<string, unknown>>> {
  const candles = messages().flatMap(({ candle }) => (candle === undefined ? [] : [candle]));
  const own = candles.filter((candle) => candle['resolution'] === resolution);
  return new Map(own.map((candle) => [candle.ts, candle]));
}

/** What a kept candle must be, from the trades that /trades shows up to the last that it has. */
async function expectCandles(resolution: string): Promise<void> {
  const kept = keptCandles(resolution);
  const last = Math.max(
    ...[...kept.values()].map((candle) => Number(candle['lastFillRecordId'] ?? 0)),
  );
  const trades = (await tradeRows()).filter(({ fillRecordId }) => fillRecordId <= last);
  const until = Math.max(...kept.keys());
  const plain = plainCandles(trades.map(asPlain), { resolution, until });
  const expected = plain
    .filter(({ ts }) => kept.has(ts))
    .map((candle) => ({
      ...{
        ts: candle.ts,
        fillOpen: Number(candle.open) / 1e6,
        fillHigh: Number(candle.high) / 1e6,
      },
      ...{ fillLow: Number(candle.low) / 1e6, fillClose: Number(candle.close) / 1e6 },
      ...{ quoteVolume: Number(candle.quote) / 1e6, baseVolume: Number(candle.base) / 1e9 },
      ...{
        oracleOpen: Number(candle.oracleOpen) / 1e6,
        oracleClose: Number(candle.oracleClose) / 1e6,
      },
    }));
  expect([...kept.values()].sort((a, b) => Number(a['ts']) - Number(b['ts']))).toMatchObject(
    expected,
  );
}

test('trades of a demo are told once each, and make the candles that are told', async () => {
  await subscribe({ symbol: 'SOL-PERP', resolution: '1' });
  await subscribe({ symbol: 'SOL-PERP', resolution: '5' });
  await subscribe({ symbol: 'SOL-PERP', channelType: 'trades' });
  await subscribe({ channel: 'trades', marketType: 'perp', market: 'SOL-PERP' });
  const told = (): number[] =>
    messages()
      .filter(({ channelType }) => channelType === 'trades')
      .flatMap(({ trades = [] }) => trades.map(({ fillRecordId }) => Number(fillRecordId)));
  const first = told().length;
  await until(() => told().length >= first + TRADES);

  // A trade may be on its way between any two of these.
  await vi.waitFor(async () => {
    const ids = told();
    const inChannel = messages().filter(({ channel }) => channel === 'trades_perp_0');
    const channelIds = inChannel.map(({ data }) => JSON.parse(String(data)).fillRecordId as number);
    const shown = (await tradeRows()).map(({ fillRecordId }) => fillRecordId);
    const from = shown.indexOf(ids[0] ?? 0);
    expect(ids).toEqual(shown.slice(from, from + ids.length));
    expect(channelIds.length).toBeGreaterThan(0);
    const begin = ids.indexOf(channelIds[0] ?? 0);
    expect(channelIds).toEqual(ids.slice(begin, begin + channelIds.length));
  });
  for (const resolution of ['1', '5']) await vi.waitFor(() => expectCandles(resolution));
});
