import type { Rows } from '../verify/book-text.js';
import { Comparison } from '../verify/comparison.js';
import { withLag } from '../verify/market-run.js';
import type { ChainRows } from './chain-slots.js';
import { BOOKS_KEPT, CHANGE_MS_MAX, CHANGES_KEPT, STILL_MS_MAX } from './limits.js';
import { rowsWithin, type ServerBook } from './server-book.js';

/** The two servers. */
export type ShadowSide = 'slotbook' | 'other';

/** What was seen of one market of one server. */
export class PolledSide {
  requests = 0;
  /** Polls without a book, or with one that is not live. */
  failed = 0;
  lastFailure = 'none';
  /** Bytes of bodies, decompressed. */
  bytes = 0;
  /** Time in which the slot stood still for too long. */
  staleMs = 0;
  /** Books that the chain judged, and levels that it found wrong. */
  judged = 0;
  readonly wrong = new Set<string>();
  /** Milliseconds of each change that this server showed earlier. */
  readonly leads: number[] = [];
  /** The newest first. */
  books: readonly ServerBook[] = [];
  readonly judge = new Comparison();
  /** Times of changes that the other server has not shown yet. */
  readonly changes = new Map<string, number>();
  #slot = -1;
  #movedMs: number;

  constructor(startMs: number) {
    this.#movedMs = startMs;
  }

  addFailure(error: unknown): void {
    [this.failed, this.lastFailure] = [this.failed + 1, String(error)];
  }

  /** Ends the time for which the slot stood still, unless the slot is an old one. */
  moveSlot(slot: number, atMs: number): void {
    if (slot <= this.#slot) return;
    if (atMs - this.#movedMs > STILL_MS_MAX) this.staleMs += atMs - this.#movedMs;
    [this.#slot, this.#movedMs] = [slot, atMs];
  }
}

/** A book that one server showed. */
interface PolledBook {
  readonly side: ShadowSide;
  readonly book: ServerBook;
  /** When the body had come; monotonic. */
  readonly atMs: number;
  /** The chain around the book's slot; null when it is not read. */
  readonly chain: ChainRows | null;
}

/** Sizes of a level that differed for seconds between the servers, or from the chain. */
type LevelSizes = Readonly<Record<ShadowSide | 'chain', string | null>>;

/** The books of one market from both servers, compared with each other and with the chain. */
export class MarketPair {
  readonly symbol: string;
  readonly sides: Readonly<Record<ShadowSide, PolledSide>>;
  /** Pairs of books, those of one slot, their levels, and the levels that differed. */
  readonly counts = { pairs: 0, sameSlot: 0, levels: 0, differing: 0 };
  readonly #slotsNear: number;
  /** The server whose next book makes a pair with one that came before. */
  #awaited: ShadowSide | null = null;
  readonly #between = new Comparison();
  readonly #found = new Map<string, LevelSizes>();

  /** `slotsNear` is the largest distance of two slots whose books are still a pair. */
  constructor(symbol: string, startMs: number, slotsNear: number) {
    this.symbol = symbol;
    this.#slotsNear = slotsNear;
    this.sides = { slotbook: new PolledSide(startMs), other: new PolledSide(startMs) };
  }

  /** Compares a book with the chain at its slot, and with the other server's of the nearest slot. */
  addBook(polled: PolledBook): void {
    const { side, book, atMs, chain } = polled;
    const own = this.sides[side];
    own.moveSlot(book.slot, atMs);
    this.#addChanges(polled);
    own.books = [book, ...own.books].slice(0, BOOKS_KEPT);
    if (chain !== null) this.#judgeBook(polled, chain);
    const rival = side === 'slotbook' ? 'other' : 'slotbook';
    const near = this.#awaited === side ? this.#findNear(this.sides[rival], book.slot) : undefined;
    this.#awaited = near === undefined ? rival : null;
    if (near !== undefined) this.#comparePair(polled, near);
  }

  /** Returns the levels that differed for seconds, and whose size is right by the chain. */
  listDifferences() {
    const { slotbook, other } = this.sides;
    return [...this.#found].map(([level, sizes]) => {
      const [isWrong, isOtherWrong] = [slotbook.wrong.has(level), other.wrong.has(level)];
      let right = isOtherWrong ? 'slotbook' : 'undecided';
      if (isWrong) right = isOtherWrong ? 'neither' : 'other';
      if (slotbook.judged === 0 || other.judged === 0) right = 'not judged';
      return { market: this.symbol, level, ...sizes, right };
    });
  }

  /** Records the levels that changed since the last book, at prices that both books contain. */
  #addChanges({ side, book, atMs }: PolledBook): void {
    const { books, changes } = this.sides[side];
    const rival = this.sides[side === 'slotbook' ? 'other' : 'slotbook'];
    const last = books[0] ?? book;
    if (changes.size > CHANGES_KEPT) changes.clear();
    for (const name of differingNames(rowsWithin(book.rows, last), rowsWithin(last.rows, book))) {
      const change = `${name} ${book.rows.get(name)}`;
      const leadMs = Math.round(atMs - (rival.changes.get(change) ?? Number.POSITIVE_INFINITY));
      if (leadMs > 0 && leadMs <= CHANGE_MS_MAX) rival.leads.push(leadMs);
      if (!rival.changes.delete(change)) changes.set(change, atMs);
    }
  }

  #judgeBook({ side, book, atMs }: PolledBook, { before, after, slot }: ChainRows): void {
    const { judge, wrong } = this.sides[side];
    const readings = { service: withLag(book, { slot }), before, after: rowsWithin(after, book) };
    judge.addReading({ ...readings, atMs });
    this.sides[side].judged += 1;
    for (const { name, ...found } of judge.listDifferences()) {
      wrong.add(name);
      this.#keepSizes(name, { [side]: found.service, chain: found.chain });
    }
  }

  #comparePair({ side, book, atMs, chain }: PolledBook, near: ServerBook): void {
    const [slotbook, other] = side === 'slotbook' ? [book, near] : [near, book];
    const service = rowsWithin(slotbook.rows, other);
    const after = rowsWithin(other.rows, slotbook);
    this.counts.pairs += 1;
    this.counts.sameSlot += book.slot === near.slot ? 1 : 0;
    this.counts.levels += new Set([...service.keys(), ...after.keys()]).size;
    this.counts.differing += differingNames(service, after).length;
    this.#between.addReading({ service, before: after, after, atMs });
    for (const { name, ...found } of this.#between.listDifferences()) {
      const [slotbook, other] = [found.service, found.chain];
      this.#keepSizes(name, { slotbook, other, chain: chain?.after.get(name) ?? null });
    }
  }

  #keepSizes(name: string, sizes: Partial<LevelSizes>): void {
    const shownBy = (side: ShadowSide) => this.sides[side].books[0]?.rows.get(name) ?? null;
    const shown = { slotbook: shownBy('slotbook'), other: shownBy('other'), chain: null };
    if (!this.#found.has(name)) this.#found.set(name, { ...shown, ...sizes });
  }

  /** The newest book of the slot, else the newest that is near enough. */
  #findNear({ books }: PolledSide, slot: number): ServerBook | undefined {
    const isNear = (book: ServerBook) => Math.abs(book.slot - slot) <= this.#slotsNear;
    return books.find((book) => book.slot === slot) ?? books.find(isNear);
  }
}

function differingNames(a: Rows, b: Rows): readonly string[] {
  return [...new Set([...a.keys(), ...b.keys()])].filter((name) => a.get(name) !== b.get(name));
}
