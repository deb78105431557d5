/** Small answers are kept within a turn of the book. */
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
