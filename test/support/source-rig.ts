/** A service that follows several streams of one scripted chain, which is watched: a node, and gRPC servers. */
import { expect } from 'vitest';
import type { Flags } from '../../src/config/setting-reader.js';
import type { SourceStatus } from '../../src/contract/feed-status.js';
import { ScriptedChain } from '../scripted-chain.js';
import { ScriptedNode } from '../scripted-chain-node.js';
import { ScriptedGrpc } from '../scripted-grpc.js';
import { watchedMarkets } from './fault-rig.js';
import { FrameChecker } from './frame-checker.js';
import { ServiceProbe } from './service-probe.js';
import { ServiceWatch } from './service-watch.js';
import { until } from './until.js';

/** A busy machine that stops the chain for seconds is not what is tested: a dispute makes the book `lagging` at any age. */
const PATIENT = { laggingAfterMs: '60000', staleAfterMs: '120000' } as const;

/** What is followed. */
export interface SourceRigOptions {
  /** Whether the node is a source, beside so many gRPC servers. */
  readonly hasNode: boolean;
  readonly servers: number;
  readonly settings?: Flags;
}

/** One chain, its sources, a node that is read and nothing else, and the service. */
export class SourceRig {
  private constructor(
    readonly chain: ScriptedChain,
    /** It is read, and no source. */
    readonly reader: ScriptedNode,
    readonly node: ScriptedNode,
    readonly servers: readonly ScriptedGrpc[],
    readonly service: ServiceProbe,
    readonly watch: ServiceWatch,
  ) {}

  static async start({ hasNode, servers: count, settings }: SourceRigOptions): Promise<SourceRig> {
    const chain = new ScriptedChain({ seed: 7, makers: 20, slotMs: 400, writesAreSeen: 'atOnce' });
    const [reader, node] = [await ScriptedNode.start(chain), await ScriptedNode.start(chain)];
    const servers: ScriptedGrpc[] = [];
    while (servers.length < count) servers.push(await ScriptedGrpc.start(chain));
    chain.start();
    chain.load(30);
    const checker = new FrameChecker(chain, {
      laneOf: () => 'all',
      ...{ apartMs: 0, backMs: 0, oldMsMax: 30_000, toldMsMax: 30_000 },
      ...{ secondsAreApart: false, forgiving: true },
    });
    const nodes = hasNode ? [`rpc:${node.rpcUrl}`] : [];
    const source = [...nodes, ...servers.map(({ url }) => `grpc:${url}`)].join();
    // The node is named as the second one, so that its subscription address is known; readings begin with the first.
    const fallback = { fallbackRpcUrl: node.rpcUrl, fallbackWsUrl: node.wsUrl };
    const flags = { source, ...fallback, ...PATIENT, ...settings };
    const service = await ServiceProbe.start(reader, flags, (engine) => checker.watch(engine));
    const watch = await ServiceWatch.start(service, checker, watchedMarkets(chain.life));
    return new SourceRig(chain, reader, node, servers, service, watch);
  }

  async stop(): Promise<void> {
    this.chain.stop();
    await this.watch.stop();
    for (const server of this.servers) server.stop();
    await this.node.stop();
    await this.reader.stop();
  }

  async sources(): Promise<readonly SourceStatus[]> {
    const { sources } = await this.service.json('/status');
    return sources as readonly SourceStatus[];
  }

  async untilState(at: number, state: SourceStatus['state']): Promise<void> {
    await until(
      `source ${at} is ${state}`,
      async () => (await this.sources())[at]?.state === state,
    );
  }

  /** Waits until the chain has made so many writes more. */
  async passWrites(count: number): Promise<void> {
    const wanted = this.chain.writes.length + count;
    await until(`${count} writes`, () => this.chain.writes.length >= wanted);
  }

  /**
   * Waits until the book is live, and expects that it was never lost since it was first. It may have been `lagging` meanwhile for a
   * dispute alone: a busy machine may take longer to read what is disputed than a book in dispute is shown as live
   * (`DISPUTE_MS_MAX`).
   */
  async expectBookKept(): Promise<void> {
    const { states, lagReasons } = this.service;
    await until('the book is live', () => states.at(-1) === 'live');
    const since = states.slice(states.indexOf('live'));
    expect(since.filter((state) => state !== 'live' && state !== 'lagging')).toEqual([]);
    expect(lagReasons.filter((reason) => reason?.startsWith('sources disagree') !== true)).toEqual(
      [],
    );
  }

  /** Ends the load, and compares the book with one that is made of the chain's accounts. */
  async compareBook(): Promise<void> {
    this.chain.load(0);
    this.chain.tick();
    const accounts = Array.from(this.chain.accounts.values(), ({ pubkey, bytes }) => {
      return { pubkey, data: bytes ?? Buffer.alloc(0) };
    });
    await this.watch.compare(accounts);
  }
}
