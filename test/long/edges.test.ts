/** A reader of two edges of a core as processes, on a real chain and a real NATS server. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
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
  readonly slot: number;
  readonly orders: number;
  readonly markets: readonly { symbol: string; seq: number; ordersShown: number }[];
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
