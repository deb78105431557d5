import { expect, test } from 'vitest';
import { RpcError } from '../../rpc/error.js';
import type { NodeRpc } from '../../rpc/node-pool.js';
import { systemTimers } from '../../rpc/timers.js';
import { PAGE_SIGNATURES, SLOT_PAGES_MAX } from '../model/limits.js';
import { type ListingParts, type ListingQuery, listSignatures } from './listing.js';
import { newCounters } from './parts.js';
import type { ListedSignature } from './rpc-results.js';
import { UngivenItems } from './ungiven-items.js';

function newParts(): ListingParts {
  const silent = { info: () => undefined, warn: () => undefined };
  const unreadable = new UngivenItems(systemTimers);
  return { programId: 'P', unreadable, counters: newCounters(), log: silent };
}

const ALL: ListingQuery = {
  parts: newParts(),
  commitment: 'finalized',
  before: null,
  until: null,
  sinceTs: 0,
  signaturesMax: Number.MAX_SAFE_INTEGER,
  pagesMax: 1,
  others: [],
  signal: new AbortController().signal,
};

/** Serves pages in sequence, and counts them. */
function nodeOf(page: (at: number) => readonly ListedSignature[]): NodeRpc & { pages: number } {
  const node = {
    pages: 0,
    call: async () => {
      node.pages += 1;
      return { rows: page(node.pages - 1), unreadable: [] };
    },
  };
  return node as never;
}

function fullPage(firstName: number, slot: number): readonly ListedSignature[] {
  return Array.from({ length: PAGE_SIGNATURES }, (_, at) => {
    return { signature: String(firstName + at), slot, failed: false, blockTime: 1 };
  });
}

test('a node that gives the same page again is refused', async () => {
  const node = nodeOf(() => fullPage(0, 5));
  await expect(listSignatures(node, ALL)).rejects.toMatchObject({
    code: 'MALFORMED_HISTORY_ANSWER',
  });
  expect(node.pages).toBe(2);
});

test('a slot without an end is refused', async () => {
  const node = nodeOf((at) => fullPage(at * PAGE_SIGNATURES, 5));
  await expect(listSignatures(node, ALL)).rejects.toMatchObject({
    code: 'MALFORMED_HISTORY_ANSWER',
  });
  expect(node.pages).toBe(SLOT_PAGES_MAX);
});

test('a slot of several pages is read whole', async () => {
  const node = nodeOf((at) => fullPage(at * PAGE_SIGNATURES, at < 3 ? 5 : 4));
  const { rows, isComplete } = await listSignatures(node, ALL);
  expect([rows.length, isComplete]).toEqual([3 * PAGE_SIGNATURES, false]);
});

test('pages of any length, which overlap and repeat rows, are one list without an end before theirs', async () => {
  const all = Array.from({ length: 30 }, (_, at) => {
    return { signature: String(at), slot: 60 - (at >> 1), failed: false, blockTime: 1 };
  });
  const node = nodeOf((at) => {
    const rows = all.slice(Math.max(0, 7 * at - 1), 7 * at + 7);
    return [...rows, ...rows.slice(-1)];
  });
  const listing = await listSignatures(node, { ...ALL, pagesMax: 2 });
  expect(listing).toEqual({ rows: all, isComplete: true, hasOlder: false, unread: 0 });
});

/** A node of 30 signatures, with pages of at most some of them; it refuses a page, and spoils a row. */
function cappedNode(
  cap: number,
  { refused = '', spoilt = '' }: { readonly refused?: string; readonly spoilt?: string } = {},
): NodeRpc {
  const all = Array.from({ length: 30 }, (_, at) => {
    return { signature: String(at), slot: 60 - at, failed: false, blockTime: 1 };
  });
  const call: unknown = async (
    _: string,
    [, { before }]: readonly [string, { before?: string }],
  ) => {
    if (before === refused) throw new RpcError('RPC_HTTP_STATUS', 'deliberate', { status: 500 });
    const page = all.slice(before === undefined ? 0 : Number(before) + 1).slice(0, cap);
    const rows = page.filter(({ signature }) => signature !== spoilt);
    return { rows, unreadable: rows.length < page.length ? [spoilt] : [] };
  };
  return { call } as NodeRpc;
}

test.each([
  ['has a row that cannot be read', [cappedNode(7, { spoilt: '10' })], 29],
  ['another node gives, with longer pages', [cappedNode(7, { refused: '6' }), cappedNode(20)], 30],
  [
    'another node gives, with shorter pages',
    [cappedNode(20, { refused: '19' }), cappedNode(4)],
    30,
  ],
] as const)('a list does not end with a page that %s', async (_, [own, ...others], count) => {
  const query = { ...ALL, parts: newParts(), others };
  for (let reading = 0; reading < 3; reading += 1) {
    const { rows, isComplete, hasOlder } = await listSignatures(own, query);
    expect([rows.length, isComplete, hasOlder]).toEqual([count, true, false]);
  }
});

test('a block among others whose time is wrong does not end a list', async () => {
  const page = Array.from({ length: 9 }, (_, at) => {
    return { signature: String(at), slot: 90 - at, failed: false, blockTime: 1_000 - at };
  });
  const lying = page.map((row, at) => ({ ...row, blockTime: at % 3 === 1 ? 0 : row.blockTime }));
  for (const [rows, count] of [
    [page, 6],
    [lying, 6],
    [lying.slice(0, 6), 6],
  ] as const) {
    const node = nodeOf((at) => (at === 0 ? rows : []));
    const listing = await listSignatures(node, { ...ALL, sinceTs: 995 });
    expect(listing.rows).toEqual(rows.slice(0, count));
  }
});

test('a page with an unreadable row is taken from a node that has all of it, and from no other', async () => {
  const rows = fullPage(0, 5).slice(0, 5);
  const none = { rows: [], unreadable: [] };
  const of = (page: object): NodeRpc => {
    const call: unknown = async (
      _: string,
      [, { before }]: readonly [string, { before?: string }],
    ) => (before === undefined ? page : none);
    return { call } as NodeRpc;
  };
  const own = of({ rows: rows.slice(1), unreadable: ['{"signature":7}'] });
  const lacking = of({ rows: rows.slice(0, 3), unreadable: [] });
  const empty = of(none);
  const whole = of({ rows, unreadable: [] });
  const query = { ...ALL, parts: newParts() };
  const found = await listSignatures(own, { ...query, others: [lacking, empty, whole] });
  expect([found.rows, found.unread]).toEqual([rows, 0]);
  const left = await listSignatures(own, { ...query, others: [lacking, empty] });
  expect([left.rows, left.unread]).toEqual([rows.slice(1), 1]);
});
