import type { Flags } from '../../src/config/setting-reader.js';
import { MarketType } from '../../src/sim/bytes/chain-enums.js';
import type { MarketSimulator } from '../../src/sim/market/market-simulator.js';
import { ScriptedChain } from '../scripted-chain.js';
import { type NodeFaults, ScriptedNode } from '../scripted-chain-node.js';
import { FrameChecker } from './frame-checker.js';
import { ServiceProbe } from './service-probe.js';
import { ServiceWatch, type WatchedMarket } from './service-watch.js';

/** A `live` book may be this much behind: the time until it is `lagging`, and of a busy machine. */
export const OLD_MS_MAX = 3_500;
/** From a new state to its frames: the publishing interval, and a busy machine. */
export const TOLD_MS_MAX = 500;

/** When a book is called late, which is as it is by default. */
export const TIMES = { laggingAfterMs: '2500', staleAfterMs: '5000' } as const;

/** What a fault needs. */
export interface RigOptions {
  readonly seed: number;
  readonly makers?: number;
  readonly slotMs?: number;
  /** Account writes a second. */
  readonly rate?: number;
  readonly forgiving?: boolean;
  readonly toldMsMax?: number;
  readonly oldMsMax?: number;
  readonly nodes?: 1 | 2;
  /** Users without orders beside the makers. */
  readonly bystanders?: number;
  readonly settings?: Flags;
  /** What the first node suffers from before the service starts. */
  readonly atStart?: Partial<NodeFaults>;
}

/** A scripted chain, its nodes, and a service on it that is watched. */
export class FaultRig {
  chain: ScriptedChain;

  private constructor(
    chain: ScriptedChain,
    readonly nodes: readonly ScriptedNode[],
    readonly watch: ServiceWatch,
    readonly options: Required<Pick<RigOptions, 'seed' | 'makers' | 'slotMs' | 'rate'>>,
  ) {
    this.chain = chain;
  }

  static async start(options: RigOptions): Promise<FaultRig> {
    const { seed, makers = 100, slotMs = 400, rate = 250, nodes: count = 1 } = options;
    const chain = new ScriptedChain({ seed, makers, slotMs });
    chain.addBystanders(options.bystanders ?? 0);
    const first = await ScriptedNode.start(chain, { seed });
    first.suffer(options.atStart ?? {});
    const second = count === 2 ? await ScriptedNode.start(chain, { seed }) : undefined;
    const checker = new FrameChecker(chain, {
      laneOf: () => 'all',
      apartMs: 0,
      backMs: 0,
      oldMsMax: options.oldMsMax ?? OLD_MS_MAX,
      toldMsMax: options.toldMsMax ?? TOLD_MS_MAX,
      secondsAreApart: false,
      forgiving: options.forgiving ?? false,
    });
    chain.start();
    chain.load(rate);
    const { rpcUrl: fallbackRpcUrl, wsUrl: fallbackWsUrl } = second ?? {};
    const settings = { ...TIMES, fallbackRpcUrl, fallbackWsUrl, ...options.settings };
    const service = await ServiceProbe.start(first, settings, (engine) => checker.watch(engine));
    const watch = await ServiceWatch.start(service, checker, watchedMarkets(chain.life));
    const nodes = second === undefined ? [first] : [first, second];
    return new FaultRig(chain, nodes, watch, { seed, makers, slotMs, rate });
  }

  get node(): ScriptedNode {
    const [node] = this.nodes;
    if (node === undefined) throw new Error('Invariant: there is a node');
    return node;
  }

  /** Another chain takes the place of this one: what a restarted test chain is. */
  async replaceChain(seed: number): Promise<void> {
    this.chain.stop();
    for (const node of this.nodes) await node.stop();
    const { makers, slotMs, rate } = this.options;
    this.chain = new ScriptedChain({ seed, makers, slotMs });
    this.chain.start();
    this.chain.load(rate);
    this.watch.checker.follow(this.chain);
    for (const node of this.nodes) await node.restart(this.chain);
  }

  /** Ends the load, and compares the book with a rebuild once it has the last write. */
  async compare(): Promise<void> {
    this.chain.load(0);
    this.chain.tick();
    const accounts = Array.from(this.chain.accounts.values(), ({ pubkey, bytes }) => {
      return { pubkey, data: bytes ?? Buffer.alloc(0) };
    });
    await this.watch.compare(accounts);
  }

  async stop(): Promise<void> {
    this.chain.stop();
    await this.watch.stop();
    for (const node of this.nodes) await node.stop();
  }
}

/** The markets of a life that have a book. */
export function watchedMarkets({ markets }: MarketSimulator): WatchedMarket[] {
  return markets.map(({ name, marketType }) => {
    return { name, kind: marketType === MarketType.Perp ? 'perp' : 'spot' };
  });
}
