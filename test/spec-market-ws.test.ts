/** The specification's live market data, sentence by sentence, from a store on a disk to real clients. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { MarketStreamScene } from './support/market-stream-scene.js';
import type { Probe } from './support/socket-scene.js';

/** The members of messages that are looked at. */
interface Message {
  readonly type: string;
  readonly code?: string;
  readonly channel?: string;
  readonly resolution?: string;
  readonly candle?: Readonly<Record<string, unknown>>;
  readonly trades?: readonly Readonly<Record<string, unknown>>[];
}

const subscribe = { type: 'subscribe', symbol: 'SOL-PERP', resolution: '1' };

let scene: MarketStreamScene;

beforeAll(async () => {
  scene = await MarketStreamScene.start();
  scene.fill({ baseAssetAmountFilled: 10n ** 9n, quoteAssetAmountFilled: 150_000_000n });
});

afterEach(() => scene.closeProbes());

afterAll(() => scene?.stop());

async function hear(client: Probe, count: number): Promise<readonly Message[]> {
  return (await client.hear(count)) as readonly Message[];
}

/** Waits for the message that tells a trade, and answers all that came until then, that one last. */
async function hearTrade(client: Probe, fillRecordId: bigint | null): Promise<readonly Message[]> {
  for (let count = 1; ; count += 1) {
    const messages = await hear(client, count);
    const isTold = ({ type, trades = [] }: Message): boolean =>
      type !== 'init' && trades.some((trade) => trade['fillRecordId'] === String(fillRecordId));
    const at = messages.findIndex(isTold);
    if (at >= 0) return messages.slice(0, at + 1);
  }
}

test('live-path: market data is live at /ws', async () => {
  const client = await scene.open('/ws');
  client.send(subscribe);
  expect((await hear(client, 2)).map(({ type }) => type)).toEqual(['init', 'subscription']);
});

test('live-type: type is `subscribe`', async () => {
  const client = await scene.open();
  client.send({ ...subscribe, type: 'subscribers' });
  expect(await hear(client, 1)).toMatchObject([{ type: 'error', code: 'MALFORMED_MESSAGE' }]);
});

test('live-symbol: symbol is the name of a market', async () => {
  const client = await scene.open();
  client.send({ ...subscribe, symbol: 'NO-PERP' });
  expect(await hear(client, 1)).toMatchObject([{ type: 'error', code: 'UNKNOWN_MARKET' }]);
  client.send({ ...subscribe, symbol: 'SOL' });
  const [, ack] = await hear(client, 2);
  expect(ack).toMatchObject({ type: 'subscription', channel: 'candle:SOL:1' });
});

test('live-resolution: resolution is one of the candles', async () => {
  const client = await scene.open();
  client.send({ ...subscribe, resolution: '2' });
  expect(await hear(client, 1)).toMatchObject([{ type: 'error', code: 'INVALID_PARAM' }]);
  for (const resolution of ['1', '5', '15', '60', '240', '1440']) {
    client.send({ ...subscribe, resolution });
  }
  const answers = (await hear(client, 13)).slice(1);
  const inits = answers.filter(({ type }) => type === 'init');
  expect(inits.map(({ candle }) => candle?.['resolution'])).toEqual([
    ...['1', '5', '15', '60', '240', '1440'],
  ]);
});

test('live-data: the client is sent JSON text with live candles and trades', async () => {
  const client = await scene.open();
  client.send(subscribe);
  await hear(client, 2);
  const { fillRecordId, ts } = scene.fill({
    baseAssetAmountFilled: 2n * 10n ** 9n,
    quoteAssetAmountFilled: 301_000_000n,
  });
  const told = (await hearTrade(client, fillRecordId)).at(-1);
  expect(['create', 'update']).toContain(told?.type);
  expect(told?.candle).toMatchObject({
    ...{ symbol: 'SOL-PERP', resolution: '1', ts: ts - (ts % 60) },
    ...{ fillClose: 150.5, lastFillRecordId: String(fillRecordId), lastTradeTs: ts },
  });
  expect(told?.trades?.at(-1)).toMatchObject({ price: 150.5, baseAssetAmountFilled: 2 });
});

test('event-market: candle updates and trades are pushed after a `subscribe`, and not before', async () => {
  const [silent, client] = [await scene.open(), await scene.open()];
  client.send(subscribe);
  await hear(client, 2);
  const fills = [scene.fill(), scene.fill(), scene.fill()];
  const messages = await hearTrade(client, fills.at(-1)?.fillRecordId ?? null);
  const ids = messages.flatMap(({ trades = [] }) => trades.map((trade) => trade['fillRecordId']));
  expect(ids).toEqual(fills.map(({ fillRecordId }) => String(fillRecordId)));
  expect(await silent.settle()).toEqual([]);
});

test('live-open: live market data requires no authentication', async () => {
  const client = await scene.open();
  client.send({ ...subscribe, channelType: 'trades' });
  const [init, ack] = await hear(client, 2);
  expect(init?.trades?.length).toBeGreaterThan(0);
  expect(ack).toMatchObject({ type: 'subscription', channel: 'trades:SOL-PERP' });
});
