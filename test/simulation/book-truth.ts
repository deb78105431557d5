/**
 * Compares the book of the service with the chain's truth. The fast way is one hash of all orders
 * against that of a book that was never wrong; where they differ, every order is compared with the library's
 * local book, which shares no code with the core.
 */
import { PROGRAM_IDS } from '../../src/contract/program.js';
import type { Engine } from '../../src/engine/engine.js';
import { Engine as ReferenceEngine } from '../../src/engine/engine.js';
import { localBookOf } from '../support/local-books.js';
import { FIRST_SLOT, LIFE_SLOTS, type MarketLife, unixSecondsOf } from './market-life.js';
import type { AccountState, ModelChain } from './model-chain.js';

/** A book may show what was true so long ago: a slot, the network and a turn. */
const LATE_MS_MAX = 1_000;
/** With the above, no order is wrong for longer than two seconds. */
const WRONG_MS_MAX = 1_000;
/** Wrong orders that a violation names. */
const NAMED_MAX = 3;

/** What is true of a chain, a model or a real one. */
type TrueChain = Pick<ModelChain, 'program' | 'slot' | 'hasForked' | 'accounts' | 'secondOf'>;

/** The orders of all books by market, maker and order id: price and size. */
type Rows = ReadonlyMap<string, string>;

const hashes = new WeakMap<MarketLife, readonly bigint[]>();
const rowsByLife = new WeakMap<MarketLife, Map<number, Rows>>();

/** The hash of all orders at the beginning of each slot of a life without forks. */
function hashesOf(life: MarketLife): readonly bigint[] {
  const known = hashes.get(life);
  if (known !== undefined) return known;
  const programId = PROGRAM_IDS[life.program];
  const engine = new ReferenceEngine({ programId, epoch: 'reference' });
  engine.setState('live');
  const slots = Array.from({ length: LIFE_SLOTS }, (_, index) => life.writesOf(index));
  const made = [life.genesis, ...slots].map((writes, index) => {
    const slot = FIRST_SLOT + index;
    for (const { pubkey, owner, base64: data } of writes) {
      engine.push({ pubkey, owner, slot, data, encoding: 'base64' });
    }
    engine.setClock(slot, unixSecondsOf(slot));
    engine.endTurn(0);
    return engine.stateHash();
  });
  hashes.set(life, made);
  return made;
}

/** A book that takes every state of the chain as it comes. */
class ReferenceBook {
  readonly #engine: ReferenceEngine;

  constructor(programId: string, states: Iterable<AccountState>) {
    this.#engine = new ReferenceEngine({ programId, epoch: 'reference' });
    this.#engine.setState('live');
    for (const state of states) this.takeState(state);
  }

  takeState({ pubkey, slot, write }: AccountState): void {
    if (write === null) this.#engine.pushClosed(pubkey, slot);
    else {
      const { owner, base64: data } = write;
      this.#engine.push({ pubkey, owner, slot, data, encoding: 'base64' });
    }
  }

  readHash(slot: number, second: number): bigint {
    this.#engine.setClock(slot, second);
    this.#engine.endTurn(0);
    return this.#engine.stateHash();
  }
}

/** A moment at which the truth changed. */
interface TrueMoment {
  readonly atMs: number;
  readonly slot: number;
  readonly second: number;
  readonly accounts: readonly AccountState[];
  readonly hash: bigint | undefined;
  rows: Rows | null;
}

/** The judge of one run's book. */
export class BookTruth {
  readonly #chain: TrueChain;
  readonly #hashes: readonly bigint[] | null;
  /** The rows at each slot of a life; null for one run, whose rows end with their moments. */
  readonly #lifeRows: Map<number, Rows> | null;
  /** Of a chain with forks, or of one run alone. */
  #reference: ReferenceBook | null = null;
  /** Newest last; as far back as a book may be late. */
  #moments: TrueMoment[] = [];
  /** Since when each order that is wrong is. */
  readonly #wrongSinceMs = new Map<string, number>();

  /** With the life of the chain what is known of it serves all runs of the process; null is for one run. */
  constructor(chain: TrueChain, life: MarketLife | null) {
    this.#chain = chain;
    this.#hashes = life === null ? null : hashesOf(life);
    this.#lifeRows = life === null ? null : (rowsByLife.get(life) ?? new Map());
    if (life !== null && this.#lifeRows !== null) rowsByLife.set(life, this.#lifeRows);
  }

  /** An account has another state. */
  recordState(state: AccountState): void {
    this.#reference?.takeState(state);
  }

  /** The truth changed. */
  recordMoment(atMs: number): void {
    const { slot, hasForked } = this.#chain;
    const second = this.#chain.secondOf(slot);
    const accounts = [...this.#chain.accounts.values()];
    if (hasForked || this.#hashes === null) {
      this.#reference ??= new ReferenceBook(PROGRAM_IDS[this.#chain.program], accounts);
    }
    const hash = this.#reference?.readHash(slot, second) ?? this.#hashes?.[slot - FIRST_SLOT];
    this.#moments.push({ atMs, slot, second, accounts, hash, rows: null });
    const since = this.#moments.findLastIndex((moment) => moment.atMs <= atMs - LATE_MS_MAX);
    if (since > 0) this.#moments = this.#moments.slice(since);
  }

  /** Nothing is claimed of a book that is not live. */
  forgetWrong(): void {
    this.#wrongSinceMs.clear();
  }

  /**
   * What is wrong with a live book for too long; null when nothing is. `blindMs` is how far behind the
   * only reading is by which a loss is found.
   */
  findWrong(engine: Engine, { nowMs, blindMs }: { nowMs: number; blindMs: number }): string | null {
    if (this.#hasKnownHash(engine)) {
      this.#wrongSinceMs.clear();
      return null;
    }
    const wrong = this.#wrongRows(engine);
    for (const key of [...this.#wrongSinceMs.keys()]) {
      if (!wrong.has(key)) this.#wrongSinceMs.delete(key);
    }
    for (const key of wrong.keys()) {
      if (!this.#wrongSinceMs.has(key)) this.#wrongSinceMs.set(key, nowMs);
    }
    const late = [...wrong].filter(([key]) => {
      return nowMs - (this.#wrongSinceMs.get(key) ?? nowMs) > WRONG_MS_MAX + blindMs;
    });
    if (late.length === 0) return null;
    const named = late.slice(0, NAMED_MAX).map(([key, text]) => `${key}: ${text}`);
    return `${late.length} orders were wrong for too long: ${named.join('; ')}`;
  }

  /** Whether every order is as it was at a moment that the book may be of. */
  isRight(engine: Engine): boolean {
    return this.#hasKnownHash(engine) || this.#wrongRows(engine).size === 0;
  }

  /** The first difference to the present truth; null when there is none. */
  findDifference(engine: Engine): string | null {
    const truth = this.#rowsOf(this.#moments.at(-1) as TrueMoment);
    const shown = rowsOfEngine(engine);
    for (const [key, value] of truth) {
      if (shown.get(key) !== value) return `${key}: was ${shown.get(key)}, must be ${value}`;
    }
    for (const [key, value] of shown)
      if (!truth.has(key)) return `${key}: was ${value}, must not be`;
    return null;
  }

  #hasKnownHash(engine: Engine): boolean {
    const hash = engine.stateHash();
    return this.#moments.some((moment) => moment.hash === hash);
  }

  /** Orders that are not as they were at any moment that the book may be of. */
  #wrongRows(engine: Engine): Map<string, string> {
    const shown = rowsOfEngine(engine);
    const truths = this.#moments.map((moment) => this.#rowsOf(moment));
    const wrong = new Map<string, string>();
    const judge = (key: string): void => {
      const value = shown.get(key);
      if (truths.some((truth) => truth.get(key) === value)) return;
      wrong.set(key, `was ${value}, must be ${truths.at(-1)?.get(key)}`);
    };
    for (const key of shown.keys()) judge(key);
    for (const key of truths.at(-1)?.keys() ?? []) judge(key);
    return wrong;
  }

  #rowsOf(moment: TrueMoment): Rows {
    moment.rows ??= this.#chain.hasForked ? rowsOfChain(moment) : this.#knownRowsOf(moment);
    return moment.rows;
  }

  /** Without a fork all runs of a life have the same books. */
  #knownRowsOf(moment: TrueMoment): Rows {
    const known = this.#lifeRows?.get(moment.slot) ?? rowsOfChain(moment);
    this.#lifeRows?.set(moment.slot, known);
    return known;
  }
}

function rowsOfEngine(engine: Engine): Rows {
  const rows = new Map<string, string>();
  for (const { id, symbol } of engine.markets()) {
    const body = JSON.parse(Buffer.from(engine.l3({ market: id })).toString()) as Body;
    addRows(rows, symbol, body.bids);
    addRows(rows, symbol, body.asks);
  }
  return rows;
}

function rowsOfChain({ accounts, slot, second }: TrueMoment): Rows {
  const rows = new Map<string, string>();
  const present = accounts.map(({ pubkey, write }) => {
    return { pubkey, data: write?.data ?? Buffer.alloc(0) };
  });
  const moment = { slot: BigInt(slot), now: BigInt(second) };
  const book = localBookOf(present, moment);
  for (const { id, name } of book.markets()) {
    const { bids, asks } = book.getL3(id);
    addRows(rows, name, bids);
    addRows(rows, name, asks);
  }
  return rows;
}

interface Row {
  readonly maker: string;
  readonly orderId: number;
  readonly price: string | bigint;
  readonly size: string | bigint;
}

interface Body {
  readonly bids: readonly Row[];
  readonly asks: readonly Row[];
}

function addRows(rows: Map<string, string>, market: string, added: readonly Row[]): void {
  for (const { maker, orderId, price, size } of added) {
    rows.set(`${market} ${maker} ${orderId}`, `${size} at ${price}`);
  }
}
