/** /auctions over a living book: every order is in auction or in the book, never in both. */
import { expect, test } from 'vitest';
import { startServer } from '../src/server/testing/running-server.js';
import { LivingBook } from './support/living-book.js';

const SLOTS = 90;
const WRITES_A_SLOT = 12;

interface Row {
  readonly maker: string;
  readonly orderId: number;
  readonly orderType: string;
  readonly slotsLeft: number;
}

interface Orders {
  readonly auctions: readonly Row[];
  readonly resting: ReadonlySet<string>;
}

const book = new LivingBook();
book.endTurn();
const server = await startServer(book.engine);
const { markets } = book;

const nameOf = ({ maker, orderId }: Pick<Row, 'maker' | 'orderId'>) => `${maker} ${orderId}`;

async function read(market: string): Promise<Orders> {
  const [auctions, orders] = await Promise.all([
    server.ask(`/auctions?marketName=${market}`),
    server.ask(`/l3?marketName=${market}`),
  ]);
  expect([auctions.status, orders.status]).toEqual([200, 200]);
  const { bids, asks } = orders.body;
  return {
    auctions: auctions.body.auctions,
    resting: new Set([...bids, ...asks].map(nameOf)),
  };
}

test('an order is in auction or in the book, and goes from one to the other in its slot', async () => {
  let seen = 0;
  let went = 0;
  for (let step = 0; step < SLOTS; step += 1) {
    book.live(WRITES_A_SLOT);
    book.endTurn();
    for (const market of markets) {
      const { auctions, resting } = await read(market);
      seen += auctions.length;
      expect(auctions.filter((row) => resting.has(nameOf(row)))).toEqual([]);
      const last = auctions.filter(({ slotsLeft }) => slotsLeft === 0);
      if (last.length === 0) continue;
      book.slot += 1;
      book.endTurn();
      const next = await read(market);
      const still = new Set(next.auctions.map(nameOf));
      expect(last.filter((row) => still.has(nameOf(row)))).toEqual([]);
      const limits = last.filter(({ orderType }) => orderType === 'limit');
      went += limits.filter((row) => next.resting.has(nameOf(row))).length;
    }
    book.slot += 1;
    book.endTurn();
  }
  expect(seen).toBeGreaterThan(20);
  expect(went).toBeGreaterThan(5);
});

test('the tag changes with the auctions, though the book does not', async () => {
  const before = new Map<string, string>();
  let changed = 0;
  for (let step = 0; step < 120; step += 1) {
    book.live(1);
    book.endTurn();
    for (const market of markets) {
      const path = `/auctions?marketName=${market}`;
      const { headers, text } = await server.ask(path);
      const tag = headers.get('etag') ?? '';
      const known = before.get(`${market} ${tag}`);
      expect(known ?? text).toBe(text);
      changed += known === undefined ? 1 : 0;
      before.set(`${market} ${tag}`, text);
      expect((await server.ask(path, { 'If-None-Match': tag })).status).toBe(304);
    }
  }
  expect(changed).toBeGreaterThan(markets.length);
});
