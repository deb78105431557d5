/** Messages that are not of a book's channel: pings, market data, and what is no message at all. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { SocketScene } from '../../../test/support/socket-scene.js';

let scene: SocketScene;

beforeAll(async () => {
  scene = await SocketScene.start();
});

afterEach(() => scene.closeProbes());

afterAll(() => scene?.stop());

async function expectRefusal(message: unknown, expected: object): Promise<void> {
  const client = await scene.open();
  const answers = await client.ask(message);
  expect(answers).toHaveLength(1);
  expect(answers[0]).toMatchObject({ type: 'error', message: expect.any(String), ...expected });
  expect(answers[0]).not.toHaveProperty('error');
}

describe('messages of no channel', () => {
  test('a ping gets a pong with its id and the time, a departure', async () => {
    const client = await scene.open();
    const beforeMs = Date.now();
    client.send({ type: 'PING', id: 'a' });
    const [pong] = await client.hear(1);
    expect(pong).toEqual({ type: 'pong', id: 'a', ts: expect.any(Number) });
    expect((pong as { ts: number }).ts).toBeGreaterThanOrEqual(beforeMs);
  });

  test('a ping without an id gets a pong without one', async () => {
    const client = await scene.open();
    client.send({ type: 'ping' });
    expect(await client.hear(1)).toEqual([{ type: 'pong', ts: expect.any(Number) }]);
  });

  test.each([
    {},
    { type: 'hello' },
    { type: null },
    { type: ['subscribe'] },
    { channel: 'orderbook' },
    { type: 'hello', channel: 'orderbook' },
    '[]',
    '[{"type":"ping"}]',
    '"subscribe"',
    'null',
    '5',
    'true',
    '',
    '{',
    '{"type":"ping"',
    "{'type':'ping'}",
    '\u{feff}{"type":"ping"}',
  ])('%j is malformed and answered, a departure', (message) =>
    expectRefusal(message, { code: 'MALFORMED_MESSAGE' }),
  );

  test.each([
    ['resolution', { type: 'subscribe', symbol: 'SOL-PERP' }],
    ['symbol', { type: 'subscribe', resolution: '1' }],
    ['symbol', { type: 'subscribe', channelType: 'trades' }],
  ])('a missing %s is named, whatever else there is', (missing, message) =>
    expectRefusal(message, { code: 'MISSING_PARAM', message: `${missing} is missing` }),
  );
});
