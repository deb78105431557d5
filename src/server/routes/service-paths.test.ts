import { beforeEach, describe, expect, test } from 'vitest';
import { LIMITS } from '../../config/limits.js';
import { systemTimers } from '../../rpc/timers.js';
import { FakeBook, startServer } from '../testing/running-server.js';
import { transportVersion } from '../transport/native-transport.js';
import { listen } from '../transport/uws.js';

const book = new FakeBook();

const server = await startServer(book);

beforeEach(() => {
  server.readiness = { everLive: true, state: 'live', reason: null, slot: 1000 };
  book.broken = false;
});

describe('before the first live book', () => {
  beforeEach(() => {
    server.readiness = { everLive: false, state: 'starting', reason: 'no snapshot yet', slot: 0 };
  });

  test.each(['/l2?marketName=SOL-PERP', '/l3?marketName=SOL-PERP', '/markets', '/ready'])(
    '%s is 503 with Retry-After and the reason',
    async (path) => {
      const answer = await server.ask(path);
      const message = 'no snapshot yet';
      expect(answer.error).toEqual({ status: 503, code: 'NOT_READY', message, param: null });
      expect(answer.header('retry-after')).toBe('1');
    },
  );

  test.each(['/health', '/metrics', '/version', '/'])('%s answers all the same', async (path) => {
    expect((await server.ask(path)).status).toBe(200);
  });
});

describe('after a book was live', () => {
  test('a stale book is served, and only /ready turns 503', async () => {
    server.readiness = { everLive: true, state: 'stale', reason: 'no slot for 9 s', slot: 1000 };
    for (const path of ['/l2?marketName=SOL-PERP', '/markets', '/health']) {
      expect((await server.ask(path)).status).toBe(200);
    }
    const ready = await server.ask('/ready');
    expect(ready.status).toBe(503);
    expect(ready.text).toContain('no slot for 9 s');
  });

  test('/ready names the state', async () => {
    expect((await server.ask('/ready')).body).toEqual({ ready: true, state: 'live', slot: 1000 });
  });
});

describe('what the service says about itself', () => {
  test('/markets writes raw integers as text', async () => {
    const { body: rows } = await server.ask('/markets');
    expect(rows).toHaveLength(2);
    expect(rows[0]).toEqual({
      program: 'drift',
      symbol: 'SOL-PERP',
      name: 'SOL-PERP',
      marketIndex: 0,
      marketType: 'perp',
      status: 'active',
      tick: '100',
      step: '10000000',
      minOrderSize: '10000000',
      decimals: 9,
      oracle: 'oracle-0',
      oracleSource: 'pythLazer',
      emptyReason: null,
      ...{ baseAsset: 'SOL', quoteAsset: 'USDC', fees: { maker: 0, taker: 0 }, leverageMax: 1 },
    });
  });

  test('/markets is in the order of type and index, whatever arrived first', async () => {
    const rows = book.rows;
    const [perp] = rows;
    if (perp === undefined) throw new Error('the fake book has a market');
    book.rows = [...rows, { ...perp, id: 2, symbol: 'BTC-PERP', marketIndex: 1 }].reverse();
    const { body: shown } = await server.ask('/markets');
    const symbols = shown.map((row: { symbol: string }) => row.symbol);
    expect(symbols).toEqual(['SOL-PERP', 'BTC-PERP', 'SOL']);
    book.rows = rows;
  });

  test('/version names the build and what it runs on', async () => {
    expect((await server.ask('/version')).body).toEqual({
      name: 'slotbook',
      version: '9.9.9',
      program: 'drift',
      commit: 'abc',
      node: process.versions.node,
      uws: transportVersion,
    });
  });

  test('/ lists the paths', async () => {
    const { paths } = (await server.ask('/')).body;
    expect(paths).toEqual(expect.arrayContaining(['/l2', '/l3', '/markets', '/metrics']));
  });

  test('/metrics counts requests by path and status, and reads the book', async ({
    onTestFinished,
  }) => {
    const { rows } = book;
    onTestFinished(() => {
      book.rows = rows;
    });
    book.rows = rows.map((row) => ({ ...row, emptyReason: 'ordersOnClob' }));
    await server.ask('/l2?marketName=NOPE');
    await server.ask('/v1/l2?marketName=SOL-PERP');
    await server.ask('/made/up/path');
    const answer = await server.ask('/metrics');
    expect(answer.header('content-type')).toContain('text/plain');
    // A rendering is kept for a short time, so this one may be of the test before.
    const read = async () => (await server.ask('/metrics')).text;
    const counted = /slotbook_http_requests_total\{path="unknown",status="404"\} [1-9]/;
    await expect.poll(read).toMatch(counted);
    const text = await read();
    for (const line of [
      /slotbook_http_requests_total\{path="\/l2",status="404"\} [1-9]/,
      /slotbook_http_requests_total\{path="\/l2",status="200"\} [1-9]/,
      /slotbook_orders_left_out\{reason="expired"\} 3/,
      /slotbook_markets_empty\{reason="ordersOnClob"\} 2/,
      /slotbook_seq\{market="SOL-PERP"\} 7/,
      /slotbook_accounts_quarantined 2/,
      /slotbook_slot 1000/,
      /slotbook_slot_age_seconds 0.25/,
      /slotbook_feed_events_total\{event="rebuilds"\} 4/,
      /process_cpu_seconds_total/,
    ]) {
      expect(text).toMatch(line);
    }
    expect(text).not.toContain('made');
  });

  test('/metrics counts refusals for size and faults as well', async () => {
    await server.ask(`/l2?${'x'.repeat(LIMITS.requestLineBytesMax)}`);
    await server.ask(`/${'x'.repeat(LIMITS.requestLineBytesMax)}`);
    book.broken = true;
    await server.ask('/l3?marketName=SOL-PERP');
    const read = async () => (await server.ask('/metrics')).text;
    await expect.poll(read).toContain('slotbook_http_requests_total{path="/l3",status="500"} 1\n');
    const text = await read();
    expect(text).toContain('slotbook_http_requests_total{path="/l2",status="413"} 1\n');
    expect(text).toContain('slotbook_http_requests_total{path="unknown",status="413"} 1\n');
  });
});

describe('faults', () => {
  test('an exception in a handler is a 500 without a trace, and the service goes on', async () => {
    book.broken = true;
    const { error, text } = await server.ask('/l2?marketName=SOL-PERP');
    expect(error).toMatchObject({ status: 500, code: 'INTERNAL' });
    expect(text).not.toContain('deliberate');
    expect(server.faults.map(String)).toContain('Error: deliberate');
    book.broken = false;
    expect((await server.ask('/l2?marketName=SOL-PERP')).status).toBe(200);
  });

  test('a second instance on the same port fails at start', async () => {
    const port = Number(new URL(server.url).port);
    const handler = () => ({ status: 200, headers: [], body: '' });
    const second = listen({
      timers: systemTimers,
      host: '127.0.0.1',
      port,
      handler,
      onFault: () => {},
    });
    await expect(second).rejects.toThrow(
      'the port is in use, or the address is not one of this machine',
    );
  });

  test('a client that leaves before a late answer does no harm', async () => {
    const leaving = new AbortController();
    const request = fetch(`${server.url}/metrics`, { signal: leaving.signal });
    leaving.abort();
    await expect(request).rejects.toThrow();
    expect((await server.ask('/health')).status).toBe(200);
  });
});
