import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { LIMITS } from '../../config/limits.js';
import type { BookStats } from '../../contract/book-source.js';
import { systemTimers } from '../../rpc/timers.js';
import { FakeBook } from '../testing/running-server.js';
import { Metrics, type MetricsOptions, RequestCounts } from './metrics.js';

/** A book that counts reads of its statistics, one per rendering. */
class CountingBook extends FakeBook {
  reads = 0;
  onRead: () => void = () => {};

  override stats(): BookStats {
    this.reads += 1;
    this.onRead();
    return super.stats();
  }
}

function metricsOf(book: CountingBook, settings: Partial<MetricsOptions> = {}): Metrics {
  const metrics = new Metrics({
    timers: systemTimers,
    book,
    directory: book,
    readiness: () => ({ everLive: true, state: 'live', reason: null, slot: 1 }),
    feed: () => ({ slotAgeMs: 0, events: {} }),
    requests: new RequestCounts(),
    ...settings,
  });
  book.reads = 0;
  return metrics;
}

test('32 requests at once are one rendering, which serves a moment longer', async () => {
  const book = new CountingBook();
  let nowMs = 0;
  const metrics = metricsOf(book, { timers: { ...systemTimers, nowMs: () => nowMs } });
  const texts = await Promise.all(Array.from({ length: 32 }, () => metrics.toText()));
  expect([book.reads, new Set(texts).size]).toEqual([1, 1]);
  nowMs = LIMITS.metricsKeptMs - 1;
  expect(await metrics.toText()).toBe(texts[0]);
  nowMs += 1;
  await metrics.toText();
  expect(book.reads).toBe(2);
});

test('the event loop turns while a rendering takes its time', async () => {
  const book = new CountingBook();
  let nowMs = 0;
  let turn = 0;
  const turns = new Set<number>();
  const monotonicMs = (): number => {
    turns.add(turn);
    nowMs += LIMITS.metricsSliceMs;
    return nowMs;
  };
  const metrics = metricsOf(book, { timers: { ...systemTimers, nowMs: monotonicMs } });
  const countTurn = (): void => {
    turn += 1;
    next = setImmediate(countTurn);
  };
  let next = setImmediate(countTurn);
  const text = await metrics.toText();
  clearImmediate(next);
  expect(turns.size).toBeGreaterThan((text.match(/^# TYPE/gm)?.length ?? 0) / 2);
});

test('a rendering that fails is not kept', async () => {
  const book = new CountingBook();
  const metrics = metricsOf(book);
  book.onRead = () => {
    throw new Error('deliberate');
  };
  await expect(metrics.toText()).rejects.toThrow('deliberate');
  book.onRead = () => {};
  expect(await metrics.toText()).toContain('slotbook_users 5');
});

test('open files are counted', async (context) => {
  if (process.platform !== 'linux') context.skip('needs /proc');
  const text = await metricsOf(new CountingBook()).toText();
  const count = Number(/^process_open_fds (\d+)$/m.exec(text)?.[1]);
  expect(Math.abs(count - readdirSync('/proc/self/fd').length)).toBeLessThan(20);
});

test('a core that stands by is not said to be not ready, of which an alert would wake somebody', async () => {
  const readiness = { everLive: false, state: 'starting', reason: 'standby', slot: 1 } as const;
  const textOf = (role: 'core' | 'standby') =>
    metricsOf(new CountingBook(), { readiness: () => ({ ...readiness, role }) }).toText();
  expect(await textOf('core')).toContain('\nslotbook_ready 0\n');
  expect(await textOf('standby')).not.toMatch(/^slotbook_ready /m);
});
