import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { kindOf } from '../../test/fake-chain.js';
import { FeedBench } from '../../test/feed-bench.js';
import { until } from '../../test/scripted-rpc.js';

let bench: FeedBench;

beforeEach(async () => {
  bench = await FeedBench.open();
});

afterEach(() => bench.close());

describe('feed: trouble', () => {
  test('after a cut the book is rebuilding, then equals the chain again', async () => {
    await bench.start();
    bench.server.cut();
    await until('rebuilding', () => bench.engine.state === 'rebuilding');
    expect(bench.feed.status()).toMatchObject({ everLive: true, state: 'rebuilding' });
    bench.chain.slot += 10;
    bench.chain.accounts.set('user1', 'changed unseen');
    bench.chain.accounts.delete('user2');
    await until('live again', () => bench.engine.state === 'live');
    expect([bench.user('user1'), bench.user('user2')]).toEqual(['changed unseen', undefined]);
    expect(bench.server.subscriptions).toHaveLength(7);
  });

  test('a market that vanished while the socket was cut is closed', async () => {
    await bench.start();
    bench.server.cut();
    bench.chain.accounts.delete('perp0');
    await until('rebuilding', () => bench.engine.state === 'rebuilding');
    await until('live again', () => bench.engine.state === 'live');
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

  test('an unreadable message makes the feed read everything again', async () => {
    await bench.start();
    bench.chain.slot += 1;
    bench.chain.accounts.set('user1', 'in the lost message');
    bench.server.sendText('{"jsonrpc":"2.0","method":"programNotif');
    await until('rebuilding', () => bench.engine.state === 'rebuilding');
    await until('live again', () => bench.engine.state === 'live', 10_000);
    expect(bench.user('user1')).toBe('in the lost message');
    expect(bench.server.upgrades).toBe(1);
  });

  test('a shrunken reading counts only when a second one agrees', async () => {
    for (let index = 0; index < 98; index += 1) bench.chain.accounts.set(`user-${index}`, 'x');
    await bench.start();
    const all = [...bench.chain.accounts];
    let shrunken = true;
    bench.server.answer('getProgramAccounts', (params) => {
      const reply = bench.chain.program(kindOf(params));
      if (kindOf(params) !== 'user' || !shrunken) return reply;
      shrunken = false;
      return { result: { context: { slot: bench.chain.slot }, value: [] } };
    });
    await bench.cutAnd(() => undefined);
    expect(bench.engine.accounts.size).toBe(all.length - 1);
    expect(bench.engine.calls).not.toContain('begin 0 @100');
  });

  test('a shrunken reading that is confirmed is taken', async () => {
    for (let index = 0; index < 98; index += 1) bench.chain.accounts.set(`user-${index}`, 'x');
    await bench.start();
    for (let index = 0; index < 98; index += 1) bench.chain.accounts.delete(`user-${index}`);
    await bench.cutAnd(() => undefined);
    expect(bench.engine.calls).toContain('begin 2 @100');
  });

  test('another genesis hash is told, and its slots count from the start', async () => {
    const hashes: string[] = [];
    const liveSlots: number[] = [];
    await bench.start({
      onGenesisChanged: (hash) => hashes.push(hash),
      onTurn: () => {
        if (bench.engine.state === 'live') liveSlots.push(bench.engine.slot);
      },
    });
    bench.server.cut();
    bench.chain.genesisHash = 'other';
    bench.chain.slot = 5;
    await until('rebuilding', () => bench.engine.state === 'rebuilding');
    await until('live again', () => bench.engine.state === 'live');
    expect(hashes).toEqual(['other']);
    expect(new Set(liveSlots)).toEqual(new Set([100, 5]));
    expect(liveSlots.at(-1)).toBe(5);
  });

  test('missing slots make the book lagging, then stale, and a slot makes it live', async () => {
    const live = bench.start({ timing: { laggingAfterMs: 300, staleAfterMs: 600 } });
    await live;
    await until('stale', () => bench.engine.state === 'stale');
    expect(bench.feed.status().reason).toMatch(/^no slot for \d+ ms$/);
    bench.chain.tick(101);
    await until('live', () => bench.engine.state === 'live');
    const states = bench.engine.calls.filter((call) => call.startsWith('state '));
    expect(states).toEqual([
      'state rebuilding',
      'state live',
      'state lagging',
      'state stale',
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
