/** Values for one reader: calls of `next` that do not wait for each other. */
import { expect, test } from 'vitest';
import { LatestValues } from '../../src/client/listeners.js';
import { settle } from '../support/client-world.js';

test('two calls at once are answered in their order', async () => {
  const values = new LatestValues<number>();
  const calls = [values.next(), values.next(), values.next()];
  values.push(1);
  await settle();
  values.push(2);
  await settle();
  values.end();
  const answers = await Promise.all(calls);
  expect(answers.map(({ value }) => value)).toEqual([1, 2, undefined]);
  expect(answers.at(-1)?.done).toBe(true);
});

test('an error is thrown in the first of them, and the others end', async () => {
  const values = new LatestValues<number>();
  const calls = [values.next(), values.next(), values.next()];
  values.end({ error: new Error('refused') });
  await expect(calls[0]).rejects.toThrow('refused');
  expect(await Promise.all(calls.slice(1))).toEqual(Array(2).fill({ done: true }));
});

test('leaving ends the calls that wait', async () => {
  const values = new LatestValues<number>();
  const calls = [values.next(), values.next()];
  await values.return();
  expect(await Promise.all(calls)).toEqual(Array(2).fill({ done: true }));
});
