/** Repeated subscriptions to candles: before their snapshot, and after a failure. */
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { type FakeClient, newServer, openOn, startOn } from '../../../test/support/fake-client.js';
import { FakeMarketStreams } from '../../../test/support/fake-market-streams.js';
import { LIMITS } from '../../config/limits.js';
import type { SocketServer } from './socket-server.js';

const topic = 'candle:perp_0:1';
const candles = { type: 'subscribe', symbol: 'SOL-PERP', resolution: '1' };
const channel = { type: 'subscribe', channel: 'trades', marketType: 'perp', market: 'SOL-PERP' };
const init = { type: 'init' };
const notReady = { type: 'error', code: 'NOT_READY' };

let history: FakeMarketStreams;
let server: SocketServer;
let client: FakeClient;

beforeEach(() => {
  history = new FakeMarketStreams();
  server = newServer({ history, messagesPerSecond: 1_000 });
  client = openOn(server);
  startOn(server);
});

function ack(id: number): object {
  return { type: 'subscription', channel: 'candle:SOL-PERP:1', id };
}

/** The client takes part. */
function follow(): void {
  client.say({ ...candles, id: 0 });
  history.send(topic, ['reset', init]);
  expect(client.taken()).toMatchObject([init, ack(0)]);
}

describe('a subscription that is asked for again', () => {
  test('before it is shown is shown and acknowledged each time, in order', () => {
    for (const id of [1, 2, 3]) client.say({ ...candles, id });
    history.send(topic, ['reset', init], ['update', { at: 2 }]);
    const told = [init, ack(1), init, ack(2), init, ack(3), { at: 2 }];
    expect(client.taken()).toMatchObject(told);
    expect(history.asked).toEqual([`+${topic}`]);
    expect(server.readStats().topics).toBe(1);
  });

  test('is told everything while it waits to be shown anew, each once', () => {
    follow();
    client.say({ ...candles, id: 1 });
    history.send(topic, ['update', { at: 2 }]);
    expect(client.taken()).toEqual([{ at: 2 }]);
    history.send(topic, ['snapshot', init], ['update', { at: 3 }]);
    expect(client.taken()).toMatchObject([init, ack(1), { at: 3 }]);
  });

  test('stays as it was where it cannot be shown anew', () => {
    follow();
    for (const id of [1, 2]) client.say({ ...candles, id });
    history.send(topic, ['refused', 'no'], ['update', { at: 2 }]);
    const errors = [1, 2].map((id) => ({ ...notReady, symbol: 'SOL-PERP', id }));
    expect(client.taken()).toMatchObject([...errors, { at: 2 }]);
    expect(server.readStats().topics).toBe(1);
    client.say({ ...candles, id: 3 });
    history.send(topic, ['snapshot', init], ['update', { at: 3 }]);
    expect(client.taken()).toMatchObject([init, ack(3), { at: 3 }]);
  });

  test('ends as one', () => {
    follow();
    for (const id of [1, 2]) client.say({ ...candles, id });
    client.say({ ...candles, type: 'unsubscribe', id: 3 });
    expect(client.taken()).toMatchObject([ack(1), ack(2), { type: 'unsubscription', id: 3 }]);
    history.send(topic, ['snapshot', init], ['update', { at: 2 }]);
    expect([client.taken(), [...client.topics]]).toEqual([[], []]);
    expect(history.asked.at(-1)).toBe(`-${topic}`);
    expect(server.readStats().topics).toBe(0);
  });

  test('is given back with its socket', () => {
    follow();
    client.say({ ...candles, id: 1 });
    client.session?.onClose('client');
    expect(client.taken()).toEqual([]);
    expect(history.asked.at(-1)).toBe(`-${topic}`);
    expect(server.readStats().topics).toBe(0);
  });

  test('of a client that does not read is answered when it does', () => {
    follow();
    client.fill();
    history.send(topic, ['update', { at: 2 }]);
    for (const id of [1, 2]) client.say({ ...candles, id });
    client.drainTo(0);
    history.send(topic, ['snapshot', init], ['update', { at: 3 }]);
    expect(client.taken()).toMatchObject([init, init, ack(1), init, ack(2), { at: 3 }]);
  });

  test('of the compatible channel is one topic beside the heartbeat, and ends as one', () => {
    for (const id of [1, 2]) client.say({ ...channel, id });
    history.send('channel:perp_0', ['reset', { leftOut: 'trades_perp_0' }]);
    expect(client.taken()).toHaveLength(2);
    expect(client.topics.size).toBe(2);
    client.say({ ...channel, type: 'unsubscribe' });
    expect([...client.topics]).toEqual([expect.stringMatching(/^heartbeat /)]);
  });
});

describe('an answer that comes late', () => {
  test('has the id of its message when the history refuses', () => {
    client.say({ ...candles, id: 'mine' });
    client.say({ ...channel, id: 7 });
    history.send(topic, ['refused', 'no']);
    history.send('channel:perp_0', ['refused', 'no']);
    const [, first, second] = client.taken();
    expect([first, second]).toMatchObject([
      { ...notReady, id: 'mine', resolution: '1' },
      { ...notReady, id: 7, error: 'Error subscribing to channel' },
    ]);
    expect(server.readStats().topics).toBe(0);
  });

  test('has it when the history does not answer', async () => {
    client.say({ ...candles, id: 7 });
    await vi.advanceTimersByTimeAsync(LIMITS.marketShowMsMax);
    expect(client.taken()).toMatchObject([{ ...notReady, id: 7 }]);
  });
});
