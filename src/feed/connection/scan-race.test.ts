import { beforeEach, describe, expect, test } from 'vitest';
import { kindOf, OTHER_GENESIS_HASH } from '../../../test/fake-chain.js';
import {
  bench,
  second,
  secondChain,
  startWithBoth,
  useTwoNodes,
} from '../../../test/feed-bench.js';
import { ManualTimers } from '../../../test/support/manual-timers.js';
import { nextTurn } from '../../../test/support/next-turn.js';
import { SILENT_MS_MAX } from '../../rpc/limits.js';
import { silentLog } from '../../rpc/log.js';
import { TransientErrorLog } from '../model/error-logs.js';
import { newCounters } from '../model/feed-stats.js';
import { SCAN_PROGRESS_BYTES_MIN } from '../model/limits.js';
import {
  AUDIT_PATIENCE,
  REBUILD_PATIENCE,
  raceScans,
  type Scan,
  type ScanLimits,
} from './scan-race.js';

class HeldScan implements Scan<string> {
  readonly isReplaced: boolean;
  limits: ScanLimits | null = null;
  succeed: (result: string) => void = () => undefined;
  fail: (error: Error) => void = () => undefined;

  constructor(isReplaced: boolean) {
    this.isReplaced = isReplaced;
  }

  readonly run = (limits: ScanLimits): Promise<string> => {
    this.limits = limits;
    return new Promise((resolve, reject) => {
      this.succeed = resolve;
      this.fail = reject;
    });
  };

  get isAborted(): boolean | null {
    return this.limits?.signal.aborted ?? null;
  }
}

let timers: ManualTimers;
let counters: ReturnType<typeof newCounters>;
let stop: AbortController;
let snapshotNode: HeldScan;
let inUse: HeldScan;
let other: HeldScan;
let patience = REBUILD_PATIENCE;

beforeEach(() => {
  timers = new ManualTimers();
  counters = newCounters();
  stop = new AbortController();
  snapshotNode = new HeldScan(true);
  inUse = new HeldScan(false);
  other = new HeldScan(true);
  patience = REBUILD_PATIENCE;
});

function race(...scans: readonly HeldScan[]): Promise<string> {
  const transientErrors = new TransientErrorLog(silentLog, timers);
  const limits = { signal: stop.signal, patience };
  return raceScans({ timers, counters, transientErrors }, scans, limits);
}

describe('scan race', () => {
  test('a scan whose bytes come is left alone for half a minute', async () => {
    const result = race(inUse, other);
    for (let second = 0; second < 28; second += 4) {
      timers.advance(4_000);
      inUse.limits?.onBytes(SCAN_PROGRESS_BYTES_MIN);
    }
    inUse.succeed('whole');
    expect(await result).toBe('whole');
    expect([other.limits, counters.scanFallbacks]).toEqual([null, 0]);
  });

  test('a scan of a few bytes now and then is as silent as one of none', async () => {
    const result = race(inUse, other);
    timers.advance(4_000);
    inUse.limits?.onBytes(SCAN_PROGRESS_BYTES_MIN - 1);
    timers.advance(1_000);
    other.succeed('of the other');
    expect(await result).toBe('of the other');
  });

  test('a scan that never ends has the next one beside it, once, however fast its bytes come', async () => {
    const result = race(inUse, other, new HeldScan(true));
    for (let second = 0; second < 56; second += 4) {
      timers.advance(4_000);
      inUse.limits?.onBytes(64 * SCAN_PROGRESS_BYTES_MIN);
      other.limits?.onBytes(SCAN_PROGRESS_BYTES_MIN);
    }
    expect(counters.scanFallbacks).toBe(1);
    inUse.succeed('slow, and whole');
    expect(await result).toBe('slow, and whole');
  });

  test('the scan of an audit has more time, and less than a silent call', async () => {
    patience = AUDIT_PATIENCE;
    const result = race(inUse, other);
    timers.advance(AUDIT_PATIENCE.silentMsMax - 1);
    expect(other.limits).toBeNull();
    timers.advance(1);
    expect(AUDIT_PATIENCE.silentMsMax).toBeLessThan(SILENT_MS_MAX);
    other.succeed('of the other');
    expect(await result).toBe('of the other');
  });

  test('after five seconds of silence the next one scans as well, and the first whole result counts', async () => {
    const result = race(inUse, other);
    timers.advance(4_999);
    expect(other.limits).toBeNull();
    timers.advance(1);
    expect([inUse.isAborted, other.isAborted]).toEqual([false, false]);
    other.succeed('of the other');
    expect(await result).toBe('of the other');
    expect([inUse.isAborted, counters.scanFallbacks]).toEqual([true, 1]);
    expect(timers.waitsMs).toEqual([]);
  });

  test('silence in the midst of a scan counts as well, and it may still be the first', async () => {
    const result = race(inUse, other);
    timers.advance(3_000);
    inUse.limits?.onBytes(SCAN_PROGRESS_BYTES_MIN);
    timers.advance(4_999);
    expect(other.limits).toBeNull();
    timers.advance(1);
    inUse.succeed('late, and whole');
    expect(await result).toBe('late, and whole');
    expect(other.isAborted).toBe(true);
  });

  test('the snapshot node that fails is replaced at once, the node in use is not', async () => {
    const result = race(snapshotNode, inUse, other);
    snapshotNode.fail(new Error('refused'));
    await nextTurn();
    inUse.fail(new Error('refused too'));
    await expect(result).rejects.toThrow('refused too');
    expect(other.limits).toBeNull();
  });

  test('the failure of the node in use is the one that counts, when all have failed', async () => {
    const result = race(inUse, other);
    timers.advance(5_000);
    other.fail(new Error('another chain'));
    await nextTurn();
    inUse.fail(new Error('silent'));
    await expect(result).rejects.toThrow('silent');
  });

  test('a connection that ends ends all scans', async () => {
    const result = race(inUse, other);
    timers.advance(5_000);
    stop.abort();
    expect([inUse.isAborted, other.isAborted]).toEqual([true, true]);
    inUse.fail(new Error('aborted'));
    other.fail(new Error('aborted'));
    await expect(result).rejects.toThrow('aborted');
  });
});

describe('a scan that hangs', () => {
  useTwoNodes();
  beforeEach(() => {
    bench.server.answer('getProgramAccounts', (params) => {
      return kindOf(params) === 'user' ? 'hang' : bench.chain.program(kindOf(params));
    });
  });

  test('does not hide the other node: it is scanned, and the socket stays', async () => {
    secondChain.accounts.set('user1', 'as the second node has it');
    await startWithBoth();
    expect(bench.user('user1')).toBe('as the second node has it');
    expect([bench.server.upgrades, second.upgrades]).toEqual([1, 0]);
    expect(bench.feed.stats()).toMatchObject({ scanFallbacks: 1, failovers: 0, rebuilds: 1 });
  });

  test('is not replaced by one of another chain', async () => {
    const asked = new Promise<void>((resolve) => {
      second.answer('getGenesisHash', () => {
        resolve();
        return { result: OTHER_GENESIS_HASH };
      });
    });
    startWithBoth().catch(() => undefined);
    await asked;
    expect(second.count('getProgramAccounts')).toBe(0);
    expect(bench.feed.status().state).toBe('starting');
  });
});
