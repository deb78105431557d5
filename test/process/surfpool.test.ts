import { afterEach, expect, test } from 'vitest';
import { Engine } from '../../src/engine/engine.js';
import type { LiveFeedOptions } from '../../src/feed/feed-options.js';
import { LiveFeed } from '../../src/feed/live-feed.js';
import { RpcClient } from '../../src/rpc/client.js';
import { RpcSocket } from '../../src/rpc/socket.js';
import { systemTimers } from '../../src/rpc/timers.js';
import { PROGRAM_ID } from '../../src/sim/bytes/keys.js';
import { LocalChain } from '../../src/sim/chain/chain-process.js';
import { AccountWriter } from '../../src/sim/demo/account-writer.js';
import { MarketSimulator } from '../../src/sim/market/market-simulator.js';
import { Relay } from '../../src/sim/relay/relay.js';
import { until } from '../support/until.js';

/** Real surfpool, real engine: books that lived through trouble against books read afresh. */

const IS_LONG = process.env['LONG'] !== undefined;
/** Of writes; the connections are cut in every second one. */
const ROUNDS = IS_LONG ? 5 : 2;
const SEED = 7;
const DEADLINE_MS = 60_000;
const SLOT_TIME_MS = 100;
const SYSTEM_PROGRAM = '11111111111111111111111111111111';

const closers: (() => void | Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

interface World {
  readonly chain: LocalChain;
  readonly relay: Relay;
  readonly makers: readonly string[];
  /** Takes an account's lamports and data away, as the chain does with a closed one. */
  close(pubkey: string): Promise<void>;
  /** Writes this many steps of the life and waits until the chain has them. */
  step(count: number): Promise<void>;
}

async function startWorld(seed: number): Promise<World> {
  const chain = await LocalChain.start({ slotTimeMs: SLOT_TIME_MS });
  closers.push(async () => {
    await chain.stop();
  });
  const relay = await Relay.start(chain);
  closers.push(() => relay.stop());
  const writer = new AccountWriter(chain.rpcUrl);
  closers.push(() => writer.close());
  chain.onSlot(({ slot }) => relay.noteSlot(slot));
  await until('the chain has a clock', () => chain.clock !== undefined, DEADLINE_MS);
  const clock = (): NonNullable<typeof chain.clock> => {
    if (chain.clock === undefined) throw new Error('the chain has no clock');
    return chain.clock;
  };
  const life = new MarketSimulator({ seed, makers: 50 });
  for (const account of life.createGenesis(clock())) await writer.writeAccount(account);
  await writer.flush();
  return {
    chain,
    relay,
    makers: life.makers.map(({ pubkey }) => pubkey),
    close: (pubkey) => closeAccount(chain.rpcUrl, pubkey),
    step: async (count) => {
      for (let index = 0; index < count; index += 1) {
        for (const account of life.nextWrites(clock())) await writer.writeAccount(account);
      }
      await writer.flush();
    },
  };
}

async function closeAccount(rpcUrl: string, pubkey: string): Promise<void> {
  const nothing = { lamports: 0, owner: SYSTEM_PROGRAM, executable: false, data: '' };
  await new RpcClient({ timers: systemTimers, url: rpcUrl }).call(
    'surfnet_setAccount',
    [pubkey, nothing],
    () => null,
  );
}

interface Follower {
  readonly engine: Engine;
  readonly feed: LiveFeed;
  /** The book's hash by the time it was shown at: books of different times differ. */
  readonly hashes: Map<string, bigint>;
  /** The slots shown as live, in order. */
  readonly slotsLive: number[];
}

async function follow(
  { relay }: World,
  options: Pick<LiveFeedOptions, 'auditIntervalMs' | 'probeIntervalMs'> = {},
): Promise<Follower> {
  const engine = new Engine({ programId: PROGRAM_ID, epoch: 'test' });
  const hashes = new Map<string, bigint>();
  const slotsLive: number[] = [];
  const feed: LiveFeed = new LiveFeed({
    timers: systemTimers,
    nodes: [
      {
        name: 'relay',
        rpc: new RpcClient({ timers: systemTimers, url: relay.rpcUrl }),
        socket: new RpcSocket({ timers: systemTimers, url: relay.wsUrl }),
      },
    ],
    engine,
    programId: PROGRAM_ID,
    ...options,
    onTurn: () => {
      const { slot, unixSeconds } = feed.stats();
      if (feed.status().state !== 'live') return;
      hashes.set(`${slot} ${unixSeconds}`, engine.stateHash());
      slotsLive.push(slot);
    },
  });
  closers.push(() => feed.stop());
  await feed.start();
  return { engine, feed, hashes, slotsLive };
}

/** Both books at one and the same time of the chain, while nothing is written. */
async function hashesAtOneTime(a: Follower, b: Follower): Promise<readonly [bigint, bigint]> {
  const slot = Math.max(a.feed.stats().slot, b.feed.stats().slot) + 2;
  const reached = (): boolean => a.feed.stats().slot >= slot && b.feed.stats().slot >= slot;
  await until('two quiet slots', reached, DEADLINE_MS);
  a.hashes.clear();
  b.hashes.clear();
  const common = (): string | undefined => [...a.hashes.keys()].find((key) => b.hashes.has(key));
  await until('a time that both have shown', () => common() !== undefined, DEADLINE_MS);
  const key = common() ?? '';
  return [a.hashes.get(key) ?? 0n, b.hashes.get(key) ?? 1n];
}

test('feed: a book that lived through cuts equals a book read afresh, seed 7', async () => {
  const world = await startWorld(SEED);
  const old = await follow(world);
  expect(old.engine.markets().map(({ symbol }) => symbol)).toContain('SOL-PERP');
  expect(old.engine.stats().shown).toBeGreaterThan(100);
  for (let round = 0; round < ROUNDS; round += 1) {
    const writing = world.step(60);
    if (round % 2 === 1) {
      world.relay.cutSessions();
      await until('rebuilding', () => old.feed.status().state === 'rebuilding', DEADLINE_MS);
    }
    await writing;
    await until('live', () => old.feed.status().state === 'live', DEADLINE_MS);
    const fresh = await follow(world);
    const [hashOld, hashFresh] = await hashesAtOneTime(old, fresh);
    expect(hashOld, `round ${round} ${JSON.stringify(old.feed.stats())}`).toBe(hashFresh);
    fresh.feed.stop();
  }
  expect(old.feed.stats().malformedNotifications).toBe(0);
});

if (IS_LONG) {
  test('feed: a book follows its RPC to another chain with lower slots', async () => {
    const world = await startWorld(SEED);
    await world.step(30);
    const old = await follow(world);
    const genesis = old.feed.stats().genesisHash;
    // Surfpool makes its genesis hash of the second in which it starts.
    const second = old.feed.stats().unixSeconds + 2;
    await until('another second', () => old.feed.stats().unixSeconds >= second, DEADLINE_MS);
    const other = await startWorld(SEED + 1);
    const slotBefore = old.feed.stats().slot;
    world.relay.retarget(other.chain);
    await until('rebuilding', () => old.feed.status().state === 'rebuilding', DEADLINE_MS);
    old.slotsLive.length = 0;
    await until('live', () => old.feed.status().state === 'live', DEADLINE_MS);
    expect(old.slotsLive[0], 'the first slot shown of the other chain').toBeLessThan(slotBefore);
    expect(old.slotsLive[0]).toBeGreaterThan(0);
    await until('a slot', () => old.feed.stats().slotAgeMs < SLOT_TIME_MS, DEADLINE_MS);
    expect(old.feed.stats().genesisHash).not.toBe(genesis);
    await other.step(30);
    const fresh = await follow(world);
    const [hashOld, hashFresh] = await hashesAtOneTime(old, fresh);
    expect(hashOld).toBe(hashFresh);
  });
}

/** Rows of a maker in all books. */
function rowsOf({ engine }: Follower, maker: string): number {
  const bodies = engine.markets().map(({ id }) => {
    return JSON.parse(Buffer.from(engine.l3({ market: id, maker })).toString()) as {
      readonly bids: readonly unknown[];
      readonly asks: readonly unknown[];
    };
  });
  return bodies.reduce((sum, { bids, asks }) => sum + bids.length + asks.length, 0);
}

if (IS_LONG) {
  test('feed: an audit finds nothing in a moving chain, and takes closed accounts out', async () => {
    const world = await startWorld(SEED);
    // Probes would let go of a closed account before an audit reads it.
    const book = await follow(world, { auditIntervalMs: 200, probeIntervalMs: 0 });
    const deadlineMs = performance.now() + DEADLINE_MS;
    while (book.feed.stats().audits < 5) {
      expect(performance.now(), 'time until five audits').toBeLessThan(deadlineMs);
      await world.step(30);
    }
    expect(book.feed.stats()).toMatchObject({ auditDifferences: 0, auditFailures: 0, rebuilds: 1 });
    const maker = world.makers.find((pubkey) => rowsOf(book, pubkey) > 0) ?? '';
    await world.close(maker);
    await until('its rows are gone', () => rowsOf(book, maker) === 0, DEADLINE_MS);
    const audits = book.feed.stats().audits + 2;
    await until('two more audits', () => book.feed.stats().audits >= audits, DEADLINE_MS);
    expect(book.feed.stats()).toMatchObject({
      auditDifferences: 0,
      auditRemovals: 1,
      usersRemoved: 1,
      rebuilds: 1,
    });
    const market = book.engine.findMarket('SOL-PERP');
    expect(market?.emptyReason).toBeNull();
    await world.close(market?.account ?? '');
    const reason = (): string | null | undefined => book.engine.findMarket('SOL-PERP')?.emptyReason;
    await until('the market is empty', () => reason() === 'marketClosed', DEADLINE_MS);
    await until('live', () => book.feed.status().state === 'live', DEADLINE_MS);
  });
}
