/** The reports of a correct source of a chain: late, with gaps, like a node or a server. */
import type { Random } from '../../src/sim/random.js';
import { type Bank, type ChainWrite, type RandomChain, WHOLE_MS } from './random-chain.js';
import type { FakeSource } from './source-scene.js';

const CONFIRMED_MS = 1_200;
const FINAL_MS = 12_800;
/** Longest that a source is late, 8 slots. */
const LATE_MS_MAX = 3_200;
/** Shorter than a merge waits for a source that is cut. */
const CUT_MS_MAX = 4_500;
/** Slots that a server notifies again after a cut, at most. */
const REPLAYED_SLOTS = 60;

/** Something that a source does at a time. */
export interface Planned {
  readonly atMs: number;
  readonly run: () => void;
}

/** An event of a source. */
interface ChainEvent {
  readonly atMs: number;
  readonly slot: number;
  readonly run: () => void;
  /** Of a write of a server, which may fail the slot there: the slot, and how many were before. */
  readonly bank?: Bank;
  readonly before?: number;
}

/** A time without a connection. */
interface Outage {
  readonly fromMs: number;
  readonly toMs: number;
  readonly isCut: boolean;
}

/** Plans all that one source notifies of a chain. */
export class HonestSource {
  readonly planned: Planned[] = [];
  /** The longest by which it is late while it is connected. */
  readonly lateMs: number;
  readonly #random: Random;
  readonly #source: FakeSource;
  readonly #chain: RandomChain;
  readonly #baseMs: number;
  readonly #jitterMs: number;
  #delayMs: number;
  #lastMs = 0;
  #heldMs = 0;
  #outage: Outage | null = null;

  /** With `isTroubled`, the source also pauses, disconnects, or is cut. */
  constructor(random: Random, source: FakeSource, chain: RandomChain, isTroubled: boolean) {
    this.#random = random;
    this.#source = source;
    this.#chain = chain;
    this.#baseMs = random.oneIn(3) ? 1_200 + random.nextBelow(2_000) : random.nextBelow(8) * 50;
    this.#jitterMs = random.nextBelow(3) * 100;
    this.#delayMs = this.#baseMs;
    const isServer = source.kind === 'grpc';
    const fails = isServer && random.oneIn(3);
    this.lateMs = Math.min(LATE_MS_MAX, this.#baseMs + this.#jitterMs) + (fails ? 2_200 : 0);
    const events = isServer ? this.#planServer() : this.#planNode();
    const troubles = isTroubled ? this.#chooseTroubles(isServer) : [];
    this.#sendAll(events, troubles, fails);
  }

  #sees({ isLost }: Bank): boolean {
    return !isLost || this.#random.oneIn(2);
  }

  /** Schedules all writes of a slot and the slot's status. */
  #planServer(): readonly ChainEvent[] {
    const source = this.#source;
    const random = this.#random;
    // Some servers notify of no slot before it is whole.
    const isBegun = !random.oneIn(4);
    const confirmedMs = CONFIRMED_MS + (random.oneIn(4) ? 600 : 0);
    const finalMs = FINAL_MS + (random.oneIn(4) ? 2_000 : 0);
    const events: ChainEvent[] = [];
    for (const bank of this.#chain.banks) {
      const { slot, parent, atMs, writes, isLost } = bank;
      if (!this.#sees(bank)) continue;
      const add = (afterMs: number, run: () => void) =>
        events.push({ atMs: atMs + afterMs, slot, run });
      if (isBegun) add(0, () => source.notifySlot(slot, 'begun', parent));
      writes.forEach((write, before) => {
        const run = () => this.#notifyWrite(write, slot);
        events.push({ atMs: write.atMs, slot, bank, before, run });
      });
      add(WHOLE_MS, () => source.notifySlot(slot, 'processed', parent));
      if (isLost) continue;
      add(confirmedMs, () => source.notifySlot(slot, 'confirmed', parent));
      add(finalMs, () => source.notifySlot(slot, 'finalized', null));
    }
    return events.sort((one, other) => one.atMs - other.atMs);
  }

  /**
   * Slots as they begin, and accounts at their end: of `programSubscribe` those that were written in a slot; of `accountSubscribe` (oracles, which
   * are never closed) those
   * that are not as they were when it notified last, which may be two slots ago, and on a fork.
   */
  #planNode(): readonly ChainEvent[] {
    const source = this.#source;
    const random = this.#random;
    const isByAccount = random.oneIn(2) && !this.#chain.hasClosed;
    const notified = new Map<string, number>();
    let isLeftOut = false;
    const events: ChainEvent[] = [];
    for (const bank of this.#chain.banks) {
      const { slot, parent, atMs, writes } = bank;
      if (!this.#sees(bank)) continue;
      events.push({ atMs, slot, run: () => source.notifySlot(slot, 'begun', parent) });
      if (!bank.isLost) isLeftOut = isByAccount && !isLeftOut && random.oneIn(5);
      if (isLeftOut && !bank.isLost) continue;
      const keys = isByAccount ? this.#chain.accounts : new Set(writes.map((one) => one.pubkey));
      for (const pubkey of keys) {
        const state = this.#chain.stateAt(pubkey, slot);
        if (isByAccount && (notified.get(pubkey) ?? 0) === state.slot) continue;
        notified.set(pubkey, state.slot);
        const run = () => this.#notifyWrite({ pubkey, data: state.data, atMs }, slot);
        events.push({ atMs: atMs + WHOLE_MS, slot, run });
      }
    }
    return events;
  }

  #notifyWrite({ pubkey, data }: ChainWrite, slot: number): void {
    const source = this.#source;
    if (data !== null) source.notifyWrite(pubkey, slot, data);
    // A node does not report closed accounts.
    else if (source.kind === 'grpc') source.notifyClosed(pubkey, slot);
  }

  #chooseTroubles(isServer: boolean): readonly string[] {
    const kinds = isServer ? ['stall', 'gap', 'cut'] : ['stall', 'gap'];
    return kinds.filter(() => this.#random.oneIn(2));
  }

  #sendAll(events: readonly ChainEvent[], troubles: readonly string[], fails: boolean): void {
    const random = this.#random;
    let nextMs = 4_000 + random.nextBelow(8_000);
    events.forEach((event, at) => {
      if (event.atMs > nextMs && event.atMs < this.#chain.endMs - FINAL_MS) {
        nextMs = event.atMs + 6_000 + random.nextBelow(10_000);
        this.#addTrouble(random.pickOne(troubles), event.atMs, events.slice(0, at));
      }
      if (fails && event.bank !== undefined && random.oneIn(60)) this.#failBlock(event.bank, event);
      this.#send(event, event.atMs);
    });
  }

  #addTrouble(kind: string | undefined, atMs: number, before: readonly ChainEvent[]): void {
    const random = this.#random;
    const lengthMs = 300 + random.nextBelow(5_000);
    if (kind === 'stall') this.#heldMs = atMs + lengthMs;
    if (kind !== 'gap' && kind !== 'cut') return;
    const isCut = kind === 'cut';
    const fromMs = Math.max(this.#lastMs, atMs + this.#delayMs) + 50;
    const toMs = fromMs + (isCut ? Math.min(lengthMs, CUT_MS_MAX) : lengthMs);
    this.#outage = { fromMs, toMs, isCut };
    this.#lastMs = fromMs;
    const source = this.#source;
    if (!isCut) {
      this.planned.push({ atMs: fromMs, run: () => source.listener?.onClosed('gone') });
      this.planned.push({ atMs: toMs, run: () => source.listener?.onOpened() });
      return;
    }
    this.planned.push({ atMs: fromMs, run: () => source.listener?.onInterrupted('cut') });
    const isOther = random.oneIn(2);
    const fromSlot = (before.at(-1)?.slot ?? 0) - random.nextBelow(REPLAYED_SLOTS);
    // A stream asks for slots again that it has had; the server may be another one of the address.
    const replayed = before.filter(({ slot }) => slot >= fromSlot);
    const version = random.nextBelow(5_000);
    this.planned.push({
      atMs: toMs,
      run: () => {
        if (isOther) source.version = version;
        source.listener?.onResumed();
        for (const { run } of replayed) run();
      },
    });
  }

  /** A server finds a slot dead before this write, and makes it again. */
  #failBlock({ slot, parent, atMs, writes }: Bank, event: ChainEvent): void {
    const source = this.#source;
    this.#send({ ...event, run: () => source.notifySlot(slot, 'dead', parent) }, event.atMs);
    this.#heldMs = event.atMs + 600 + this.#random.nextBelow(1_500);
    const begun = { atMs, slot, run: () => source.notifySlot(slot, 'begun', parent) };
    this.#send(begun, event.atMs);
    for (const write of writes.slice(0, event.before)) {
      this.#send({ atMs, slot, run: () => this.#notifyWrite(write, slot) }, event.atMs);
    }
  }

  /** Keeps the order of reports; a report during an outage comes after it, or never. */
  #send({ run }: ChainEvent, eventMs: number): void {
    const step = (this.#random.nextBelow(3) - 1) * 50;
    const delayMs = Math.min(this.#baseMs + this.#jitterMs, this.#delayMs + step);
    this.#delayMs = Math.max(this.#baseMs, delayMs);
    let atMs = Math.max(eventMs + this.#delayMs, this.#heldMs, this.#lastMs);
    this.#lastMs = atMs;
    const outage = this.#outage;
    if (outage !== null && atMs >= outage.fromMs && atMs < outage.toMs) {
      if (!outage.isCut) return;
      atMs = outage.toMs;
      this.#lastMs = atMs;
    }
    this.planned.push({ atMs, run });
  }
}
