import type { Flags } from '../../src/config.js';
import { ScriptedChain } from '../scripted-chain.js';
import { ScriptedNode } from '../scripted-chain-node.js';
import { expectBooks } from './book-judge.js';
import { type Findings, FrameChecker, type PublishedBook } from './frame-checker.js';
import { ServiceProbe } from './service-probe.js';

/** A `live` book may be this much behind: the time until it is `lagging`, and of a busy machine. */
const OLD_MS_MAX = 3_500;
/** How often each market is asked for. */
const POLL_MS = 20;

/** What a fault needs. */
export interface RigOptions {
  readonly seed: number;
  readonly makers?: number;
  readonly slotMs?: number;
  /** Account writes a second. */
  readonly rate?: number;
  readonly forgiving?: boolean;
  readonly nodes?: 1 | 2;
  /** Users without orders beside the makers. */
  readonly bystanders?: number;
  readonly settings?: Flags;
}

/** A scripted chain, its nodes, a service on it, and the checker that watches the service. */
export class FaultRig {
  chain: ScriptedChain;
  returnedAtMs = 0;
  readonly #polling = new AbortController();
  #polls: Promise<void> = Promise.resolve();

  private constructor(
    chain: ScriptedChain,
    readonly nodes: readonly ScriptedNode[],
    readonly checker: FrameChecker,
    readonly service: ServiceProbe,
    readonly options: Required<Pick<RigOptions, 'seed' | 'makers' | 'slotMs' | 'rate'>>,
  ) {
    this.chain = chain;
  }

  static async start(options: RigOptions): Promise<FaultRig> {
    const { seed, makers = 100, slotMs = 400, rate = 250, nodes: count = 1 } = options;
    const chain = new ScriptedChain({ seed, makers, slotMs });
    chain.addBystanders(options.bystanders ?? 0);
    const nodes: ScriptedNode[] = [];
    for (let i = 0; i < count; i += 1) nodes.push(await ScriptedNode.start(chain, { seed }));
    const [first, second] = nodes;
    if (first === undefined) throw new Error('Invariant: there is a node');
    const checker = new FrameChecker(chain, {
      laneOf: () => 'all',
      apartMs: 0,
      oldMsMax: OLD_MS_MAX,
      forgiving: options.forgiving ?? false,
    });
    chain.start();
    chain.load(rate);
    const fallback =
      second === undefined ? {} : { fallbackRpcUrl: second.rpcUrl, fallbackWsUrl: second.wsUrl };
    const service = await ServiceProbe.start(first, { ...fallback, ...options.settings });
    const rig = new FaultRig(chain, nodes, checker, service, { seed, makers, slotMs, rate });
    rig.#polls = rig.#poll();
    return rig;
  }

  get node(): ScriptedNode {
    const [node] = this.nodes;
    if (node === undefined) throw new Error('Invariant: there is a node');
    return node;
  }

  /** The node is whole again, now. */
  returned(): void {
    this.returnedAtMs = performance.now();
  }

  /** Another chain takes the place of this one: what a restarted test chain is. */
  async replaceChain(seed: number): Promise<void> {
    this.chain.stop();
    for (const node of this.nodes) await node.stop();
    const { makers, slotMs, rate } = this.options;
    this.chain = new ScriptedChain({ seed, makers, slotMs });
    this.chain.start();
    this.chain.load(rate);
    this.checker.follow(this.chain);
    for (const node of this.nodes) await node.restart(this.chain);
  }

  /** Waits until every market has what was written up to a moment; answers how long it took. */
  async caughtUp(sinceMs: number): Promise<number> {
    let tookMs: number | undefined;
    await this.service.until(() => {
      tookMs = this.checker.caughtUpAfter(sinceMs);
      return tookMs !== undefined;
    });
    return tookMs ?? 0;
  }

  /** Ends the load, waits until the last write is in the book, and compares it with a rebuild. */
  async compare(): Promise<void> {
    this.chain.load(0);
    this.chain.tick();
    await this.caughtUp(performance.now());
    const accounts = Array.from(this.chain.accounts.values(), ({ pubkey, bytes }) => {
      return { pubkey, data: bytes ?? Buffer.alloc(0) };
    });
    expectBooks(await this.service.read(), accounts);
  }

  /** Accounts that audits found to differ. */
  async differences(): Promise<number> {
    const { text } = await this.service.get('/metrics');
    const events = /^slotbook_feed_events_total\{event="auditDifferences"\} (\d+)$/m.exec(text);
    if (events === null) throw new Error('there is no count of audit differences');
    return Number(events[1]);
  }

  async findings(): Promise<Findings> {
    this.#polling.abort();
    await this.#polls;
    return await this.checker.finish();
  }

  async stop(): Promise<void> {
    this.#polling.abort();
    await this.#polls;
    this.chain.stop();
    await this.service.stop();
    this.checker.stop();
    for (const node of this.nodes) await node.stop();
  }

  async #poll(): Promise<void> {
    const markets = this.chain.life.markets.map(({ name }) => name);
    while (!this.#polling.signal.aborted) {
      for (const market of markets) {
        const body = await this.service.json(`/l2?marketName=${market}&depth=1000`);
        this.checker.published({ ...(body as unknown as PublishedBook), market, via: 'HTTP' });
      }
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }
}
