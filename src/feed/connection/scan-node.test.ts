import { beforeEach, describe, expect, test } from 'vitest';
import { kindOf, OTHER_GENESIS_HASH } from '../../../test/fake-chain.js';
import { bench, second, secondChain, useTwoNodes } from '../../../test/feed-bench.js';
import type { ScriptedRpc } from '../../../test/scripted-rpc.js';
import { ManualTimers } from '../../../test/support/manual-timers.js';
import { until } from '../../../test/support/until.js';
import { RpcClient } from '../../rpc/client.js';
import { silentLog } from '../../rpc/log.js';
import { systemTimers } from '../../rpc/timers.js';
import { TransientErrorLog } from '../model/error-logs.js';
import { ScanNode } from './scan-node.js';

let warned: string[];

useTwoNodes();
beforeEach(() => {
  secondChain.accounts.set('user1', 'of the snapshot node');
  warned = [];
});

function start(): Promise<void> {
  const snapshotRpc = new RpcClient({
    timers: systemTimers,
    url: second.rpcUrl,
    random: () => 0,
    attemptsMax: 1,
  });
  const log = {
    info: () => undefined,
    warn: (_: object, message: string) => void warned.push(message),
  };
  return bench.start({ snapshotRpc, log });
}

/** The kinds of program accounts that a server was asked for. */
function kindsAsked({ requests }: ScriptedRpc): string[] {
  const scans = requests.filter(({ method }) => method === 'getProgramAccounts');
  return scans.map(({ params }) => kindOf(params));
}

describe('snapshot node', () => {
  test('the scan of all users goes there, and nothing else does but the Clock after it', async () => {
    await start();
    expect(bench.user('user1')).toBe('of the snapshot node');
    expect(kindsAsked(second)).toEqual(['user']);
    expect(kindsAsked(bench.server)).toEqual(['state', 'spot', 'perp']);
    expect([second.upgrades, second.count('getMultipleAccounts')]).toEqual([0, 1]);
    expect(bench.feed.stats().scanFallbacks).toBe(0);
  });

  test('one that is behind the socket is read again until it is not', async () => {
    secondChain.slot = 98;
    let scans = 0;
    secondChain.beforeUsers = () => {
      scans += 1;
      if (scans < 3) return;
      secondChain.slot += 10;
      bench.chain.tick(109);
    };
    bench.chain.announceSlot(101);
    await start();
    expect(scans).toBe(3);
    expect(bench.user('user1')).toBe('of the snapshot node');
    expect(bench.feed.stats()).toMatchObject({ scanFallbacks: 0, rebuildFailures: 0 });
  });

  async function expectFallback(): Promise<void> {
    await start();
    expect(bench.user('user1')).toBe('a');
    expect(kindsAsked(bench.server)).toEqual(['state', 'spot', 'perp', 'user']);
    expect(bench.feed.stats()).toMatchObject({ scanFallbacks: 1, rebuilds: 1, rebuildFailures: 0 });
    expect(warned).toContain('the snapshot node failed, the node in use is scanned');
  }

  test('one that stays behind the socket is left for the node in use', async () => {
    secondChain.slot = 90;
    bench.chain.announceSlot(101);
    await expectFallback();
  });

  test.each([
    ['is not there', () => void second.stop()],
    ['forbids the scan', () => second.answer('getProgramAccounts', () => ({ status: 403 }))],
    ['is asked too often', () => second.answer('getProgramAccounts', () => ({ status: 429 }))],
    ['sends what is none', () => second.answer('getProgramAccounts', () => ({ text: '{"resu' }))],
    [
      'is of another chain',
      () => second.answer('getGenesisHash', () => ({ result: OTHER_GENESIS_HASH })),
    ],
  ])('one that %s is left for the node in use', async (_, fail) => {
    fail();
    await expectFallback();
  });

  test('a cut while it scans does not count against it', async () => {
    let cuts = 1;
    secondChain.beforeUsers = async () => {
      if (cuts === 0) return;
      cuts -= 1;
      bench.server.cut();
      await until('it is closed', () => bench.socket.stats.closes > 0);
    };
    await start();
    expect(bench.user('user1')).toBe('of the snapshot node');
    expect(bench.feed.stats().scanFallbacks).toBe(0);
  });
});

test('snapshot node: after a failure it rests, longer each time, until a scan goes through', () => {
  const timers = new ManualTimers();
  const rpc = new RpcClient({ timers: systemTimers, url: 'http://127.0.0.1:9/' });
  const trouble = new TransientErrorLog(silentLog, timers);
  const node = new ScanNode({ rpc, timers, random: () => 1, transientErrors: trouble });
  const rests = Array.from({ length: 6 }, () => {
    node.recordFailure(new Error('refused'));
    const from = timers.nowMs();
    while (node.rpc === null) timers.advance(1_000);
    return timers.nowMs() - from;
  });
  expect(rests).toEqual([60_000, 120_000, 240_000, 480_000, 900_000, 900_000]);
  node.recordSuccess();
  node.recordFailure(new Error('refused'));
  timers.advance(60_000);
  expect(node.rpc).toBe(rpc);
});
