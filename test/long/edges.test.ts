/** A core and its edges as processes, on a real chain and a real NATS server. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { RpcClient } from '../../src/rpc/client.js';
import { readAccountTexts } from '../../src/rpc/methods.js';
import { systemTimers } from '../../src/rpc/timers.js';
import { PROGRAM_ID } from '../../src/sim/bytes/keys.js';
import { LocalChain } from '../../src/sim/chain/chain-process.js';
import { LogServices } from '../support/log-services.js';
import type { ModelBook } from '../support/model-book.js';
import { ModelClient } from '../support/model-client.js';
import { ServiceChild } from '../support/service-child.js';
import { Probe } from '../support/socket-scene.js';
import { until } from '../support/until.js';

const SYMBOL = 'SOL-PERP';
const TOPICS = [
  { channel: 'book', market: SYMBOL, depth: 20 },
  { channel: 'book', market: SYMBOL, depth: 50, vamm: true },
  { channel: 'bbo', market: SYMBOL },
  { channel: 'l3', market: SYMBOL, depth: 100 },
];
/** `npm run test:long -- edges` lets a reader jump for ten minutes. */
const JUMP_SECONDS = Number(process.env['EDGES_SECONDS'] ?? 0);
const JUMPS_MIN = 15;
const TIMEOUT = { timeout: 300_000 + JUMP_SECONDS * 1_000 };
/** `npm run test:long -- edge-hashes` compares for an hour. */
const EQUAL_SECONDS = Number(process.env['EQUAL_SECONDS'] ?? 8);
const EQUAL = { timeout: 300_000 + EQUAL_SECONDS * 2_000 };
/** An edge that says soon that it has lost its log. */
const SOON = ['--lagging-after-ms', '2500', '--stale-after-ms', '4000', '--away-after-ms', '6000'];

const services = new LogServices(21);

beforeAll(() => services.start());
afterEach(() => services.killServices());
afterAll(() => services.stop());

interface Frame {
  readonly type: string;
  readonly topic?: string;
  readonly seq: number;
  readonly prev?: number;
  readonly epoch?: string;
  readonly state?: string;
}

/** A reader of all topics of an edge. */
async function readTopics(edge: ServiceChild): Promise<Probe> {
  const probe = await Probe.open(edge.socketUrl);
  for (const [id, topic] of TOPICS.entries()) probe.send({ type: 'subscribe', id, ...topic });
  await until(() => framesOf(probe, 'snapshot').length === TOPICS.length);
  return probe;
}

function framesOf({ texts }: Probe, type: string): readonly Frame[] {
  return texts.map((text) => JSON.parse(text) as Frame).filter((frame) => frame.type === type);
}

interface Status {
  readonly epoch: string;
  readonly state: string;
  readonly slot: number;
  readonly orders: number;
  readonly markets: readonly { symbol: string; seq: number; ordersShown: number }[];
  readonly journal?: { readonly state: string; readonly reason: string | null };
}

async function statusOf(service: ServiceChild): Promise<Status> {
  return JSON.parse((await service.get('/status')).text) as Status;
}

/** Waits until services say the same of one slot: epoch, sequence numbers and orders. */
async function agree(...services: readonly ServiceChild[]): Promise<void> {
  await until('the same book', async () => {
    const all = await Promise.all(services.map(statusOf));
    const said = all.map(({ epoch, slot, orders, markets }) =>
      JSON.stringify([
        epoch,
        slot,
        orders,
        markets.map((row) => [row.symbol, row.seq, row.ordersShown]),
      ]),
    );
    return said.every((text) => text === said[0]);
  });
}

test('an edge returns the accounts of makers as the chain has them', async (context) => {
  const log = services.newLog(context, 'accounts');
  await services.keep(ServiceChild.core(services.demo.relay, log));
  const edge = await services.keep(ServiceChild.edge(log));
  const node = new RpcClient({ timers: systemTimers, url: services.demo.relay.rpcUrl });
  const path = `/topMakers?marketName=${SYMBOL}&side=bid&limit=3&includeAccounts=true`;
  await until('the accounts of the chain', async () => {
    const rows = JSON.parse((await edge.get(path)).text) as readonly {
      userAccountPubKey: string;
      accountBase64: string | null;
    }[];
    const keys = rows.map((row) => row.userAccountPubKey);
    // The chain stands still where the test before left it, maybe with two makers.
    if (keys.length < 3) await services.demo.step(5);
    const onChain = await readAccountTexts(
      node,
      { keys, owner: PROGRAM_ID },
      AbortSignal.timeout(60_000),
    );
    return (
      keys.length === 3 && rows.every((row, index) => row.accountBase64 === (onChain[index] ?? ''))
    );
  });
});

/** The last one is open nowhere else. */
const JUMPED = [TOPICS[0], TOPICS[1], TOPICS[3], { channel: 'book', market: SYMBOL, depth: 100 }];

test(
  'a reader that jumps between two edges all the time has no hole and no wrong level',
  TIMEOUT,
  async (context) => {
    const log = services.newLog(context, 'jumps');
    await services.keep(ServiceChild.core(services.demo.relay, log));
    const edges = [
      await services.keep(ServiceChild.edge(log)),
      await services.keep(ServiceChild.edge(log)),
    ] as const;
    const staying = await Promise.all(edges.map(readTopics));
    // What a topic had before it was opened is not kept.
    await until('deltas of all topics', async () => {
      await services.demo.step(2);
      return staying.every((probe) => TOPICS.length === deltaTopics(probe).size);
    });
    await agree(...edges);
    const jumper = new Jumper();
    const endMs = performance.now() + JUMP_SECONDS * 1_000;
    for (let jumps = 0; jumps < JUMPS_MIN || performance.now() < endMs; jumps += 1) {
      const moving = services.demo.step(8);
      await jumper.jumpTo(edges[jumps % 2] ?? edges[0]);
      await moving;
      // One that is behind has not yet what the reader has seen.
      await agree(...edges);
    }
    await jumper.close();
    expect(jumper.faults).toEqual([]);
    // A topic that is open goes on without a snapshot.
    expect(jumper.snapshots().slice(0, 3)).toEqual([1, 1, 1]);
    for (const probe of staying) await probe.close();
  },
);

/** The topics of which a reader has had a delta. */
function deltaTopics(probe: Probe): ReadonlySet<string | undefined> {
  return new Set(framesOf(probe, 'delta').map(({ topic }) => topic));
}

/** A reader that goes on at another edge where it was at the one before, and what was wrong with its frames. */
class Jumper {
  #client: ModelClient | undefined;
  readonly #books = new Map<string, ModelBook>();
  readonly #snapshots = new Map<string, number>();
  readonly faults: string[] = [];

  async jumpTo(edge: ServiceChild): Promise<void> {
    await this.close();
    const client = await ModelClient.open(edge.socketUrl);
    this.#client = client;
    for (const [topic, book] of this.#books) client.books.set(topic, book);
    const seqs = new Map([...this.#books].map(([topic, { seq }]) => [topic, seq]));
    client.follower.onFrame = ({ type, topic, seq }) => {
      const before = seqs.get(topic) ?? 0;
      if (seq < before) this.faults.push(`${topic}: ${type} of ${seq} after ${before}`);
      seqs.set(topic, seq);
      if (type === 'snapshot') {
        this.#snapshots.set(topic, (this.#snapshots.get(topic) ?? 0) + 1);
      }
    };
    const books = [...this.#books.values()];
    for (const [at, request] of JUMPED.entries()) {
      const { epoch, seq } = books[at] ?? {};
      const topic = await client.subscribe(
        epoch === undefined ? { ...request } : { ...request, resume: { epoch, seq } },
      );
      await until(`a frame of ${topic}`, () => client.books.has(topic));
      this.#books.set(topic, client.book(topic));
    }
    await client.settle();
  }

  /** How many each topic had, in their order. */
  snapshots(): readonly number[] {
    return [...this.#books.keys()].map((topic) => this.#snapshots.get(topic) ?? 0);
  }

  async close(): Promise<void> {
    this.faults.push(...(this.#client?.faults ?? []));
    await this.#client?.close();
    this.#client = undefined;
  }
}

test('an edge that has lost its log says so, sends its readers away, and takes them again', async (context) => {
  const log = services.newLog(context, 'outage');
  const core = await services.keep(ServiceChild.core(services.demo.relay, log));
  const edge = await services.keep(ServiceChild.edge([...log, ...SOON]));
  const reader = await readTopics(edge);
  await services.nats.kill();
  await until(() => framesOf(reader, 'delta').some(({ state }) => state === 'stale'));
  expect(await reader.closed).toMatchObject({ code: 1001 });
  expect((await edge.get('/ready')).status).toBe(503);
  await expect(Probe.open(edge.socketUrl)).rejects.toThrow('503');
  await services.demo.step(20);
  expect((await statusOf(core)).state).toBe('live');
  await services.nats.startAgain();
  await until(async () => (await edge.get('/ready')).status === 200);
  await agree(core, edge);
  await (await until(() => readTopics(edge))).close();
  // What waited was appended: the log goes on without a checkpoint.
  expect((await edge.get('/metrics')).text).toContain('event="logRestores"} 1');
});

test(
  'edges have the book of the hash that comes each second, and equal books',
  EQUAL,
  async (context) => {
    const log = services.newLog(context, 'hashes');
    const core = await services.keep(ServiceChild.core(services.demo.relay, log));
    const edges = [
      await services.keep(ServiceChild.edge(log)),
      await services.keep(ServiceChild.edge(log)),
    ];
    const endMs = performance.now() + EQUAL_SECONDS * 1_000;
    while (performance.now() < endMs) {
      await services.demo.step(20);
      await until('equal books', async () => {
        const [one, other] = await Promise.all(edges.map(readBooks));
        return one === other;
      });
    }
    await agree(core, ...edges);
    // A hash that is not that of the book makes an edge begin again.
    for (const edge of edges) {
      const metrics = (await edge.get('/metrics')).text;
      expect(metrics).toContain('event="logFailures"} 0');
      expect(metrics).toContain('event="logRestores"} 1');
    }
  },
);

/** All orders of all markets as a service shows them. */
async function readBooks(service: ServiceChild): Promise<string> {
  const { markets } = await statusOf(service);
  const bodies = markets.map(({ symbol }) => service.get(`/l3?marketName=${symbol}`));
  const books = (await Promise.all(bodies)).map(({ text }) => JSON.parse(text) as L3Body);
  return JSON.stringify(books.map(({ bids, asks }) => [bids, asks]));
}

interface L3Body {
  readonly bids: readonly unknown[];
  readonly asks: readonly unknown[];
}

test('wrong settings of a log are refused with their names', async (context) => {
  const [, , ...stream] = services.newLog(context, 'wrong');
  const wrong = ['--nats', services.nats.urlOf('slotbook', 'guess'), ...stream];
  await expect(ServiceChild.core(services.demo.relay, wrong)).rejects.toThrow('wrong: LOG_REFUSED');
  await expect(ServiceChild.edge(wrong)).rejects.toThrow('wrong: LOG_REFUSED');
  const log = ['--nats', services.nats.url, ...stream];
  await services.keep(ServiceChild.core(services.demo.relay, log));
  const other = await LocalChain.start({ slotTimeMs: 100 });
  const refused = ServiceChild.core(other, log);
  await expect(refused).rejects.toThrow('wrong: LOG_MISMATCH: the log is of the chain');
  await other.stop();
  await expect(ServiceChild.edge([])).rejects.toThrow('--nats is missing');
  const name = ['--nats', services.nats.url, '--nats-stream', 'a.b'];
  await expect(ServiceChild.edge(name)).rejects.toThrow('--nats-stream was a.b');
});
