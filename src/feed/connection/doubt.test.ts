import { describe, expect, test } from 'vitest';
import { ABORTED_SCAN, accountJson, kindOf } from '../../../test/fake-chain.js';
import { bench, useFeedBench } from '../../../test/feed-bench.js';
import type { Reply } from '../../../test/scripted-rpc.js';
import { Gate } from '../../../test/support/gate.js';
import { until } from '../../../test/support/until.js';
import type { LiveFeedOptions } from '../feed-options.js';

const UNPROVEN = 'no read has agreed since messages may be missing';

useFeedBench();

/** A lagging book without slots; slots may resume. */
async function startLagging(options: Partial<LiveFeedOptions> = {}): Promise<void> {
  const timing = { laggingAfterMs: 1_000, staleAfterMs: 3_600_000 };
  await bench.start({ probeIntervalMs: 20, timing, ...options });
  await until('lagging', () => bench.engine.state === 'lagging');
  bench.engine.calls.length = 0;
}

async function untilState(state: string): Promise<void> {
  await until(state, () => {
    bench.nextSlot();
    return bench.engine.state === state;
  });
}

/** Passes slots while a read is pending, and the book says so. */
async function untilUnproven(): Promise<void> {
  await until('a read is waited for', () => {
    bench.nextSlot();
    return bench.feed.status().reason === UNPROVEN;
  });
}

function answerProbes(reply: (keys: readonly string[]) => Reply | Promise<Reply>): void {
  bench.server.answer('getMultipleAccounts', ([keys, config]) => {
    const isProbe = JSON.stringify(config).includes('zstd');
    return isProbe ? reply(keys as string[]) : bench.chain.multiple(keys as string[]);
  });
}

test('after a gap in the slots the book is lagging until a read agrees', async () => {
  await startLagging();
  const gate = new Gate();
  answerProbes(async (keys) => {
    await gate.passed;
    return bench.chain.multiple(keys);
  });
  await untilUnproven();
  expect(bench.engine.calls).not.toContain('state live');
  gate.open();
  await untilState('live');
  expect(bench.feed.stats()).toMatchObject({ losses: 0, rebuilds: 1, resyncs: 0 });
});

test('a book that lost a message in the gap is not live before all is read again', async () => {
  const liveAndWrong: string[] = [];
  let isLost = false;
  await startLagging({
    auditIntervalMs: 0,
    onTurn: () => {
      const user = bench.user('user1') ?? '';
      if (isLost && bench.engine.state === 'live' && user !== 'lost') liveAndWrong.push(user);
    },
  });
  bench.chain.slot += 1;
  bench.chain.accounts.set('user1', 'lost');
  isLost = true;
  await untilState('live');
  expect(bench.user('user1')).toBe('lost');
  expect(liveAndWrong).toEqual([]);
  expect(bench.feed.stats()).toMatchObject({ losses: 1, rebuilds: 2 });
});

test('a gap that ends while all accounts are read is kept: the book is not live with what they lack', async () => {
  const liveAndWrong: string[] = [];
  let isLost = false;
  await bench.start({
    probeIntervalMs: 20,
    timing: { laggingAfterMs: 1_000, staleAfterMs: 3_600_000 },
    onTurn: () => {
      const user = bench.user('user1') ?? '';
      if (isLost && bench.engine.state === 'live' && user !== 'lost') liveAndWrong.push(user);
    },
  });
  await until('slots come', () => bench.nextSlot() && bench.feed.stats().slot > 100);
  bench.server.answer('getProgramAccounts', (params) => {
    const reply = bench.chain.program(kindOf(params));
    if (kindOf(params) !== 'user' || isLost) return reply;
    isLost = true;
    bench.chain.slot += 1;
    bench.chain.accounts.set('user1', 'lost');
    return reply;
  });
  bench.server.sendText('{"jsonrpc":"2.0","method":"programNotif');
  await until('slots are missing', () => isLost && bench.feed.stats().slotAgeMs > 1_000);
  await untilState('live');
  expect(bench.user('user1')).toBe('lost');
  expect(liveAndWrong).toEqual([]);
});

describe('after a gap', () => {
  /** No probe reads user1, which has no orders, and its last message is lost. */
  async function loseUnprobedUser(options: Partial<LiveFeedOptions> = {}): Promise<void> {
    bench.engine.usersInTurn = () => ({ keys: [], next: 0 });
    await startLagging({ auditIntervalMs: 3_600_000, ...options });
    bench.chain.slot += 1;
    bench.chain.accounts.set('user1', 'lost');
  }

  /** Passes slots until the book has the lost update. */
  async function untilRepaired(): Promise<void> {
    await until('it is repaired', () => {
      bench.nextSlot();
      return bench.user('user1') === 'lost';
    });
  }

  test('an audit reads what no probe does, and the book does not wait for it', async () => {
    const gate = new Gate();
    await loseUnprobedUser();
    bench.chain.beforeUsers = () => gate.passed;
    await untilState('live');
    expect(bench.user('user1')).toBe('a');
    gate.open();
    await untilRepaired();
    expect(bench.feed.stats()).toMatchObject({ losses: 0, rebuilds: 1, resyncs: 0 });
  });

  test('an audit that fails is tried again before the next one would be due', async () => {
    const timing = { laggingAfterMs: 20_000, staleAfterMs: 3_600_000 };
    await loseUnprobedUser({ timing });
    bench.chain.answerUsers((scan) => (scan <= 2 ? ABORTED_SCAN : null));
    await untilRepaired();
    expect(bench.feed.stats()).toMatchObject({ auditFailures: 2, losses: 0, rebuilds: 1 });
  });
});

test('a read of before the gap does not end the doubt', async () => {
  await startLagging();
  const { slot } = bench.chain;
  bench.chain.slot += 10;
  let old = 0;
  answerProbes((keys) => {
    if (old >= 3) return bench.chain.multiple(keys);
    old += 1;
    const value = keys.map((key) => accountJson(bench.chain.accounts.get(key) ?? '', 'base64'));
    return { result: { context: { slot }, value } };
  });
  await untilState('live');
  expect(old).toBe(3);
});

test('a node that refuses the reads: all accounts are read again', async () => {
  const timing = { laggingAfterMs: 20_000, staleAfterMs: 3_600_000 };
  await startLagging({ timing });
  answerProbes(() => ({ status: 403 }));
  await until('all accounts are read again', () => {
    bench.nextSlot();
    return bench.feed.stats().resyncs > 0;
  });
  await untilState('live');
  expect(bench.feed.stats()).toMatchObject({ losses: 0, rebuildFailures: 0 });
});

test('where probes are off slots at the pace of a chain make the book live', async () => {
  await startLagging({ probeIntervalMs: 0 });
  await untilState('live');
  expect(bench.feed.stats()).toMatchObject({ probes: 0, resyncs: 0, rebuilds: 1 });
});
