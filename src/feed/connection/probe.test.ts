import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { accountJson, clockData } from '../../../test/fake-chain.js';
import { bench, nodeOf, useFeedBench } from '../../../test/feed-bench.js';
import { Gate } from '../../../test/support/gate.js';
import { nextTurn } from '../../../test/support/next-turn.js';
import { SlowPublisher } from '../../../test/support/slow-publisher.js';
import { until } from '../../../test/support/until.js';
import { setTimeout as sleep } from '../../../test/world/timers-promises.js';
import { RpcClient } from '../../rpc/client.js';
import { PATIENCE_WITH_FALLBACK } from '../../rpc/limits.js';
import { systemTimers } from '../../rpc/timers.js';
import type { LiveFeedOptions } from '../feed-options.js';
import {
  ACCOUNTS_PER_READ,
  PROBE_REPAIRS_MAX,
  PROBE_SLOTS_AFTER,
  SLOTS_APART_MAX,
} from '../model/limits.js';
import { CLOCK_KEY } from '../model/queries.js';
import { probesPerInterval } from './probed-keys.js';

/** Shorter than the feed's check interval, so every check finds a probe due. */
const INTERVAL_MS = 20;

useFeedBench();

function start(options: Partial<LiveFeedOptions> = {}): Promise<void> {
  return bench.start({ probeIntervalMs: INTERVAL_MS, ...options });
}

/** A silent Clock would be read, and the oracles with it. True when a slot was due. */
function passSlot(): boolean {
  if (!bench.nextSlot()) return false;
  if (bench.server.subscriptions.some(({ params }) => params[0] === CLOCK_KEY)) {
    bench.chain.notify(CLOCK_KEY, clockData(1_000), bench.chain.slot);
  }
  return true;
}

/** Passes slots until this many more reads were compared. */
async function probed(count: number, eachSlot: () => void = () => undefined): Promise<void> {
  const wanted = bench.feed.stats().probes + count;
  await until(`probe ${wanted}`, () => {
    if (passSlot()) eachSlot();
    return bench.feed.stats().probes >= wanted;
  });
}

/** Passes slots until lost messages were detected, and the book is live again. */
async function untilHealed(eachSlot: () => void = () => undefined): Promise<void> {
  await until('the loss was found', () => {
    if (passSlot()) eachSlot();
    return bench.feed.stats().losses > 0;
  });
  const slots = setInterval(passSlot, 20);
  await bench.untilLiveAgain().finally(() => clearInterval(slots));
}

/** Changes the chain without a notification. */
function changeUnseen(key: string, data: string): void {
  bench.chain.slot += 1;
  bench.chain.accounts.set(key, data);
}

describe('probe: what it finds', () => {
  test.each([
    ['a user', 'user1', 'unseen '],
    ['a perp market', 'perp0', 'market:oracle'],
    ['the State', 'state', 'unseen '],
    ['an oracle', 'oracle0', 'unseen '],
  ])('the subscription of %s is silent: a new connection is made', async (_name, key, data) => {
    await start();
    await untilHealed(() => changeUnseen(key, data + bench.chain.slot));
    expect(bench.user(key)).toBe(bench.chain.accounts.get(key));
    expect(bench.feed.stats()).toMatchObject({ losses: 1, rebuilds: 2 });
    expect(bench.server.upgrades).toBe(2);
  });

  test('a user that is new to the book, among those that were notified last', async () => {
    await start();
    bench.chain.change('user3', 'came and went');
    await bench.untilUser('user3', 'came and went');
    changeUnseen('user3', 'unseen');
    await untilHealed();
    expect(bench.user('user3')).toBe('unseen');
  });

  test.each([0, 300, 600, 900].flatMap((afterMs) => [400, 800].map((slotMs) => [afterMs, slotMs])))(
    'a market that changes %i ms after a probe: the book is not live two seconds later, with slots of %i ms',
    async (afterMs, slotMs) => {
      await start({ probeIntervalMs: 1_000 });
      const slots = setInterval(() => {
        bench.chain.slot += 1;
        bench.chain.tick(bench.chain.slot);
      }, slotMs);
      await probed(2);
      await sleep(afterMs);
      changeUnseen('perp0', 'market:oracle');
      const sinceMs = performance.now();
      await until('the book is not live', () => bench.engine.state !== 'live');
      clearInterval(slots);
      expect(performance.now() - sinceMs).toBeLessThan(2_000);
    },
  );

  test('a market that is notified shortly after it was read: the book stays live', async () => {
    await start({ probeIntervalMs: 1_000 });
    changeUnseen('perp0', 'market:oracle');
    await probed(1);
    const notifiedSlot = bench.chain.slot;
    await until('the next slot', () => passSlot() && bench.chain.slot > notifiedSlot);
    await sleep(150);
    bench.chain.notify('perp0', 'market:oracle', notifiedSlot);
    await probed(2);
    expect(bench.engine.calls).not.toContain('state lagging');
  });

  test('a market whose notification is late: the book is live with the next read', async () => {
    await start();
    changeUnseen('perp0', 'market:oracle');
    await until('the book is in doubt', () => passSlot() && bench.engine.state === 'lagging');
    bench.chain.notify('perp0', 'market:oracle', bench.chain.slot - 1);
    await until('the book is live', () => bench.engine.state === 'live');
    expect(bench.feed.stats()).toMatchObject({ losses: 0, rebuilds: 1 });
  });

  test('until all is read again the book is not live, and says why', async () => {
    const gate = new Gate();
    await start();
    bench.chain.beforeUsers = () => gate.passed;
    changeUnseen('user2', 'unseen');
    await until('the loss was found', () => {
      passSlot();
      return bench.engine.state === 'rebuilding' && bench.server.upgrades === 2;
    });
    const { state, reason } = bench.feed.status();
    expect(state).toBe('rebuilding');
    expect(reason).toContain('the node lost notifications: a read found that user2 had changed');
    gate.open();
  });
});

describe('probe: what leaves the book', () => {
  /** Passes slots until an account has left the book, which stays live meanwhile. */
  async function untilGone(key: string): Promise<void> {
    await until(`${key} has left`, () => {
      passSlot();
      expect(bench.engine.state).toBe('live');
      return bench.user(key) === undefined;
    });
  }

  test.each(['user1', 'perp0', 'oracle0'])('%s, which is closed without a word', async (key) => {
    await start({ auditIntervalMs: 0 });
    bench.chain.slot += 1;
    bench.chain.accounts.delete(key);
    await untilGone(key);
    expect(bench.feed.stats()).toMatchObject({ absences: 1, losses: 0, rebuilds: 1 });
  });

  test.each([
    ['user9', 'made up'],
    ['perp9', 'market:oracle9'],
  ])('%s, which is notified and never was', async (key, data) => {
    await start({ auditIntervalMs: 0 });
    bench.chain.notify(key, data, bench.chain.slot);
    await until('the book has it', () => bench.user(key) === data);
    await untilGone(key);
    expect(bench.feed.stats()).toMatchObject({ absences: 1, losses: 0, rebuilds: 1 });
  });

  test('one that is notified again in each slot and never was: a new connection is made', async () => {
    await start({ auditIntervalMs: 0 });
    const slots = setInterval(() => {
      if (bench.feed.stats().losses === 0) bench.chain.notify('user9', 'made up', bench.chain.slot);
    }, 20);
    await untilHealed().finally(() => clearInterval(slots));
    expect(bench.user('user9')).toBe(undefined);
  });
});

describe('probe: what it repairs', () => {
  /** The last slot is of a fork, and the next one does not descend from it. */
  function leaveFork(): void {
    for (const back of [1, 2]) {
      bench.chain.slot += 1;
      bench.chain.tick(bench.chain.slot, bench.chain.slot - back);
    }
  }

  test('a user that went back with an abandoned fork: the book stays live', async () => {
    await start();
    leaveFork();
    changeUnseen('user2', 'as before the fork');
    await until('the user was repaired', () => {
      passSlot();
      return bench.feed.stats().probeRepairs > 0;
    });
    await bench.untilUser('user2', 'as before the fork');
    await probed(3);
    expect(bench.feed.stats()).toMatchObject({ probeRepairs: 1, losses: 0, rebuilds: 1 });
    expect(bench.engine.state).toBe('live');
    expect(bench.server.upgrades).toBe(1);
  });

  test('a few users within a minute; one more is a loss of messages', async () => {
    const users = Array.from({ length: PROBE_REPAIRS_MAX }, (_, index) => `user-${index}`);
    for (const user of users) bench.chain.accounts.set(user, 'x');
    await start();
    leaveFork();
    for (const user of users) changeUnseen(user, 'unseen');
    await until('all users were repaired', () => {
      passSlot();
      return bench.feed.stats().probeRepairs === PROBE_REPAIRS_MAX;
    });
    expect(users.map((user) => bench.user(user))).toEqual(users.map(() => 'unseen'));
    expect(bench.feed.stats().losses).toBe(0);
    changeUnseen('user2', 'unseen');
    await untilHealed();
    expect(bench.user('user2')).toBe('unseen');
    expect(bench.feed.stats()).toMatchObject({ probeRepairs: PROBE_REPAIRS_MAX, losses: 1 });
  });

  test('no user that was notified after the fork, or before it', async () => {
    await start();
    bench.chain.change('user1', 'before the fork');
    leaveFork();
    bench.chain.change('user2', 'after the fork');
    await bench.untilUser('user2', 'after the fork');
    for (const user of ['user1', 'user2']) changeUnseen(user, 'unseen');
    await untilHealed();
    expect(bench.feed.stats()).toMatchObject({ probeRepairs: 0, losses: 1 });
  });

  test('a user that was notified in the fork', async () => {
    await start();
    bench.chain.slot += 1;
    bench.chain.tick(bench.chain.slot);
    bench.chain.change('user2', 'in the fork');
    bench.chain.tick(bench.chain.slot);
    await bench.untilUser('user2', 'in the fork');
    bench.chain.slot += 1;
    bench.chain.tick(bench.chain.slot, bench.chain.slot - 2);
    changeUnseen('user2', 'as before the fork');
    await until('the user was repaired', () => {
      passSlot();
      return bench.feed.stats().probeRepairs > 0;
    });
    expect(bench.feed.stats()).toMatchObject({ probeRepairs: 1, losses: 0 });
  });

  test('what the read that repairs found besides is settled by the next read', async () => {
    await start();
    leaveFork();
    changeUnseen('user2', 'as before the fork');
    let [isFirst, readsLeft] = [true, 1];
    bench.server.answer('getMultipleAccounts', async ([keys, config]) => {
      if (!JSON.stringify(config).includes('zstd')) return bench.chain.multiple(keys as string[]);
      if (bench.feed.stats().probeRepairs === 1) {
        if (readsLeft === 0) return { status: 403 };
        readsLeft -= 1;
        const settled = bench.chain.slot + PROBE_SLOTS_AFTER;
        await until('slots have passed', () => bench.feed.stats().slot >= settled);
      }
      const reply = bench.chain.multiple(keys as string[]);
      if (isFirst) changeUnseen('user1', 'as before it');
      isFirst = false;
      return reply;
    });
    await until('the next read was compared', () => {
      passSlot();
      const { probeRepairs, probeFailures } = bench.feed.stats();
      return probeRepairs === 2 || probeFailures > 0;
    });
    expect(bench.feed.stats()).toMatchObject({ probeRepairs: 2, losses: 0 });
  });

  test('no market: what a fork leaves of it is written again soon', async () => {
    await start();
    leaveFork();
    changeUnseen('perp0', 'market:oracle');
    await untilHealed();
    expect(bench.feed.stats()).toMatchObject({ probeRepairs: 0, losses: 1 });
  });
});

describe('probe: what is no proof', () => {
  afterEach(() => {
    expect(bench.feed.stats().losses).toBe(0);
    expect(bench.engine.state).toBe('live');
    expect(bench.server.upgrades).toBe(1);
  });

  test('changes that are notified, however fast', async () => {
    await start();
    let count = 0;
    await probed(10, () => {
      count += 1;
      bench.chain.change('user1', `change ${count}`);
    });
    await bench.untilUser('user1', `change ${count}`);
  });

  test('a read of a fork that was abandoned', async () => {
    await start();
    let forked = 1;
    bench.server.answer('getMultipleAccounts', ([keys]) => {
      if (forked === 0) return bench.chain.multiple(keys as string[]);
      forked -= 1;
      const value = (keys as string[]).map(() => accountJson('of the fork', 'base64'));
      return { result: { context: { slot: bench.chain.slot }, value } };
    });
    await probed(5);
    expect(forked).toBe(0);
  });

  test('a node whose reads lag behind its socket', async () => {
    await start();
    const before = new Map(bench.chain.accounts);
    bench.server.answer('getMultipleAccounts', ([keys]) => {
      const value = (keys as string[]).map((key) => accountJson(before.get(key) ?? '', 'base64'));
      return { result: { context: { slot: 100 }, value } };
    });
    bench.chain.change('user1', 'newer than the reads');
    await probed(5);
  });

  test('reads of a machine that is minutes behind the socket: the chain has not gone back', async () => {
    bench.chain.slot = 1_000;
    await start();
    const behind = bench.chain.slot - 2 * SLOTS_APART_MAX;
    bench.server.answer('getSlot', () => ({ result: behind }));
    bench.server.answer('getMultipleAccounts', ([keys]) => {
      const value = (keys as string[]).map(() => accountJson('old', 'base64'));
      return { result: { context: { slot: behind }, value } };
    });
    await probed(5);
    expect(bench.feed.stats().slotsRefused).toBe(0);
  });

  test('a socket that lags behind the reads of its node', async () => {
    await start();
    changeUnseen('user1', 'on its way');
    const { slot } = bench.chain;
    // Each read is of a later slot, and the socket stays two slots behind.
    let { probes } = bench.feed.stats();
    const wanted = probes + 5;
    bench.chain.tick(slot + 1);
    await until('it was read', () => {
      if (bench.feed.stats().probes > probes) bench.chain.slot += 1;
      probes = bench.feed.stats().probes;
      return probes >= wanted;
    });
    bench.chain.notify('user1', 'on its way', slot);
    await bench.untilUser('user1', 'on its way');
    await probed(5);
  });

  test('a read that fails', async () => {
    await start();
    bench.server.answer('getMultipleAccounts', () => ({ status: 403 }));
    await until('a probe failed', () => bench.feed.stats().probeFailures > 0);
    bench.server.answer('getMultipleAccounts', ([keys]) => bench.chain.multiple(keys as string[]));
    await probed(2);
  });
});

test('a node that refuses is probed as often as any other, so that its losses are found soon after', async () => {
  await start({ probeIntervalMs: 1_000 });
  const slots = setInterval(passSlot, 400);
  onTestFinished(() => clearInterval(slots));
  bench.server.answer('getMultipleAccounts', () => ({ status: 403 }));
  await sleep(20_000);
  expect(bench.feed.stats().probeFailures).toBeGreaterThan(17);
});

test('while frames of a turn are made a probe ends none: all of them would be made at once', async () => {
  const publisher = new SlowPublisher();
  await start({ publisher });
  const endTurn = bench.engine.endTurn.bind(bench.engine);
  let early = 0;
  bench.engine.endTurn = () => {
    if (publisher.isPublishing) early += 1;
    return endTurn();
  };
  await probed(1);
  publisher.isPublishing = true;
  const { probes } = bench.feed.stats();
  await until('a probe was compared, or waits', () => {
    if (passSlot()) bench.chain.notify('user1', 'a', bench.chain.slot);
    return bench.feed.stats().probes > probes;
  });
  await nextTurn();
  expect(early).toBe(0);
  publisher.finishMark();
  await probed(2);
  expect(bench.feed.stats()).toMatchObject({ losses: 0, probeFailures: 0 });
});

test('a server that asks a probe to come back in a minute is not obeyed by the reading of the book', async () => {
  const rpc = new RpcClient({
    timers: systemTimers,
    url: bench.server.rpcUrl,
    ...PATIENCE_WITH_FALLBACK,
  });
  await start({ nodes: [{ ...nodeOf(bench.server), rpc }] });
  const headers = { 'retry-after': '60' };
  bench.server.answer('getMultipleAccounts', ([keys, config]) => {
    if (JSON.stringify(config).includes('zstd')) return { status: 429, headers };
    return bench.chain.multiple(keys as string[]);
  });
  await until('a probe was refused', () => bench.feed.stats().probeFailures > 0);
  bench.server.cut();
  await bench.untilLiveAgain();
  expect(bench.feed.stats()).toMatchObject({ rebuilds: 2, rebuildFailures: 0 });
});

test.each([
  [0, 1],
  [70, 1],
  [71, 2],
  [245, 4],
  [3_000, 4],
])('%i markets and oracles: %i probes in one interval', (others, probes) => {
  expect(probesPerInterval(others)).toBe(probes);
});

test('five probes read all of 221 markets and oracles, and 150 users', async () => {
  const markets = Array.from({ length: 110 }, (_, index) => `perp-${index}`);
  for (const [index, key] of markets.entries()) {
    bench.chain.accounts.set(key, `market:oracle-${index}`);
    bench.chain.accounts.set(`oracle-${index}`, 'x');
  }
  const users = Array.from({ length: 147 }, (_, index) => `user-${index}`);
  for (const key of users) bench.chain.accounts.set(key, 'x');
  await start();
  await probed(6);
  const reads = bench.server.requests
    .filter(({ params }) => JSON.stringify(params[1] ?? null).includes('"base64+zstd","commit'))
    .filter(({ method }) => method === 'getMultipleAccounts')
    .map(({ params }) => params[0] as string[]);
  const others = [...markets, ...markets.map((_, index) => `oracle-${index}`), 'state'];
  const readSoon = new Set(reads.slice(0, 5).flat());
  expect([...others, ...users].filter((key) => !readSoon.has(key))).toEqual([]);
  expect(reads.filter((keys) => keys.length > ACCOUNTS_PER_READ)).toEqual([]);
});
