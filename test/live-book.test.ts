import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { LiveBook, type LiveTurn } from '../src/app/live-book.js';
import { accountBody } from '../src/client/account-body.js';
import { testWorld } from './support/test-world.js';

const NODE = { rpcUrl: 'http://node-0', wsUrl: 'ws://node-0' };

test('a book in the process has the levels of the service', async ({ onTestFinished }) => {
  const scene = await testWorld();
  const book = await LiveBook.open(NODE);
  onTestFinished(() => book.close());
  const turns: LiveTurn[] = [];
  const stop = book.onTurn((turn) => turns.push(turn));
  await scene.run(5_000);
  stop();
  const count = turns.length;
  expect(count).toBeGreaterThan(3);
  expect(turns.flatMap(({ markets }) => markets).map(({ symbol }) => symbol)).toContain('SOL-PERP');

  const { url } = scene.service;
  const response = await fetch(`${url}/l2?marketName=SOL-PERP&depth=1000&includeVamm=true`);
  const served = (await response.json()) as Record<
    'bids' | 'asks',
    { price: string; size: string }[]
  >;
  const request = { depth: 1_000, vamm: true, maxAgeMs: 2_000 };
  const levels = book.levels('sol-perp', request);
  const textOf = (side: 'bids' | 'asks') =>
    levels[side].map(({ price, size }) => `${price} ${size}`);
  expect(textOf('bids').length).toBeGreaterThan(3);
  for (const side of ['bids', 'asks'] as const) {
    expect(textOf(side)).toEqual(served[side].map(({ price, size }) => `${price} ${size}`));
  }
  expect(book.levels('perp_0', { depth: 1, vamm: true }).asks).toEqual(levels.asks.slice(0, 1));
  expect(book.orders('SOL-PERP').bids.length).toBeGreaterThan(3);
  const maker = book.orders('SOL-PERP').bids[0]?.maker ?? '';
  const answer: unknown = await (await fetch(`${url}/accounts/${maker}`)).json();
  expect(book.account(maker)).toEqual(accountBody(answer, 'an account'));
  expect(book.account('So11111111111111111111111111111111111111112')).toBeNull();
  const walk = book.match('SOL-PERP', { side: 'buy', size: 1_000_000_000n });
  expect(walk.filledBase).toBe(1_000_000_000n);
  await scene.run(2_000);
  expect(turns.length).toBe(count);
});

test('a book that is not fresh is not handed out', async ({ onTestFinished }) => {
  const scene = await testWorld();
  const book = await LiveBook.open(NODE);
  onTestFinished(() => book.close());
  const states = new Set<string>();
  book.onTurn(() => states.add(book.status.state));
  expect(() => book.levels('NOPE')).toThrow('the chain has no market NOPE');
  const [node] = scene.nodes;
  Object.assign(node?.faults ?? {}, { isDown: true });
  node?.cutConnections();
  await scene.run(3_000);
  expect(() => book.levels('SOL-PERP', { maxAgeMs: 1_000 })).toThrow(
    /^the book is rebuilding, its slot \d+ ms old: /,
  );
  expect(states).toContain('rebuilding');
  expect(book.levels('SOL-PERP').bids.length).toBeGreaterThan(0);
});

test('a wrong setting and an abort end the opening', async () => {
  await expect(LiveBook.open({ rpcUrl: 'ftp://node' })).rejects.toMatchObject({
    code: 'INVALID_SETTING',
  });
  await testWorld();
  const ending = new AbortController();
  const opening = LiveBook.open({ rpcUrl: 'http://nowhere', signal: ending.signal });
  setTimeout(() => ending.abort(new Error('enough')), 5_000);
  await expect(opening).rejects.toThrow('enough');
});

test('an open book leaves no listener at the signal of its opening', async ({ onTestFinished }) => {
  await testWorld();
  const { signal } = new AbortController();
  for (let count = 0; count < 2; count += 1) {
    const book = await LiveBook.open({ ...NODE, signal });
    onTestFinished(() => book.close());
  }
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('an abort at any moment ends the opening', async () => {
  const scene = await testWorld();
  const [node] = scene.nodes;
  Object.assign(node?.faults ?? {}, { isDown: true });
  const ending = new AbortController();
  const opening = LiveBook.open({ ...NODE, signal: ending.signal });
  ending.abort(new Error('enough'));
  await expect(opening).rejects.toThrow('enough');
});

test('a book is closed twice, and in its listener', async () => {
  const scene = await testWorld();
  const book = await LiveBook.open(NODE);
  let turns = 0;
  const closed = new Promise<void>((resolve) => {
    book.onTurn(() => {
      turns += 1;
      if (turns === 1) book.close().then(resolve);
    });
  });
  await scene.run(3_000);
  await closed;
  await book.close();
  expect(turns).toBe(1);
  expect(book.levels('SOL-PERP').bids.length).toBeGreaterThan(0);
});
