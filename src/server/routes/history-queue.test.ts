import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../config/limits.js';
import type { HistoryBody, HistoryQuery } from '../../contract/history-queries.js';
import { systemTimers } from '../../rpc/timers.js';
import { refusalWith } from '../testing/fake-history.js';
import { HistoryQueue, type QueueLimits } from './history-queue.js';

interface Asked {
  readonly query: HistoryQuery;
  readonly resolve: (answer: HistoryBody) => void;
  readonly reject: (error: unknown) => void;
}

/** A history that answers when the test says so. */
function slowHistory() {
  const asked: Asked[] = [];
  const query = (asking: HistoryQuery): Promise<HistoryBody> =>
    new Promise((resolve, reject) => void asked.push({ query: asking, resolve, reject }));
  return { asked, query };
}

const QUERY: HistoryQuery = { kind: 'trades', market: 'perp_0', limit: 1, form: 'spec' };
const ANSWER: HistoryBody = { body: new Uint8Array([91, 93]), nextCursor: null };
const stays = (): boolean => false;
const leaves = (): boolean => true;

function readsOf(change: Partial<QueueLimits> = {}) {
  const history = slowHistory();
  const limits: { -readonly [Name in keyof QueueLimits]: number } = { ...LIMITS, ...change };
  const reads = new HistoryQueue({ history, timers: systemTimers }, limits);
  const get = (name: string, isGone = stays, client?: string) =>
    reads.runQuery({ name, query: QUERY, client, isGone });
  /** A reading that is over, and none after it. */
  const timeOut = async (name: string): Promise<void> => {
    const { historyReadMsMax } = limits;
    limits.historyReadMsMax = 20;
    const late = get(name);
    limits.historyReadMsMax = historyReadMsMax;
    await expect(late).rejects.toMatchObject({ code: 'NOT_READY', status: 503 });
  };
  return { asked: history.asked, reads, get, timeOut };
}

/** All settled promises have run their callbacks. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('readings of the history', () => {
  test('that are equal and under way are one, and later ones are not', async () => {
    const { asked, reads, get } = readsOf();
    const both = Promise.all([get('a'), get('a')]);
    expect(asked).toHaveLength(1);
    asked[0]?.resolve(ANSWER);
    expect(await both).toEqual([ANSWER, ANSWER]);
    expect(reads.size).toBe(0);
    void get('a').catch(() => {});
    expect(asked).toHaveLength(2);
    asked[1]?.resolve(ANSWER);
  });

  test('are asked as many at once as may be, the others in their order', async () => {
    const { asked, get } = readsOf({ historyReadsMax: 2 });
    const all = ['a', 'b', 'c', 'd'].map((name) => get(name));
    expect(asked).toHaveLength(2);
    asked[1]?.resolve(ANSWER);
    await all[1];
    expect(asked).toHaveLength(3);
    asked[0]?.reject(new Error('deliberate'));
    await expect(all[0]).rejects.toThrow('deliberate');
    expect(asked).toHaveLength(4);
    for (const { resolve } of asked) resolve(ANSWER);
    expect(await Promise.all(all.slice(1))).toEqual([ANSWER, ANSWER, ANSWER]);
  });

  test('whose clients have all left before their turn are never asked', async () => {
    const { asked, reads, get } = readsOf({ historyReadsMax: 1 });
    const first = get('a');
    void get('b', leaves);
    void get('c', leaves);
    const stayed = get('c');
    asked[0]?.resolve(ANSWER);
    await first;
    expect(asked).toHaveLength(2);
    asked[1]?.resolve(ANSWER);
    expect(await stayed).toBe(ANSWER);
    expect(reads.size).toBe(0);
  });

  test('of one client leave room for others, and are asked in turns with theirs', async () => {
    const { asked, reads, get } = readsOf({ historyReadsMax: 1, historyReadsWaitingMax: 7 });
    const many = Array.from({ length: 4 }, (_, at) => get(`many ${at}`, stays, 'many'));
    expect(() => get('many 4', stays, 'many')).toThrow(
      expect.objectContaining({ code: 'LIMIT_EXCEEDED' }),
    );
    const few = get('few', stays, 'few');
    asked[0]?.resolve(ANSWER);
    await many[0];
    asked[1]?.resolve(ANSWER);
    expect(await few).toBe(ANSWER);
    expect(reads.size).toBe(3);
    for (const at of [2, 3, 4]) {
      asked[at]?.resolve(ANSWER);
      await settled();
    }
    expect(await Promise.all(many)).toHaveLength(4);
  });

  test('are refused when too many wait, but for those that wait for nobody', async () => {
    const { asked, get } = readsOf({ historyReadsMax: 1, historyReadsWaitingMax: 2 });
    const first = get('a');
    const second = get('b');
    void get('c', leaves);
    const third = get('d');
    expect(() => get('e')).toThrow(
      expect.objectContaining({ code: 'LIMIT_EXCEEDED', status: 503 }),
    );
    expect(await Promise.race([get('a'), settled()])).toBeUndefined();
    for (const at of [0, 1, 2]) {
      asked[at]?.resolve(ANSWER);
      await settled();
    }
    expect(await Promise.all([first, second, third])).toEqual([ANSWER, ANSWER, ANSWER]);
    expect(asked).toHaveLength(3);
  });

  test('that take too long are NOT_READY, and make room', async () => {
    const { asked, get, timeOut } = readsOf({ historyReadsMax: 1 });
    await timeOut('a');
    const next = get('b');
    expect(asked).toHaveLength(2);
    // A late reply belongs to no query and releases no slot twice.
    asked[0]?.resolve(ANSWER);
    await settled();
    asked[1]?.resolve(ANSWER);
    expect(await next).toBe(ANSWER);
  });

  test('that come too late are of nobody, also when the same is asked again', async () => {
    const { asked, get, timeOut } = readsOf();
    await timeOut('a');
    const again = get('a');
    asked[0]?.resolve({ ...ANSWER, nextCursor: 'too late' });
    await settled();
    asked[1]?.resolve(ANSWER);
    expect(await again).toBe(ANSWER);
  });

  test.each([
    ['INVALID_PARAM', 400],
    ['OUT_OF_RANGE', 400],
    ['UNKNOWN_MARKET', 404],
    ['NOT_READY', 503],
    ['LIMIT_EXCEEDED', 503],
  ])('refused with %s say so to the client', async (code, status) => {
    const { asked, get } = readsOf();
    const read = get('a');
    asked[0]?.reject(refusalWith(code, 'before was x', 'before'));
    await expect(read).rejects.toMatchObject({
      ...{ name: 'ServerError', code, status, message: 'before was x', param: 'before' },
    });
  });

  test.each([['INTERNAL'], ['SQLITE_CORRUPT'], [undefined], ['constructor']])(
    'that fail with %s are faults of ours',
    async (code) => {
      const { asked, get } = readsOf();
      const read = get('a');
      const error = Object.assign(new Error('a path of the disk'), { code });
      asked[0]?.reject(error);
      await expect(read).rejects.toBe(error);
    },
  );
});
