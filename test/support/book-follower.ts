import { PublicKey } from '@solana/web3.js';
import { Engine } from '../../src/engine/engine.js';
import { PROGRAM_ID } from '../../src/sim/bytes/keys.js';
import { type ChainWrite, encoded } from '../scripted-chain.js';

const USER_BYTES = 4_376;
const STATE_BYTES = 992;
/** No body has more levels. */
const DEPTH_MAX = 1_000;

/** One version of a market's book, as it was shown. */
export interface ShownBook {
  /** The text of bids and asks at full depth. */
  readonly levels: string;
  readonly slot: number;
  readonly unixSeconds: number;
  /** On the clock of performance.now(). */
  readonly atMs: number;
}

/** Writes that are told in their order; those of different lanes may overtake each other. */
interface Lane {
  readonly writes: ChainWrite[];
  at: number;
}

/** How the writes of a chain reach the book. */
export interface Delivery {
  /** The lane of an account: one for all, where one socket tells everything in order. */
  readonly laneOf: (write: ChainWrite) => string;
  /** How far lanes may be apart. */
  readonly apartMs: number;
  /**
   * How long what a reading brought may be taken back by notifications still under way: 0 where they
   * carry their true slot.
   */
  readonly backMs: number;
}

/**
 * Follows one market's book along the writes of the chain: a book that was shown is right when it
 * equals the book after some of the writes, and the next one must equal the same or a later one.
 *
 * The books it compares with are made by the engine as well, by pushing one write after the other
 * and nothing else: it judges which writes are in a book, and not what a book makes of them.
 */
export class BookFollower {
  readonly #engine = new Engine({ programId: PROGRAM_ID, epoch: 'reference' });
  readonly #market: string;
  readonly #oracle: string;
  readonly #delivery: Delivery;
  readonly #lanes = new Map<string, Lane>();
  /** The lanes of the writes that were applied and not found in a book yet, the last one last. */
  readonly #tried: Lane[] = [];
  #id = -1;
  #levels = '';

  /** `first` is the state of all accounts before the first book. */
  constructor(market: string, first: Iterable<ChainWrite>, delivery: Delivery) {
    this.#market = market;
    this.#delivery = delivery;
    const writes = [...first];
    const account = writes.find(({ pubkey }) => pubkey === market)?.bytes;
    if (account == null) throw new Error(`there is no market ${market}`);
    this.#oracle = new PublicKey(account.subarray(40, 72)).toBase58();
    this.#engine.setState('live');
    // An engine takes the account of an oracle once a market has named it.
    const ofMarket = writes.filter(({ pubkey }) => pubkey === market);
    for (const write of [...ofMarket, ...writes]) if (this.#concerns(write)) this.#push(write);
    this.#engine.endTurn(0);
    this.#id = this.#engine.markets().findIndex((info) => info.account === market);
  }

  /** A write that happened after the ones before. */
  add(write: ChainWrite): void {
    if (!this.#concerns(write)) return;
    const key = this.#delivery.laneOf(write);
    const lane = this.#lanes.get(key) ?? { writes: [], at: 0 };
    this.#lanes.set(key, lane);
    lane.writes.push(write);
  }

  /** Whether this is the book after the writes so far, or after some more that had happened. */
  accepts(shown: ShownBook): boolean {
    this.#engine.setClock(shown.slot, shown.unixSeconds);
    this.#render();
    for (const lane of this.#lanes.values()) this.#rewind(lane, shown.atMs - this.#delivery.backMs);
    const lanes = [...this.#lanes.values()].sort((a, b) => b.writes.length - a.writes.length);
    const from = this.#tried.length;
    if (this.#search(lanes, shown)) {
      this.#tried.length = 0;
      return true;
    }
    for (let lane = this.#tried.at(-1); this.#tried.length > from; lane = this.#tried.at(-1)) {
      if (lane !== undefined) this.#goBack(lane);
    }
    return false;
  }

  /**
   * When the oldest write happened that is not in the book and would change it; infinite when there
   * is none. `shown` is the book accepted last. A book may equal the book after several writes: up
   * to `untilMs` it counts as the latest of them.
   */
  missingSinceMs(shown: ShownBook, untilMs: number): number {
    for (;;) {
      const lane = this.#oldestLane();
      const write = lane?.writes[lane.at];
      if (lane === undefined || write === undefined) return Number.POSITIVE_INFINITY;
      this.#advance(lane);
      this.#render();
      if (this.#levels === shown.levels) {
        this.#tried.length = 0;
        continue;
      }
      if (write.seenMs <= untilMs && this.accepts(shown)) continue;
      this.#goBack(lane);
      this.#render();
      return write.seenMs;
    }
  }

  /** When the oldest write happened that was not found in a book yet. */
  oldestMs(): number {
    const lane = this.#oldestLane();
    return lane?.writes[lane.at]?.seenMs ?? Number.POSITIVE_INFINITY;
  }

  /** Takes the writes up to this time as told, whatever was shown. */
  skipTo(atMs: number): void {
    for (const lane of this.#lanes.values()) {
      while ((lane.writes[lane.at]?.seenMs ?? Number.POSITIVE_INFINITY) <= atMs)
        this.#advance(lane);
    }
    this.#tried.length = 0;
  }

  #oldestLane(): Lane | undefined {
    let oldest: Lane | undefined;
    const next = (lane: Lane | undefined): number =>
      lane?.writes[lane.at]?.seenMs ?? Number.POSITIVE_INFINITY;
    for (const lane of this.#lanes.values()) if (next(lane) < next(oldest)) oldest = lane;
    return oldest;
  }

  /** Tries every combination in which no lane goes back; undoes what did not fit. */
  #search(lanes: readonly Lane[], shown: ShownBook): boolean {
    const [leading, ...others] = lanes;
    if (leading === undefined) return this.#shows(shown);
    for (;;) {
      // What is far behind the leading lane is surely told.
      const leadMs = this.#timeOf(leading);
      for (const lane of others) this.#settle(lane, leadMs - this.#delivery.apartMs);
      if (this.#searchBeside(others, Math.min(shown.atMs, leadMs + this.#delivery.apartMs), shown))
        return true;
      const next = leading.writes[leading.at];
      if (next === undefined || next.atMs > shown.atMs) return false;
      this.#advance(leading);
    }
  }

  #searchBeside(lanes: readonly Lane[], endMs: number, shown: ShownBook): boolean {
    const [lane, ...others] = lanes;
    if (lane === undefined) return this.#shows(shown);
    const from = lane.at;
    for (;;) {
      if (this.#searchBeside(others, endMs, shown)) return true;
      const next = lane.writes[lane.at];
      if (next === undefined || next.atMs > endMs) break;
      this.#advance(lane);
    }
    while (lane.at > from) this.#goBack(lane);
    return false;
  }

  #rewind(lane: Lane, toMs: number): void {
    if (this.#delivery.backMs === 0 || this.#tried.length > 0) return;
    while ((lane.writes[lane.at - 1]?.atMs ?? 0) > toMs) this.#goBack(lane);
  }

  #settle(lane: Lane, beforeMs: number): void {
    while ((lane.writes[lane.at]?.atMs ?? Number.POSITIVE_INFINITY) < beforeMs) this.#advance(lane);
  }

  #shows(shown: ShownBook): boolean {
    this.#render();
    return this.#levels === shown.levels;
  }

  #timeOf(lane: Lane | undefined): number {
    return lane?.writes[lane.at - 1]?.atMs ?? Number.NEGATIVE_INFINITY;
  }

  #advance(lane: Lane): void {
    const write = lane.writes[lane.at];
    if (write === undefined) throw new Error('Invariant: a lane is not advanced beyond its end');
    lane.at += 1;
    this.#tried.push(lane);
    this.#push(write);
  }

  #goBack(lane: Lane): void {
    lane.at -= 1;
    this.#tried.pop();
    const write = lane.writes[lane.at];
    if (write === undefined) throw new Error('Invariant: a lane does not go back before its begin');
    this.#push(write.before ?? { ...write, bytes: null });
  }

  #push({ pubkey, owner, bytes, slot }: ChainWrite): void {
    if (bytes === null) this.#engine.pushClosed(pubkey, slot);
    else {
      const data = encoded(bytes, 'base64');
      this.#engine.push({ pubkey, owner, slot, data, encoding: 'base64' });
    }
  }

  #render(): void {
    const { dirty } = this.#engine.endTurn(0);
    if (this.#id < 0 || (this.#levels !== '' && !dirty.includes(this.#id))) return;
    this.#levels = levelsOf(this.#engine.l2({ market: this.#id, depth: DEPTH_MAX }));
  }

  #concerns({ pubkey, bytes, before }: ChainWrite): boolean {
    if (pubkey === this.#market || pubkey === this.#oracle) return true;
    const size = (bytes ?? before?.bytes)?.length;
    return size === USER_BYTES || size === STATE_BYTES;
  }
}

/** The part of a body that holds bids and asks. */
export function levelsOf(body: Uint8Array): string {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString();
  return text.slice(0, text.indexOf(',"marketName"'));
}
