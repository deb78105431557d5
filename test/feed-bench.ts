import { afterEach, beforeEach } from 'vitest';
import type { LiveFeedOptions } from '../src/feed/feed-options.js';
import { LiveFeed } from '../src/feed/live-feed.js';
import { RpcClient } from '../src/rpc/client.js';
import type { RpcNode } from '../src/rpc/node-pool.js';
import { RpcSocket, type RpcSocketOptions } from '../src/rpc/socket.js';
import { systemTimers } from '../src/rpc/timers.js';
import { FakeChain } from './fake-chain.js';
import { FakeEngine } from './fake-engine.js';
import { ScriptedRpc } from './scripted-rpc.js';
import { until } from './support/until.js';

/** Pace of the slots: a chain that runs much faster is not believed. */
const SLOT_MS = 400;

/** A feed between a scripted RPC and a fake engine: what the feed's tests have in common. */
export class FeedBench {
  readonly server: ScriptedRpc;
  readonly chain: FakeChain;
  readonly engine = new FakeEngine();
  #feed: LiveFeed | null = null;
  #socket: RpcSocket | null = null;
  #livesSeen = 1;
  #slotAtMs = 0;

  private constructor(server: ScriptedRpc) {
    this.server = server;
    this.chain = new FakeChain(server);
  }

  static async open(): Promise<FeedBench> {
    return new FeedBench(await ScriptedRpc.start());
  }

  /** Starts the feed; resolves when its book is live for the first time. */
  start(options: Partial<LiveFeedOptions> = {}, ackTimeoutMs = 5_000): Promise<void> {
    this.#socket = socketOf(this.server, { ackTimeoutMs });
    this.#feed = new LiveFeed({
      nodes: [nodeOf(this.server, this.#socket)],
      timers: { ...systemTimers, unixMs: () => 5_000 },
      engine: this.engine,
      programId: 'program',
      random: () => 0,
      firstSlotWaitMs: 0,
      probeIntervalMs: 0,
      // Where a test says no other, no slot is missed.
      timing: { laggingAfterMs: 3_600_000, staleAfterMs: 7_200_000 },
      ...options,
    });
    return this.#feed.start();
  }

  async close(): Promise<void> {
    this.#feed?.stop();
    await this.server.stop();
  }

  get feed(): LiveFeed {
    if (this.#feed === null) throw new Error('the feed was not started');
    return this.#feed;
  }

  get socket(): RpcSocket {
    if (this.#socket === null) throw new Error('the feed was not started');
    return this.#socket;
  }

  /** The data of an account in the engine. */
  user(name: string): string | undefined {
    return this.engine.accounts.get(name);
  }

  async untilUser(name: string, data: string | undefined): Promise<void> {
    await until(`${name} is ${data}`, () => this.user(name) === data);
  }

  /** Breaks the connection, changes the chain and waits for the book after it. */
  async cutAnd(change: () => void): Promise<void> {
    this.#livesSeen = this.#lives;
    this.server.cut();
    change();
    await this.untilLiveAgain();
  }

  /** Waits until the book has become live once more than at the start and at the waits before. */
  async untilLiveAgain(): Promise<void> {
    await until('live again', () => this.#lives > this.#livesSeen && this.engine.state === 'live');
    this.#livesSeen = this.#lives;
  }

  /** How often the book has become live: a state may be over before a slow machine looks for it. */
  get #lives(): number {
    return this.engine.calls.filter((call) => call === 'state live').length;
  }

  /** Announces the next slot, if the last one is long enough ago for a chain; that one again until the feed has it. */
  nextSlot(chain: FakeChain = this.chain): boolean {
    if (performance.now() < this.#slotAtMs + SLOT_MS) return false;
    this.#slotAtMs = performance.now();
    if (this.feed.stats().slot >= chain.slot) chain.slot += 1;
    chain.tick(chain.slot);
    return true;
  }

  /** Slots arrive in order with all else, so a later one proves that the earlier came. */
  async notifiedAll(): Promise<void> {
    const slot = this.chain.slot + 10;
    this.chain.tick(slot);
    await until('the slot arrived', () => this.feed.stats().slot === slot);
  }
}

/** The bench of the present test, where the file uses one. */
export let bench: FeedBench;

/** Each test of the file has a bench of its own. */
export function useFeedBench(): void {
  beforeEach(async () => {
    bench = await FeedBench.open();
  });
  afterEach(() => bench.close());
}

/** A node beside that of the bench, and its chain. */
export let second: ScriptedRpc;
export let secondChain: FakeChain;

/** Each test of the file, or of the group, has a bench and another node. */
export function useTwoNodes(): void {
  useFeedBench();
  beforeEach(async () => {
    second = await ScriptedRpc.start();
    secondChain = new FakeChain(second);
  });
  afterEach(() => second.stop());
}

/** Starts the feed of the bench with both nodes. */
export function startWithBoth(options: Partial<LiveFeedOptions> = {}): Promise<void> {
  return bench.start({ nodes: [nodeOf(bench.server), nodeOf(second)], ...options });
}

/** The node of a scripted server. */
export function nodeOf(server: ScriptedRpc, socket = socketOf(server)): RpcNode {
  const rpc = new RpcClient({ url: server.rpcUrl, timers: systemTimers, random: () => 0 });
  return { name: new URL(server.rpcUrl).host, rpc, socket };
}

function socketOf(server: ScriptedRpc, options: Partial<RpcSocketOptions> = {}): RpcSocket {
  const { wsUrl: url } = server;
  return new RpcSocket({ url, timers: systemTimers, random: () => 0, ...options });
}
