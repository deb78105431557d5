/** Keys in RPC addresses stay inside, however the nodes fail and whatever they repeat. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLog, LogLines } from '../src/app/log.js';
import { Secrets } from '../src/config/secrets.js';
import { LiveFeed } from '../src/feed/live-feed.js';
import { feedMetrics } from '../src/feed/model/feed-stats.js';
import { RpcClient } from '../src/rpc/client.js';
import type { RpcNode } from '../src/rpc/node-pool.js';
import { RpcSocket } from '../src/rpc/socket.js';
import { systemTimers } from '../src/rpc/timers.js';
import { FakeBook, type RunningServer, startServer } from '../src/server/testing/running-server.js';
import { FakeChain, OTHER_GENESIS_HASH } from './fake-chain.js';
import { FakeEngine } from './fake-engine.js';
import { type Reply, ScriptedRpc } from './scripted-rpc.js';
import { until } from './support/until.js';

/** A URL with a key wherever one can be, and all forms in which the keys could be repeated. */
interface KeyedUrl {
  readonly url: string;
  readonly keys: readonly string[];
}

/** The addresses of the service by what they are for. */
type Role = 'rpc' | 'ws' | 'fallbackRpc' | 'fallbackWs' | 'snapshot';

function keyed(base: string, role: Role): KeyedUrl {
  const [user, password] = [`user-${role}-é`, `pass word/${role}`];
  const [path, query] = [`pathkey${role}`, `querykey+${role}`];
  const url = new URL(base);
  url.username = user;
  url.password = password;
  url.pathname = `/v1/${path}/x`;
  url.searchParams.set('api-key', query);
  const plain = [user, password, path, query, `${user}:${password}`];
  return {
    url: url.href,
    keys: [
      ...plain,
      ...plain.map(encodeURIComponent),
      url.search.slice(1),
      Buffer.from(`${user}:${password}`).toString('base64'),
    ],
  };
}

let servers: {
  readonly first: ScriptedRpc;
  readonly second: ScriptedRpc;
  readonly scans: ScriptedRpc;
};
let urls: Readonly<Record<Role, KeyedUrl>>;
let lines: string;
let feed: LiveFeed;
let service: RunningServer;

beforeEach(async () => {
  const [first, second, scans] = await Promise.all([
    ScriptedRpc.start(),
    ScriptedRpc.start(),
    ScriptedRpc.start(),
  ]);
  servers = { first, second, scans };
  for (const server of [first, second, scans]) new FakeChain(server);
  urls = {
    rpc: keyed(first.rpcUrl, 'rpc'),
    ws: keyed(first.wsUrl, 'ws'),
    fallbackRpc: keyed(second.rpcUrl, 'fallbackRpc'),
    fallbackWs: keyed(second.wsUrl, 'fallbackWs'),
    snapshot: keyed(scans.rpcUrl, 'snapshot'),
  };
  lines = '';
});

afterEach(async () => {
  feed.stop();
  service.close();
  await Promise.all(Object.values(servers).map((server) => server.stop()));
});

function nodeOf(rpc: string, ws: string, timeoutMs = 60_000): RpcNode {
  const options = { random: () => 0, attemptsMax: 1, callTimeoutMs: timeoutMs };
  const client = new RpcClient({ timers: systemTimers, url: rpc, ...options });
  const socket = new RpcSocket({
    timers: systemTimers,
    url: ws,
    random: () => 0,
    ackTimeoutMs: timeoutMs,
  });
  return { name: client.host, rpc: client, socket };
}

async function run(changed: Partial<Record<Role, string>> = {}, timeoutMs?: number): Promise<void> {
  const url = (role: Role): string => changed[role] ?? urls[role].url;
  const secrets = new Secrets();
  for (const { url: known } of Object.values(urls)) secrets.addAddress(known);
  const write = (bytes: Uint8Array): number => {
    lines += Buffer.from(bytes).toString();
    return bytes.length;
  };
  const log = createLog({ logLevel: 'trace' }, new LogLines(write, secrets));
  feed = new LiveFeed({
    timers: systemTimers,
    nodes: [
      nodeOf(url('rpc'), url('ws'), timeoutMs),
      nodeOf(url('fallbackRpc'), url('fallbackWs'), timeoutMs),
    ],
    snapshotRpc: new RpcClient({
      timers: systemTimers,
      url: url('snapshot'),
      random: () => 0,
      attemptsMax: 1,
    }),
    engine: new FakeEngine(),
    programId: 'program',
    log,
    random: () => 0,
    firstSlotWaitMs: 0,
    // In the time of fast timers: no slot comes here.
    timing: { laggingAfterMs: 3_600_000, staleAfterMs: 7_200_000 },
  });
  feed.start().catch(() => undefined);
  service = await startServer(new FakeBook(), {
    readiness: () => feed.status(),
    feed: () => feedMetrics(feed.stats(), []),
  });
}

/** The servers whose nodes have the feed by turns: on a busy machine a connect may take too long. */
const nodeServers = () => [servers.first, servers.second];

/** Waits until both nodes have failed, and expects no key in what was logged and answered. */
async function expectNoKeys(
  holds: () => boolean = () => feed.stats().failovers >= 3,
): Promise<void> {
  let told = '';
  await until('both nodes were tried', () => {
    told += JSON.stringify([feed.status(), feed.stats()]);
    return holds();
  });
  for (const path of ['/ready', '/status', '/metrics', '/l2?marketName=SOL-PERP', '/health']) {
    told += await (await fetch(`${service.url}${path}`)).text();
  }
  expect(lines).not.toBe('');
  const all = Object.values(urls).flatMap(({ keys }) => keys);
  expect(all.filter((key) => `${lines}${told}`.includes(key))).toEqual([]);
}

const repeated = (role: Role): string =>
  `you sent ${urls[role].keys.join(' and ')}, ${urls[role].url}`;

/** Lets every server answer every method so, with the keys of its own address. */
function answerAll(reply: (text: string) => Reply): void {
  const roles = { first: 'rpc', second: 'fallbackRpc', scans: 'snapshot' } as const;
  for (const name of ['first', 'second', 'scans'] as const) {
    for (const method of ['getGenesisHash', 'getProgramAccounts', 'getMultipleAccounts']) {
      servers[name].answer(method, () => reply(repeated(roles[name])));
    }
  }
}

test.each<[string, (text: string) => Reply]>([
  ['403', (body) => ({ status: 403, body })],
  ['429', (body) => ({ status: 429, body, headers: { 'retry-after': '0' } })],
  ['500', (body) => ({ status: 500, body })],
  [
    'a redirect to nowhere',
    (body) => ({
      status: 302,
      headers: { location: `http://127.0.0.1:1/${encodeURIComponent(body)}` },
    }),
  ],
  ['a JSON-RPC error', (message) => ({ error: { code: -32000, message } })],
  ['a node that is behind', (message) => ({ error: { code: -32005, message } })],
  ['a cut answer', (text) => ({ text: `{"result":"${text}` })],
  ['an answer that is none', (result) => ({ result })],
  ['a broken connection', () => 'destroy'],
])('calls that end with %s', async (_, reply) => {
  answerAll(reply);
  await run();
  await expectNoKeys();
});

test('a scan that fails on the snapshot node alone', async () => {
  servers.scans.answer('getProgramAccounts', () => ({ status: 403, body: repeated('snapshot') }));
  await run();
  await expectNoKeys(() => feed.status().state === 'live');
  expect(feed.stats().scanFallbacks).toBe(1);
});

test('calls and subscribes that are never answered', async () => {
  answerAll(() => 'hang');
  servers.second.onSubscribe = () => 'silent';
  await run({}, 100);
  await expectNoKeys();
});

test.each([401, 403, 429, 503])('upgrades that are refused with %d', async (status) => {
  servers.first.refuseUpgradeWith = status;
  servers.second.refuseUpgradeWith = status;
  await run();
  await expectNoKeys();
});

test('subscribes that are refused', async () => {
  const refuse = (role: Role) => () => ({ error: { code: -32602, message: repeated(role) } });
  servers.first.onSubscribe = refuse('ws');
  servers.second.onSubscribe = refuse('fallbackWs');
  await run();
  await expectNoKeys();
});

test('nodes that are not there', async () => {
  await Promise.all(Object.values(servers).map((server) => server.stop()));
  await run();
  await expectNoKeys();
});

test('nodes that do not speak TLS', async () => {
  await run({
    rpc: urls.rpc.url.replace('http:', 'https:'),
    ws: urls.ws.url.replace('ws:', 'wss:'),
    fallbackRpc: urls.fallbackRpc.url.replace('http:', 'https:'),
  });
  await expectNoKeys();
});

test('connections that are cut, and messages that are unreadable', async () => {
  await run();
  await until('live', () => feed.status().state === 'live');
  for (const server of nodeServers()) server.sendText(`${repeated('ws')} {`);
  await until('read again', () => feed.stats().resyncs > 0);
  for (const server of nodeServers()) server.cut();
  await expectNoKeys(() => feed.stats().rebuilds >= 2 && feed.status().state === 'live');
});

test('a second node of another chain', async () => {
  servers.second.answer('getGenesisHash', () => ({ result: OTHER_GENESIS_HASH }));
  await run();
  await until('live', () => feed.status().state === 'live');
  const inUse = nodeServers().find(({ rpcUrl }) => new URL(rpcUrl).host === feed.stats().node);
  await inUse?.stop();
  await expectNoKeys(() => lines.includes('GENESIS_MISMATCH'));
});
