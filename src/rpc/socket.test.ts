import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ScriptedRpc } from '../../test/scripted-rpc.js';
import { ManualTimers } from '../../test/support/manual-timers.js';
import { until } from '../../test/support/until.js';
import { Backoff } from './backoff.js';
import { EARLY_NOTIFICATIONS_MAX, SOCKET_MESSAGE_BYTES_MAX } from './limits.js';
import { RpcSocket, type RpcSocketListener, type RpcSocketOptions } from './socket.js';
import { systemTimers } from './timers.js';

let server: ScriptedRpc;
let socket: RpcSocket;
let events: string[];

beforeEach(async () => {
  server = await ScriptedRpc.start();
  events = [];
});

afterEach(async () => {
  socket.stop();
  await server.stop();
});

const listener: RpcSocketListener = {
  onOpened: () => events.push('opened'),
  onClosed: (reason) => events.push(`closed: ${reason}`),
  onMalformed: () => events.push('malformed'),
};

function start(options: Partial<RpcSocketOptions> = {}): void {
  socket = new RpcSocket({ url: server.wsUrl, random: () => 0, timers: systemTimers, ...options });
  socket.start(listener);
}

async function connect(options: Partial<RpcSocketOptions> = {}): Promise<void> {
  start(options);
  await until('the socket is open', () => events.includes('opened'));
}

function subscribeSlots(received: unknown[]): Promise<unknown> {
  return socket.subscribe('slotSubscribe', [], (result) => received.push(result));
}

describe('socket: subscriptions', () => {
  test('notifications reach their own handler', async () => {
    await connect();
    const slots: unknown[] = [];
    const roots: unknown[] = [];
    await subscribeSlots(slots);
    await socket.subscribe('rootSubscribe', [], (result) => roots.push(result));
    server.notify(({ method }) => method === 'slotSubscribe', 1);
    server.notify(({ method }) => method === 'rootSubscribe', 2);
    await until('both arrived', () => slots.length + roots.length === 2);
    expect([slots, roots]).toEqual([[1], [2]]);
  });

  test('notifications before the acknowledgement are kept in order', async () => {
    await connect();
    server.onSubscribe = () => ({ early: [1, 2, 3] });
    const slots: unknown[] = [];
    await subscribeSlots(slots);
    server.notify(() => true, 4);
    await until('all arrived', () => slots.length === 4);
    expect(slots).toEqual([1, 2, 3, 4]);
  });

  test('too many notifications before the acknowledgement cut the connection', async () => {
    await connect();
    const early = Array.from({ length: EARLY_NOTIFICATIONS_MAX + 1 }, (_, index) => index);
    server.onSubscribe = () => ({ early });
    await expect(subscribeSlots([])).rejects.toThrow('too many notifications');
    expect(events[1]).toContain('closed: too many notifications');
  });

  test('a refused subscribe fails with the code of the server', async () => {
    await connect();
    server.onSubscribe = () => ({ error: { code: -32091, message: 'Subscription rejected' } });
    await expect(subscribeSlots([])).rejects.toMatchObject({
      code: 'RPC_REJECTED',
      context: { rpcCode: -32091, serverText: 'Subscription rejected' },
    });
  });

  test('a message has nothing of a refused subscribe that repeats the credentials', async () => {
    const credentials = Buffer.from('user:pass-phrase').toString('base64');
    await connect({ url: server.wsUrl.replace('ws://', 'ws://user:pass-phrase@') });
    const message = `no Basic ${credentials} here, nor pass-phrase`;
    server.onSubscribe = () => ({ error: { code: -32091, message } });
    await expect(subscribeSlots([])).rejects.toThrow(/^RPC server refused with the error -32091$/);
  });

  test('a subscribe that is never answered fails after its limit', async () => {
    await connect({ ackTimeoutMs: 30 });
    server.onSubscribe = () => 'silent';
    await expect(subscribeSlots([])).rejects.toMatchObject({ code: 'RPC_TIMEOUT' });
    expect(socket.stats.subscriptions).toBe(0);
  });

  test('a subscribe fails when the connection ends before its answer', async () => {
    await connect();
    server.onSubscribe = () => 'silent';
    const subscribed = subscribeSlots([]);
    server.cut();
    await expect(subscribed).rejects.toMatchObject({ code: 'RPC_SOCKET_CLOSED' });
  });

  test('a subscribe without a connection fails at once', async () => {
    socket = new RpcSocket({ timers: systemTimers, url: server.wsUrl });
    await expect(subscribeSlots([])).rejects.toMatchObject({ code: 'RPC_SOCKET_CLOSED' });
  });

  test('an unsubscribed handler hears nothing more', async () => {
    await connect();
    const slots: unknown[] = [];
    const subscription = await socket.subscribe('slotSubscribe', [], (slot) => slots.push(slot));
    const seen = server.subscriptions[0];
    socket.unsubscribe(subscription);
    seen?.socket.send(
      '{"jsonrpc":"2.0","method":"slotNotification","params":{"result":1,"subscription":0}}',
    );
    await until('the server forgot it', () => server.subscriptions.length === 0);
    await until('the late one was counted', () => socket.stats.unknown >= 1);
    expect(slots).toEqual([]);
  });
});

describe('socket: connection', () => {
  test('it reconnects after a cut and keeps no subscription', async () => {
    await connect();
    const slots: unknown[] = [];
    await subscribeSlots(slots);
    server.cut();
    await until('it is open again', () => events.filter((one) => one === 'opened').length === 2);
    expect(events[1]).toBe('closed: closed with code 1006');
    expect(server.subscriptions).toEqual([]);
    expect(socket.stats.subscriptions).toBe(0);
  });

  test('it keeps trying while the port is closed', async () => {
    await connect();
    const { port } = server;
    await server.stop();
    await until('some tries failed', () => socket.stats.closes >= 3);
    server = await ScriptedRpc.start(port);
    await until('it is open again', () => events.at(-1) === 'opened');
  });

  test('a refused upgrade is named with its status', async () => {
    server.refuseUpgradeWith = 429;
    start({ url: `${server.wsUrl}secret-key-1` });
    await until('it was refused', () => events.length > 0);
    expect(events[0]).toBe('closed: HTTP status 429 instead of an upgrade');
  });

  test.each([429, 503])(
    'Retry-After of an upgrade refused with %i is waited for',
    async (status) => {
      const timers = new ManualTimers();
      Object.assign(server, { refuseUpgradeWith: status, retryAfter: '7' });
      start({ timers, random: () => 1 });
      await until('it was refused', () => events.length === 1);
      expect(events).toEqual([`closed: HTTP status ${status} instead of an upgrade`]);
      expect(timers.waitsMs).toEqual([7_000]);
      timers.advance(6_999);
      expect(server.upgrades).toBe(1);
      timers.advance(1);
      await until('it tried again', () => server.upgrades === 2);
    },
  );

  test('Retry-After holds for a socket that is stopped and started again', async () => {
    const timers = new ManualTimers();
    Object.assign(server, { refuseUpgradeWith: 429, retryAfter: '7' });
    start({ timers, random: () => 1 });
    await until('it was refused', () => events.length === 1);
    socket.stop();
    timers.advance(2_000);
    socket.start(listener);
    expect(timers.waitsMs).toEqual([5_000]);
    timers.advance(5_000);
    await until('it tried again', () => server.upgrades === 2);
  });

  test('one that is stopped and started at once hears of the new connection only', async () => {
    await connect();
    socket.stop();
    socket.start(listener);
    await until('the old one is gone', () => socket.stats.closes === 1);
    await until('open again', () => events.length === 2);
    expect(events).toEqual(['opened', 'opened']);
    const slots: unknown[] = [];
    await subscribeSlots(slots);
    server.notify(() => true, 1);
    await until('it is notified', () => slots.length === 1);
  });

  test('ids that a server gives out again after a cut belong to the new subscriptions', async () => {
    await connect();
    const told: string[] = [];
    const before = await socket.subscribe('slotSubscribe', [], () => told.push('before the cut'));
    server.cut();
    await until('open again', () => events.filter((one) => one === 'opened').length === 2);
    const after = await socket.subscribe('rootSubscribe', [], () => told.push('after it'));
    expect(after.id).toBe(before.id);
    server.notify(() => true, 1);
    await until('it is told', () => told.length > 0);
    expect(told).toEqual(['after it']);
  });

  test('a server that answers no ping is left', async () => {
    server.autoPong = false;
    await connect({ pingIntervalMs: 20, pongTimeoutMs: 40 });
    await until('it was left', () => events.length >= 2);
    expect(events[1]).toMatch(/^closed: nothing was received for \d+ ms$/);
  });

  test('a server that answers pings is kept', async () => {
    const timers = new ManualTimers();
    await connect({ timers, pingIntervalMs: 10, pongTimeoutMs: 40 });
    for (let count = 1; count <= 20; count += 1) {
      timers.advance(10);
      await until('it was pinged', () => server.pings === count);
    }
    expect(events).toEqual(['opened']);
  });

  test.each(['{"jsonrpc":"2.0","method":"slotNotif', '', 'null x', '\u0000'])(
    'the malformed text %j is counted and told, not thrown',
    async (text) => {
      await connect();
      server.sendText(text);
      await until('it was told', () => events.includes('malformed'));
      expect(socket.stats.malformed).toBe(1);
      expect(events).toEqual(['opened', 'malformed']);
    },
  );

  test.each([
    'null',
    '[]',
    '1',
    '{}',
    '{"id":99,"result":1}',
    '{"method":"slotNotification"}',
    '{"method":"slotNotification","params":{"subscription":"0"}}',
  ])('the JSON %j of no use is counted', async (text) => {
    await connect();
    server.sendText(text);
    await until('it was counted', () => socket.stats.unknown === 1);
    expect(events).toEqual(['opened']);
  });

  test('a message above the limit ends the connection', async () => {
    await connect();
    server.sendText('x'.repeat(SOCKET_MESSAGE_BYTES_MAX + 1));
    await until('it was cut', () => events.length >= 2);
    expect(events[1]).toContain('closed: WS_ERR_UNSUPPORTED_MESSAGE_LENGTH');
  });

  test('stop ends everything without another event', async () => {
    await connect();
    socket.stop();
    await until('the connection is gone', () => socket.stats.closes === 1);
    expect(events).toEqual(['opened']);
  });
});

test('backoff: waits double to the cap, between half and whole, and begin small after reset', () => {
  const backoff = new Backoff({ firstMs: 100, capMs: 350, random: () => 0 });
  expect([backoff.next(), backoff.next(), backoff.next(), backoff.next()]).toEqual([
    50, 100, 175, 175,
  ]);
  backoff.reset();
  expect(backoff.next()).toBe(50);
});
