/** A standby that takes over from its core, and a reader of an edge meanwhile. */
import { onTestFinished } from 'vitest';
import { Follower } from '../../src/follow/follower.js';
import type { LogServices } from './log-services.js';
import { ServiceChild } from './service-child.js';
import { until } from './until.js';

const SYMBOL = 'SOL-PERP';

interface Status {
  readonly epoch: string;
  readonly state: string;
  readonly role?: string;
}

export async function statusOf(service: ServiceChild): Promise<Status> {
  return JSON.parse((await service.get('/status')).text) as Status;
}

/** Waits until a standby writes the log and its book is live. */
export async function becomesCore(service: ServiceChild): Promise<void> {
  await until('a standby that takes over', async () => {
    if (!service.isAlive) throw new Error(`it ended: ${service.stderr}`);
    return (await service.get('/ready')).status === 200;
  });
}

/** A reader in strict mode, and when its frames came: monotonic milliseconds. */
export class Reader {
  readonly follower: Follower;
  readonly #atMs: number[] = [];

  private constructor(url: string) {
    const topic = { channel: 'book', market: SYMBOL, depth: 50, vamm: true } as const;
    const onFrame = (): void => this.#noteDelta();
    this.follower = new Follower({ url, topic, silenceMsMax: 60_000, onFrame });
  }

  /** Follows an edge to the end of the test; it bears a minute of silence. */
  static async start({ url }: ServiceChild): Promise<Reader> {
    const reader = new Reader(url);
    reader.follower.start();
    onTestFinished(() => reader.follower.stop());
    await until('a snapshot', () => reader.follower.tally.frames.snapshot > 0);
    return reader;
  }

  /** The longest time without a change that ended after this moment. */
  gapSince(fromMs: number): number {
    const gaps = this.#atMs.map((atMs, index) => atMs - (this.#atMs[index - 1] ?? atMs));
    return Math.max(...gaps.filter((_, index) => (this.#atMs[index] ?? 0) > fromMs));
  }

  /** Whether a change came after this moment. */
  hasMovedSince(fromMs: number): boolean {
    return (this.#atMs.at(-1) ?? 0) > fromMs;
  }

  /** The faults that readers must not find, and the number of resets. */
  get findings(): object {
    const { broken, resets, reconnects, messages, frames } = this.follower.tally;
    return { broken, resets, reconnects, messages, snapshots: frames.snapshot };
  }

  #noteDelta(): void {
    const { delta } = this.follower.tally.frames;
    if (delta > this.#atMs.length) this.#atMs.push(performance.now());
  }
}

/** The findings of a reader without faults. */
export const NOTHING = { broken: 0, resets: 0, reconnects: 0, messages: [], snapshots: 1 };

/** Waits until an edge shows the orders that a service of its own reads from the chain. */
export async function showsTheChain(services: LogServices, edge: ServiceChild): Promise<void> {
  const lone = await services.keep(ServiceChild.start(services.demo.relay));
  const orders = async (service: ServiceChild): Promise<string> => {
    const body = JSON.parse((await service.get(`/l3?marketName=${SYMBOL}`)).text);
    return JSON.stringify([body.bids, body.asks]);
  };
  await until('the book of the chain', async () => (await orders(edge)) === (await orders(lone)));
}
