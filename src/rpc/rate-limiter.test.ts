import { beforeEach, expect, test } from 'vitest';
import { ManualTimers } from '../../test/support/manual-timers.js';
import { nextTurn } from '../../test/support/next-turn.js';
import { RateLimiter } from './rate-limiter.js';

const { signal } = new AbortController();
let timers: ManualTimers;
let sent: string[];

beforeEach(() => {
  timers = new ManualTimers();
  sent = [];
});

/** Sends requests with these names, each of duration `takesMs`; records their start times. */
function send(limiter: RateLimiter, names: string, takesMs = 0, until = signal): Promise<void>[] {
  return [...names].map((name) =>
    limiter.runRequest(until, async () => {
      sent.push(`${name} ${timers.nowMs()}`);
      if (takesMs > 0) await new Promise<void>((resolve) => timers.after(takesMs, resolve));
    }),
  );
}

async function pass(ms: number): Promise<void> {
  await nextTurn();
  for (let passed = 0; passed < ms; passed += 10) {
    timers.advance(10);
    await nextTurn();
  }
}

test('requests go out evenly spaced, in the order in which they came', async () => {
  const limiter = new RateLimiter({ timers, requestsPerSecond: 10 });
  send(limiter, 'abc');
  await pass(50);
  send(limiter, 'd');
  await pass(500);
  expect(sent).toEqual(['a 0', 'b 100', 'c 200', 'd 300']);
  // Without a burst, unused capacity is lost.
  send(limiter, 'ef');
  await pass(200);
  expect(sent.slice(4)).toEqual(['e 550', 'f 650']);
});

test('after a rest as many go out at once as the burst holds', async () => {
  const limiter = new RateLimiter({ timers, requestsPerSecond: 10, burstMs: 300 });
  await pass(5_000);
  send(limiter, 'abcdef');
  await pass(300);
  expect(sent).toEqual(['a 5000', 'b 5000', 'c 5000', 'd 5000', 'e 5100', 'f 5200']);
});

test('only so many are under way at once', async () => {
  const limiter = new RateLimiter({ timers, requestsPerSecond: 100, concurrentMax: 2 });
  send(limiter, 'abcd', 500);
  await pass(1_000);
  expect(sent).toEqual(['a 0', 'b 10', 'c 500', 'd 510']);
});

test('a pause that begins while requests wait holds them back as well', async () => {
  const limiter = new RateLimiter({ timers, requestsPerSecond: 10 });
  send(limiter, 'ab');
  await pass(50);
  limiter.pauseFor(1_000);
  await pass(2_000);
  expect(sent).toEqual(['a 0', 'b 1050']);
});

test('a request that is aborted while it waits takes no turn from the others', async () => {
  const limiter = new RateLimiter({ timers, requestsPerSecond: 10, concurrentMax: 2 });
  const caller = new AbortController();
  const [, aborted] = [...send(limiter, 'a'), ...send(limiter, 'b', 0, caller.signal)];
  send(limiter, 'c');
  await pass(50);
  caller.abort(new Error('not wanted'));
  await expect(aborted).rejects.toThrow('not wanted');
  await pass(100);
  expect(sent).toEqual(['a 0', 'c 100']);
});
