/** /auctions over a living book: every order is in auction or in the book, never in both. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Engine } from '../src/engine/engine.js';
import { type RunningServer, startServer } from '../src/server/testing/running-server.js';
import { PROGRAM_ID } from '../src/sim/bytes/keys.js';
import { type AccountWrite, MarketSimulator } from '../src/sim/market/market-simulator.js';

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

const engine = new Engine({ programId: PROGRAM_ID, epoch: 'e1' });
const life = new MarketSimulator({ seed: 20261121, makers: 60 });
let slot = 1_000;
let server: RunningServer;
let markets: readonly string[];

const clock = () => ({ slot, unixSeconds: 1_800_000_000 + Math.floor(slot / 2) });

function push(writes: readonly AccountWrite[]): void {
  for (const { pubkey, owner, data } of writes) {
    engine.push({ pubkey, owner, slot, data: data.toString('base64'), encoding: 'base64' });
  }
}

function endTurn(): void {
  engine.setClock(slot, clock().unixSeconds);
  engine.endTurn(1_800_000_000_000 + slot * 400);
}

beforeAll(async () => {
  push(life.createGenesis(clock()));
  engine.setState('live');
  endTurn();
  server = await startServer(engine);
  markets = engine.markets().map(({ symbol }) => symbol);
});

afterAll(() => server?.close());

async function get(path: string, headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(`${server.url}${path}`, { headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const nameOf = ({ maker, orderId }: Pick<Row, 'maker' | 'orderId'>) => `${maker} ${orderId}`;

async function read(market: string): Promise<Orders> {
  const [auctions, orders] = await Promise.all([
    get(`/auctions?marketName=${market}`),
    get(`/l3?marketName=${market}`),
  ]);
  expect([auctions.status, orders.status]).toEqual([200, 200]);
  const { bids, asks } = JSON.parse(orders.text);
  return {
    auctions: JSON.parse(auctions.text).auctions,
    resting: new Set([...bids, ...asks].map(nameOf)),
  };
}

test('an order is in auction or in the book, and goes from one to the other in its slot', async () => {
  let seen = 0;
  let went = 0;
  for (let step = 0; step < SLOTS; step += 1) {
    for (let write = 0; write < WRITES_A_SLOT; write += 1) push(life.nextWrites(clock()));
    endTurn();
    for (const market of markets) {
      const { auctions, resting } = await read(market);
      seen += auctions.length;
      expect(auctions.filter((row) => resting.has(nameOf(row)))).toEqual([]);
      const last = auctions.filter(({ slotsLeft }) => slotsLeft === 0);
      if (last.length === 0) continue;
      slot += 1;
      endTurn();
      const next = await read(market);
      const still = new Set(next.auctions.map(nameOf));
      expect(last.filter((row) => still.has(nameOf(row)))).toEqual([]);
      const limits = last.filter(({ orderType }) => orderType === 'limit');
      went += limits.filter((row) => next.resting.has(nameOf(row))).length;
    }
    slot += 1;
    endTurn();
  }
  expect(seen).toBeGreaterThan(20);
  expect(went).toBeGreaterThan(5);
});

test('the tag changes with the auctions, though the book does not', async () => {
  const before = new Map<string, string>();
  let changed = 0;
  for (let step = 0; step < 120; step += 1) {
    push(life.nextWrites(clock()));
    endTurn();
    for (const market of markets) {
      const path = `/auctions?marketName=${market}`;
      const { headers, text } = await get(path);
      const tag = headers.get('etag') ?? '';
      const known = before.get(`${market} ${tag}`);
      expect(known ?? text).toBe(text);
      changed += known === undefined ? 1 : 0;
      before.set(`${market} ${tag}`, text);
      expect((await get(path, { 'If-None-Match': tag })).status).toBe(304);
    }
  }
  expect(changed).toBeGreaterThan(markets.length);
});
