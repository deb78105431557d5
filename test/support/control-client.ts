import { CompatibleClient, type SceneBook } from './compatible-client.js';
import { bid, SCENE, type SceneChain } from './scene-chain.js';
import type { ServiceChild } from './service-child.js';

/** Its bids stand in this range, each at a price of its own; no other bid of a test may be dearer. */
const FLOOR = 90_000_000n;
const STEPS = 90_000n;
/** A changed book must have come by then, on a machine that is busy with the other clients. */
const CHANGE_MS_MAX = 60_000;
const PAUSE_MS = 20;
const OWNER = 200;

/** The observations of a control client. */
interface Sighting {
  /** Changes written on chain, each of which came as a frame before the next was written. */
  readonly changes: number;
  readonly frames: number;
  /** The longest time from a confirmed write to its frame. */
  readonly worstMs: number;
}

/**
 * An honest client that runs next to hostile ones. It repeatedly changes the book on chain, and each
 * change must arrive as a frame; nothing else may, and its connection must last.
 */
export class ControlClient {
  #changes = 0;
  #worstMs = 0;
  #stopping = false;
  #watching: Promise<void> = Promise.resolve();

  private constructor(
    private readonly chain: SceneChain,
    private readonly service: ServiceChild,
    private readonly client: CompatibleClient,
  ) {}

  /** Subscribes, and begins to change and to watch the book. */
  static async start(chain: SceneChain, service: ServiceChild): Promise<ControlClient> {
    const client = await CompatibleClient.open(service.socketUrl);
    await client.subscribe({ market: SCENE.name });
    const control = new ControlClient(chain, service, client);
    control.#watching = control.#watch();
    // Handles a failure before the test awaits it; `stop` reports the failure.
    control.#watching.catch(() => {});
    return control;
  }

  /** Ends it, and checks that nothing was amiss and the last frame is the book of /l2. */
  async stop(): Promise<Sighting> {
    this.#stopping = true;
    await this.#watching;
    const { client } = this;
    const { text } = await this.service.get(`/l2?marketName=${SCENE.name}&depth=20`);
    const l2 = JSON.parse(text) as SceneBook;
    const last = client.frames.at(-1)?.book;
    const differs = JSON.stringify([last?.bids, last?.asks]) !== JSON.stringify([l2.bids, l2.asks]);
    if (differs) throw new Error(`the last frame was ${JSON.stringify(last)}, /l2 was ${text}`);
    const amiss = [...client.errors, ...client.strange];
    if (amiss.length > 0)
      throw new Error(`the control client was told ${JSON.stringify(amiss[0])}`);
    this.#checkOrder();
    await client.close();
    return { changes: this.#changes, frames: client.frames.length, worstMs: this.#worstMs };
  }

  async #watch(): Promise<void> {
    while (!this.#stopping) {
      this.#changes += 1;
      const price = FLOOR + (BigInt(this.#changes) % STEPS) * SCENE.tick;
      const from = this.client.frames.length;
      await this.chain.place(OWNER, bid(price));
      const writtenMs = performance.now();
      const { atMs } = await this.#frameOf(price, from);
      this.#worstMs = Math.max(this.#worstMs, atMs - writtenMs);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }

  async #frameOf(price: bigint, from: number) {
    const holds = ({ bids }: SceneBook) => bids.some((level) => level.price === `${price}`);
    const closed = this.client.closed.then(({ code }) => {
      throw new Error(`the control client was closed with ${code}`);
    });
    closed.catch(() => {});
    return await Promise.race([
      this.client.frame(holds, { from, deadlineMs: CHANGE_MS_MAX }),
      closed,
    ]);
  }

  /** Books only get newer. */
  #checkOrder(): void {
    const seqs = this.client.frames.map(({ book }) => book.seq);
    const back = seqs.findIndex((seq, i) => seq < (seqs[i - 1] ?? 0));
    if (back >= 0) throw new Error(`seq went from ${seqs[back - 1]} to ${seqs[back]}`);
  }
}
