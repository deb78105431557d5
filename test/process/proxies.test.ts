/**
 * The proxies of docs/deployment.md, each the real program with its kept configuration: TLS, HTTP/1.1,
 * WebSockets, limits that count visitors, and health checks.
 */
import { afterAll, beforeAll, describe, expect, type TestContext, test } from 'vitest';
import { LIMITS } from '../../src/config/limits.js';
import {
  PROXIES,
  type ProxyKind,
  type ProxyProcess,
  readConfig,
} from '../support/proxy-process.js';
import { newAddress, Visitor, withProxy } from '../support/proxy-visitor.js';
import { ServiceChild } from '../support/service-child.js';
import type { Probe } from '../support/socket-scene.js';
import { SteppedDemo } from '../support/stepped-demo.js';
import { until } from '../support/until.js';

const SOCKETS_PER_IP = 3;
const TOPICS_PER_IP = 4;
/** So few that a slow machine makes more. */
const REQUESTS_PER_SECOND = 5;
const BURST = 150;

const FLAGS = [
  ...['--trusted-proxies', '127.0.0.1', '--metrics-port', '0'],
  ...['--sockets-per-ip', String(SOCKETS_PER_IP), '--topics-per-ip', String(TOPICS_PER_IP)],
  ...['--requests-per-second', String(REQUESTS_PER_SECOND)],
];

let demo: SteppedDemo;
let service: ServiceChild;

beforeAll(async () => {
  demo = await SteppedDemo.start({ seed: 78, makers: 12, slotTimeMs: 200 });
  service = await ServiceChild.start(demo.relay, FLAGS);
});

afterAll(async () => {
  await service?.stop();
  await demo?.stop();
});

/** Does something behind a proxy of the service. */
const behind = (
  context: TestContext,
  kind: ProxyKind,
  run: (proxy: ProxyProcess) => Promise<void>,
) => withProxy(context, kind, run, { port: service.port });

const market = 'SOL-PERP';
const path = `/l2?marketName=${market}&depth=5`;
const book = { type: 'subscribe', channel: 'book', market };

/** Opens sockets until one is refused with 429; returns those that were opened. */
async function openAll(visitor: Visitor): Promise<readonly Probe[]> {
  const probes: Probe[] = [];
  for (;;) {
    const refusal = await visitor.open().then(
      (probe) => void probes.push(probe),
      (error: Error) => error.message,
    );
    if (refusal === undefined) continue;
    expect(refusal).toContain('429');
    return probes;
  }
}

const closeAll = (probes: readonly Probe[]): Promise<unknown> =>
  Promise.all(probes.map((probe) => probe.close()));

/** Visitors count by their own addresses: in sockets, topics and requests, whatever they forge. */
async function expectCountedVisitors(proxy: ProxyProcess): Promise<void> {
  const [home, away] = [newAddress(), newAddress()];
  const [first, second] = [new Visitor(proxy, home), new Visitor(proxy, away)];
  const probes = await openAll(first);
  expect(probes).toHaveLength(SOCKETS_PER_IP);
  for (const forged of [away, '203.0.113.9', '127.0.0.1', `203.0.113.9, ${away}`]) {
    const liar = new Visitor(proxy, home, { 'X-Forwarded-For': forged });
    await expect(liar.open()).rejects.toThrow('429');
  }
  const others = await openAll(second);
  expect(others).toHaveLength(SOCKETS_PER_IP);
  const results: string[] = [];
  for (let grouping = 2; grouping < TOPICS_PER_IP + 4; grouping += 1) {
    results.push(await subscribe(probes[0], grouping));
  }
  expect(results.slice(0, TOPICS_PER_IP)).toEqual(Array(TOPICS_PER_IP).fill('subscribed'));
  expect(results.slice(TOPICS_PER_IP)).toEqual(['LIMIT_EXCEEDED', 'LIMIT_EXCEEDED']);
  expect(await subscribe(others[0], 100)).toBe('subscribed');
  await expectCountedRequests(first, second);
  await closeAll([...probes, ...others]);
}

/** Subscribes to a topic of its own; returns the code of an error, or that it was acknowledged. */
async function subscribe(probe: Probe | undefined, grouping: number): Promise<string> {
  const answers = (await probe?.ask({ ...book, grouping, id: grouping })) as readonly {
    readonly type?: string;
    readonly code?: string;
  }[];
  const answer = answers.find(({ type }) => type === 'subscribed' || type === 'error');
  return answer?.code ?? answer?.type ?? 'nothing';
}

async function expectCountedRequests(first: Visitor, second: Visitor): Promise<void> {
  const burst = Array.from({ length: BURST }, () => first.get('/version'));
  const statuses = (await Promise.all(burst)).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([200, 429]));
  expect((await second.get('/version')).status).toBe(200);
}

describe.each(PROXIES)('$name', (kind) => {
  test('passes on requests and WebSockets with TLS', (context) =>
    behind(context, kind, async (proxy) => {
      const visitor = new Visitor(proxy, newAddress());
      const [answer, ready, none] = [
        await visitor.get(path),
        await visitor.get('/ready'),
        await visitor.get('/nothing'),
      ];
      expect([answer.status, ready.status, none.status]).toEqual([200, 200, 404]);
      expect(JSON.parse(answer.body)).toMatchObject({ marketName: market });
      expect((await visitor.get('/metrics')).status).toBe(404);
      const probe = await visitor.open();
      const [snapshot] = await probe.ask(book);
      expect(JSON.stringify(snapshot)).toContain(market);
      const stopMoving = demo.keepMoving();
      await until('a delta', () => probe.texts.some((one) => one.includes('"type":"delta"')));
      await stopMoving();
      await closeAll([probe]);
    }));

  test('passes on a batch of all markets, and the longest path', (context) =>
    behind(context, kind, async (proxy) => {
      const names = Array(148).fill(market);
      const batch = `/batchL2?marketName=${names}&depth=${Array(148).fill(1)}`;
      const padding = LIMITS.requestLineBytesMax - batch.length;
      const visitor = new Visitor(proxy, newAddress());
      for (const length of [9_015 - batch.length, padding]) {
        const answer = await visitor.get(`${batch}&${'x'.repeat(length)}`);
        expect(answer.status, answer.body.slice(0, 200)).toBe(200);
        expect(JSON.parse(answer.body).l2s).toHaveLength(148);
      }
    }));

  test('lets the service count its visitors', (context) =>
    behind(context, kind, expectCountedVisitors));

  test('waits longer than a WebSocket may be silent', () => {
    const times = { nginx: [75, 75], caddy: [], haproxy: [75, 75, 75] }[kind.name];
    const pattern = /^\s*(?:proxy_(?:read|send)_timeout|timeout (?:client|server|tunnel)) (\d+)s/gm;
    const found = [...readConfig(kind).matchAll(pattern)].map(([, seconds]) => Number(seconds));
    expect(found).toEqual(times);
    for (const seconds of found) expect(seconds).toBeGreaterThan(2 * LIMITS.socketIdleSecondsMax);
  });
});

const [nginx] = PROXIES as readonly [ProxyKind];

test('nginx without proxy_http_version gets a 505, which names the version', (context) =>
  withProxy(
    context,
    nginx,
    async (proxy) => {
      const { status, body } = await new Visitor(proxy, newAddress()).get(path);
      expect({ status, body }).toEqual({ status: 505, body: expect.stringContaining('HTTP/1.0') });
    },
    { port: service.port, change: (config) => config.replace('proxy_http_version 1.1;', '') },
  ));
