/** /asyncapi.json describes every channel that there is, and every member of the messages of a running demo. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { CHANNELS } from '../src/page/model/console-frames.js';
import type { AsyncDescription } from '../src/server/routes/asyncapi.js';
import { COMPATIBLE_CHANNELS } from '../src/server/sockets/compatible-dialect.js';
import { MARKET_CHANNELS } from '../src/server/sockets/market-dialect.js';
import { STREAM_CHANNELS } from '../src/server/sockets/stream-dialect.js';
import { DemoService } from './support/demo-service.js';
import { closedSchema } from './support/message-schemas.js';
import { until } from './support/until.js';

let service: DemoService;
let described: AsyncDescription;

beforeAll(async () => {
  service = await DemoService.start({ rate: '40', fills: '5', makers: '20' });
  described = JSON.parse((await service.get('/asyncapi.json')).text);
});

afterAll(() => service?.stop());

/** What a reference leads to; undefined where it leads nowhere. */
function resolveRef($ref: string): unknown {
  const names = $ref.replace(/^#\//, '').split('/');
  return names.reduce<unknown>((at, name) => (at as Record<string, unknown>)?.[name], described);
}

/** Every reference in a value. */
function refsIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) =>
    name === '$ref' ? [String(part)] : refsIn(part),
  );
}

/** Whether a message fits one of those that an operation of the channel names. */
function checkerOf(operation: string): (message: unknown) => boolean {
  const ajv = new Ajv2020({ strict: false, logger: false });
  ajv.addSchema({ $id: 'described', ...closedSchema({ components: described.components }) });
  const { messages } = described.operations[operation] as { messages: { $ref: string }[] };
  const checks = messages.map(({ $ref }) => {
    const { $ref: shared } = resolveRef($ref) as { $ref: string };
    const { payload } = resolveRef(shared) as { payload: { schema: { $ref: string } } };
    return ajv.compile({ $ref: `described${payload.schema.$ref}` });
  });
  return (message) => checks.some((check) => check(message));
}

test('the channels are those of the tables by which messages are read, and all of the console', () => {
  const names = [
    ...STREAM_CHANNELS.map((name) => `stream.${name}`),
    'stream.user',
    ...MARKET_CHANNELS.map((name) => `market.${name}`),
    ...COMPATIBLE_CHANNELS.map((name) => `compatible.${name}`),
    'quotes',
  ];
  expect(Object.keys(described.channels)).toEqual(names);
  expect(Object.keys(described.operations).sort()).toEqual(
    names.flatMap((name) => [`receive.${name}`, `send.${name}`]).sort(),
  );
  const known = names.map((name) => name.split('.').at(-1)?.replace('candle', 'candles'));
  expect(CHANNELS.filter((name) => !known.includes(name))).toEqual([]);
});

test('every reference leads somewhere, and each channel has messages in both directions', () => {
  expect(refsIn(described).filter(($ref) => resolveRef($ref) === undefined)).toEqual([]);
  for (const operation of Object.values(described.operations)) {
    expect((operation as { messages: unknown[] }).messages.length).toBeGreaterThan(1);
  }
});

test('what is said of a replay is described with each streaming channel', () => {
  for (const name of STREAM_CHANNELS) {
    const messages = Object.keys(described.channels[`stream.${name}`]?.messages ?? {});
    const asked = ['pause', 'resume', 'seek'];
    const said = ['paused', 'resumed', 'sought', 'hole', 'ended', 'live'];
    expect(messages).toEqual(expect.arrayContaining([...asked, ...said]));
  }
});

const market = 'SOL-PERP';
const sol = { market, marketType: 'perp' };

test.for([
  ['stream.book', { channel: 'book', market, depth: 20, includeVamm: true, timing: true, id: 1 }],
  ['stream.bbo', { channel: 'bbo', market, intervalMs: 50 }],
  ['stream.l3', { channel: 'l3', market, depth: 50 }],
  ['market.candle', { symbol: market, resolution: '1' }],
  ['market.trades', { channelType: 'trades', symbol: market }],
  ['market.orderbook', { channelType: 'orderbook', symbol: market }],
  ['market.markets', { channelType: 'markets' }],
  ['market.pricing', { channelType: 'pricing', id: 'a' }],
  ['compatible.orderbook', { channel: 'orderbook', ...sol, grouping: 10 }],
  ['compatible.orderbook_indicative', { channel: 'orderbook_indicative', ...sol }],
  ['compatible.trades', { channel: 'trades', ...sol }],
] as const)('the messages of %s are as described', async ([channel, members]) => {
  const subscribe = { type: 'subscribe', ...members };
  const [fitsClient, fitsServer] = [checkerOf(`receive.${channel}`), checkerOf(`send.${channel}`)];
  const messages: unknown[] = [];
  const socket = new WebSocket(service.socketUrl);
  socket.on('message', (data) => messages.push(JSON.parse(String(data))));
  await new Promise((resolve) => socket.once('open', resolve));
  try {
    const sent = [subscribe, { type: 'ping', id: 2 }];
    expect(sent.filter((message) => !fitsClient(message))).toEqual([]);
    for (const message of sent) socket.send(JSON.stringify(message));
    // What cannot be subscribed to is an error, and what was can be ended.
    socket.send(JSON.stringify({ ...subscribe, market: 'NONE', symbol: 'NONE', resolution: '7' }));
    const isRare = channel === 'market.markets';
    await until('its messages', () => messages.length >= (isRare ? 3 : 6));
    socket.send(JSON.stringify({ ...subscribe, type: 'unsubscribe' }));
    socket.send('{"type":"ping","id":"end"}');
    // A heartbeat may come behind it.
    await until('the end', () =>
      messages.some((one) => JSON.stringify(one).includes('"id":"end"')),
    );
    expect(messages.filter((message) => !fitsServer(message))).toEqual([]);
  } finally {
    socket.terminate();
  }
});

test('the messages to a maker are as described', async () => {
  const fits = checkerOf('send.quotes');
  const socket = new WebSocket(
    `${service.url.replace('http', 'ws')}/quotes/ws?pubkey=11111111111111111111111111111111`,
  );
  const messages: unknown[] = [];
  socket.on('message', (data) => messages.push(JSON.parse(String(data))));
  await new Promise((resolve) => socket.once('close', resolve));
  expect(messages.length).toBeGreaterThan(0);
  expect(messages.filter((message) => !fits(message))).toEqual([]);
  const fitsMaker = checkerOf('receive.quotes');
  const quote = { bid_price: '1', bid_size: 2, ask_price: null, is_oracle_offset: false };
  for (const message of [
    { pubkey: 'KEY', signature: 'c2ln' },
    { market_index: 0, market_type: 'perp', quotes: [quote], id: 1 },
    { market_index: 0, market_type: 'PERP', ...quote },
  ]) {
    expect(fitsMaker(message)).toBe(true);
  }
  expect(fitsMaker({ market_index: 0, market_type: 'perp', quotes: ['1'] })).toBe(false);
});
