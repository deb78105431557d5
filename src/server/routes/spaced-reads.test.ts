import { expect, test } from 'vitest';
import { pooled } from '../../../test/support/hostile-ground.js';
import { ManualTimers } from '../../../test/support/manual-timers.js';
import { LIMITS } from '../../config/limits.js';
import { FakeBook, startServer } from '../testing/running-server.js';
import { accountReads } from './top-makers.js';

const { accountCallSpacingMs, accountCallsMax, accountReadsKeptMs, accountsWaitingMax } = LIMITS;

/** A node with scripted replies, and a clock that the test moves. */
class Bench {
  readonly calls: (readonly string[])[] = [];
  readonly #timers = new ManualTimers();
  readonly reads = accountReads((keys) => this.#answer(keys), this.#timers);
  /** Makes calls fail, or never end. */
  failure: Error | 'hangs' | undefined;

  /** Moves the clock, and runs what was due, with all that follows from it. */
  async pass(ms: number): Promise<void> {
    this.#timers.advance(ms);
    await new Promise((resolve) => setImmediate(resolve));
  }

  async #answer(keys: readonly string[]): Promise<readonly (string | null)[]> {
    this.calls.push(keys);
    if (this.failure === 'hangs') return new Promise(() => {});
    if (this.failure !== undefined) throw this.failure;
    return keys.map((key) => (key.startsWith('no') ? null : `data of ${key}`));
  }
}

const keysOf = (count: number, prefix = 'key'): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`);

test('accounts that several lists name are read once, and each list gets its own', async () => {
  const bench = new Bench();
  const [one, other] = [bench.reads.read(['a', 'none']), bench.reads.read(['b', 'a', 'b'])];
  expect(await one).toEqual(['data of a', null]);
  expect(bench.calls).toEqual([['a', 'none']]);
  await bench.pass(accountCallSpacingMs);
  expect(await other).toEqual(['data of b', 'data of a', 'data of b']);
  expect(bench.calls).toEqual([['a', 'none'], ['b']]);
});

test('lists that come between two calls go out together in the next one', async () => {
  const bench = new Bench();
  const first = bench.reads.read(['first']);
  const lists = keysOf(67).map((key, index) => bench.reads.read([key, `key${(index + 1) % 67}`]));
  await bench.pass(accountCallSpacingMs);
  await Promise.all([first, ...lists]);
  expect(bench.calls).toEqual([['first'], keysOf(67)]);
});

test('a call has as many accounts as the node takes, and comes after its time', async () => {
  const bench = new Bench();
  await bench.reads.read(['first']);
  const list = bench.reads.read(keysOf(250));
  await bench.pass(accountCallSpacingMs - 1);
  expect(bench.calls).toHaveLength(1);
  for (let call = 0; call < 3; call += 1) await bench.pass(accountCallSpacingMs);
  expect(bench.calls.map((keys) => keys.length)).toEqual([1, 100, 100, 50]);
  expect(await list).toHaveLength(250);
});

test('an account is read again when it is old, and nothing old is kept', async () => {
  const bench = new Bench();
  await bench.reads.read(['a']);
  await bench.pass(accountReadsKeptMs);
  await bench.reads.read(['a']);
  expect(bench.calls).toHaveLength(1);
  await bench.pass(1);
  await bench.reads.read(['b']);
  expect(bench.reads.size).toBe(1);
});

test('beyond the accounts that may wait a list is refused, and nothing of it is read', async () => {
  const bench = new Bench();
  await bench.reads.read(['first']);
  const list = bench.reads.read(keysOf(accountsWaitingMax - 1));
  expect(() => bench.reads.read(['more', 'most'])).toThrow(
    expect.objectContaining({ code: 'RATE_LIMITED' }),
  );
  for (let call = 0; call < accountsWaitingMax / 100; call += 1) {
    await bench.pass(accountCallSpacingMs);
  }
  expect(await list).toHaveLength(accountsWaitingMax - 1);
  expect(bench.calls.flat()).not.toContain('more');
});

test('an address with many lists leaves half of the places to others', async () => {
  const bench = new Bench();
  await bench.reads.read(['first']);
  const half = accountsWaitingMax / 2;
  const lists = [bench.reads.read(keysOf(half), 'greedy')];
  expect(() => bench.reads.read(['more'], 'greedy')).toThrow(
    expect.objectContaining({ code: 'RATE_LIMITED' }),
  );
  // What waits already takes no place.
  lists.push(bench.reads.read(['key0'], 'greedy'), bench.reads.read(keysOf(100, 'other'), 'other'));
  for (let call = 0; call < 4; call += 1) await bench.pass(accountCallSpacingMs);
  expect((await Promise.all(lists)).map(({ length }) => length)).toEqual([half, 1, 100]);
});

test('a node that does not return is called so often and no more', async () => {
  const bench = new Bench();
  bench.failure = 'hangs';
  for (let call = 0; call < accountCallsMax * 2; call += 1) {
    void bench.reads.read([`key${call}`]);
    await bench.pass(accountCallSpacingMs);
  }
  expect(bench.calls).toHaveLength(accountCallsMax);
});

test('a call that fails fails its lists, and is not repeated at once', async () => {
  const bench = new Bench();
  bench.failure = new Error('down');
  await expect(bench.reads.read(['a'])).rejects.toThrow('down');
  bench.failure = undefined;
  await expect(bench.reads.read(['a', 'b'])).rejects.toThrow('down');
  await bench.pass(accountReadsKeptMs + 1);
  expect(await bench.reads.read(['a'])).toEqual(['data of a']);
});

test('one client that asks for ever other lists makes ten calls a second', async () => {
  let calls = 0;
  const server = await startServer(new FakeBook(), {
    readAccounts: async (keys) => {
      calls += 1;
      return keys.map(() => null);
    },
  });
  const beganMs = performance.now();
  await pooled(keysOf(134).keys(), 32, async (index) => {
    const query = `side=${index % 2 === 0 ? 'bid' : 'ask'}&limit=${1 + Math.floor(index / 2)}`;
    const path = `/topMakers?marketName=SOL-PERP&includeAccounts=true&${query}`;
    expect((await fetch(server.url + path)).status).toBe(200);
  });
  const passedMs = performance.now() - beganMs;
  server.close();
  expect(calls).toBeLessThanOrEqual(1 + passedMs / accountCallSpacingMs);
});
