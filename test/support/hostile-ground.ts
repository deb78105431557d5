import { existsSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { expect, type TestContext } from 'vitest';
import { Random } from '../../src/sim/random.js';
import { ModelClient } from './model-client.js';
import { type ProcessStats, ServiceChild } from './service-child.js';
import { SteppedDemo } from './stepped-demo.js';
import { until } from './until.js';

/** Maximum growth of the process's memory after all attacks. */
const GROWTH_MEGABYTES_MAX = 20;
/**
 * This part of an attack runs before the memory is first read: the process allocates code and
 * garbage space once.
 */
const WARM_UP_SHARE = 0.1;
/** Memory and connections are given back within this. */
const SETTLE_MS_MAX = 60_000;

/** Open files are counted: no probe opens one more connection to the node meanwhile. */
const STEADY = ['--probe-interval-ms', '0'] as const;

const SAMPLE_MS = 50;

/** Whether the long forms are asked for: `npm run test:long -- hostile`. */
export const IS_LONG = process.env['HOSTILE'] === 'long';
/** The seed of everything random; a failure prints it. */
export const SEED = Number(process.env['HOSTILE_SEED'] ?? 20_261_121);

/** One of two counts: the short form's, or the long one's. */
export const count = (short: number, long: number) => (IS_LONG ? long : short);

/** An attack, scaled by a share; returns a description of it. */
type Attack = (random: Random, share: number) => Promise<string>;

/** A chain, and a service on it as a process. */
export class HostileGround {
  private constructor(
    readonly demo: SteppedDemo,
    readonly service: ServiceChild,
  ) {}

  static async start(): Promise<HostileGround> {
    const demo = await SteppedDemo.start({ seed: 78, makers: 12, slotTimeMs: 200 });
    try {
      const service = await ServiceChild.start(demo.relay, STEADY);
      return new HostileGround(demo, service);
    } catch (error) {
      await demo.stop();
      throw error;
    }
  }

  /**
   * Runs an attack next to an honest client, then checks that the service is alive, that the
   * honest client has the orders of /l3, and that memory and open files are released. Prints the
   * measurements and the seed.
   */
  async endure(context: TestContext, attack: Attack): Promise<void> {
    if (!existsSync('/proc/self/statm')) context.skip('needs /proc');
    const { service } = this;
    const { descriptors } = service.readStats();
    const stopHonest = await this.#startHonest();
    const attempt = (seed: number, share: number) =>
      attack(new Random(seed), share).catch(async (error: unknown) => {
        await stopHonest().catch(() => {});
        throw new Error(`with seed ${seed}: ${String(error)}\n${service.stderr}`, { cause: error });
      });
    await attempt(SEED - 1, WARM_UP_SHARE);
    const memory = new MemoryWatch(service);
    const beganMs = performance.now();
    const said = await attempt(SEED, 1);
    const tookS = (performance.now() - beganMs) / 1_000;
    const frames = await stopHonest();
    const { lowest, highest } = memory.stop();
    const after = await this.#settled({ descriptors, rssMegabytes: lowest });
    expect(service.isAlive, service.stderr).toBe(true);
    expect(after.descriptors).toBeLessThanOrEqual(descriptors);
    expect(after.rssMegabytes - lowest).toBeLessThan(GROWTH_MEGABYTES_MAX);
    const metrics = async () => (await service.get('/metrics')).text;
    await expect.poll(metrics).toMatch(/^slotbook_sockets 0$[\s\S]+^slotbook_topics 0$/m);
    const rss = [lowest, highest, after.rssMegabytes].map((megabytes) => megabytes.toFixed(0));
    process.stdout.write(
      `${context.task.name}: ${said} in ${tookS.toFixed(1)} s; lowest, highest, last RSS: ${rss.join(', ')} MB; ` +
        `${frames} frames of the honest client; seed ${SEED}\n`,
    );
  }

  /** Lets the book move for a client that checks each frame; the function ends both and answers how many there were. */
  async #startHonest(): Promise<() => Promise<number>> {
    const client = await ModelClient.open(this.service.socketUrl);
    const book = await client.follow({ channel: 'l3', market: 'SOL-PERP', depth: 100 });
    const stopMoving = this.demo.keepMoving();
    return async () => {
      await stopMoving();
      await until('the orders of /l3', async () => {
        const { text } = await this.service.get('/l3?marketName=SOL-PERP&depth=100');
        const { bids, asks } = JSON.parse(text);
        return isDeepStrictEqual(book.orders, { bids, asks });
      });
      expect(client.faults).toEqual([]);
      expect([client.resets, book.counts.snapshot, book.counts.delta > 1]).toEqual([0, 1, true]);
      await client.close();
      return book.counts.delta;
    };
  }

  /** The figures once both are back, or as they are after the deadline. */
  async #settled(before: ProcessStats): Promise<ProcessStats> {
    const { service } = this;
    const isBack = () => {
      const { rssMegabytes, descriptors } = service.readStats();
      const grown = rssMegabytes - before.rssMegabytes;
      return descriptors <= before.descriptors && grown < GROWTH_MEGABYTES_MAX;
    };
    await until(isBack, SETTLE_MS_MAX).catch(() => {});
    return service.readStats();
  }

  /** Stops both; the service must end by itself and in order. */
  async stop(): Promise<void> {
    const code = await this.service.stop();
    await this.demo.stop();
    expect(code, this.service.stderr).toBe(0);
  }
}

/** Reads the memory of a process again and again: growth counts from the least that it ever had. */
class MemoryWatch {
  readonly #timer: NodeJS.Timeout;
  #lowest: number;
  #highest: number;

  constructor(private readonly service: ServiceChild) {
    this.#lowest = service.readStats().rssMegabytes;
    this.#highest = this.#lowest;
    this.#timer = setInterval(() => this.#look(), SAMPLE_MS);
  }

  stop(): { readonly lowest: number; readonly highest: number } {
    clearInterval(this.#timer);
    return { lowest: this.#lowest, highest: this.#highest };
  }

  #look(): void {
    if (!this.service.isAlive) return;
    const { rssMegabytes } = this.service.readStats();
    this.#lowest = Math.min(this.#lowest, rssMegabytes);
    this.#highest = Math.max(this.#highest, rssMegabytes);
  }
}

/** Runs jobs, a limited number at a time. */
export async function pooled<T>(
  jobs: Iterable<T>,
  lanes: number,
  run: (job: T) => Promise<void>,
): Promise<void> {
  const iterator = jobs[Symbol.iterator]();
  const lane = async () => {
    for (let next = iterator.next(); next.done !== true; next = iterator.next()) {
      await run(next.value);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
