import { expect, test } from 'vitest';
import { LIMITS } from '../../config/limits.js';
import { systemTimers } from '../../rpc/timers.js';
import { LoopBudget, oneStep } from './loop-budget.js';

let nowMs = 0;

/** Takes some time. */
function busy(ms: number): void {
  nowMs += ms;
}

const budgetOf = (sliceMs: number) =>
  new LoopBudget({ ...systemTimers, nowMs: () => nowMs }, sliceMs);

function* steps(
  count: number,
  ms: number,
  did: (step: number) => void,
): Generator<undefined, number> {
  for (let step = 0; step < count; step += 1) {
    busy(ms);
    did(step);
    yield;
  }
  return count;
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

test('work that fits in the budget is done at once', () => {
  const budget = budgetOf(1_000);
  expect(budget.runSteps(steps(3, 0, () => {}))).toBe(3);
  expect(budget.runSteps(oneStep(() => 'one'))).toBe('one');
  expect(budget.isOpen).toBe(true);
});

test('work that does not fit goes on in later turns, and others get theirs between', async () => {
  const budget = budgetOf(3);
  let done = 0;
  const result = budget.runSteps(
    steps(20, 1, () => {
      done += 1;
    }),
  );
  expect(result).toBeInstanceOf(Promise);
  expect([done, budget.isOpen]).toEqual([3, false]);
  let turns = 0;
  while (done < 20) {
    const before = done;
    await nextTurn();
    turns += 1;
    expect(done - before).toBeLessThanOrEqual(3);
  }
  expect(turns).toBeGreaterThanOrEqual(6);
  expect(await result).toBe(20);
});

test('work is done one after the other, in the order of its asking', async () => {
  const budget = budgetOf(2);
  const order: string[] = [];
  const work = ['a', 'b', 'c'].map((name) =>
    budget.runSteps(steps(3, 1, (step) => order.push(`${name}${step}`))),
  );
  await Promise.all(work);
  expect(order).toEqual(['a0', 'a1', 'a2', 'b0', 'b1', 'b2', 'c0', 'c1', 'c2']);
});

test('what is spent outside closes the budget until the next turn', async () => {
  const budget = budgetOf(2);
  budget.runNow(() => busy(3));
  expect(budget.isOpen).toBe(false);
  await nextTurn();
  expect(budget.isOpen).toBe(true);
});

test('work that throws fails alone, at once and later', async () => {
  const budget = budgetOf(2);
  const failing = () =>
    oneStep(() => {
      throw new Error('deliberate');
    });
  expect(() => budget.runSteps(failing())).toThrow('deliberate');
  budget.runNow(() => busy(3));
  const failed = budget.runSteps(failing());
  const other = budget.runSteps(oneStep(() => 1));
  await expect(failed).rejects.toThrow('deliberate');
  expect(await other).toBe(1);
});

test('work whose client has left is not done', async () => {
  const budget = budgetOf(1);
  const did: string[] = [];
  const work = (name: string) => steps(2, 1, () => did.push(name));
  const first = budget.runSteps(work('first'));
  budget.runSteps(work('left'), { client: undefined, isGone: () => true });
  await Promise.all([first, budget.runSteps(work('last'))]);
  expect(new Set(did)).toEqual(new Set(['first', 'last']));
});

test('an address with much work delays another by one piece, and leaves it room', async () => {
  const budget = budgetOf(1);
  const order: string[] = [];
  const ask = (client: string) =>
    budget.runSteps(
      steps(1, 1, () => order.push(client)),
      { client, isGone: () => false },
    );
  const asked = [ask('greedy')];
  expect(() => {
    for (;;) asked.push(ask('greedy'));
  }).toThrow(/too many large replies/);
  expect(asked.length).toBeLessThanOrEqual(1 + LIMITS.largeBodiesWaitingMax / 2);
  asked.push(ask('other'));
  await Promise.all(asked);
  expect(order.indexOf('other')).toBeLessThanOrEqual(3);
});

test('no more work waits than the limit allows', async () => {
  const budget = budgetOf(1);
  const waiting = Array.from({ length: LIMITS.largeBodiesWaitingMax }, () =>
    budget.runSteps(steps(2, 1, () => {})),
  );
  expect(() => budget.runSteps(oneStep(() => 1))).toThrow(/too many large replies/);
  await Promise.all(waiting);
  expect(budget.runSteps(oneStep(() => 1))).toBe(1);
});
