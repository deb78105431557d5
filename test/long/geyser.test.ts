/**
 * The gRPC feed on a real chain: Surfpool with the plugin of test/geyser, whose accounts are changed by signed
 * transactions. `npm run test:long -- geyser` builds the plugin and runs this.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { PROGRAM_ID } from '../../src/sim/bytes/keys.js';
import { Random } from '../../src/sim/random.js';
import { expectBooks } from '../support/book-judge.js';
import { CutProxy } from '../support/cut-proxy.js';
import { GeyserChain, WRITE_LOG } from '../support/geyser-chain.js';
import { PriceWatch } from '../support/price-watch.js';
import { ask, bid, SCENE, SceneChain } from '../support/scene-chain.js';
import { ServiceChild } from '../support/service-child.js';
import { ServiceProbe } from '../support/service-probe.js';
import { until } from '../support/until.js';
import { type ReadAccount, YellowstoneReader } from '../support/yellowstone-reader.js';

const PLUGIN = process.env['GEYSER_PLUGIN'] ?? '';
/** From the plugin's callback to the frame, at the median. */
const LATENCY_MS_MAX = 5;
const LATENCY_WRITES = 300;
/** How often Surfpool looks for notifications of its RPC socket, which a validator sends as they come. */
const NOTIFICATIONS_MS = 50;
/** Makers of the scene; nobody else changes their accounts. */
const [BIDDER, ASKER, TWICE] = [1, 2, 3];
/** The codes of gRPC. */
const [INVALID_ARGUMENT, INTERNAL] = [3, 13];

let scene: SceneChain;
let chain: GeyserChain;
const ends: (() => unknown)[] = [];

beforeAll(async () => {
  scene = await SceneChain.start(400);
  await scene.place(BIDDER, bid(99_000_000n));
  await scene.place(ASKER, ask(101_000_000n));
  await scene.place(TWICE, bid(90_000_000n));
  chain = await GeyserChain.start(scene.demo, PLUGIN);
});

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

afterAll(async () => {
  chain?.close();
  await scene?.stop();
});

async function readStream(wanted: Parameters<typeof YellowstoneReader.open>[1]) {
  const reader = await YellowstoneReader.open(chain.grpcUrl, wanted);
  ends.push(() => reader.close());
  return reader;
}

/** Waits until the served book is that of the chain, on which nothing is written meanwhile. */
async function compareBook(service: ServiceProbe): Promise<void> {
  const accounts = await scene.demo.accounts();
  let failure: unknown = 'nothing was compared';
  const isSame = async (): Promise<boolean> => {
    try {
      expectBooks(await service.read(), accounts);
      return true;
    } catch (error) {
      failure = error;
      return false;
    }
  };
  await until('the book of the chain', isSame).catch(() => Promise.reject(failure));
}

async function eventsOf(service: ServiceProbe, ...names: string[]): Promise<number[]> {
  const { text } = await service.get('/metrics');
  return names.map((name) => {
    const line = text.split('\n').find((one) => one.includes(`events_total{event="${name}"}`));
    return Number(line?.split(' ')[1]);
  });
}

test('geyser: a stream has every transaction with its log, and every state of every account in order', async () => {
  const stream = await readStream({
    accounts: { program: { owner: [PROGRAM_ID] } },
    transactions: [PROGRAM_ID],
  });
  const first = chain.sent.length;
  await chain.step(300);
  // Until two writes of one account stand in one slot.
  const pubkey = scene.maker(TWICE);
  for (let price = 90_000_000n; slotsOfTwo(stream, pubkey).length === 0; price += SCENE.tick) {
    await chain.write({ pubkey, data: scene.userBytes(TWICE, bid(price)) });
    await chain.write({ pubkey, data: scene.userBytes(TWICE, bid(price + 1_000_000n)) });
    await until('its writes', () => stream.accounts.at(-1)?.data.equals(chain.bytesOf(pubkey)));
  }
  const sent = chain.sent.slice(first);
  await until('all of them', () => stream.transactions.length >= sent.length);

  const slots = await chain.slots();
  const written = sent.flatMap(({ signature, states }) => {
    const slot = slots.get(signature) ?? 0;
    return Array.from(states, ([pubkey, data]) => ({ pubkey, signature, slot, data }));
  });
  expect(historyOf(stream.accounts)).toEqual(historyOf(written));
  const versions = stream.accounts.map(({ writeVersion }) => writeVersion);
  expect(versions).toEqual([...new Set(versions)].sort((a, b) => a - b));
  expect(stream.transactions.map(({ signature, slot }) => [signature, slot])).toEqual(
    sent.map(({ signature }) => [signature, slots.get(signature)]),
  );
  for (const [at, { logs }] of sent.entries()) {
    expect(stream.transactions[at]?.lines?.slice(1, -2)).toEqual(logs);
  }
});

test('geyser: a stream has each slot in every status, and the time of its block', async () => {
  const stream = await readStream({ slots: true, blocksMeta: true });
  await until('a finalised slot that began here', () => {
    const begun = stream.slots.find(({ status }) => status === 'begun')?.slot;
    return stream.slots.some(({ slot, status }) => status === 'finalized' && slot === begun);
  });
  for (const status of ['begun', 'processed', 'confirmed', 'finalized']) {
    const ofStatus = stream.slots.filter((one) => one.status === status);
    const start = ofStatus[0]?.slot ?? 0;
    const counted = ofStatus.map((_, at) => ({ slot: start + at, parent: start + at - 1 }));
    expect(ofStatus.map(({ slot, parent }) => ({ slot, parent }))).toEqual(counted);
  }
  const seconds = stream.blocks.map(({ unixSeconds }) => unixSeconds);
  expect(seconds).toEqual([...seconds].sort((a, b) => a - b));
  const apartS = (seconds.at(-1) ?? 0) - scene.demo.clock.unixSeconds;
  expect(Math.abs(apartS)).toBeLessThan(10);
});

/** The states of each account in their order, each with its transaction and its slot. */
function historyOf(
  writes: readonly Pick<ReadAccount, 'pubkey' | 'signature' | 'slot' | 'data'>[],
): ReadonlyMap<string, readonly string[]> {
  const histories = new Map<string, string[]>();
  for (const { pubkey, signature, slot, data } of writes) {
    const digest = createHash('sha256').update(data).digest('hex');
    const history = histories.get(pubkey) ?? [];
    histories.set(pubkey, [...history, `${slot} ${signature} ${digest}`]);
  }
  return histories;
}

/** The slots in which a stream has two states of an account. */
function slotsOfTwo({ accounts }: YellowstoneReader, pubkey: string): readonly number[] {
  const slots = accounts.filter((one) => one.pubkey === pubkey).map(({ slot }) => slot);
  return slots.filter((slot, at) => slots[at - 1] === slot);
}

test('geyser: filters are by key, by owner or by both, and what is not served is refused', async () => {
  const [pubkey, other] = [scene.maker(BIDDER), scene.maker(ASKER)];
  const stream = await readStream({
    accounts: {
      key: { account: [pubkey] },
      both: { account: [pubkey], owner: [PROGRAM_ID] },
      neither: { account: [pubkey], owner: [other] },
      others: { account: [other] },
    },
  });
  await chain.write({ pubkey, data: scene.userBytes(BIDDER, bid(98_000_000n)) });
  await chain.write({ pubkey: other, data: scene.userBytes(ASKER, ask(102_000_000n)) });
  await until('two accounts', () => stream.accounts.length === 2);
  expect(stream.accounts.map(({ filters }) => [...filters].sort())).toEqual([
    ['both', 'key'],
    ['others'],
  ]);
  const late = await readStream({ slots: true, fromSlot: 1 });
  expect(late.end).toMatchObject({ code: INTERNAL });
  expect(late.end?.serverText).toContain('from_slot is not supported');
  const wrong = await readStream({ accounts: { wrong: { owner: ['no key'] } } });
  expect(wrong.end).toMatchObject({ code: INVALID_ARGUMENT });
});

test('geyser: a service on the stream has the book of the chain, also after it was cut', async () => {
  const proxy = await CutProxy.start(chain.grpcUrl);
  ends.push(() => proxy.stop());
  const settings = { grpcUrl: proxy.url, probeIntervalMs: '0' };
  const service = await ServiceProbe.start(scene.demo.chain, settings);
  ends.push(() => service.stop());
  expect(await eventsOf(service, 'rebuilds')).toEqual([1]);
  await chain.step(600);
  await compareBook(service);
  const lost = ['rebuilds', 'losses', 'auditDifferences'];
  expect(await eventsOf(service, ...lost)).toEqual([1, 0, 0]);
  for (const rebuilds of [2, 3]) {
    // A plain node replays nothing, so that all accounts are read again.
    proxy.cut();
    await chain.step(100);
    await until(
      'another reading',
      async () => (await eventsOf(service, 'rebuilds'))[0] === rebuilds,
    );
    await until('live', async () => (await service.get('/ready')).status === 200);
    await chain.step(100);
    await compareBook(service);
  }
  expect(await eventsOf(service, 'auditDifferences')).toEqual([0]);
});

test('geyser: the history of a stream is that of the RPC', async () => {
  const { chain: node, relay } = scene.demo;
  const { rpcUrl } = node;
  // Nothing but the stream can make it live: nobody listens on this port.
  const flags = ['--grpc-url', chain.grpcUrl];
  const byGrpc = await startHistory({ rpcUrl, wsUrl: 'ws://127.0.0.1:1' }, flags);
  const byRpc = await startHistory(relay, []);
  const first = fillsOf(chain);
  await until('ten fills', async () => {
    await chain.step(20);
    return fillsOf(chain) >= first + 10;
  });
  const symbols = scene.demo.life.markets.map(({ name }) => name);
  const isWhole = async (service: ServiceChild): Promise<boolean> =>
    (await tradesOf(service, symbols)).length === fillsOf(chain);
  await until('all trades', async () => (await isWhole(byGrpc)) && (await isWhole(byRpc)));
  expect(await tradesOf(byGrpc, symbols)).toEqual(await tradesOf(byRpc, symbols));
});

async function startHistory(
  urls: { readonly rpcUrl: string; readonly wsUrl: string },
  flags: readonly string[],
): Promise<ServiceChild> {
  const folder = mkdtempSync(path.join(tmpdir(), 'slotbook-geyser-history-'));
  ends.push(() => rmSync(folder, { recursive: true }));
  const service = await ServiceChild.start(urls, ['--data-dir', folder, ...flags]);
  ends.push(() => service.stop());
  await until('a history that is live', async () => {
    const status = JSON.parse((await service.get('/status')).text);
    return status.history.state === 'live';
  });
  return service;
}

/** Fills that were logged so far: what else is logged are the numbers of writes. */
function fillsOf({ sent }: GeyserChain): number {
  return sent.flatMap(({ logs }) => logs).filter((line) => !line.startsWith(WRITE_LOG)).length;
}

async function tradesOf(service: ServiceChild, symbols: readonly string[]): Promise<unknown[]> {
  const bodies = symbols.map(async (symbol) => {
    const { text } = await service.get(`/trades?symbol=${symbol}&limit=1000`);
    return JSON.parse(text) as unknown[];
  });
  return (await Promise.all(bodies)).flat();
}

test('geyser: a write is in a frame soon, and sooner than over the RPC socket', async () => {
  const stream = await readStream({ accounts: { program: { owner: [PROGRAM_ID] } } });
  const watches: PriceWatch[] = [];
  const { chain: node, relay } = scene.demo;
  for (const [urls, flags] of [
    [node, ['--grpc-url', chain.grpcUrl]],
    // Surfpool's own notifications have the slot of their subscription: the relay writes that of now.
    [relay, []],
  ] as const) {
    const service = await ServiceChild.start(urls, flags);
    ends.push(() => service.stop());
    const watch = await PriceWatch.open(service.socketUrl, SCENE.name);
    ends.push(() => watch.close());
    watches.push(watch);
  }
  const first = chain.sent.length;
  const prices = Array.from(
    { length: LATENCY_WRITES },
    (_, i) => 99_500_000n + BigInt(i) * SCENE.tick,
  );
  const random = new Random(5);
  for (const price of prices) {
    await chain.write({ pubkey: scene.maker(BIDDER), data: scene.userBytes(BIDDER, bid(price)) });
    await until(`${price}`, () => watches.every((watch) => watch.frames.has(`${price}`)));
    // Writes at any moment between two looks of Surfpool for notifications, not right behind one.
    await sleep(random.nextBelow(NOTIFICATIONS_MS));
  }
  const reported = new Map(stream.accounts.map((one) => [one.signature, one.createdAtMs]));
  const [grpc, rpc] = watches.map(({ frames }) =>
    prices.map((price, at) => {
      const reportedMs = reported.get(chain.sent[first + at]?.signature ?? '') ?? Number.NaN;
      const { sentMs, receivedMs } = frames.get(`${price}`) ?? { sentMs: 0, receivedMs: 0 };
      return { published: sentMs - reportedMs, received: receivedMs - reportedMs };
    }),
  );
  const [byGrpc, byRpc] = [spread(grpc, 'published'), spread(rpc, 'published')];
  const lines = [
    `from the plugin's callback to the published frame, ${LATENCY_WRITES} writes, ms at p50, p90, p99:`,
    `  gRPC: ${textOf(byGrpc)}; received by a client: ${textOf(spread(grpc, 'received'))}`,
    `  RPC socket: ${textOf(byRpc)}; received by a client: ${textOf(spread(rpc, 'received'))}`,
    `  RPC socket over gRPC at p50: ${(byRpc.p50 / byGrpc.p50).toFixed(2)}`,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  expect(byGrpc.p50).toBeGreaterThan(0);
  expect(byGrpc.p50).toBeLessThan(byRpc.p50);
  expect(byGrpc.p50).toBeLessThanOrEqual(LATENCY_MS_MAX);
});

interface Spread {
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
}

function spread<K extends string>(rows: readonly Record<K, number>[] = [], key: K): Spread {
  const sorted = rows.map((row) => row[key]).sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return { p50: at(0.5), p90: at(0.9), p99: at(0.99) };
}

function textOf({ p50, p90, p99 }: Spread): string {
  return [p50, p90, p99].map((ms) => ms.toFixed(2)).join(', ');
}
