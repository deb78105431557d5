/** How WebSocket connections end on the real transport. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SocketScene } from '../../../test/support/socket-scene.js';
import { until } from '../../../test/support/until.js';

let scene: SocketScene;

beforeEach(async () => {
  scene = await SocketScene.start();
});

afterEach(() => scene?.stop());

const wish = { type: 'subscribe', channel: 'orderbook', marketType: 'perp', market: 'SOL-PERP' };

const stream = { type: 'subscribe', channel: 'book', market: 'SOL-PERP' };
const candles = { type: 'subscribe', symbol: 'SOL-PERP', resolution: '1' };
const cut = { code: 1006, reason: '' };

/** A connection is closed without a close frame unless the client uses only the streaming dialect. */
const endings: readonly [string, readonly object[], object][] = [
  ['has a compatible channel', [wish], cut],
  ['has an unknown market', [{ ...wish, market: 'NO-PERP' }], cut],
  ['has candles', [candles], cut],
  ['has compatible and streaming channels', [stream, wish], cut],
  ['has said nothing', [], cut],
];

test.each([
  ...endings,
  ['has streaming channels alone', [stream], { code: 1001, reason: 'shutdown' }],
])('at the end of the service a client that %s is closed so', async (_, messages, closed) => {
  const client = await scene.open();
  for (const message of messages) await client.ask(message);
  await scene.sockets.close();
  expect(await client.closed).toEqual(closed);
  expect(JSON.parse(client.texts.at(-1) ?? '')).toMatchObject({ type: 'closing' });
});

test.each([
  ...endings,
  [
    'has streaming channels alone',
    [stream],
    { code: 1008, reason: 'more than 5 messages a second' },
  ],
])('with too many messages a client that %s is closed so', async (_, messages, closed) => {
  await scene.stop();
  scene = await SocketScene.start({ messagesPerSecond: 5 });
  const client = await scene.open();
  for (const message of messages) client.send(message);
  for (let count = 0; count < 100; count += 1) client.send({ type: 'ping' });
  expect(await client.closed).toEqual(closed);
  const codes = client.texts.map((text) => JSON.parse(text).code);
  expect(codes.filter((code) => code === 'RATE_LIMITED')).toHaveLength(10);
});

test('a client hears what waits and of the end of the service, and then it is cut', async () => {
  const client = await scene.open();
  await client.ask(wish);
  scene.book.filler = 'x'.repeat(400_000);
  scene.change(0);
  await scene.sockets.close();
  scene.listener.close();
  expect(await client.closed).toEqual(cut);
  const [book, end] = client.texts.slice(-2).map((text) => JSON.parse(text));
  expect(JSON.parse(book.data).filler).toBe(scene.book.filler);
  expect(end).toEqual({ type: 'closing', reconnectAfterMs: expect.any(Number) });
});

test('a client that is let in again while others still leave is not sent away with them', async () => {
  const first = await scene.open();
  await first.ask(stream);
  const away = scene.sockets.drainClients();
  scene.sockets.acceptClients();
  const second = await until(() => scene.open().catch(() => undefined));
  await second.ask(stream);
  await away;
  expect(await first.closed).toEqual({ code: 1001, reason: 'shutdown' });
  scene.change(0);
  await until(() => second.texts.some((text) => text.includes('"delta"')));
  expect(scene.sockets.readStats()).toMatchObject({ sockets: 1 });
});
