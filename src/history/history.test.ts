/** The worker's handle, against misbehaving workers. */
import { beforeEach, describe, expect, test } from 'vitest';
import { ManualTimers } from '../../test/support/manual-timers.js';
import type { HistoryQuery } from '../contract/history-queries.js';
import { RETAIN_DEFAULTS } from '../contract/retain.js';
import { silentLog } from '../rpc/log.js';
import { History } from './history.js';
import { HistoryError } from './model/error.js';
import { QUERIES_MAX, QUERY_MS_MAX, STOP_MS_MAX, WORKER_SILENCE_MS_MAX } from './model/limits.js';
import type { ToWorker, WorkerSetup } from './model/messages.js';
import type { StartWorker, WorkerListener } from './worker-link.js';

const setup: WorkerSetup = {
  nodes: [{ rpcUrl: 'http://127.0.0.1:1', wsUrl: 'ws://127.0.0.1:1' }],
  programId: 'dRiftyHA39MWEi3m9aunc5MzRF1JYuBsbn6VPcn33UH',
  dataDir: '.',
  retain: RETAIN_DEFAULTS,
  candleRetentionDays: 0,
  backfillHours: 24,
  backfillTransactionsMax: 1_000,
  requestsPerSecond: 50,
};
const volumes: HistoryQuery = { kind: 'volumes', from: 0, to: 1 };
const SOL = { key: 'perp_0', symbol: 'SOL-PERP', marketType: 'perp', marketIndex: 0, decimals: 9 };

/** Each started worker, with the messages that it was sent. */
class Workers {
  readonly told: ToWorker[][] = [];
  readonly terminated: number[] = [];
  readonly listeners: WorkerListener[] = [];

  readonly start: StartWorker = (_setup, listener) => {
    const at = this.told.push([]) - 1;
    this.listeners.push(listener);
    return {
      sendMessage: (message) => this.told[at]?.push(message),
      terminate: async () => {
        this.terminated.push(at);
        listener.onEnd(crash);
      },
    };
  };

  get last(): WorkerListener {
    const listener = this.listeners.at(-1);
    if (listener === undefined) throw new Error('no worker was started');
    return listener;
  }
}

const crash = new HistoryError('INTERNAL', 'it crashed');
let workers: Workers;
let timers: ManualTimers;
let history: History;

beforeEach(() => {
  workers = new Workers();
  timers = new ManualTimers();
  const startWorker = workers.start;
  history = new History({ setup, log: silentLog, timers, random: () => 1, startWorker });
  history.start();
});

describe('the handle of the history', () => {
  test('gives each answer to the question with its id', async () => {
    const answers = [history.query(volumes), history.query(volumes)];
    const body = (byte: number) => ({ body: Uint8Array.of(byte), nextCursor: null });
    workers.last.onMessage({ kind: 'reply', id: 2, reply: body(2) });
    workers.last.onMessage({ kind: 'reply', id: 1, reply: body(1) });
    expect(await Promise.all(answers)).toEqual([body(1), body(2)]);
  });

  test('passes a refusal on with its code and the parameter', async () => {
    const answer = history.query(volumes);
    const error = {
      code: 'INVALID_PARAM',
      message: 'before was x, must be a cursor',
      param: 'before',
    };
    workers.last.onMessage({ kind: 'refused', id: 1, error });
    await expect(answer).rejects.toMatchObject({ ...error, context: { param: 'before' } });
  });

  test('refuses what would wait behind too many others', async () => {
    const waiting = Array.from({ length: QUERIES_MAX }, () => history.query(volumes));
    await expect(history.query(volumes)).rejects.toMatchObject({ code: 'NOT_READY' });
    timers.advance(QUERY_MS_MAX);
    const codes = (await Promise.allSettled(waiting)).map((end) => end.status);
    expect(new Set(codes)).toEqual(new Set(['rejected']));
  });

  test('starts an ended worker again, later each time, and says all anew', async () => {
    history.setBook({ markets: [SOL as never], genesisHash: null });
    history.join('trades:perp_0');
    history.join('candle:perp_0:1');
    history.leave('candle:perp_0:1');
    const waiting = history.query(volumes);
    workers.last.onEnd(crash);
    await expect(waiting).rejects.toMatchObject({ code: 'NOT_READY' });
    await expect(history.query(volumes)).rejects.toMatchObject({ code: 'NOT_READY' });
    expect(history.readStats()).toMatchObject({
      state: 'failing',
      reason: 'the worker ended: it crashed',
    });
    expect(timers.waitsMs).toEqual([250]);
    timers.advance(250);
    expect(workers.told[1]).toEqual([
      { kind: 'book', book: { markets: [SOL], genesisHash: null } },
      { kind: 'join', topic: 'trades:perp_0' },
    ]);
    workers.last.onEnd(crash);
    expect(timers.waitsMs).toEqual([500]);
  });

  test('leaves a worker that hangs, and hears nothing more of it', () => {
    for (let beat = 0; beat < 3; beat += 1) {
      timers.advance(WORKER_SILENCE_MS_MAX - 1_000);
      workers.last.onMessage({ kind: 'versions', versions: [['perp_0', `v${beat}`]] });
    }
    expect(workers.terminated).toEqual([]);
    timers.advance(WORKER_SILENCE_MS_MAX + 2_000);
    expect(workers.terminated).toEqual([0]);
    expect(workers.told).toHaveLength(2);
    workers.listeners[0]?.onMessage({ kind: 'versions', versions: [['perp_0', 'late']] });
    expect(history.version('perp_0')).toBe('v2');
  });

  test('tells of a worker that no query gets a response of, and goes on when it has one', () => {
    const stats = { ...history.readStats(), state: 'live', reason: null } as const;
    workers.last.onMessage({ kind: 'stats', stats });
    timers.advance(QUERY_MS_MAX - 1_000);
    expect(history.readStats()).toMatchObject({ state: 'live', reason: null });
    timers.advance(3_000);
    expect(history.readStats()).toMatchObject({
      state: 'failing',
      reason: 'the history has not responded for 10000 ms',
    });
    workers.last.onMessage({ kind: 'stats', stats });
    expect(history.readStats()).toMatchObject({ state: 'live', reason: null });
    expect(workers.terminated).toEqual([]);
  });

  test('has another version after each start, as long as none was told', () => {
    const first = history.version('perp_0');
    workers.last.onEnd(crash);
    expect(history.version('perp_0')).not.toBe(first);
  });

  test('ends a worker that does not stop in time', async () => {
    const stopped = history.stop();
    expect(workers.told[0]?.at(-1)).toEqual({ kind: 'stop' });
    timers.advance(STOP_MS_MAX);
    await stopped;
    expect(workers.terminated).toEqual([0]);
    timers.advance(60_000);
    expect(workers.told).toHaveLength(1);
  });

  test('stops while it waits to start a worker again', async () => {
    workers.last.onEnd(crash);
    await history.stop();
    timers.advance(60_000);
    expect(workers.told).toHaveLength(1);
  });
});
