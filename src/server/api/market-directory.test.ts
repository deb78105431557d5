import { expect, test } from 'vitest';
import { FakeBook, startServer } from '../testing/running-server.js';
import { directoryOf } from './market-directory.js';

const book = new FakeBook();

const server = await startServer(book, { directory: directoryOf(book, ['sol']) });

const status = async (path: string): Promise<number> =>
  (await fetch(`${server.url}${path}`)).status;

test('a market of the filter is served by name and by index', async () => {
  expect(await status('/l2?marketName=SOL')).toBe(200);
  expect(await status('/l3?marketIndex=1&marketType=spot')).toBe(200);
});

test('any other market is unknown, by name and by index', async () => {
  expect(await status('/l2?marketName=SOL-PERP')).toBe(404);
  expect(await status('/l3?marketIndex=0&marketType=perp')).toBe(404);
});

test('/markets lists the filtered ones, and follows a change', async () => {
  const symbols = async (): Promise<string[]> =>
    JSON.parse(await (await fetch(`${server.url}/markets`)).text()).map(
      (row: { symbol: string }) => row.symbol,
    );
  expect(await symbols()).toEqual(['SOL']);
  book.rows = [];
  expect(await symbols()).toEqual([]);
});

test('an empty filter is no filter', () => {
  expect(directoryOf(book, [])).toBe(book);
});
