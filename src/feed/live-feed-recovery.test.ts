import { describe, expect, test } from 'vitest';
import { accountJson, kindOf } from '../../test/fake-chain.js';
import { bench, useFeedBench } from '../../test/feed-bench.js';
import { Gate } from '../../test/support/gate.js';
import { nextTurn } from '../../test/support/next-turn.js';
import { until } from '../../test/support/until.js';

useFeedBench();

describe('feed: trouble', () => {
  test('a market that vanished while the socket was cut is closed', async () => {
    await bench.start();
    bench.server.cut();
    bench.chain.accounts.delete('perp0');
    await until('the cut was noticed', () => bench.feed.status().state === 'rebuilding');
    expect(bench.feed.status().everLive).toBe(true);
    await bench.untilLiveAgain();
    expect(bench.engine.calls).toContain('close perp0 @100');
  });

  test('a cut in the middle of the reading leaves nothing of it behind', async () => {
    let cuts = 2;
    bench.chain.beforeUsers = async () => {
      if (cuts === 0) return;
      cuts -= 1;
      const closes = bench.socket.stats.closes + 1;
      bench.server.cut();
      await until('the cut was noticed', () => bench.socket.stats.closes === closes);
    };
    await bench.start();
    expect(bench.server.upgrades).toBe(3);
    expect(bench.engine.calls.filter((call) => call === 'end')).toHaveLength(1);
  });

  /** Notifies a change of user1 in an unreadable form. */
  function notifyUnreadably(data: string, account: object): void {
    bench.chain.slot += 1;
    bench.chain.accounts.set('user1', data);
    const told = bench.server.notify(
      ({ method, params }) => method === 'programSubscribe' && kindOf(params) === 'user',
      { context: { slot: bench.chain.slot }, value: { pubkey: 'user1', account } },
    );
    expect(told).toBe(1);
  }

  test('unreadable notifications make the feed read everything again, once', async () => {
    await bench.start();
    notifyUnreadably('in base58', accountJson('3yZe7d', 'base58'));
    notifyUnreadably('in no account', {});
    await bench.untilLiveAgain();
    expect(bench.user('user1')).toBe('in no account');
    expect(bench.feed.stats()).toMatchObject({ malformedNotifications: 2, resyncs: 1 });
    expect(bench.server.upgrades).toBe(1);
  });

  test('an account that cannot be unpacked is read by itself, and the book stays live', async () => {
    await bench.start();
    bench.chain.slot += 1;
    bench.chain.accounts.set('user1', 'whole');
    bench.engine.problems.push({ pubkey: 'user1', code: 'INVALID_ZSTD', message: 'no frame' });
    bench.chain.notify('user1', 'broken on the way', bench.chain.slot);
    await until('it is applied', () => bench.user('user1') === 'broken on the way');
    bench.chain.slot += 1;
    await until('it is read', () => bench.feed.stats().loggedReads > 0);
    bench.engine.problems.length = 0;
    await until('it is read', () => bench.user('user1') === 'whole');
    expect(bench.engine.state).toBe('live');
    expect(bench.feed.stats()).toMatchObject({ resyncs: 0, rebuilds: 1 });
  });

  test('an account without a key cannot be unpacked: everything is read again', async () => {
    await bench.start();
    bench.engine.problems.push({ pubkey: null, code: 'INVALID_KEY', message: 'no key' });
    bench.chain.slot += 1;
    bench.chain.notify('user1', 'b', bench.chain.slot);
    await until('rebuilding', () => bench.engine.state === 'rebuilding');
    bench.engine.problems.length = 0;
    await until('live again', () => bench.engine.state === 'live');
    expect(bench.feed.stats().resyncs).toBe(1);
  });

  test('a notification that is unreadable while the users are read starts the reading anew', async () => {
    let unreadable = 1;
    bench.chain.beforeUsers = async () => {
      if (unreadable === 0) return;
      unreadable -= 1;
      notifyUnreadably('b', accountJson('3yZe7d', 'base58'));
      await until('it arrived', () => bench.feed.stats().malformedNotifications === 1);
    };
    await bench.start();
    expect(bench.feed.stats()).toMatchObject({ rebuilds: 2, rebuildFailures: 1, resyncs: 0 });
  });

  /** Ends the session during a decoding; returns the engine's calls and turns after its end. */
  async function callsAfter(end: () => Promise<void> | void): Promise<object> {
    const gate = new Gate();
    let decoding = false;
    bench.engine.whileDecoding = async () => {
      bench.engine.whileDecoding = () => undefined;
      decoding = true;
      await gate.passed;
    };
    bench.start().catch(() => undefined);
    await until('a snapshot is decoded', () => decoding);
    await end();
    const { calls, turns } = bench.engine;
    const before = { calls: calls.length, turns: turns.length };
    gate.open();
    for (let turn = 0; turn < 3; turn += 1) await nextTurn();
    return { calls: calls.length - before.calls, turns: turns.length - before.turns };
  }

  test('a snapshot decoded after stop reaches the engine no more', async () => {
    expect(await callsAfter(() => bench.feed.stop())).toEqual({ calls: 0, turns: 0 });
  });

  test('a feed stopped by whoever hears of its turns begins no snapshot', async () => {
    bench
      .start({ onTurn: () => void (bench.engine.slot === 100 && bench.feed.stop()) })
      .catch(() => undefined);
    await until('the slot of the reading', () => bench.engine.slot === 100);
    for (let turn = 0; turn < 3; turn += 1) await nextTurn();
    expect(bench.engine.calls.filter((call) => call.startsWith('begin '))).toEqual([]);
  });

  test('a snapshot decoded after a cut reaches the engine no more', async () => {
    const after = await callsAfter(async () => {
      bench.server.cut();
      await until('the cut was noticed', () => bench.socket.stats.closes === 1);
    });
    expect(after).toEqual({ calls: 0, turns: 0 });
    await until('live', () => bench.engine.state === 'live');
    expect(bench.engine.calls.filter((call) => call.startsWith('begin '))).toHaveLength(1);
  });

  test('a shrunken reading is not taken when the next one is whole', async () => {
    bench.chain.addUsers(98);
    await bench.start();
    const all = [...bench.chain.accounts];
    bench.chain.answerUsers((scan) => (scan === 1 ? bench.chain.scanOf([]) : null));
    await bench.cutAnd(() => undefined);
    expect(bench.engine.accounts.size).toBe(all.length - 1);
    expect(bench.engine.calls).not.toContain('begin 0 @100');
  });

  test('a shrunken reading that is confirmed is taken', async () => {
    const users = bench.chain.addUsers(98);
    await bench.start();
    for (const user of users) bench.chain.accounts.delete(user);
    await bench.cutAnd(() => undefined);
    expect(bench.engine.calls).toContain('begin 2 @100');
  });

  test('empty scans for three seconds never make an empty book', async () => {
    await bench.start({ random: Math.random });
    await bench.cutAnd(() => {
      const untilMs = performance.now() + 3_000;
      const isEmpty = () => performance.now() <= untilMs;
      bench.chain.answerUsers(() => (isEmpty() ? bench.chain.scanOf([]) : null));
    });
    expect(bench.user('user1')).toBe('a');
    expect(bench.engine.calls).not.toContain('begin 0 @100');
  });

  test('missing slots make the book lagging, then stale, and a slot makes it live', async () => {
    const live = bench.start({ timing: { laggingAfterMs: 1_000, staleAfterMs: 2_000 } });
    await live;
    await until('stale', () => bench.engine.state === 'stale');
    expect(bench.feed.status().reason).toMatch(/^no slot for \d+ ms$/);
    // Held-back slots arrive in a burst, and are as old as the gap.
    for (const slot of [101, 102, 103]) bench.chain.tick(slot);
    await until('lagging', () => bench.engine.state === 'lagging');
    let slot = 103;
    await until('a slot at the pace of a chain', () => {
      slot += 1;
      bench.chain.tick(slot);
      return bench.engine.state === 'live';
    });
    const states = bench.engine.calls.filter((call) => call.startsWith('state '));
    expect(states).toEqual([
      'state rebuilding',
      'state live',
      'state lagging',
      'state stale',
      'state lagging',
      'state live',
    ]);
  });

  test('after stop nothing reaches the engine', async () => {
    await bench.start();
    bench.feed.stop();
    const before = bench.engine.calls.length;
    const turns = bench.engine.turns.length;
    await until('the socket is gone', () => bench.socket.stats.closes === 1);
    expect([bench.engine.calls.length, bench.engine.turns.length]).toEqual([before, turns]);
  });
});
