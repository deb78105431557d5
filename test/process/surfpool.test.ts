import { afterEach, expect, test } from 'vitest';
import { Engine } from '../../src/engine/engine.js';
import { LiveFeed } from '../../src/feed/live-feed.js';
import { RpcClient } from '../../src/rpc/client.js';
import { RpcSocket } from '../../src/rpc/socket.js';
import { systemTimers } from '../../src/rpc/timers.js';
import { PROGRAM_ID } from '../../src/sim/bytes/keys.js';
import { SteppedDemo } from '../support/stepped-demo.js';
import { until } from '../support/until.js';

/** Real surfpool, real engine: books that lived through trouble against books read afresh. */

/** Of writes; the connections are cut in every second one. */
const ROUNDS = process.env['LONG'] === undefined ? 2 : 5;
const SEED = 7;
const DEADLINE_MS = 60_000;

const closers: (() => void | Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

interface Follower {
  readonly engine: Engine;
  readonly feed: LiveFeed;
  /** The book's hash by the time it was shown at: books of different times differ. */
  readonly hashes: Map<string, bigint>;
}

async function follow({ relay }: SteppedDemo): Promise<Follower> {
  const engine = new Engine({ programId: PROGRAM_ID, epoch: 'test' });
  const hashes = new Map<string, bigint>();
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
    onTurn: () => {
      const { slot, unixSeconds } = feed.stats();
      if (feed.status().state !== 'live') return;
      hashes.set(`${slot} ${unixSeconds}`, engine.stateHash());
    },
  });
  closers.push(() => feed.stop());
  await feed.start();
  return { engine, feed, hashes };
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
  const demo = await SteppedDemo.start({ seed: SEED, makers: 50, slotTimeMs: 100 });
  closers.push(() => demo.stop());
  const old = await follow(demo);
  expect(old.engine.markets().map(({ symbol }) => symbol)).toContain('SOL-PERP');
  expect(old.engine.stats().shown).toBeGreaterThan(100);
  for (let round = 0; round < ROUNDS; round += 1) {
    const writing = demo.step(150);
    if (round % 2 === 1) {
      demo.relay.cutSessions();
      await until('rebuilding', () => old.feed.status().state === 'rebuilding', DEADLINE_MS);
    }
    await writing;
    await until('live', () => old.feed.status().state === 'live', DEADLINE_MS);
    const fresh = await follow(demo);
    const [hashOld, hashFresh] = await hashesAtOneTime(old, fresh);
    expect(hashOld, `round ${round} ${JSON.stringify(old.feed.stats())}`).toBe(hashFresh);
    fresh.feed.stop();
  }
  expect(old.feed.stats().malformedNotifications).toBe(0);
});
