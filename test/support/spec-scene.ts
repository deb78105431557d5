import type { Flags } from '../../src/config/setting-reader.js';
import { SCENE, SceneChain, type SceneOrder } from './scene-chain.js';
import { ServiceProbe } from './service-probe.js';
import type { SteppedDemo } from './stepped-demo.js';
import { until } from './until.js';

export { ask, BASE, bid, SCENE } from './scene-chain.js';

/** A level of a body, as the specification writes it. */
export interface Level {
  readonly price: string;
  readonly size: string;
  readonly sources: Readonly<Record<string, string>>;
}

/** The members of an /l2 body that tests read. */
export interface SceneBook {
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
  readonly seq: number;
  readonly slot: number;
  readonly [member: string]: unknown;
}

/** A running service on a {@link SceneChain}, and its bodies of the scene's market. */
export class SpecScene {
  private constructor(
    readonly chain: SceneChain,
    readonly service: ServiceProbe,
  ) {}

  /** Starts all of it, the service with these settings; the book is live and empty. */
  static async start(settings: Flags = {}): Promise<SpecScene> {
    const chain = await SceneChain.start();
    return new SpecScene(chain, await ServiceProbe.start(chain.demo.relay, settings));
  }

  get demo(): SteppedDemo {
    return this.chain.demo;
  }

  get socketUrl(): string {
    return `${this.service.url.replace('http', 'ws')}/ws`;
  }

  maker(seed: number): string {
    return this.chain.maker(seed);
  }

  place(seed: number, ...orders: readonly SceneOrder[]): Promise<void> {
    return this.chain.place(seed, ...orders);
  }

  setOracle(price: bigint): Promise<void> {
    return this.chain.setOracle(price);
  }

  /** Removes the orders of these users, and waits for the empty book. */
  async clear(...seeds: readonly number[]): Promise<void> {
    for (const seed of seeds) await this.place(seed);
    await this.book(({ bids, asks }) => bids.length + asks.length === 0);
  }

  /** The book of the scene's market now. */
  async l2(query = ''): Promise<SceneBook> {
    return (await this.service.json(`/l2?marketName=${SCENE.name}${query}`)) as SceneBook;
  }

  /** Orders of the scene's market now. */
  async l3(query = '') {
    const body = await this.service.json(`/l3?marketName=${SCENE.name}${query}`);
    return body as Record<'bids' | 'asks', readonly Record<string, unknown>[]>;
  }

  /** The first book for which something holds; fails after a deadline. */
  async book(holds: (book: SceneBook) => boolean, query = ''): Promise<SceneBook> {
    let book = await this.l2(query);
    await until(async () => {
      book = await this.l2(query);
      return holds(book);
    });
    return book;
  }

  async stop(): Promise<void> {
    await this.service.stop();
    await this.chain.stop();
  }
}
