import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../config/limits.js';
import { systemTimers } from '../../rpc/timers.js';
import type { ApiDescription } from '../api/openapi.js';
import { createHandlers } from '../routes/http.js';
import { paths } from '../routes/paths.js';
import { FakeHistory } from '../testing/fake-history.js';
import { fakeJournal } from '../testing/fake-journal.js';
import { FakeLog } from '../testing/fake-log.js';
import { FakeBook } from '../testing/running-server.js';
import { addressKey, isLoopback } from '../transport/client-address.js';
import type { Handler, Reply } from '../transport/reply.js';
import { RequestLimiter } from './admission.js';
import { ClientAddresses } from './client-addresses.js';

const IP = '203.0.113.9';

describe('client addresses', () => {
  test.each([
    ['127.0.0.1', true],
    ['127.9.9.9', true],
    ['::1', true],
    ['0000:0000:0000:0000:0000:0000:0000:0001', true],
    ['::ffff:127.0.0.1', true],
    ['0000:0000:0000:0000:0000:ffff:7f00:0001', true],
    ['128.0.0.1', false],
    ['1.127.0.0', false],
    ['::2', false],
    ['1::1', false],
    ['::ffff:10.0.0.1', false],
    ['', false],
    ['127.0.0.1.example', false],
  ])('%s is of this machine: %s', (ip, expected) => {
    expect(isLoopback(ip)).toBe(expected);
  });

  test.each([
    ['203.0.113.9', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['0000:0000:0000:0000:0000:ffff:cb00:7109', '203.0.113.9'],
    ['2001:db8:0:1::5', '2001:db8:0:0::/56'],
    ['2001:db8:0:abcd::5', '2001:db8:0:ab00::/56'],
    ['2001:0db8:0000:0001:ffff:ffff:ffff:ffff', '2001:db8:0:0::/56'],
    ['2001:db8::', '2001:db8:0:0::/56'],
    ['fe80::1%eth0', 'fe80:0:0:0::/56'],
    ['unknown', 'unknown'],
  ])('%s counts as %s', (ip, expected) => {
    expect(addressKey(ip)).toBe(expected);
  });
});

describe('the limiter', () => {
  const statuses = (limiter: RequestLimiter, ip: string, count: number): number[] =>
    Array.from({ length: count }, () => limiter.checkRequest(ip)?.status ?? 200);

  test('lets a burst of one second through, then refuses until the bucket fills', () => {
    let nowMs = 0;
    const limiter = new RequestLimiter({ perSecond: 2, timers: { nowMs: () => nowMs } });
    expect(statuses(limiter, IP, 3)).toEqual([200, 200, 429]);
    nowMs = 499;
    expect(statuses(limiter, IP, 1)).toEqual([429]);
    nowMs = 500;
    expect(statuses(limiter, IP, 2)).toEqual([200, 429]);
    nowMs = 60_000;
    expect(statuses(limiter, IP, 3)).toEqual([200, 200, 429]);
  });

  test('counts loopback once a proxy is trusted, which may be on this machine', () => {
    const addresses = new ClientAddresses(['10.0.0.0/8']);
    const limiter = new RequestLimiter({ perSecond: 1, addresses, timers: { nowMs: () => 0 } });
    expect(statuses(limiter, '127.0.0.1', 2)).toEqual([200, 429]);
    expect(statuses(limiter, '::1', 2)).toEqual([200, 429]);
  });

  test('tells addresses apart, and lets loopback through', () => {
    const limiter = new RequestLimiter({ perSecond: 1, timers: { nowMs: () => 0 } });
    expect(statuses(limiter, IP, 2)).toEqual([200, 429]);
    expect(statuses(limiter, '203.0.113.10', 1)).toEqual([200]);
    expect(statuses(limiter, '2001:db8::1', 1)).toEqual([200]);
    expect(statuses(limiter, '2001:db8::2', 1)).toEqual([429]);
    expect(statuses(limiter, '127.0.0.1', 5)).toEqual([200, 200, 200, 200, 200]);
  });

  test('remembers a bounded number of addresses, those that came last', () => {
    const limiter = new RequestLimiter({ perSecond: 1, timers: { nowMs: () => 0 } });
    expect(statuses(limiter, IP, 2)).toEqual([200, 429]);
    for (let host = 0; host < LIMITS.rateLimitedAddressesMax - 1; host += 1) {
      limiter.checkRequest(`10.${host >> 16}.${(host >> 8) & 255}.${host & 255}`);
    }
    expect(statuses(limiter, IP, 1)).toEqual([429]);
    expect(statuses(limiter, '10.0.0.1', 1)).toEqual([429]);
    limiter.checkRequest('203.0.113.77');
    // The address idle for longest was evicted, and starts over.
    expect(statuses(limiter, '10.0.0.0', 1)).toEqual([200]);
  });
});

describe('a limited service', () => {
  const ask = async (handler: Handler, path: string, ip = IP, method = 'get'): Promise<Reply> =>
    handler({
      method,
      path,
      query: '',
      ip,
      getHeader: () => '',
      countHeaderBytes: () => 0,
      announcesBody: () => false,
      isGone: false,
    });

  const handlersOf = (requestsPerSecond: number) =>
    createHandlers({
      timers: systemTimers,
      book: new FakeBook(),
      directory: new FakeBook(),
      readiness: () => ({ everLive: true, state: 'live', reason: null, slot: 1 }),
      feed: () => ({ slotAgeMs: 0, events: {} }),
      build: { name: 'slotbook', version: '1', commit: null },
      requestsPerSecond,
      metrics: 'operator',
      history: new FakeHistory(),
      journal: fakeJournal,
      proofs: new FakeLog(),
    });

  test('answers 429 with its headers, and with them on nothing else', async () => {
    const { main } = handlersOf(1);
    const first = await ask(main, '/version');
    expect(first.status).toBe(200);
    expect(JSON.stringify(first.headers)).not.toContain('"RateLimit-Limit"');
    const { status, headers, body } = await ask(main, '/version');
    expect(status).toBe(429);
    expect(JSON.parse(String(body)).error.code).toBe('RATE_LIMITED');
    expect(Object.fromEntries(headers)).toMatchObject({
      'Retry-After': '1',
      'RateLimit-Limit': '1',
      'RateLimit-Remaining': '0',
      'RateLimit-Reset': '1',
    });
  });

  test('refuses no preflight and counts none, and a page can read what it refuses', async () => {
    const { main } = handlersOf(1);
    const preflight = () => ask(main, '/version', IP, 'options');
    const statuses = [await preflight(), await preflight(), await ask(main, '/version')];
    expect(statuses.map(({ status }) => status)).toEqual([204, 204, 200]);
    const { status, headers } = await ask(main, '/version');
    expect([status, (await preflight()).status]).toEqual([429, 204]);
    expect(Object.fromEntries(headers)).toMatchObject({
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Expose-Headers': expect.stringContaining('Retry-After'),
    });
  });

  test('counts unknown paths, but neither probes nor loopback nor the operator', async () => {
    const { main, operator } = handlersOf(1);
    expect((await ask(main, '/nope')).status).toBe(404);
    expect((await ask(main, '/nope')).status).toBe(429);
    expect((await ask(main, '/v1/health')).status).toBe(200);
    expect((await ask(main, '/ready')).status).toBe(200);
    expect((await ask(main, '/version', '127.0.0.1')).status).toBe(200);
    expect((await ask(operator, '/status')).status).toBe(200);
    expect((await ask(operator, '/status')).status).toBe(200);
    const text = String((await ask(operator, '/metrics')).body);
    expect(text).toContain('slotbook_http_requests_total{path="unknown",status="429"} 1');
  });

  const described = Object.keys(paths).filter((path) => path !== '/metrics');

  test.each(described)('limits %s as it is described', async (path) => {
    const { main } = handlersOf(1);
    const { body } = await ask(main, '/openapi.json', '127.0.0.1');
    const { paths } = JSON.parse(String(body)) as ApiDescription;
    const sent = path.replaceAll(/[{}]/g, '');
    await ask(main, sent);
    const isRefused = (await ask(main, sent)).status === 429;
    expect(isRefused).toBe(Object.hasOwn(paths[path]?.get.responses ?? {}, '429'));
  });

  test('has no limit by default', async () => {
    const { main } = handlersOf(0);
    for (let count = 0; count < 100; count += 1) {
      expect((await ask(main, '/version')).status).toBe(200);
    }
  });
});
