/** Nodes with a wrong slot or time, and the effect on the book. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { accountJson, clockData, type FakeChain, kindOf } from '../../../test/fake-chain.js';
import {
  bench,
  second,
  secondChain,
  startWithBoth,
  useTwoNodes,
} from '../../../test/feed-bench.js';
import type { ScriptedRpc } from '../../../test/scripted-rpc.js';
import { until } from '../../../test/support/until.js';
import { RpcClient } from '../../rpc/client.js';
import { systemTimers } from '../../rpc/timers.js';
import { SLOT_MS_MIN, SLOTS_APART_MAX } from '../model/limits.js';
import { CLOCK_KEY } from '../model/queries.js';

const DAYS_95_S = 95 * 86_400;

useTwoNodes();

/** The book's successive slots. */
function slotsOf(): { readonly slots: number[]; readonly onTurn: () => void } {
  const slots: number[] = [];
  return { slots, onTurn: () => void slots.push(bench.engine.slot) };
}

/** This server returns a Clock of twenty slots ago, labelled as current. */
function answerFromThePast(server: ScriptedRpc, chain: FakeChain): void {
  server.answer('getMultipleAccounts', ([keys]) => {
    const value = (keys as string[]).map((key) => {
      const data =
        key === CLOCK_KEY ? clockData(1_000, chain.slot - 20) : (chain.accounts.get(key) ?? '');
      return accountJson(data, 'base64');
    });
    return { result: { context: { slot: chain.slot }, value } };
  });
}

describe('a slot that cannot be', () => {
  test.each([1_000_000, Number.MAX_SAFE_INTEGER])(
    '%s, announced once: the book stays live, and the next slots count',
    async (slot) => {
      const { slots, onTurn } = slotsOf();
      await bench.start({ onTurn, auditIntervalMs: 20 });
      bench.chain.tick(slot);
      await until('it was refused', () => bench.feed.stats().slotsRefused === 1);
      await until('an audit went through', () => {
        bench.nextSlot();
        return bench.feed.stats().audits > 0;
      });
      expect(Math.max(...slots)).toBeLessThan(1_000);
      expect(bench.feed.stats()).toMatchObject({ rebuilds: 1, auditFailures: 0, slotLag: 0 });
      expect(bench.server.upgrades).toBe(1);
    },
  );

  test('announced before anything was read: the book is of the right slot', async () => {
    bench.chain.announceSlot(1_000_100);
    await bench.start();
    expect(bench.engine.slot).toBe(100);
    bench.chain.tick(101);
    await until('the next one', () => bench.engine.slot === 101);
  });

  test('announced for long: no slot is no sign of life, and the book is lagging', async () => {
    const { slots, onTurn } = slotsOf();
    await bench.start({ onTurn, timing: { laggingAfterMs: 500, staleAfterMs: 3_600_000 } });
    await until('lagging', () => {
      bench.chain.tick(1_100);
      return bench.engine.state === 'lagging';
    });
    await until('live', () => {
      bench.nextSlot();
      return bench.engine.state === 'live';
    });
    expect(Math.max(...slots)).toBeLessThan(1_000);
  });

  test('announced again and again, the same one: the book is lagging', async () => {
    await bench.start({ timing: { laggingAfterMs: 500, staleAfterMs: 3_600_000 } });
    await until('lagging', () => {
      bench.chain.tick(101);
      return bench.engine.state === 'lagging';
    });
  });

  test('of an account: its state may be missing, so all is read again', async () => {
    await bench.start();
    bench.chain.accounts.set('user1', 'new');
    bench.chain.notify('user1', 'new', 1_000_000);
    await bench.untilUser('user1', 'new');
    await bench.untilLiveAgain();
    expect(bench.feed.stats()).toMatchObject({ resyncs: 1, rebuilds: 2 });
    expect(bench.engine.calls).not.toContain('push user1 new @1000000');
  });

  test('of an account, ahead of the announced slots: the book lags until they reach it', async () => {
    await bench.start({ probeIntervalMs: 20 });
    bench.chain.tick(101);
    bench.chain.notify('user1', 'made up', 121);
    await bench.untilUser('user1', 'made up');
    await until('lagging', () => bench.engine.state === 'lagging');
    expect(bench.feed.status().reason).toContain('a slot ahead of the announced slots');
    bench.chain.tick(122);
    await sleep(300);
    expect(bench.engine.state).toBe('lagging');
    bench.chain.slot = 123;
    await until('right', () => {
      bench.nextSlot();
      if (bench.user('user1') !== 'a') expect(bench.engine.state).not.toBe('live');
      return bench.user('user1') === 'a';
    });
    await until('live', () => bench.engine.state === 'live');
  });

  test('of readings: audits and polls fail, and take nothing; later ones go through', async () => {
    await bench.start({ auditIntervalMs: 20 });
    bench.server.answer('getProgramAccounts', (params) => {
      const value = kindOf(params) === 'user' ? [] : bench.chain.rows(kindOf(params));
      return { result: { context: { slot: bench.chain.slot + 1_000 }, value } };
    });
    await until('an audit failed', () => bench.feed.stats().auditFailures > 0);
    expect(bench.user('user1')).toBe('a');
    bench.server.answer('getProgramAccounts', (params) => bench.chain.program(kindOf(params)));
    await until('an audit went through', () => {
      bench.nextSlot();
      return bench.feed.stats().audits > 0;
    });
    expect(bench.feed.stats()).toMatchObject({ auditDifferences: 0, auditRemovals: 0 });
    expect(bench.engine.slot).toBeLessThan(1_000);
  });

  test('which the only node confirms: all is read again over a new connection', async () => {
    await bench.start();
    bench.chain.slot = 1_000_000;
    bench.chain.accounts.set('user1', 'after the jump');
    bench.chain.tick(1_000_000);
    await bench.untilUser('user1', 'after the jump');
    await bench.untilLiveAgain();
    expect(bench.feed.stats()).toMatchObject({ slot: 1_000_000, slotLag: 0 });
    expect(bench.server.upgrades).toBeGreaterThan(1);
  });
});

describe('a time that cannot be', () => {
  test.each([DAYS_95_S, -DAYS_95_S])(
    '%s s off, notified: it is not shown, and the Clock is read',
    async (offS) => {
      const seconds: number[] = [];
      await bench.start({ onTurn: () => void seconds.push(bench.engine.unixSeconds) });
      bench.chain.notify(CLOCK_KEY, clockData(1_000 + offS), 101);
      await until('it was refused', () => bench.feed.stats().clocksRefused === 1);
      bench.chain.accounts.set(CLOCK_KEY, clockData(1_010));
      await until('it was read', () => bench.engine.unixSeconds >= 1_010);
      expect(Math.max(...seconds)).toBeLessThan(2_000);
      expect(bench.feed.stats()).toMatchObject({ rebuilds: 1 });
    },
  );

  test('which readings confirm: all is read again over a new connection', async () => {
    await bench.start();
    bench.chain.accounts.set(CLOCK_KEY, clockData(1_000 + DAYS_95_S));
    await until('the time of the node', () => bench.engine.unixSeconds > DAYS_95_S);
    await until('live', () => bench.engine.state === 'live');
    expect(bench.server.upgrades).toBeGreaterThan(1);
  });
});

describe('two nodes', () => {
  const isSecond = (): boolean => bench.feed.stats().node === new URL(second.rpcUrl).host;

  test('one that jumps is left, and the other one is not behind', async () => {
    const { slots, onTurn } = slotsOf();
    await startWithBoth({ onTurn });
    bench.chain.slot = 1_000_000;
    secondChain.slot = 105;
    bench.chain.tick(1_000_000);
    await bench.untilLiveAgain();
    expect(isSecond()).toBe(true);
    expect(bench.feed.stats()).toMatchObject({ slot: 105, slotLag: 0, failovers: 1 });
    expect(Math.max(...slots)).toBe(105);
  });

  test('one whose slots run ahead of its own Clock and readings is left', async () => {
    await startWithBoth();
    let step = 0;
    let steppedAtMs = performance.now();
    await until('the second node is used', () => {
      // Faster than the chain, and plausible for one.
      if (isSecond() || performance.now() < steppedAtMs + 1.2 * SLOT_MS_MIN) return isSecond();
      steppedAtMs = performance.now();
      step += 1;
      const slot = 100 + Math.floor(step / 8);
      bench.chain.slot = slot;
      secondChain.slot = slot;
      bench.chain.tick(Math.min(100 + step, slot + SLOTS_APART_MAX - 10));
      if (step % 8 === 0) bench.chain.notify(CLOCK_KEY, clockData(1_000), slot);
      return false;
    });
    await bench.untilLiveAgain();
    expect(bench.feed.stats().slotLag).toBe(0);
  });

  test('one whose slots stay 30 ahead of the Clock that it notifies is left, whatever it reads', async () => {
    await startWithBoth();
    const told = 130;
    await until('the second node is used', () => {
      if (isSecond()) return true;
      if (bench.chain.slot < told) bench.chain.slot = told;
      // The location of the next Clock: nodes may change as soon as it is sent.
      secondChain.slot = bench.chain.slot - 29;
      if (!bench.nextSlot()) return false;
      bench.chain.notify(CLOCK_KEY, clockData(1_000), bench.chain.slot - 30);
      return false;
    });
    await bench.untilLiveAgain();
    expect(bench.feed.stats()).toMatchObject({ slotLag: 0, failovers: 1 });
  });

  test('what one announced, and its Clock never confirmed, does not make the other late', async () => {
    await startWithBoth();
    bench.chain.tick(130);
    await until('it was believed', () => bench.feed.stats().slot === 130);
    secondChain.slot = 101;
    await bench.server.stop();
    await bench.untilLiveAgain();
    expect(bench.feed.stats()).toMatchObject({ slot: 101, slotLag: 0 });
  });

  test('one whose readings are of the past, and claim to be of now, is left', async () => {
    secondChain.accounts.set('user1', 'of now');
    answerFromThePast(bench.server, bench.chain);
    await startWithBoth();
    expect([isSecond(), bench.user('user1')]).toEqual([true, 'of now']);
    expect(bench.feed.stats().clocksRefused).toBeGreaterThan(0);
  });

  test.each([DAYS_95_S, -900])('one whose first time is %s s off is left', async (offS) => {
    const seconds: number[] = [];
    const onTurn = (): void => void seconds.push(bench.engine.unixSeconds);
    bench.chain.accounts.set(CLOCK_KEY, clockData(100_000 + offS));
    secondChain.accounts.set(CLOCK_KEY, clockData(100_000));
    const timers = { ...systemTimers, unixMs: () => 100_010_000 };
    await startWithBoth({ onTurn, timers });
    expect(isSecond()).toBe(true);
    expect(seconds.filter((shown) => Math.abs(shown - 100_000) > 60)).toEqual([]);
  });

  test('the time of one is believed that another confirms, whatever this machine says', async () => {
    await startWithBoth();
    expect(isSecond()).toBe(false);
  });

  test('nor does one that takes the scans give any of the past', async () => {
    answerFromThePast(second, secondChain);
    const snapshotRpc = new RpcClient({
      timers: systemTimers,
      url: second.rpcUrl,
      random: () => 0,
    });
    secondChain.accounts.set('user1', 'of the past');
    await bench.start({ snapshotRpc });
    expect(bench.user('user1')).toBe('a');
  });

  test('one that takes over far ahead is left for the first', async () => {
    secondChain.slot = 1_000_000;
    await startWithBoth();
    const liveSlots: number[] = [];
    bench.server.refuseUpgradeWith = 503;
    bench.server.cut();
    await until('the second was asked', () => second.count('getSlot') > 0);
    bench.server.refuseUpgradeWith = 0;
    await bench.untilLiveAgain();
    liveSlots.push(bench.engine.slot);
    expect([isSecond(), liveSlots]).toEqual([false, [100]]);
  });

  test('one that takes over far ahead is believed when the first stays away', async () => {
    secondChain.slot = 1_000_000;
    await startWithBoth();
    await bench.server.stop();
    await bench.untilLiveAgain();
    expect(isSecond()).toBe(true);
    expect(bench.feed.stats()).toMatchObject({ slot: 1_000_000, slotLag: 0 });
  });
});
