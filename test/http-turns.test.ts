/** Answers are kept within a turn of the book, and never beyond what changes it. */
import { expect, test } from 'vitest';
import { LIMITS } from '../src/config/limits.js';
import { startServer } from '../src/server/testing/running-server.js';
import { LivingBook } from './support/living-book.js';

/** What has a length. */
const identity = { 'accept-encoding': 'identity' };
const book = new LivingBook();
const { engine } = book;
book.live(100);
book.endTurn();
const server = await startServer(engine);
const market = engine.findMarket('SOL-PERP')?.id ?? -1;

const emptySnapshot = async () => {
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    result: { context: { slot: book.slot + 1 }, value: [] },
  });
  return engine.decodeSnapshot(Buffer.from(body));
};

/** Everything that changes what a body says. */
const changes: readonly [name: string, change: () => void | Promise<void>][] = [
  ['nothing', () => {}],
  [
    'accounts',
    () => {
      book.slot += 1;
      book.live(20);
      book.endTurn();
    },
  ],
  [
    'the clock',
    () => {
      book.slot += 5_000;
      book.endTurn();
    },
  ],
  ['the state', () => engine.setState('stale')],
  ['the epoch', () => engine.setEpoch('e2')],
  [
    'a snapshot',
    async () => {
      const snapshot = await emptySnapshot();
      engine.beginSnapshot(snapshot);
      engine.applySnapshot(snapshot, 0, 0);
      engine.endSnapshot();
      book.endTurn();
    },
  ],
];

interface Asked {
  readonly path: string;
  readonly body: () => Uint8Array;
}

const paths: readonly Asked[] = [
  { path: '/l2?marketName=SOL-PERP', body: () => engine.l2({ market, depth: 10 }) },
  { path: '/l2?marketName=SOL-PERP&depth=1', body: () => engine.l2({ market, depth: 1 }) },
  { path: '/l3?marketName=SOL-PERP&depth=2', body: () => engine.l3({ market, depth: 2 }) },
  { path: '/l3?marketName=SOL-PERP', body: () => engine.l3({ market }) },
];

test.each(changes)(
  'after %s every answer is of the book of now, however often',
  async (_, change) => {
    for (let round = 0; round < 2; round += 1) {
      for (const { path, body } of paths) {
        for (let again = 0; again < 3; again += 1) {
          const wanted = Buffer.from(body()).toString();
          const { seq, slot: shown, state } = engine.version(market);
          const answer = await server.ask(path);
          const etag = `"${engine.epoch}.${seq}.${shown}.${state}"`;
          // The tag of a compressed body is weak.
          const tag = answer.header('content-encoding') === 'gzip' ? `W/${etag}` : etag;
          expect([answer.text, answer.header('etag')]).toEqual([wanted, tag]);
          expect((await server.ask(path, { 'if-none-match': etag })).status).toBe(304);
          const head = await server.ask(path, identity, 'HEAD');
          expect(head.header('content-length')).toBe(String(Buffer.byteLength(wanted)));
        }
      }
      if (round === 0) await change();
    }
  },
);

test('a small answer is made once a turn', async () => {
  const { l2 } = engine;
  let made = 0;
  engine.l2 = (request) => {
    made += 1;
    return l2.call(engine, request);
  };
  book.endTurn();
  const ask = async (path: string, times: number) => {
    made = 0;
    for (let time = 0; time < times; time += 1) await server.ask(path, identity);
    return made;
  };
  expect(await ask('/l2?marketName=SOL-PERP&depth=3', 5)).toBe(1);
  expect(await ask('/l2?marketName=SOL-PERP&depth=4', 5)).toBe(1);
  const large = '/l2?marketName=SOL-PERP&depth=1000';
  engine.l2 = () => {
    made += 1;
    return new Uint8Array(LIMITS.gzipBodyBytesMin);
  };
  expect(await ask(large, 3)).toBe(3);
});
