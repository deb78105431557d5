import { expect } from 'vitest';
import { type AccountBytes, type BookBodies, bookBodies } from './local-books.js';
import type { Reading, ServiceProbe } from './service-probe.js';
import type { SteppedDemo } from './stepped-demo.js';
import { until } from './until.js';

/** How far the chain's second and the service's may be apart: one reading, and its rounding. */
const CLOCK_APART_S_MAX = 2;
/** Readings that differ because the machine paused between them are repeated. */
const READINGS_MAX = 20;
/** Slots that may be under way between the chain and the service. */
const CLOCK_APART_SLOTS_MAX = 3;

/** Compares the served books with books rebuilt from the chain. */
export class BookJudge {
  readonly #demo: SteppedDemo;
  readonly #service: ServiceProbe;

  constructor(demo: SteppedDemo, service: ServiceProbe) {
    this.#demo = demo;
    this.#service = service;
  }

  /**
   * Waits until every account and the newest slot have reached the book, then compares every body
   * of every market with the chain, at the service's slot and second, while the chain is paused.
   * Returns the rebuilt books by name.
   */
  async compare(): Promise<ReadonlyMap<string, BookBodies>> {
    const texts = await this.#demo.texts();
    const { slot } = this.#demo.clock;
    const service = this.#service;
    const isOnTime = (): boolean => {
      // The service reads the chain's time only occasionally, so it may lag behind the slots of a
      // paused chain.
      const apartS = Math.abs(service.unixSeconds - this.#demo.clock.unixSeconds);
      return service.slot >= slot && apartS < CLOCK_APART_S_MAX;
    };
    for (let readings = 1; ; readings += 1) {
      await until(() => service.hasHeard(texts) && isOnTime());
      const accounts = await this.#demo.accounts();
      const { chain } = this.#demo;
      chain.pause();
      const reading = await service.read().finally(() => chain.resume());
      const isOfNow = this.#isOfNow(reading);
      if (!isOfNow && readings < READINGS_MAX) continue;
      expect(isOfNow).toBe(true);
      const expected = expectBooks(reading, accounts);
      return new Map(expected.map((book) => [book.marketName, book]));
    }
  }

  /** Whether all books are live, at the slot and the second of the chain. */
  #isOfNow({ moment, books }: Reading): boolean {
    const { clock } = this.#demo;
    const apartS = Math.abs(Number(moment.now) - clock.unixSeconds);
    const apartSlots = Math.abs(Number(moment.slot) - clock.slot);
    const isNear = apartS <= CLOCK_APART_S_MAX && apartSlots <= CLOCK_APART_SLOTS_MAX;
    return isNear && [...books.values()].every(({ l2 }) => l2['state'] === 'live');
  }
}

/** Every served body equals the book rebuilt from these accounts; returns the rebuilt books. */
export function expectBooks(
  { moment, books }: Reading,
  accounts: readonly AccountBytes[],
): readonly BookBodies[] {
  const expected = bookBodies(accounts, moment);
  expect([...books.keys()].sort()).toEqual(expected.map((book) => book.marketName).sort());
  for (const book of expected) {
    const { l2, l3 } = books.get(book.marketName) ?? { l2: {}, l3: {} };
    const { marketName, head, prices, bids, asks } = book;
    const at = { slot: Number(moment.slot), state: 'live', seq: l2['seq'] };
    const levels = { bids: bids.levels, asks: asks.levels, ...head, ...prices, ...at };
    const rows = { bids: bids.rows, asks: asks.rows, ...head, ...at };
    expect(unversioned(l2), `/l2 of ${marketName}`).toEqual(levels);
    expect(unversioned(l3), `/l3 of ${marketName}`).toEqual(rows);
  }
  return expected;
}

/** Removes the members that no account contains. */
function unversioned(body: Readonly<Record<string, unknown>>) {
  const { ts, epoch, marketSlot, ...rest } = body;
  expect([typeof ts, typeof epoch, typeof marketSlot]).toEqual(['number', 'string', 'number']);
  return rest;
}
