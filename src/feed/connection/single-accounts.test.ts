import { describe, expect, test } from 'vitest';
import { accountJson, kindOf } from '../../../test/fake-chain.js';
import { UNREADABLE } from '../../../test/fake-engine.js';
import { bench, useFeedBench } from '../../../test/feed-bench.js';
import type { Reply } from '../../../test/scripted-rpc.js';

import { until } from '../../../test/support/until.js';
import { sleep, systemTimers } from '../../rpc/timers.js';
import { CLOCK_KEY } from '../model/queries.js';

useFeedBench();

const REFUSALS: readonly [string, Reply][] = [
  ['an error', { error: { code: -32603, message: 'internal error' } }],
  ['a status of 500', { status: 500 }],
  ['a text that is none', { text: '{"jsonrpc":"2.0","result":{"value":7},"id":1}' }],
];

/** The node answers so whatever call has one of these accounts. */
function refuse(keys: readonly string[], reply: Reply): void {
  bench.server.answer('getMultipleAccounts', ([wanted]) => {
    const all = wanted as string[];
    return all.some((key) => keys.includes(key)) ? reply : bench.chain.multiple(all);
  });
}

/** In scans the node gives no data of these accounts. */
function breakInScans(...broken: readonly string[]): void {
  bench.server.answer('getProgramAccounts', (params) => {
    const rows = bench.chain.rows(kindOf(params)) as { pubkey: string }[];
    const data = (pubkey: string) =>
      pubkey.startsWith('user') ? accountJson(UNREADABLE) : { 7: 7 };
    const told = rows.map((row) => {
      return broken.includes(row.pubkey) ? { ...row, account: data(row.pubkey) } : row;
    });
    return bench.chain.scanOf(told);
  });
}

const calls = (): number =>
  bench.server.requests.filter(({ method }) => method === 'getMultipleAccounts').length;

describe('one account that a node refuses', () => {
  test.each(REFUSALS)('of the oracles, with %s: the others have their prices', async (_, reply) => {
    for (let index = 1; index < 40; index += 1) {
      bench.chain.accounts.set(`perp${index}`, `market:oracle${index}`);
      bench.chain.accounts.set(`oracle${index}`, `o${index}`);
    }
    refuse(['oracle7', 'oracle30'], reply);
    await bench.start();
    expect([bench.user('oracle0'), bench.user('oracle39')]).toEqual(['o0', 'o39']);
    expect([bench.user('oracle7'), bench.user('oracle30')]).toEqual([undefined, undefined]);
    bench.chain.notify('oracle7', 'o7', 101);
    await bench.untilUser('oracle7', 'o7');
  });

  test.each(REFUSALS)(
    'of the probed users, with %s: probes find what the others lost',
    async (_, reply) => {
      bench.chain.addUsers(98);
      refuse(['user-3'], reply);
      await bench.start({ probeIntervalMs: 100 });
      await until('probes go through', () => bench.feed.stats().probes > 2);
      bench.chain.slot += 1;
      bench.chain.accounts.set('user1', 'not notified');
      await until('it is found', () => {
        bench.nextSlot();
        return bench.user('user1') === 'not notified';
      });
      const before = calls();
      const { probes } = bench.feed.stats();
      await until('ten more', () => bench.feed.stats().probes >= probes + 10);
      expect(calls() - before, 'calls of ten probes').toBeLessThanOrEqual(12);
    },
  );

  test('a node that refuses every account is not asked for parts', async () => {
    await bench.start({ probeIntervalMs: 100 });
    refuse([...bench.chain.accounts.keys()], { status: 501 });
    await until('probes fail', () => bench.feed.stats().probeFailures > 0);
    const before = calls();
    const { probeFailures } = bench.feed.stats();
    await until('another', () => bench.feed.stats().probeFailures > probeFailures);
    expect(calls() - before).toBeLessThanOrEqual(4);
  });

  test('without the Clock no book is read', async () => {
    refuse([CLOCK_KEY], { error: { code: -32603, message: 'internal error' } });
    void bench.start();
    await until('it fails', () => bench.feed.stats().rebuildFailures > 1);
    expect(bench.engine.state).toBe('rebuilding');
  });
});

describe('one account that scans do not give whole', () => {
  test('is read by itself, and the book is live with it', async () => {
    bench.chain.addUsers(98);
    breakInScans('user2', 'perp0');
    await bench.start();
    expect([bench.user('user2'), bench.user('perp0')]).toEqual(['b', 'market:oracle0']);
    expect(bench.feed.stats()).toMatchObject({ rebuilds: 1, rebuildFailures: 0 });
  });

  test('is left out when no node gives it, and comes when one does', async () => {
    bench.chain.addUsers(98);
    breakInScans('user2');
    refuse(['user2'], { error: { code: -32603, message: 'internal error' } });
    await bench.start();
    expect([bench.user('user2'), bench.user('user1')]).toEqual([undefined, 'a']);
    await sleep(systemTimers, 2_000);
    refuse([], { status: 500 });
    await until('it comes', () => {
      bench.nextSlot();
      return bench.user('user2') === 'b';
    });
    expect(bench.feed.stats()).toMatchObject({ rebuilds: 1, losses: 0 });
  });

  test('stays as it is in an audit', async () => {
    bench.chain.addUsers(98);
    await bench.start({ auditIntervalMs: 20 });
    breakInScans('user2', 'perp0');
    const { audits } = bench.feed.stats();
    await until('two audits', () => {
      bench.nextSlot();
      return bench.feed.stats().audits > audits + 2;
    });
    expect([bench.user('user2'), bench.user('perp0')]).toEqual(['b', 'market:oracle0']);
    expect(bench.feed.stats()).toMatchObject({ auditFailures: 0, usersRemoved: 0 });
    expect(bench.engine.calls.filter((call) => call.startsWith('close'))).toEqual([]);
  });

  test('too many of them are a failure of the node', async () => {
    bench.chain.addUsers(98);
    breakInScans(...[...bench.chain.accounts.keys()].filter((key) => key.startsWith('user')));
    void bench.start();
    await until('it fails', () => bench.feed.stats().rebuildFailures > 1);
    expect(bench.engine.state).toBe('rebuilding');
  });
});
