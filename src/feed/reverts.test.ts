import { describe, expect, test } from 'vitest';
import { bench, useFeedBench } from '../../test/feed-bench.js';
import { until } from '../../test/support/until.js';

useFeedBench();

/** Resolves once the next reading of users was requested, with the function that releases it. */
function nextScan(): Promise<() => void> {
  return new Promise((asked) => {
    bench.chain.beforeUsers = () => {
      bench.chain.beforeUsers = () => undefined;
      return new Promise((release) => asked(release));
    };
  });
}

/** How often the engine received this state of an account. */
function pushes(call: string): number {
  return bench.engine.calls.filter((each) => each.startsWith(`push ${call} @`)).length;
}

describe('feed: a reading that something overtook', () => {
  test('an audit whose fork is gone applies nothing of it, and a later one goes through', async () => {
    await bench.start({ auditIntervalMs: 20 });
    bench.chain.slot = 105;
    for (const name of ['user1', 'state']) {
      bench.chain.accounts.set(name, 'forked');
      bench.chain.notify(name, 'forked', 105);
    }
    await bench.untilUser('state', 'forked');
    bench.chain.tick(105);
    const release = await nextScan();
    const answered = new Promise<void>((done) => {
      bench.engine.whileDecoding = done;
    });
    release();
    await answered;
    for (const name of ['user1', 'state']) {
      bench.chain.accounts.set(name, 'reverted');
      bench.chain.notify(name, 'reverted', 104);
    }
    await bench.untilUser('state', 'reverted');
    const [forkedUsers, forkedStates] = [pushes('user1 forked'), pushes('state forked')];
    await until('an audit went through', () => {
      bench.nextSlot();
      expect([bench.user('user1'), bench.user('state')]).toEqual(['reverted', 'reverted']);
      return bench.feed.stats().audits >= 1;
    });
    expect([pushes('user1 forked'), pushes('state forked')]).toEqual([forkedUsers, forkedStates]);
    expect(bench.feed.stats()).toMatchObject({ auditFailures: 0, auditDifferences: 0 });
  });

  test('a poll that was answered before the book was read anew is of no use after it', async () => {
    let answers = 0;
    let release = (): void => undefined;
    bench.server.answer('getMultipleAccounts', async ([keys]) => {
      const reply = bench.chain.multiple(keys as string[]);
      answers += 1;
      // The first two belong to the start: with the oracles, and after the scan.
      if (answers === 3) await new Promise<void>((go) => (release = go));
      return reply;
    });
    bench.chain.announceSlot(101);
    await bench.start();
    await until('a poll', () => answers === 3);
    bench.server.sendText('{"cut');
    await until('rebuilding', () => bench.engine.state === 'rebuilding');
    bench.chain.slot = 110;
    bench.chain.accounts.set('oracle0', 'new');
    for (const slot of [110, 111]) bench.chain.tick(slot);
    await until('live again', () => bench.engine.state === 'live');
    const { clockPolls } = bench.feed.stats();
    release();
    await until('the next poll', () => bench.feed.stats().clockPolls > clockPolls);
    expect([bench.user('oracle0'), pushes('oracle0 o0')]).toEqual(['new', 1]);
  });

  test('an audit does not take an oracle back to before a poll', async () => {
    await bench.start({ auditIntervalMs: 60 });
    bench.chain.tick(100);
    const release = await nextScan();
    bench.chain.slot = 120;
    bench.chain.accounts.set('oracle0', 'polled');
    bench.chain.tick(121);
    await bench.untilUser('oracle0', 'polled');
    const before = pushes('oracle0 o0');
    release();
    await until('an audit went through', () => {
      bench.nextSlot();
      return bench.feed.stats().audits >= 1;
    });
    expect(pushes('oracle0 o0')).toBe(before);
    expect(bench.feed.stats().auditDifferences).toBe(0);
  });
});
