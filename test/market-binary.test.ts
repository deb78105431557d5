/** Candles and trades as bytes: they say what the JSON messages of the same topic say, message by message and digit by digit. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { FrameDecoder } from '../src/client/binary/index.js';
import { parseNumbersAsText } from '../src/client/fields.js';
import { TradesClient } from '../src/client/index.js';
import type { MarketMessage } from '../src/contract/history-source.js';
import { SOL_PERP, tradeRow, USDT } from '../src/history/bodies/testing.js';
import type { Candle } from '../src/history/candles/candle.js';
import type { HistoryMarket, TradeRow } from '../src/history/model/records.js';
import { signature } from '../src/history/store/testing.js';
import { byteMessages } from '../src/history/streams/message-bytes.js';
import type { MessageEncoder } from '../src/history/streams/message-encoder.js';
import { textMessages } from '../src/history/streams/message-text.js';
import { StreamTrade } from '../src/history/streams/stream-trade.js';
import { MIDNIGHT, StreamScene } from '../src/history/streams/testing.js';
import { Random } from '../src/sim/random.js';
import { MarketStreamScene } from './support/market-stream-scene.js';
import { randomFill } from './support/random-fills.js';
import { until } from './support/until.js';

const vectorsOf = (name: string): string =>
  fileURLToPath(new URL(`vectors/binary/${name}.jsonl`, import.meta.url));
const BINARY = { encoding: 'binary' };
const SEED = 18;
const FLUSHES = 30;
/** What an update of trades may have of the bytes of JSON at most: keys and signatures are half of it. */
const BYTES_PART_MAX = 1 / 4;

const WISHES = [
  { channelType: 'trades', symbol: 'SOL-PERP' },
  { channelType: 'candle', symbol: 'SOL-PERP', resolution: '1' },
  { channelType: 'candle', symbol: 'SOL-PERP', resolution: '1440' },
  { channelType: 'candle', symbol: 'SOL-PERP', resolution: 'W' },
];

let scene: MarketStreamScene | undefined;

afterEach(async () => {
  await scene?.stop();
  scene = undefined;
});

/** What tells of which topic a message is. */
interface SeenMessage {
  readonly type: string;
  readonly channel?: string;
  readonly channelType?: string;
  readonly candle?: { readonly resolution: string };
}

/** A message with every number as the text of its digits. */
function digitsOf(message: unknown): unknown {
  return JSON.parse(JSON.stringify(message), (_, value) =>
    typeof value === 'number' ? String(value) : value,
  );
}

const decode = (bytes: Uint8Array) => new FrameDecoder().decodeFrame(bytes);

/** Fills of one transaction of a scene, some of which come late. */
function fillsOf(random: Random, firstId: number, nowTs: number) {
  const count = 1 + random.nextSkewed(5);
  const ts = nowTs - (random.oneIn(5) ? random.nextBelow(7_200) : 0);
  return Array.from({ length: count }, (_, index) =>
    randomFill(random, { ts, index, fillRecordId: BigInt(firstId + index) }),
  );
}

test('both streams of a topic agree message by message, and the bytes are few', async () => {
  scene = await MarketStreamScene.start();
  const random = new Random(SEED);
  const probe = await scene.open();
  const sent = new Map<string, { json: string[]; binary: Buffer[] }>();
  const acknowledged: string[] = [];
  probe.socket.on('message', (data: Buffer, isBinary: boolean) => {
    const message = isBinary ? decode(data) : JSON.parse(data.toString());
    const { type, channel, candle, channelType } = message as SeenMessage;
    if (type === 'subscription') acknowledged.push(String(channel));
    if (type === 'subscription' || type === 'pong') return;
    const topic = candle?.resolution ?? channelType ?? '';
    const both = sent.get(topic) ?? { json: [], binary: [] };
    if (isBinary) both.binary.push(data);
    else both.json.push(data.toString());
    sent.set(topic, both);
  });
  let id = 1;
  const store = (): void => {
    const fills = fillsOf(random, id, Math.floor(Date.now() / 1_000));
    id += fills.length;
    scene?.store(fills);
  };
  for (let count = 0; count < 3; count += 1) store();
  for (const wish of WISHES) {
    probe.send({ type: 'subscribe', ...wish });
    probe.send({ type: 'subscribe', ...wish, ...BINARY });
  }
  await until('all are acknowledged', () => acknowledged.length === WISHES.length * 2);
  expect(acknowledged).toContain('trades:SOL-PERP:binary');
  expect(acknowledged).toContain('candle:SOL-PERP:1440:binary');
  for (let count = 0; count < FLUSHES; count += 1) {
    const [before, last] = [[...sent.values()], id];
    const heard = before.map(({ json }) => json.length);
    store();
    if (random.oneIn(2)) store();
    const isTold = ({ json, binary }: { json: string[]; binary: Buffer[] }, index: number) =>
      json.length > (heard[index] ?? 0) && json.length === binary.length;
    await until(`trade ${last} is told`, () => before.every(isTold));
  }
  expect([...sent.keys()].sort()).toEqual(['1', '1440', 'W', 'trades']);
  for (const [topic, { json, binary }] of sent) {
    expect(
      binary.map((bytes) => digitsOf(decode(bytes))),
      topic,
    ).toEqual(json.map((text) => parseNumbersAsText(text)));
    expect(json.length, topic).toBeGreaterThan(FLUSHES);
  }
  const { json = [], binary = [] } = sent.get('trades') ?? {};
  const jsonBytes = json.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  const bytes = binary.reduce((sum, { length }) => sum + length, 0);
  process.stdout.write(`trades: ${jsonBytes} B as JSON, ${bytes} B\n`);
  expect(bytes / jsonBytes).toBeLessThan(BYTES_PART_MAX);
}, 120_000);

const U64_MAX = 2n ** 64n - 1n;
const I64_MIN = -(2n ** 63n);

/** A trade of a spot market of six decimals with the largest amounts that the program has. */
const largest = tradeRow({
  ...{ marketIndex: 5, marketType: 'spot', txSig: signature(9), index: 4_294_967_295 },
  ...{ fillRecordId: U64_MAX, fillerReward: U64_MAX, spotFulfillmentMethodFee: U64_MAX },
  ...{ baseAssetAmountFilled: U64_MAX, quoteAssetAmountFilled: U64_MAX, takerFee: U64_MAX },
  ...{ makerFee: I64_MIN, quoteAssetAmountSurplus: I64_MIN, oraclePrice: I64_MIN },
  ...{ referrerReward: 4_294_967_295, takerOrderId: 4_294_967_295, bitFlags: 255 },
  takerOrderBaseAssetAmount: U64_MAX,
  takerOrderCumulativeBaseAssetAmountFilled: 0n,
  takerOrderCumulativeQuoteAssetAmountFilled: 0n,
  makerOrderBaseAssetAmount: 1n,
  makerOrderCumulativeBaseAssetAmountFilled: U64_MAX,
  makerOrderCumulativeQuoteAssetAmountFilled: U64_MAX,
});

/** One that has nothing that a trade may lack. */
const least = tradeRow({
  ...{ slot: 0, ts: 0, index: 0, txSig: signature(0), actionExplanation: 'none' },
  ...{ fillRecordId: null, baseAssetAmountFilled: null, quoteAssetAmountFilled: null },
  ...{ filler: null, fillerReward: null, referrerReward: null, quoteAssetAmountSurplus: null },
  ...{ taker: null, takerOrderId: null, takerOrderDirection: null, takerFee: null },
  takerOrderBaseAssetAmount: null,
  takerOrderCumulativeBaseAssetAmountFilled: null,
  takerOrderCumulativeQuoteAssetAmountFilled: null,
  ...{ maker: null, makerOrderId: null, makerOrderDirection: null, makerFee: null },
  makerOrderBaseAssetAmount: null,
  makerOrderCumulativeBaseAssetAmountFilled: null,
  makerOrderCumulativeQuoteAssetAmountFilled: null,
  oraclePrice: 0n,
});
const leastSpot = { ...least, marketIndex: 5, marketType: 'spot' } as const;
const tiny = tradeRow({ baseAssetAmountFilled: 1n, quoteAssetAmountFilled: 1n, takerFee: 1n });

const wide: Candle = {
  ...{ ts: 253_402_300_799, fillOpen: 2n ** 90n, fillHigh: 2n ** 95n, fillLow: 1n, fillClose: 1n },
  ...{ oracleOpen: I64_MIN, oracleHigh: 2n ** 63n - 1n, oracleLow: -1n, oracleClose: 999_999n },
  ...{ baseVolume: 2n ** 96n + 1n, quoteVolume: 9_007_199_254_740_993n, trades: 1 },
  ...{ lastTradeTs: 253_402_300_790, lastFillRecordId: U64_MAX },
};
const flat: Candle = {
  ...wide,
  baseVolume: 0n,
  quoteVolume: 0n,
  ...{ trades: 0, lastTradeTs: null, lastFillRecordId: null },
};

/** Messages of what few messages have. */
const EDGES: readonly ((writer: MessageEncoder) => MarketMessage)[] = [
  (writer) => writer.writeTrades('init', { trades: [], leftOut: 0 }, SOL_PERP),
  (writer) =>
    writer.writeTrades('update', windowOf(USDT, [largest, leastSpot, largest], 1_000_000), USDT),
  (writer) => writer.writeTrades('update', windowOf(SOL_PERP, [least, tiny, tiny]), SOL_PERP),
  (writer) => writer.writeCandleInit(wide, { symbol: 'é"', resolution: '1440' }),
  (writer) => {
    const label = { symbol: 'SOL-PERP', resolution: 'M' } as const;
    const window = windowOf(SOL_PERP, [tiny], 7);
    return writer.writeCandleChange('update', { candle: flat, label, window });
  },
];

function windowOf(market: HistoryMarket, rows: readonly TradeRow[], leftOut = 0) {
  return { trades: rows.map((row) => new StreamTrade(row, market)), leftOut };
}

/** What a service sends for a seeded life, each message in both encodings. */
function recordedPairs(): readonly (readonly [text: string, bytes: Uint8Array])[] {
  const [recorded, random] = [new StreamScene(), new Random(SEED)];
  const topics = ['trades:perp_0', 'candle:perp_0:1', 'candle:perp_0:60'];
  const store = (slot: number): void => {
    const fills = fillsOf(random, slot * 10, MIDNIGHT + slot * 20);
    recorded.store(...fills.map((one) => ({ ...one, slot, place: 0, txSig: signature(slot) })));
    recorded.advance(400);
  };
  store(1);
  for (const topic of topics.flatMap((name) => [name, `${name}:binary`])) {
    recorded.streams.joinTopic(topic);
  }
  for (let slot = 2; slot < 9; slot += 1) store(slot);
  const frames = recorded.taken();
  const messagesOf = (name: string) =>
    frames.flatMap((frame) =>
      frame.topic === name && frame.kind !== 'refused' ? [frame.message] : [],
    );
  return topics.flatMap((name) => {
    const [json, binary] = [messagesOf(name), messagesOf(`${name}:binary`)];
    expect(binary.length).toBe(json.length);
    return json.map((text, index) => [text as string, binary[index] as Uint8Array] as const);
  });
}

function edgePairs(): readonly (readonly [text: string, bytes: Uint8Array])[] {
  return EDGES.map((write) => [write(textMessages) as string, write(byteMessages) as Uint8Array]);
}

test.each([
  ['market', 'what the service sends for a seeded life', recordedPairs],
  ['market-exact', 'what few messages have', edgePairs],
])('the vectors of %s are %s', (name, _, makePairs) => {
  const pairs = makePairs();
  const lines = pairs.map(
    ([text, bytes]) => `{"hex":"${Buffer.from(bytes).toString('hex')}","frame":${text}}`,
  );
  const file = vectorsOf(name);
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(file, `${lines.join('\n')}\n`);
  expect(lines).toEqual(readFileSync(file, 'utf8').trimEnd().split('\n'));
  for (const [text, bytes] of pairs) {
    expect(digitsOf(decode(bytes))).toEqual(parseNumbersAsText(text));
  }
});

test('an encoding that there is not is refused', async () => {
  scene = await MarketStreamScene.start();
  const probe = await scene.open();
  for (const wish of WISHES) {
    const [error] = await probe.ask({ type: 'subscribe', ...wish, encoding: 'cbor' });
    expect(error).toMatchObject({ type: 'error', code: 'INVALID_PARAM' });
    expect(JSON.stringify(error)).toContain('must be json or binary');
  }
});

test('the library has the same trades by bytes as by JSON, to the last digit', async () => {
  scene = await MarketStreamScene.start();
  const random = new Random(SEED + 1);
  const url = scene.url.replace('ws', 'http');
  const byKind = (['json', 'binary'] as const).map((encoding) => {
    const client = new TradesClient({ url, WebSocket, encoding });
    const trades: unknown[] = [];
    client.subscribe('SOL-PERP').onTrades((batch) => trades.push(...batch.trades));
    return { client, trades };
  });
  const [json, binary] = byKind as [(typeof byKind)[0], (typeof byKind)[0]];
  let id = 1;
  for (let count = 0; count < 10; count += 1) {
    const fills = fillsOf(random, id, Math.floor(Date.now() / 1_000));
    id += fills.length;
    scene.store(fills);
    await until('both have all', () => byKind.every(({ trades }) => trades.length === id - 1));
  }
  expect(binary.trades).toEqual(json.trades);
  for (const { client } of byKind) client.close();
});
