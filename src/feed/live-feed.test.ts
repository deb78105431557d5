import { describe, expect, test } from 'vitest';
import { clockData, kindOf } from '../../test/fake-chain.js';
import { bench, useFeedBench } from '../../test/feed-bench.js';
import { until } from '../../test/support/until.js';
import { CLOCK_KEY } from './model/queries.js';

useFeedBench();

describe('feed: start', () => {
  test('all accounts are read and the book is live', async () => {
    await bench.start();
    expect([...bench.engine.accounts.keys()].sort()).toEqual([
      'oracle0',
      'perp0',
      'state',
      'user1',
      'user2',
    ]);
    expect(bench.engine.state).toBe('live');
    expect(bench.engine.unixSeconds).toBe(1_000);
    expect(bench.feed.status()).toEqual({ everLive: true, state: 'live', reason: null, slot: 100 });
  });

  test('the book stands at the newest slot read when it becomes live', async () => {
    bench.server.answer('getMultipleAccounts', ([keys]) => {
      bench.chain.slot = 103;
      const reply = bench.chain.multiple(keys as string[]);
      bench.chain.slot = 100;
      return reply;
    });
    const slots: number[] = [];
    await bench.start({ onFirstLive: () => slots.push(bench.engine.slot) });
    expect(slots).toEqual([103]);
    expect(bench.engine.turns.find(({ state }) => state === 'live')).toBeDefined();
  });

  test('it subscribes before it reads, with the filters of the program', async () => {
    await bench.start();
    const first = bench.server.requests.find(({ method }) => method === 'getProgramAccounts');
    const users = bench.server.subscriptions.find(
      ({ method, params }) => method === 'programSubscribe' && kindOf(params) === 'user',
    );
    expect(users?.params).toEqual([
      'program',
      {
        encoding: 'base64+zstd',
        commitment: 'processed',
        filters: [
          { memcmp: { offset: 0, bytes: 'TfwwBiNJtao' } },
          { dataSize: 4376 },
          { memcmp: { offset: 4350, bytes: '1' } },
        ],
      },
    ]);
    expect(first?.params[1]).toMatchObject({ withContext: true, commitment: 'processed' });
    const watched = bench.server.subscriptions.filter(
      ({ method }) => method === 'accountSubscribe',
    );
    expect(watched.map(({ params }) => params[0])).toEqual([CLOCK_KEY, 'oracle0']);
  });

  test('no turn shows accounts as live before all are there', async () => {
    bench.chain.addUsers(1_000);
    await bench.start();
    const live = bench.engine.turns.filter(({ state }) => state === 'live');
    expect(live.length).toBeGreaterThan(0);
    expect(live.every(({ accounts }) => accounts === bench.engine.accounts.size)).toBe(true);
    expect(bench.engine.turns.filter(({ state }) => state === 'rebuilding').length).toBeGreaterThan(
      3,
    );
  });

  test('each part of a reading is a turn that ends before the loop goes on', async () => {
    bench.chain.addUsers(1_000);
    // On a connection with slots the book waits for the slot after the reading, and is read
    // meanwhile.
    const slots = setInterval(() => {
      bench.chain.slot += 1;
      bench.chain.tick(bench.chain.slot);
    }, 60);
    await bench.start({ firstSlotWaitMs: 60_000 });
    await bench
      .cutAnd(() => bench.chain.accounts.delete('user-7'))
      .finally(() => {
        clearInterval(slots);
      });
    expect(bench.feed.stats()).toMatchObject({ usersRemoved: 1 });
    expect(bench.engine.turnsLeftOpen).toBe(0);
  });

  test('a node that stays behind its own socket never makes a live book', async () => {
    bench.chain.announceSlot(200);
    bench.chain.slot = 180;
    const live = bench.start();
    await until('the reading failed', () => bench.feed.stats().rebuildFailures === 1);
    expect(bench.feed.status().state).toBe('starting');
    expect(bench.engine.calls).toEqual(['state rebuilding']);
    bench.chain.slot = 200;
    bench.chain.tick(201);
    await live;
  });
});

describe('feed: replay', () => {
  /** Notifies while the users are read; the reading is as of slot 100. */
  async function check(
    notified: readonly (readonly [string, string, number])[],
    expected: string | undefined,
  ): Promise<void> {
    bench.chain.beforeUsers = async () => {
      const before = bench.feed.stats().notifications;
      for (const [pubkey, data, slot] of notified) bench.chain.notify(pubkey, data, slot);
      const all = before + notified.length;
      await until('they arrived', () => bench.feed.stats().notifications === all);
    };
    await bench.start();
    expect(bench.user('user1')).toBe(expected);
  }

  test('a notification older than the reading is not applied', async () => {
    await check([['user1', 'older', 99]], 'a');
    expect(bench.feed.stats()).toMatchObject({ replayed: 0, replayedTooOld: 1 });
  });

  test('a notification of the slot of the reading is applied', () =>
    check([['user1', 'equal', 100]], 'equal'));

  test('newer notifications are applied in the order of their arrival', () =>
    check(
      [
        ['user1', 'newer', 103],
        ['user1', 'reverted', 101],
      ],
      'reverted',
    ));

  test('a revert to before the reading is applied behind a later notification', () =>
    check(
      [
        ['user1', 'newer', 101],
        ['user1', 'reverted', 99],
      ],
      'reverted',
    ));

  test('a user closed during the reading is gone', () => check([['user1', '', 101]], undefined));

  test('replay comes after the whole reading and before live', async () => {
    await check([['user1', 'newer', 101]], 'newer');
    const order = bench.engine.calls.filter((call) =>
      /^(begin|end|push user1|state live)/.test(call),
    );
    expect(order).toEqual(['begin 2 @100', 'end', 'push user1 newer @101', 'state live']);
  });

  test('a buffer that overflows starts the reading anew', async () => {
    let rounds = 0;
    bench.chain.beforeUsers = async () => {
      rounds += 1;
      if (rounds > 1) return;
      for (let index = 0; index < 4; index += 1)
        bench.chain.notify('user1', `n${index}`, 101 + index);
      await until('they arrived', () => bench.feed.stats().notifications >= 4);
      bench.chain.accounts.set('user1', 'n3');
    };
    await bench.start({ replayUpdatesMax: 3 });
    expect(bench.feed.stats()).toMatchObject({ rebuilds: 2, rebuildFailures: 1 });
    expect(bench.user('user1')).toBe('n3');
  });
});

describe('feed: live', () => {
  test('a slot alone makes a turn', async () => {
    await bench.start();
    const before = bench.engine.turns.length;
    bench.chain.tick(121);
    await until('a turn', () => bench.engine.turns.length > before);
    expect(bench.engine.slot).toBe(121);
  });

  test('a new market is found with its oracle, without a restart', async () => {
    await bench.start();
    bench.chain.accounts.set('oracle1', 'o1');
    bench.chain.change('perp1', 'market:oracle1');
    await until('the oracle was read', () => bench.user('oracle1') === 'o1');
    bench.chain.change('oracle1', 'o1 moved');
    await bench.untilUser('oracle1', 'o1 moved');
  });

  test('a market that changes its oracle leaves the old one', async () => {
    await bench.start();
    bench.chain.accounts.set('oracle9', 'o9');
    bench.chain.change('perp0', 'market:oracle9');
    await until('the new one was read', () => bench.user('oracle9') === 'o9');
    await until(
      'the old one is left',
      () => !bench.server.subscriptions.some(({ params }) => params[0] === 'oracle0'),
    );
  });

  test('a silent Clock is read again with the oracles', async () => {
    await bench.start();
    bench.chain.slot += 1;
    bench.chain.accounts.set(CLOCK_KEY, clockData(1_020));
    bench.chain.accounts.set('oracle0', 'unnotified');
    await bench.untilUser('oracle0', 'unnotified');
    await until('the time was read', () => bench.engine.unixSeconds >= 1_020);
    expect(bench.feed.stats().clockPolls).toBeGreaterThan(0);
  });

  test('a Clock that notifies is followed', async () => {
    await bench.start();
    bench.chain.notify(CLOCK_KEY, clockData(1_020), 101);
    await until('the time was read', () => bench.engine.unixSeconds >= 1_020);
  });

  test('problems are logged once each', async () => {
    const warned: string[] = [];
    const log = {
      info: () => undefined,
      warn: (_: object, message: string) => void warned.push(message),
    };
    bench.engine.problems.push({ pubkey: 'user1', code: 'WRONG_LENGTH', message: 'length was 3' });
    await bench.start({ log });
    await bench.notifiedAll();
    expect(warned.filter((message) => message === 'an account is left out')).toHaveLength(1);
  });
});
