import { expect, test } from 'vitest';
import type { MarketInfo } from '../../contract/markets.js';
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

test('a listed market stays when it is renamed, and one that takes its name is listed as well', () => {
  const renamed = new FakeBook();
  const directory = directoryOf(renamed, ['SOL', 'perp_7']);
  const listed = (): readonly string[] => directory.markets().map(({ symbol }) => symbol);
  expect(listed()).toEqual(['SOL']);
  const [perp, spot] = renamed.rows as [MarketInfo, MarketInfo];
  const named = (row: MarketInfo, symbol: string) => ({ ...row, symbol, name: symbol });
  renamed.rows = [named(perp, 'SOL-PERP'), named(spot, 'WSOL')];
  expect(listed()).toEqual(['WSOL']);
  renamed.rows = [named(perp, 'SOL'), named(spot, 'WSOL'), { ...perp, id: 2, marketIndex: 7 }];
  expect(listed()).toEqual(['SOL', 'WSOL', 'SOL-PERP']);
});

test.each([
  ['marketName=TWN', 'perp', 3],
  ['marketName=twn&marketType=spot', 'spot', 2],
  ['marketName=TWN&marketIndex=9', 'perp', 9],
  ['marketName=TWN&marketType=perp&marketIndex=9', 'perp', 9],
  ['marketName=perp_9', 'perp', 9],
  ['marketName=PERP_9&marketIndex=9', 'perp', 9],
  ['marketName=perp_4&marketType=perp', 'perp', 4],
])('%s is the market of which all of it is true', async (query, marketType, marketIndex) => {
  const { twins, url } = await twinServer();
  const { asked } = JSON.parse(await (await fetch(`${url}/l2?${query}`)).text());
  expect(twins.rows.find(({ id }) => id === asked.market)).toMatchObject({
    marketType,
    marketIndex,
  });
});

test.each([
  ['marketName=TWN&marketIndex=4', 400, 'marketIndex'],
  ['marketName=TWN&marketType=spot&marketIndex=3', 400, 'marketIndex'],
  ['marketName=ODD&marketType=spot', 400, 'marketType'],
  ['marketName=perp_9&marketType=spot', 400, 'marketType'],
  ['marketName=perp_09', 404, 'marketName'],
  ['marketName=NONE&marketIndex=3', 404, 'marketName'],
])('%s is of no market', async (query, code, param) => {
  const { url } = await twinServer();
  const reply = await fetch(`${url}/l2?${query}`);
  const { error } = JSON.parse(await reply.text());
  expect([reply.status, error.param]).toEqual([code, param]);
});

/** Three markets of one name and one other. */
async function twinServer() {
  const twins = new FakeBook();
  const [perp, spot] = twins.rows as [MarketInfo, MarketInfo];
  const twin = (row: MarketInfo, id: number, marketIndex: number, name = 'TWN') => ({
    ...row,
    id,
    marketIndex,
    name,
    symbol: id === 1 ? name : `${row.marketType}_${marketIndex}`,
  });
  twins.rows = [twin(perp, 0, 9), twin(perp, 1, 3), twin(spot, 2, 2), twin(perp, 3, 4, 'ODD')];
  return { twins, url: (await startServer(twins)).url };
}
