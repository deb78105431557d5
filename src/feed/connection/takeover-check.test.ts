import { beforeEach, expect, test } from 'vitest';
import { accountJson, clockData } from '../../../test/fake-chain.js';
import type { FeedParts, NewestSlot } from './parts.js';
import { requireLikelySlot } from './takeover-check.js';

const signal = new AbortController().signal;
/** The previous node's position. */
const BEFORE: NewestSlot = { slot: 1_000, node: 'before', atMs: 0, unixSeconds: 5_000 };

/** Longer than leaving a node takes. */
const LEFT_MS = 10_000;

let asked: number;

beforeEach(() => {
  asked = 0;
});

/** A successor node with this Clock, with other nodes at these slots; null for a failing one. */
function takeOver(
  clock: { readonly slot: number; readonly unixSeconds: number },
  others: readonly (number | null)[],
  leftMs = LEFT_MS,
): { readonly checked: Promise<void>; readonly memory: { newest: NewestSlot } } {
  const { slot, unixSeconds } = clock;
  const value = [accountJson(clockData(unixSeconds, slot), 'base64')];
  const answer = { context: { slot }, value };
  const memory = { newest: { slot, node: 'after', atMs: 0, unixSeconds } };
  const parts = {
    node: 'after',
    timers: { nowMs: () => leftMs, after: () => ({ cancel: () => undefined }) },
    memory,
    rpc: {
      call: async (_: string, __: unknown, parse: (result: unknown) => unknown) => parse(answer),
    },
    otherRpcs: others.map((other) => ({
      call: async () => {
        asked += 1;
        return other ?? Promise.reject(new Error('the node is down'));
      },
    })),
  } as unknown as FeedParts;
  return { checked: requireLikelySlot(parts, BEFORE, signal), memory };
}

test('slots a minute ahead, at a time five seconds later: the node before refutes them', async () => {
  const { checked, memory } = takeOver({ slot: 1_136, unixSeconds: 5_005 }, [1_013]);
  await expect(checked).rejects.toMatchObject({ code: 'CHAIN_CLOCK_OUT_OF_RANGE' });
  expect(memory.newest).toBe(BEFORE);
});

test.each([
  {
    name: 'the chain went on at its pace',
    slot: 1_013,
    unixSeconds: 5_005,
    others: [1_013],
    reads: 0,
  },
  {
    name: 'the node before stands still',
    slot: 1_136,
    unixSeconds: 5_005,
    others: [1_000],
    reads: 1,
  },
  {
    name: 'the node before was a minute late',
    slot: 1_150,
    unixSeconds: 5_060,
    others: [1_000],
    reads: 0,
  },
  { name: 'the chain has short slots', slot: 1_100, unixSeconds: 5_005, others: [1_101], reads: 1 },
  { name: 'one of two agrees', slot: 1_136, unixSeconds: 5_005, others: [1_013, 1_136], reads: 2 },
  {
    name: 'slots were a fortieth short for eight minutes',
    slot: 2_235,
    unixSeconds: 5_480,
    others: [2_190],
    reads: 0,
  },
  { name: 'no other node tells', slot: 1_136, unixSeconds: 5_005, others: [null], reads: 1 },
  { name: 'there is no other node', slot: 1_136, unixSeconds: 5_005, others: [], reads: 0 },
])('a node is believed where $name', async ({ others, reads, ...clock }) => {
  await takeOver(clock, others).checked;
  expect(asked).toBe(reads);
});

test('a node before that was left long ago refutes nobody, or a chain of short slots had no node', async () => {
  const taken = { slot: 3_000, unixSeconds: 5_601 };
  await expect(takeOver(taken, [2_900], 599_000).checked).rejects.toMatchObject({
    code: 'CHAIN_CLOCK_OUT_OF_RANGE',
  });
  asked = 0;
  await takeOver(taken, [2_900], 601_000).checked;
  expect(asked).toBe(0);
});
