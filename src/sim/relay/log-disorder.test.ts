import { expect, test } from 'vitest';
import { LogDisorder } from './log-disorder.js';

const log = (number: number) =>
  Buffer.from(`{"jsonrpc":"2.0","method":"logsNotification",${number}}`);
const slot = (number: number) =>
  Buffer.from(`{"jsonrpc":"2.0","method":"slotNotification",${number}}`);

function passed(seed: number): string[] {
  const disorder = new LogDisorder(seed);
  const messages = Array.from({ length: 300 }, (_, i) => (i % 3 === 2 ? slot(i) : log(i)));
  const quiet = Array.from({ length: 6 }, (_, i) => slot(1_000 + i));
  return [...messages, ...quiet].flatMap((message) => disorder.passMessage(message)).map(String);
}

test('no log is lost, some come twice and some late', () => {
  const logs = passed(1).filter((text) => text.includes('logsNotification'));
  const numbers = logs.map((text) => Number(/(\d+)}$/.exec(text)?.[1]));
  expect(new Set(numbers).size).toBe(200);
  expect(numbers.length).toBeGreaterThan(230);
  expect(numbers.filter((number, i) => number < (numbers[i - 1] ?? 0)).length).toBeGreaterThan(40);
});

test('other messages pass at once, each in its place', () => {
  const slots = passed(2).filter((text) => text.includes('slotNotification'));
  expect(slots.length).toBe(106);
  expect(slots).toEqual([...new Set(slots)]);
});

test('the same seed is the same disorder', () => {
  expect(passed(3)).toEqual(passed(3));
  expect(passed(3)).not.toEqual(passed(4));
});
