import { describe, expect, test } from 'vitest';
import { kindOf } from '../../../test/fake-chain.js';
import { UNREADABLE } from '../../../test/fake-engine.js';
import { bench, useFeedBench } from '../../../test/feed-bench.js';
import { Gate } from '../../../test/support/gate.js';
import { ManualTimers } from '../../../test/support/manual-timers.js';
import { until } from '../../../test/support/until.js';
import { GAP_AUDIT_MS_MIN, WATCH_INTERVAL_MS } from '../model/limits.js';

/** Shorter than the feed's check interval, so every check finds an audit due. */
const INTERVAL_MS = 20;

useFeedBench();

const begins = (): number => bench.engine.calls.filter((call) => call.startsWith('begin ')).length;

function scans(): number {
  const asked = bench.server.requests.filter(({ method }) => method === 'getProgramAccounts');
  return asked.filter(({ params }) => kindOf(params) === 'user').length;
}

/** Passes slots, which an audit waits for, until this many audits have completed. */
async function audited(count: number): Promise<void> {
  await until(`audit ${count}`, () => {
    bench.nextSlot();
    return bench.feed.stats().audits >= count;
  });
}

/** Announces the next slot, and waits until the feed has it. */
async function passSlot(): Promise<void> {
  bench.chain.slot += 1;
  bench.chain.tick(bench.chain.slot);
  await until('the slot arrived', () => bench.feed.stats().slot === bench.chain.slot);
}

describe('audit: what it finds', () => {
  test('an account that was closed without a notification leaves, and the book stays live', async () => {
    await bench.start({ auditIntervalMs: INTERVAL_MS });
    bench.chain.accounts.delete('user2');
    await audited(1);
    expect(bench.user('user2')).toBeUndefined();
    await audited(2);
    expect(bench.feed.stats()).toMatchObject({
      auditDifferences: 0,
      auditRemovals: 1,
      usersRemoved: 1,
    });
    const states = bench.engine.calls.filter((call) => call.startsWith('state '));
    expect(states).toEqual(['state rebuilding', 'state live']);
    expect(bench.engine.turnsLeftOpen).toBe(0);
  });

  test('changes and new accounts whose notifications were lost', async () => {
    await bench.start({ auditIntervalMs: INTERVAL_MS });
    bench.chain.slot += 1;
    bench.chain.accounts.set('user1', 'unseen');
    bench.chain.accounts.set('user3', 'new');
    bench.chain.accounts.set('state', 'unseen too');
    await audited(1);
    expect(['user1', 'user3', 'state'].map((name) => bench.user(name))).toEqual([
      'unseen',
      'new',
      'unseen too',
    ]);
    expect(bench.feed.stats()).toMatchObject({ auditDifferences: 3, auditRemovals: 0 });
  });

  test('many differences: the connection loses messages, and another one is made', async () => {
    bench.chain.addUsers(4);
    await bench.start({ auditIntervalMs: INTERVAL_MS });
    bench.chain.slot += 1;
    for (let index = 0; index < 4; index += 1) bench.chain.accounts.set(`user-${index}`, 'unseen');
    await audited(1);
    await bench.untilLiveAgain();
    expect(bench.feed.stats()).toMatchObject({ auditDifferences: 4, losses: 1 });
    expect(bench.server.upgrades).toBe(2);
  });

  test('a reading of State loses to a later notification', async () => {
    await bench.start({ auditIntervalMs: INTERVAL_MS });
    bench.chain.notify('state', 'newer', bench.chain.slot + 20);
    await bench.untilUser('state', 'newer');
    await audited(1);
    expect(bench.user('state')).toBe('newer');
  });

  test('an account of the slot before the reading is taken out, one of the same slot is not', async () => {
    await bench.start({ auditIntervalMs: INTERVAL_MS });
    bench.chain.beforeUsers = () => {
      bench.chain.beforeUsers = () => undefined;
      bench.chain.slot += 10;
      bench.chain.notify('user3', 'closed since', bench.chain.slot - 1);
      bench.chain.notify('user4', 'created since', bench.chain.slot);
    };
    await audited(1);
    expect([bench.user('user3'), bench.user('user4')]).toEqual([undefined, 'created since']);
  });

  test('a market that is gone is closed, one that the socket told later is not', async () => {
    for (const key of ['perp1', 'perp2']) bench.chain.accounts.set(key, 'market:oracle0');
    await bench.start({ auditIntervalMs: INTERVAL_MS });
    bench.chain.notify('perp2', 'market:oracle0', bench.chain.slot + 2);
    for (const key of ['perp1', 'perp2']) bench.chain.accounts.delete(key);
    await until('the markets were read', () => scans() === 2);
    await audited(1);
    expect([bench.user('perp1'), bench.user('perp2')]).toEqual([undefined, 'market:oracle0']);
    expect(bench.engine.state).toBe('live');
  });

  test('a market that only one of two readings lacks stays', async () => {
    await bench.start({ auditIntervalMs: INTERVAL_MS });
    let shrunken = 1;
    bench.server.answer('getProgramAccounts', (params) => {
      if (kindOf(params) !== 'perp' || shrunken === 0) return bench.chain.program(kindOf(params));
      shrunken -= 1;
      return { result: { context: { slot: bench.chain.slot }, value: [] } };
    });
    await audited(1);
    expect(shrunken).toBe(0);
    expect(bench.engine.calls.filter((call) => call.startsWith('close '))).toEqual([]);
  });

  test('an audit with a user that no read can decode fails and changes nothing', async () => {
    bench.chain.addUsers(98);
    await bench.start({ auditIntervalMs: INTERVAL_MS });
    bench.chain.accounts.set('user2', UNREADABLE);
    await until('the audit failed', () => bench.feed.stats().auditFailures === 1);
    expect(scans()).toBe(2);
    expect([bench.user('user2'), begins()]).toEqual(['b', 1]);
    expect(bench.engine.state).toBe('live');
  });

  test('many users are applied in slices with turns between them', async () => {
    bench.chain.addUsers(1_000);
    await bench.start({ auditIntervalMs: INTERVAL_MS });
    const before = bench.engine.turns.length;
    await audited(1);
    expect(bench.engine.turns.length - before).toBeGreaterThan(1_000 / 64);
  });
});

describe('audit: when it runs', () => {
  test('it waits for the socket to tell what the reading holds', async () => {
    await bench.start({ auditIntervalMs: INTERVAL_MS });
    await until('the users were read', () => scans() === 2);
    bench.chain.tick(bench.chain.slot + 1);
    bench.chain.change('user1', 'was on its way');
    await bench.untilUser('user1', 'was on its way');
    expect(begins()).toBe(1);
    await audited(1);
    const push = bench.engine.calls.indexOf('push user1 was on its way @101');
    expect(bench.engine.calls.lastIndexOf('begin 2 @100')).toBeGreaterThan(push);
  });

  test('there is one at a time, and a cut ends it', async () => {
    const gate = new Gate();
    await bench.start({ auditIntervalMs: INTERVAL_MS });
    bench.chain.beforeUsers = () => gate.passed;
    await until('an audit reads', () => scans() === 2);
    const looks = bench.engine.slot;
    for (let slot = looks + 1; slot < looks + 20; slot += 1) bench.chain.tick(slot);
    await until('they arrived', () => bench.engine.slot === looks + 19);
    expect(scans()).toBe(2);
    bench.chain.beforeUsers = () => undefined;
    bench.chain.slot = 200;
    await bench.cutAnd(gate.open);
    expect(begins()).toBe(2);
    await audited(1);
    expect(begins()).toBeGreaterThan(2);
    expect(bench.feed.stats()).toMatchObject({ auditFailures: 0, rebuilds: 2 });
  });

  test('a shrunken reading that no second one confirms changes nothing', async () => {
    bench.chain.addUsers(98);
    await bench.start({ auditIntervalMs: INTERVAL_MS });
    const held = bench.engine.accounts.size;
    bench.chain.answerUsers((scan) => {
      if (scan > 2) return null;
      return bench.chain.scanOf(scan === 1 ? [] : bench.chain.rows('user').slice(0, 50));
    });
    await until('the audit failed', () => bench.feed.stats().auditFailures === 1);
    expect([bench.engine.accounts.size, begins()]).toEqual([held, 1]);
    await audited(1);
    expect(bench.feed.stats().auditDifferences).toBe(0);
  });

  test('with an interval of 0 there is none', async () => {
    const timers = new ManualTimers();
    await bench.start({ auditIntervalMs: 0, timers });
    while (timers.nowMs() < 3_600_000) {
      timers.advance(30_000);
      await passSlot();
    }
    expect(scans()).toBe(1);
  });

  test('of gaps in the slots that come quickly not each has an audit of its own', async () => {
    const timers = new ManualTimers();
    const timing = { laggingAfterMs: 2_500, staleAfterMs: 3_600_000 };
    await bench.start({ auditIntervalMs: 3_600_000, timers, timing });
    for (let gap = 0; gap < 36; gap += 1) {
      timers.advance(2_600);
      await passSlot();
      await until('no audit is under way', async () => {
        timers.advance(WATCH_INTERVAL_MS);
        await passSlot();
        return bench.feed.stats().audits === scans() - 1;
      });
    }
    const audits = scans() - 1;
    expect(audits).toBeGreaterThan(1);
    expect(audits).toBeLessThanOrEqual(1 + timers.nowMs() / GAP_AUDIT_MS_MIN);
  });
});
