import { describe, expect, test } from 'vitest';
import { bench, useFeedBench } from '../../../test/feed-bench.js';
import { until } from '../../../test/support/until.js';

useFeedBench();

describe('feed: a socket that is behind the readings', () => {
  test('the book is live once the socket has told what they hold, and takes nothing older', async () => {
    bench.chain.announceSlot(99);
    const live = bench.start();
    await until('all was read', () => bench.engine.calls.includes('end'));
    bench.chain.notify('user1', 'older', 99);
    bench.chain.tick(100);
    bench.chain.notify('user1', 'of the same slot', 100);
    await until('they arrived', () => bench.feed.stats().notifications === 2);
    expect(bench.engine.state).toBe('rebuilding');
    bench.chain.tick(101);
    await live;
    expect(bench.engine.calls).not.toContain('push user1 older @99');
    expect(bench.user('user1')).toBe('of the same slot');
  });

  test('a node that is behind its own socket is not read before the first slot is known', async () => {
    const live = bench.start({ firstSlotWaitMs: 60_000 });
    await until('subscribed', () => bench.server.count('getGenesisHash') === 1);
    bench.chain.tick(110);
    await until('a reading was too old', () => bench.server.count('getProgramAccounts') >= 2);
    expect(bench.engine.calls).toEqual(['state rebuilding']);
    bench.chain.slot = 110;
    bench.chain.tick(111);
    await live;
    expect(bench.engine.slot).toBe(111);
  });

  test('oracles that are polled wait for the socket, or the book would be of two times', async () => {
    await bench.start();
    bench.chain.tick(101);
    await until('the slot arrived', () => bench.feed.stats().slot === 101);
    bench.chain.slot = 110;
    bench.chain.accounts.set('oracle0', 'ahead');
    const { clockPolls } = bench.feed.stats();
    await until('the oracles were polled', () => bench.feed.stats().clockPolls > clockPolls + 1);
    expect(bench.user('oracle0')).toBe('o0');
    await until('the slot after the reading', () => {
      bench.chain.tick(111);
      return bench.user('oracle0') === 'ahead';
    });
  });

  test('one that tells no slot leads to a book all the same', async () => {
    await bench.start({ firstSlotWaitMs: 100 });
    expect(bench.feed.stats()).toMatchObject({ rebuilds: 1, slot: 100 });
  });
});
