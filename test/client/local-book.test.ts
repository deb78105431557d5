/** The library's local book and the core's, which share no code, make the same bodies of the same accounts. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { Moment } from '../../src/client/chain/index.js';
import { Engine } from '../../src/engine/engine.js';
import { Direction, MarketType } from '../../src/sim/bytes/generated/enums.js';
import { address, PROGRAM_ID } from '../../src/sim/bytes/keys.js';
import { type AccountWrite, MarketSimulator } from '../../src/sim/market/market-simulator.js';
import { expectBooks } from '../support/book-judge.js';
import {
  type AccountBytes,
  type BookBodies,
  bookBodies,
  type LevelRow,
  type OrderRow,
} from '../support/local-books.js';
import {
  BET,
  betMarket,
  betOrders,
  endingOrders,
  type OddOracle,
  oddOrders,
  oddUser,
} from '../support/odd-accounts.js';
import { countOrders, type OrderCensus } from '../support/order-census.js';
import type { Bodies } from '../support/service-probe.js';

const SOL_PERP = address.perpMarket(0);
const START_SLOT = 350_000_000;
const START_S = 1_750_000_000;

/** The accounts of a life in an engine and beside it. */
class Scene {
  readonly engine = new Engine({ programId: PROGRAM_ID, epoch: 'e1' });
  readonly life = new MarketSimulator({ seed: 41, makers: 40, statusChanges: 'some' });
  readonly census: OrderCensus = new Map();
  readonly #accounts = new Map<string, Buffer>();
  #slots = 0;

  constructor() {
    this.engine.setState('live');
    const genesis = this.life.createGenesis(this.clock);
    // An engine takes the account of an oracle once a market has named it.
    this.write(...genesis, ...genesis);
    this.step(300);
  }

  get clock() {
    const unixSeconds = START_S + Math.floor(this.#slots * 0.4);
    return { slot: START_SLOT + this.#slots, unixSeconds };
  }

  get odd() {
    return { clock: this.clock, oracle: this.life.markets[0]?.feed.price ?? 0n };
  }

  write(...writes: readonly AccountWrite[]): void {
    const { slot } = this.clock;
    for (const { pubkey, owner, data } of writes) {
      this.#accounts.set(pubkey, data);
      const text = data.toString('base64');
      this.engine.push({ pubkey, owner, slot, data: text, encoding: 'base64' });
    }
  }

  close(pubkey: string): void {
    this.#accounts.delete(pubkey);
    this.engine.pushClosed(pubkey, this.clock.slot);
  }

  step(steps: number): void {
    for (let step = 0; step < steps; step += 1) this.write(...this.life.nextWrites(this.clock));
  }

  pass(slots: number): void {
    this.#slots += slots;
  }

  bytesOf(pubkey: string): Buffer {
    const data = this.#accounts.get(pubkey);
    if (data === undefined) throw new Error(`there is no account ${pubkey}`);
    return data;
  }

  /** Writes an account with one byte changed. Returns what changes it back. */
  patch(pubkey: string, { at, value }: { readonly at: number; readonly value: number }) {
    const data = this.bytesOf(pubkey);
    const patched = Buffer.from(data);
    patched.writeUInt8(value, at);
    this.write({ pubkey, owner: PROGRAM_ID, data: patched });
    return () => this.write({ pubkey, owner: PROGRAM_ID, data });
  }

  get accounts(): AccountBytes[] {
    return Array.from(this.#accounts, ([pubkey, data]) => ({ pubkey, data }));
  }

  get moment(): Moment {
    const { slot, unixSeconds } = this.clock;
    return { slot: BigInt(slot), now: BigInt(unixSeconds) };
  }

  /** Expects that both have the same bodies of all markets. Returns those of the library by name. */
  compare(): ReadonlyMap<string, BookBodies> {
    const { accounts, moment } = this;
    countOrders(this.census, accounts, moment);
    const expected = expectBooks({ moment, books: this.bodies() }, accounts);
    return new Map(expected.map((book) => [book.marketName, book]));
  }

  /** The bodies of the core by name. */
  bodies(): ReadonlyMap<string, Bodies> {
    const { slot, unixSeconds } = this.clock;
    this.engine.setClock(slot, unixSeconds);
    this.engine.endTurn(unixSeconds * 1_000);
    const json = (body: Uint8Array) => JSON.parse(Buffer.from(body).toString());
    const books = this.engine.markets().map(({ id, symbol }): [string, Bodies] => {
      const l2 = json(this.engine.l2({ market: id, depth: 1_000 }));
      return [symbol, { l2, l3: json(this.engine.l3({ market: id })) }];
    });
    return new Map(books);
  }
}

let scene: Scene;

beforeEach(() => {
  scene = new Scene();
});

describe('the books of the library and of the core', () => {
  test('are equal at every stop of a life', () => {
    for (let stop = 0; stop < 20; stop += 1) {
      scene.step(50);
      scene.compare();
      scene.pass(4);
    }
    const fates = ['fixed shown', 'offset shown', 'inAuction out', 'fixed reduceOnly shown'];
    const lived = [...fates, 'waiting out', 'taker out'];
    expect([...scene.census.keys()]).toEqual(expect.arrayContaining(lived));
  });

  test('are equal for orders of every kind, while slots and seconds pass', () => {
    const orders = oddOrders(scene.odd);
    const owners = [{ seed: 1 }, { seed: 2 }, { seed: 3, status: 1 }, { seed: 4, status: 16 }];
    scene.write(...owners.map((owner) => oddUser(owner, orders)));
    scene.write(oddUser({ seed: 5 }, endingOrders(scene.odd)));
    let crossed = 0;
    for (let stop = 0; stop < 25; stop += 1) {
      const { head } = scene.compare().get('SOL-PERP') ?? {};
      crossed += head?.['crossed'] === true ? 1 : 0;
      scene.pass(1);
    }
    const out = ['expired out', 'fixed reduceOnly out', 'frozen out', 'unpriced out', 'fixed out'];
    const odd = ['triggered shown', 'fixed reduceOnly cut', 'offset reduceOnly cut', ...out];
    expect([...scene.census.keys()]).toEqual(expect.arrayContaining(odd));
    expect(crossed).toBeGreaterThan(0);
  });

  test('are equal while a market comes, and its oracle comes and goes', () => {
    const { market, oracle } = betMarket(scene.bytesOf(SOL_PERP), scene.clock);
    scene.write(oddUser({ seed: 9 }, betOrders(scene)), market);
    const excluded = () => scene.compare().get(BET.name)?.head['offsetOrdersExcluded'];
    expect(excluded()).toBe('oracleMissing');
    scene.write(oracle);
    const asks = scene.compare().get(BET.name)?.asks.rows;
    expect(asks?.map(({ price }) => price)).toEqual(['630100', '990000', '1000000']);
    scene.close(oracle.pubkey);
    expect(excluded()).toBe('oracleMissing');
  });

  test.each([5, 6, 11])('are equal for a token of %i decimals', (decimals) => {
    scene.patch(address.spotMarket(1), { at: 680, value: decimals });
    const { bids } = scene.compare().get('SOL') ?? {};
    expect(bids?.rows.length).toBeGreaterThan(0);
  });

  test('are equal where a token has more than nine decimals and sizes are cut after they are summed', () => {
    const spot = address.spotMarket(1);
    scene.patch(spot, { at: 680, value: 11 });
    // A step of one unit, so that orders of one and a half of the smallest size that is shown rest.
    for (let at = 592; at < 600; at += 1) scene.patch(spot, { at, value: at === 592 ? 1 : 0 });
    const order = { price: 100_000_000n, baseAssetAmount: 150n, marketType: MarketType.Spot };
    const bid = { ...order, marketIndex: 1, direction: Direction.Long };
    scene.write(oddUser({ seed: 6 }, [bid, bid, bid]));
    const { l2, l3 } = scene.bodies().get('SOL') as Bodies;
    const rows = (l3['bids'] as OrderRow[]).slice(0, 3);
    expect(rows.map(({ size, queue }) => `${size} ${queue}`)).toEqual(['1 0', '1 1', '1 3']);
    const [level] = l2['bids'] as LevelRow[];
    expect(level).toMatchObject({ price: '100000000', size: '4' });
    const made = bookBodies(scene.accounts, scene.moment);
    const spotBook = made.find(({ marketName }) => marketName === 'SOL');
    expect(spotBook?.bids.levels[0]).toEqual(level);
  });

  test.each<[string, OddOracle, string]>([
    ['as recent by id', { mm: { price: 630_777n, slotsOld: 9, idAfter: 0n } }, '630777'],
    ['older by id', { mm: { price: 630_777n, slotsOld: 0, idAfter: -1n } }, '630050'],
    ['as recent by slot', { mm: { price: 630_777n, slotsOld: 0 } }, '630777'],
    ['older by slot', { mm: { price: 630_777n, slotsOld: 1 } }, '630050'],
    [
      'older by slot, ids far apart',
      { mm: { price: 1n, slotsOld: 1, idAfter: 10n ** 15n } },
      '630050',
    ],
    ['1 % away', { mm: { price: 636_350n, slotsOld: 0 } }, '636350'],
    ['more than 1 % away', { mm: { price: 636_357n, slotsOld: 0 } }, '630050'],
    ['1 % below', { mm: { price: 623_750n, slotsOld: 0 } }, '623750'],
    ['too volatile', { twap: 105_000n }, 'tooVolatile'],
    ['just not too volatile', { twap: 105_009n }, '630050'],
    ['non-positive', { price: 0n }, 'nonPositive'],
    ['too uncertain', { confidence: 12_602n }, 'tooUncertain'],
    ['just not too uncertain', { confidence: 12_601n }, '630050'],
    [
      'uncertain by distance',
      { confidence: 9_000n, mm: { price: 634_050n, slotsOld: 0 } },
      'tooUncertain',
    ],
    ['too old', { slotsOld: 80 }, 'staleForMargin'],
  ])('are priced by the oracle rules: %s', (_, odd, expected) => {
    // Guard rails of this chain: margin becomes stale after 75 slots, so that a test can be older.
    scene.patch(address.state(), { at: 912, value: 75 });
    const { market, oracle } = betMarket(scene.bytesOf(SOL_PERP), scene.clock, odd);
    scene.write(market, oracle, oddUser({ seed: 9 }, betOrders(scene)));
    const { head } = scene.compare().get(BET.name) ?? {};
    const used = head?.['mmOracleData'] as { price: string };
    expect(head?.['offsetOrdersExcluded'] ?? used.price).toBe(expected);
  });

  test.each([
    ['marketStatus', SOL_PERP, { at: 1162, value: 4 }],
    ['marketFillPaused', SOL_PERP, { at: 1165, value: 4 }],
    // The lowest byte of expiryTs: some second of 1970.
    ['marketExpired', SOL_PERP, { at: 1080, value: 9 }],
    ['marketFillPaused', address.spotMarket(1), { at: 690, value: 2 }],
    ['exchangeFillPaused', address.state(), { at: 974, value: 8 }],
  ])('are empty and name %s while the rule holds', (reason, pubkey, byte) => {
    const restore = scene.patch(pubkey, byte);
    const reasons = Array.from(scene.compare().values(), ({ head }) => head['reason']);
    expect(reasons).toContain(reason);
    restore();
    scene.compare();
  });

  test('have only reduce-only orders in a market that is reduce-only', () => {
    scene.write(oddUser({ seed: 1 }, oddOrders(scene.odd)));
    const restore = scene.patch(SOL_PERP, { at: 1162, value: 6 });
    const rows = scene.compare().get('SOL-PERP')?.asks.rows ?? [];
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.every(({ reduceOnly }) => reduceOnly)).toBe(true);
    restore();
    scene.compare();
  });

  test('are without the orders of a user account that is malformed', () => {
    const { pubkey, owner, data } = oddUser({ seed: 1 }, oddOrders(scene.odd));
    const wrong = Buffer.from(data);
    // The type of the third order.
    wrong.writeUInt8(9, 1192 + 2 * 96 + 83);
    const makers = () =>
      scene
        .compare()
        .get('SOL-PERP')
        ?.bids.rows.map(({ maker }) => maker);
    scene.write({ pubkey, owner, data: wrong });
    expect(makers()).not.toContain(pubkey);
    scene.write({ pubkey, owner, data });
    expect(makers()).toContain(pubkey);
  });
});
