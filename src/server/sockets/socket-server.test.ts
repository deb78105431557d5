import { describe, expect, test, vi } from 'vitest';
import { type FakeClient, newServer, openOn } from '../../../test/support/fake-client.js';
import { FakeMarketStreams } from '../../../test/support/fake-market-streams.js';
import { LIMITS } from '../../config/limits.js';
import { ClientAddresses } from '../admission/client-addresses.js';
import { changes, publishAll } from '../testing/market-changes.js';
import { FakeBook } from '../testing/running-server.js';
import type { HttpRequest } from '../transport/reply.js';
import type { SocketServer } from './socket-server.js';

const subscribe =
  '{"type":"subscribe","channel":"orderbook","marketType":"perp","market":"SOL-PERP"}';
const unsubscribe = subscribe.replace('subscribe', 'unsubscribe');

const upgradeHeaders: Readonly<Record<string, string>> = {
  upgrade: 'WebSocket',
  'sec-websocket-version': '13',
};

function requestFrom(ip: string, headers = upgradeHeaders): HttpRequest {
  const header = (name: string): string => headers[name] ?? '';
  return {
    method: 'get',
    path: '/ws',
    query: '',
    ip,
    getHeader: header,
    countHeaderBytes: () => 100,
    announcesBody: () => false,
    isGone: false,
  };
}

function refusalOf(server: SocketServer, request: HttpRequest): unknown {
  const reply = server.checkUpgrade(request);
  if (reply === null) return null;
  const { error } = JSON.parse(String(reply.body));
  const retryAfter = reply.headers.find(([name]) => name === 'Retry-After')?.[1];
  return [reply.status, error.code, ...(retryAfter === undefined ? [] : [retryAfter])];
}

describe('an upgrade', () => {
  test.each([
    { upgrade: 'h2c', 'sec-websocket-version': '13' },
    { 'sec-websocket-version': '13' },
    { upgrade: 'websocket', 'sec-websocket-version': '8' },
    { upgrade: 'websocket' },
  ])('that is none is told so: %j', (headers) => {
    const request = requestFrom('203.0.113.7', headers);
    expect(refusalOf(newServer(), request)).toEqual([426, 'UPGRADE_REQUIRED']);
  });

  test('with more than its share of headers is too large', () => {
    const request = {
      ...requestFrom('203.0.113.7'),
      countHeaderBytes: () => LIMITS.headerBytesMax + 1,
    };
    expect(refusalOf(newServer(), request)).toEqual([413, 'TOO_LARGE']);
  });

  test('that announces a body is refused, and its connection ends', () => {
    const request = { ...requestFrom('203.0.113.7'), announcesBody: () => true };
    expect(refusalOf(newServer(), request)).toEqual([400, 'INVALID_REQUEST']);
    expect(newServer().checkUpgrade(request)).toMatchObject({ endsConnection: true });
  });

  test('beyond the sockets of its address waits until one has closed', () => {
    const server = newServer();
    const request = requestFrom('203.0.113.7');
    expect(refusalOf(server, request)).toBeNull();
    const [first] = [openOn(server), openOn(server)];
    expect(refusalOf(server, request)).toEqual([429, 'RATE_LIMITED', '1']);
    expect(refusalOf(server, requestFrom('203.0.113.8'))).toBeNull();
    expect(refusalOf(server, requestFrom('::ffff:203.0.113.7'))).toEqual([
      429,
      'RATE_LIMITED',
      '1',
    ]);
    first?.session?.onClose('client');
    expect(refusalOf(server, request)).toBeNull();
    expect(server.readStats()).toMatchObject({ sockets: 1, refused: { RATE_LIMITED: 2 } });
  });

  test('of an IPv6 address counts with those of its network', () => {
    const server = newServer();
    openOn(server, '2001:db8:1:2::5');
    openOn(server, '2001:db8:1:2::6');
    expect(refusalOf(server, requestFrom('2001:db8:1:2::7'))).toEqual([429, 'RATE_LIMITED', '1']);
    expect(refusalOf(server, requestFrom('2001:db8:1:103::7'))).toBeNull();
  });

  test('of this machine is not counted', () => {
    const server = newServer();
    for (let count = 0; count < 5; count += 1) openOn(server, '127.0.0.1');
    expect(refusalOf(server, requestFrom('127.0.0.1'))).toBeNull();
  });

  test('of this machine is counted once a proxy is trusted, which may be there', () => {
    const server = newServer({ addresses: new ClientAddresses(['10.0.0.1']) });
    for (let count = 0; count < 2; count += 1) openOn(server, '127.0.0.1');
    expect(refusalOf(server, requestFrom('127.0.0.1'))).toEqual([429, 'RATE_LIMITED', '1']);
  });

  test('has no limit by address where that is 0', () => {
    const server = newServer({ socketsPerIp: 0 });
    for (let count = 0; count < 20; count += 1) openOn(server);
    expect(refusalOf(server, requestFrom('203.0.113.7'))).toBeNull();
  });

  test('beyond all sockets is refused, wherever it comes from', () => {
    const server = newServer({ socketsMax: 3 });
    for (const ip of ['127.0.0.1', '203.0.113.1', '203.0.113.2']) openOn(server, ip);
    expect(refusalOf(server, requestFrom('127.0.0.1'))).toEqual([503, 'LIMIT_EXCEEDED', '1']);
  });
});

describe('the heartbeat', () => {
  test('goes every 5 s to each shard of the sockets, and stops with the service', async () => {
    const server = newServer();
    const publish = vi.fn();
    server.start({ publish });
    vi.advanceTimersByTime(LIMITS.heartbeatIntervalMs * 3);
    const beats = new Map<string, number>();
    for (const [topic, text] of publish.mock.calls) {
      expect(text).toBe('{"channel":"heartbeat"}');
      beats.set(topic, (beats.get(topic) ?? 0) + 1);
    }
    expect([...beats.values()]).toEqual(Array(LIMITS.heartbeatShards).fill(3));
    await server.close();
    vi.advanceTimersByTime(LIMITS.heartbeatIntervalMs * 3);
    expect(publish).toHaveBeenCalledTimes(LIMITS.heartbeatShards * 3);
  });

  test('of many sockets is spread over the interval', () => {
    const server = newServer();
    const sockets = Array.from({ length: LIMITS.heartbeatShards * 4 }, () => openOn(server));
    for (const { session } of sockets) session?.onMessage(subscribe);
    const shards = sockets.map(({ topics }) => [...topics].filter(isBeat).join());
    const sizes = shards.map((shard) => shards.filter((other) => other === shard).length);
    expect(new Set(sizes)).toEqual(new Set([4]));
  });

  test('begins with the connection, and goes on where no subscription was taken', () => {
    const socket = openOn(newServer());
    expect([...socket.topics].filter(isBeat)).toHaveLength(1);
    socket.session?.onMessage(subscribe.replace('SOL-PERP', 'NO-PERP'));
    expect(socket.taken()).toMatchObject([{ code: 'UNKNOWN_MARKET' }]);
    expect([...socket.topics].filter(isBeat)).toHaveLength(1);
    socket.session?.onMessage(subscribe);
    socket.session?.onMessage(unsubscribe);
    expect([...socket.topics].filter(isBeat)).toHaveLength(1);
  });

  test.each([
    '{"type":"subscribe","channel":"book","market":"SOL-PERP"}',
    '{"type":"subscribe","symbol":"SOL-PERP","resolution":"1"}',
  ])('ends with a first message in a dialect that has none, and comes back: %s', (message) => {
    const socket = openOn(newServer({ history: new FakeMarketStreams() }));
    socket.session?.onMessage(message);
    expect([...socket.topics].filter(isBeat)).toEqual([]);
    socket.session?.onMessage(subscribe);
    socket.session?.onMessage(message);
    expect([...socket.topics].filter(isBeat)).toHaveLength(1);
  });
});

function isBeat(topic: string): boolean {
  return topic.startsWith('heartbeat ');
}

describe('first books that wait for a busy client', () => {
  const other = subscribe.replace('}', ',"grouping":10}');

  /** A socket on which two first books are waiting. */
  function busySocket(): FakeClient {
    const socket = openOn(newServer());
    socket.buffered = LIMITS.socketBacklogBytesMax + 1;
    socket.session?.onMessage(subscribe);
    socket.session?.onMessage(other);
    expect(socket.sent.filter((text) => text.includes('data'))).toEqual([]);
    socket.sent.length = 0;
    return socket;
  }

  test('come when it has read, in the order of the subscriptions, once', () => {
    const socket = busySocket();
    socket.session?.onDrain();
    expect(socket.sent).toEqual([]);
    socket.drainTo(0);
    socket.session?.onDrain();
    expect(socket.sent.map((text) => text.includes('grouping'))).toEqual([false, true]);
  });

  test('do not come for what it has unsubscribed from meanwhile', () => {
    const socket = busySocket();
    socket.session?.onMessage(unsubscribe);
    socket.sent.length = 0;
    socket.drainTo(0);
    expect(socket.sent).toHaveLength(1);
    expect(socket.sent[0]).toContain('grouping');
  });
});

test('of two markets with one name and type the lower index is meant', () => {
  const book = new FakeBook();
  const [first, ...others] = book.rows;
  if (first === undefined) throw new Error('the fake book has no market');
  const twin = (marketIndex: number, id: number) => ({ ...first, marketIndex, id });
  book.rows = [twin(9, 4), twin(3, 5), twin(7, 6), ...others.filter((row) => row.id !== 0)];
  const socket = openOn(newServer({ book }));
  socket.session?.onMessage(subscribe);
  expect(socket.sent[1]).toContain('orderbook_5');
});

describe('figures', () => {
  test('count frames and bytes given, errors by code, closes by reason', () => {
    const server = newServer();
    server.start({ publish: () => {} });
    const sockets = [openOn(server, '127.0.0.1'), openOn(server), openOn(server)];
    for (const { session } of sockets) session?.onMessage(subscribe);
    publishAll(server, changes({ dirty: [0] }));
    sockets[0]?.session?.onMessage('no JSON');
    sockets[1]?.session?.onClose('lost');
    sockets[2]?.session?.onDropped();
    sockets[2]?.session?.onClose('idle');
    const bytes = sockets[0]?.sent[1]?.length ?? 0;
    expect(server.readStats()).toEqual({
      sockets: 1,
      topics: 1,
      frames: 6,
      bytes: bytes * 6,
      dropped: 1,
      slow: 1,
      resets: 0,
      ringBytes: 0,
      failed: 0,
      closes: { lost: 1, idle: 1 },
      errors: { MALFORMED_MESSAGE: 1 },
      refused: {},
    });
    server.close();
  });
});

describe('the end', () => {
  test('is announced to each with its own time, then cut', async () => {
    const server = newServer();
    const sockets = Array.from({ length: 20 }, () => openOn(server));
    const closed = server.close();
    // Without waiting frames, the server checks once.
    await vi.advanceTimersByTimeAsync(LIMITS.socketDrainPollMs);
    await closed;
    const waits = sockets.map(({ sent }) => JSON.parse(sent.at(-1) ?? ''));
    for (const { type, reconnectAfterMs } of waits) {
      expect(type).toBe('closing');
      expect(reconnectAfterMs).toBeGreaterThanOrEqual(LIMITS.reconnectAfterMsMin);
      expect(reconnectAfterMs).toBeLessThanOrEqual(LIMITS.reconnectAfterMsMax);
    }
    expect(new Set(waits.map(({ reconnectAfterMs }) => reconnectAfterMs)).size).toBeGreaterThan(5);
    expect(sockets.map(({ closedWith }) => closedWith)).toEqual(Array(20).fill(1006));
    expect(server.readStats()).toMatchObject({ sockets: 0, closes: { shutdown: 20 } });
  });

  test('waits for a client that still reads, and not for one that does not', async () => {
    const server = newServer();
    const [slow, silent] = [openOn(server, '127.0.0.1'), openOn(server, '127.0.0.1')];
    slow.buffered = 9;
    silent.buffered = 9;
    const closed = server.close();
    await vi.advanceTimersByTimeAsync(200);
    expect([slow.closedWith, silent.closedWith]).toEqual([undefined, undefined]);
    slow.buffered = 0;
    await vi.advanceTimersByTimeAsync(LIMITS.socketDrainPollMs);
    expect([slow.closedWith, silent.closedWith]).toEqual([1006, undefined]);
    await vi.advanceTimersByTimeAsync(LIMITS.socketDrainMsMax);
    expect(silent.closedWith).toBe(1006);
    await closed;
  });

  test('lets nobody in, and sends no more books', async () => {
    const server = newServer();
    const publish = vi.fn();
    server.start({ publish });
    openOn(server).session?.onMessage(subscribe);
    const closed = server.close();
    publishAll(server, changes({ dirty: [0] }));
    expect(refusalOf(server, requestFrom('203.0.113.9'))).toEqual([503, 'NOT_READY', '1']);
    await closed;
    expect(publish).not.toHaveBeenCalled();
  });
});
