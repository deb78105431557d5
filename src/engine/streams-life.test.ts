import { crc32 } from 'node:zlib';
import { PublicKey } from '@solana/web3.js';
import { describe, expect, test } from 'vitest';
import type { TopicSpec } from '../contract/topics.js';
import { MarketSimulator } from '../sim/market/market-simulator.js';
import { Engine } from './engine.js';
import { PROGRAM, parsed } from './testing.js';

const START = { slot: 31, unixSeconds: 1_800_000_000 };

type Level = readonly [price: string, size: string, sources?: object];
type Order = Readonly<
  Record<'price' | 'size' | 'maker', string> & Record<'slot' | 'orderId', number>
>;
interface OrderChanges {
  readonly add: Order[];
  readonly change: Order[];
  readonly remove: [string, number][];
}

const SIDES = ['bids', 'asks'] as const;

/** A topic's rows, by key, as a client rebuilds them from frames. */
class Reader {
  readonly #engine: Engine;
  readonly #handle: number;
  readonly #spec: TopicSpec;
  #seq = 0;
  #rows: Map<string, Level | Order>[] = [];
  changes = 0;

  constructor(engine: Engine, spec: TopicSpec) {
    this.#engine = engine;
    this.#spec = spec;
    this.#handle = engine.openTopic(spec);
    const frame = parsed(engine.topicSnapshot(this.#handle, { id: '', reset: false }));
    this.#seq = frame['seq'] as number;
    this.#rows = SIDES.map((side) => {
      const rows = new Map<string, Level | Order>();
      for (const row of rowsOf(frame, side)) rows.set(keyOf(row), row);
      return rows;
    });
  }

  /** Applies the topic's next frame, if there is one. */
  follow(): void {
    const delta = this.#engine.topicDelta(this.#handle);
    if (delta === null) return;
    const frame = parsed(delta.frame);
    expect([frame['prev'], delta.prev]).toEqual([this.#seq, this.#seq]);
    expect(delta.seq).toBe(frame['seq']);
    this.#seq = delta.seq;
    this.changes += 1;
    for (const [index, side] of SIDES.entries()) this.#take(index, frame, side);
    expect(frame['crc']).toBe(crc32(Buffer.from(this.#covered().join(':'))));
  }

  /** Checks that the rows equal the body of the same depth, in the same order. */
  check(): void {
    const { market, depth = 1, grouping, maker } = this.#spec;
    const body =
      this.#spec.channel === 'l3'
        ? this.#engine.l3({ market, depth, maker })
        : this.#engine.l2({ market, depth, grouping });
    for (const [index, side] of SIDES.entries()) {
      const rows = parsed(body)[side] as (Order & { sources: object })[];
      const shown = rows.map((row) => this.#shape(row));
      expect(this.#sorted(index)).toEqual(shown);
    }
  }

  #take(index: number, frame: Record<string, unknown>, side: (typeof SIDES)[number]): void {
    const rows = this.#rows[index] ?? new Map();
    if (this.#spec.channel === 'l3') {
      const { add, change, remove } = frame[side] as OrderChanges;
      for (const [maker, id] of remove) expect(rows.delete(`${maker} ${id}`)).toBe(true);
      for (const row of change) expect(rows.has(keyOf(row))).toBe(true);
      for (const row of add) expect(rows.has(keyOf(row))).toBe(false);
      for (const row of [...change, ...add]) rows.set(keyOf(row), row);
      return;
    }
    if (this.#spec.channel === 'bbo') rows.clear();
    for (const level of rowsOf(frame, side) as Level[]) {
      if (level[1] === '0') expect(rows.delete(level[0])).toBe(true);
      else rows.set(level[0], level);
    }
  }

  #shape(row: Order & { sources: object }): Level | Order {
    if (this.#spec.channel === 'l3') return row;
    const pair = [row.price, row.size] as const;
    return this.#spec.channel === 'bbo' ? pair : [...pair, row.sources];
  }

  #sorted(index: number): (Level | Order)[] {
    const order = (row: Level | Order): bigint[] => {
      const [price = 0n] = priceAndSize(row).map(BigInt);
      if (!('slot' in row)) return [index === 0 ? -price : price];
      const places = [index === 0 ? -price : price, BigInt(row.slot), BigInt(row.orderId)];
      return [...places, numberOf(row.maker)];
    };
    return [...(this.#rows[index]?.values() ?? [])].sort((a, b) => {
      const [left, right] = [order(a), order(b)];
      const at = left.findIndex((value, place) => value !== right[place]);
      return at < 0 ? 0 : (left[at] ?? 0n) < (right[at] ?? 0n) ? -1 : 1;
    });
  }

  #covered(): string[] {
    const [bids = [], asks = []] = [this.#sorted(0), this.#sorted(1)];
    return Array.from({ length: 10 }, (_, index) => [bids[index], asks[index]])
      .flat()
      .flatMap((row) => (row === undefined ? [] : priceAndSize(row)));
  }
}

function rowsOf(
  frame: Record<string, unknown>,
  side: (typeof SIDES)[number],
): readonly (Level | Order)[] {
  if (frame['channel'] !== 'bbo') return frame[side] as (Level | Order)[];
  const best = frame[side.slice(0, 3)] as Level | null;
  return best === null ? [] : [best];
}

function keyOf(row: Level | Order): string {
  return 'price' in row ? `${row.maker} ${row.orderId}` : row[0];
}

const numbers = new Map<string, bigint>();

/** A key as a number: orders with equal price, slot and id are sorted by their makers' bytes. */
function numberOf(maker: string): bigint {
  const known = numbers.get(maker);
  if (known !== undefined) return known;
  const number = BigInt(`0x${new PublicKey(maker).toBuffer().toString('hex')}`);
  numbers.set(maker, number);
  return number;
}

function priceAndSize(row: Level | Order): readonly string[] {
  return 'price' in row ? [row.price, row.size] : row.slice(0, 2).map(String);
}

describe('engine: streaming topics of a living market', () => {
  test('whoever follows the deltas has the bodies of every turn', () => {
    const life = new MarketSimulator({ seed: 11, makers: 40 });
    const engine = new Engine({ programId: PROGRAM, epoch: 'e1' });
    const push = (writes: ReturnType<MarketSimulator['nextWrites']>, slot: number): void => {
      for (const { pubkey, owner, data } of writes) {
        engine.push({ pubkey, owner, slot, data: data.toString('base64'), encoding: 'base64' });
      }
    };
    push(life.createGenesis(START), START.slot);
    engine.setClock(START.slot, START.unixSeconds);
    engine.setState('live');
    engine.endTurn(1);
    const maker = life.makers[0]?.pubkey;
    const specs = engine.markets().flatMap(({ id: market }): TopicSpec[] => [
      { channel: 'book', market, depth: 10 },
      { channel: 'book', market, depth: 50, grouping: 10 },
      { channel: 'book', market, depth: 500, grouping: 2_500 },
      { channel: 'bbo', market },
      { channel: 'l3', market, depth: 20 },
      { channel: 'l3', market, depth: 50, maker },
    ]);
    const readers = specs.map((spec) => new Reader(engine, spec));
    for (let step = 1; step <= 1_000; step += 1) {
      const slot = START.slot + Math.floor(step / 20);
      const unixSeconds = START.unixSeconds + Math.floor((slot - START.slot) * 0.4);
      push(life.nextWrites({ slot, unixSeconds }), slot);
      engine.setClock(slot, unixSeconds);
      engine.endTurn(step + 1);
      for (const [index, reader] of readers.entries()) {
        // Some readers read a frame after every turn, others after several turns.
        if (step % (1 + (index % 4)) === 0) reader.follow();
        if (step % 12 === 0) reader.check();
      }
    }
    const changes = readers.reduce((sum, reader) => sum + reader.changes, 0);
    expect(changes).toBeGreaterThan(2_000);
  });
});
