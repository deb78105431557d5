import { expect, test } from 'vitest';
import { FakeBook } from '../testing/running-server.js';
import { ServerError } from '../transport/errors.js';
import { parseL3 } from './l3.js';

/** Decoding so many characters takes 45 ms each time; refusing them by their length, none. */
const LONG_MAKER = 'z'.repeat(8_000);
const TRIES = 200;

test('a maker of 8,000 characters is refused without decoding it', () => {
  const book = new FakeBook();
  const parse = () => parseL3(`marketName=SOL-PERP&maker=${LONG_MAKER}`, book);
  const tookMs = Array.from({ length: TRIES }, () => {
    const startMs = performance.now();
    expect(parse).toThrow(ServerError);
    return performance.now() - startMs;
  });
  expect(parse).toThrow(/maker was "z{64}\.\.\.", must be a base58 key of 32 bytes/);
  const median = tookMs.sort((a, b) => a - b)[TRIES / 2];
  expect(median).toBeLessThan(5);
});

test('a name counts by its bytes, as on chain', () => {
  const parse = (name: string) => () =>
    parseL3(`marketName=${encodeURIComponent(name)}`, new FakeBook());
  expect(parse('\u{e9}'.repeat(16))).toThrow(/there is no market/);
  expect(parse('\u{e9}'.repeat(17))).toThrow(/marketName was "\u{e9}+", must have 1 to 32 bytes/u);
});
