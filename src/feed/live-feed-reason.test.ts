import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { OTHER_GENESIS_HASH } from '../../test/fake-chain.js';
import { bench, nodeOf, useFeedBench } from '../../test/feed-bench.js';
import { until } from '../../test/support/until.js';
import { RpcClient } from '../rpc/client.js';
import { systemTimers } from '../rpc/timers.js';
import { failureText } from './model/error.js';

useFeedBench();

/** A log that keeps its messages. */
function newLog(): { lines: string[]; info: typeof write; warn: typeof write } {
  const lines: string[] = [];
  function write(_: object, message: string): void {
    lines.push(message);
  }
  return { lines, info: write, warn: write };
}

/** Waits until the reason matches; then it must match until the condition holds. */
async function reasonStays(expected: RegExp, holds: () => boolean): Promise<void> {
  const reason = (): string => bench.feed.status().reason ?? 'null';
  await until(`reason ${expected}`, () => expected.test(reason()));
  await until('the rest', () => {
    expect(reason()).toMatch(expected);
    return holds();
  });
}

describe('feed: why it is not live', () => {
  test('a scan that is refused: its status without the text of the node, until it is live', async () => {
    let refused = true;
    const refusal = { status: 403, body: 'key abcdefgh12\nhas no plan' };
    bench.chain.answerUsers(() => (refused ? refusal : null));
    const url = `${bench.server.rpcUrl}abcdefgh12`;
    const rpc = new RpcClient({ url, timers: systemTimers, random: () => 0 });
    const log = newLog();
    const live = bench.start({ nodes: [{ ...nodeOf(bench.server), rpc }], log });
    await reasonStays(
      /^the accounts could not be read: RPC_HTTP_STATUS: .* status 403$/,
      () => bench.feed.stats().rebuildFailures >= 3,
    );
    expect(log.lines.filter((line) => line === 'the accounts could not be read')).toHaveLength(1);
    refused = false;
    await live;
    expect(bench.feed.status().reason).toBeNull();
  });

  test('a subscribe that is refused: its cause, over reconnects', async () => {
    let refused = true;
    const error = { code: -32601, message: 'no such method' };
    bench.server.onSubscribe = (method) =>
      refused && method === 'programSubscribe' ? { error } : 'ack';
    const log = newLog();
    const live = bench.start({ log });
    await reasonStays(
      /^(no connection: |the accounts are being read, after )RPC_REJECTED: .* error -32601$/,
      () => bench.server.upgrades >= 4,
    );
    expect(log.lines).toEqual(['connected', 'the connection is given up', 'connection lost']);
    refused = false;
    await live;
    expect(bench.feed.status().reason).toBeNull();
  });

  test('a server that is not there is logged once, and again for another reason', async () => {
    const log = newLog();
    bench.server.refuseUpgradeWith = 503;
    bench.start({ log }).catch(() => undefined);
    await until('tries', () => bench.server.upgrades >= 4);
    expect(log.lines).toEqual(['connection lost']);
    expect(bench.feed.status().reason).toMatch(/^no connection: HTTP status 503/);
    bench.server.refuseUpgradeWith = 403;
    await until('more tries', () => bench.server.upgrades >= 6);
    expect(log.lines).toEqual(['connection lost', 'connection lost']);
  });

  test('a text that is not coded, and may hold anything, is not shown', () => {
    expect(failureText(new TypeError('https://key@host/'))).toBe('TypeError');
    expect(failureText('https://key@host/')).toBe('an unknown failure');
  });
});

describe('feed: a server that goes on sending what is unreadable', () => {
  test('costs a reading less and less often, and no connection', async () => {
    await bench.start();
    const endMs = performance.now() + 75_000;
    while (performance.now() < endMs) {
      if (bench.engine.state === 'live') bench.server.sendText('cut-off {');
      await sleep(10);
    }
    // Delays of 0.15 s doubling to 7.5 s; without growth there would be 500 readings.
    const { resyncs } = bench.feed.stats();
    expect(resyncs).toBeGreaterThanOrEqual(5);
    expect(resyncs).toBeLessThanOrEqual(20);
    expect(bench.server.upgrades).toBe(1);
  });
});

describe('feed: another chain on the same connection', () => {
  test('neither its announced slot nor its subscriptions are relied on', async () => {
    const hashes: string[] = [];
    await bench.start({ onGenesisChanged: (hash) => hashes.push(hash) });
    await bench.notifiedAll();
    bench.chain.genesisHash = OTHER_GENESIS_HASH;
    bench.chain.slot = 5;
    bench.chain.accounts.set('user1', 'on the other chain');
    bench.server.sendText('cut-off {');
    await bench.untilLiveAgain();
    expect(hashes).toEqual([OTHER_GENESIS_HASH]);
    expect(bench.user('user1')).toBe('on the other chain');
    expect([bench.engine.slot, bench.server.upgrades]).toEqual([5, 2]);
  });
});
