/** The chain of a run: the truth that every node is asked for, and every book is compared with. */

import type { ProgramName } from '../../src/contract/program.js';
import { CLOCK_KEY } from '../../src/feed/model/queries.js';
import { LAYOUTS } from '../../src/sim/bytes/generated/layout.js';
import { keyOf } from '../../src/sim/bytes/keys.js';
import { Random } from '../../src/sim/random.js';
import { START_UNIX_MS } from './globals.js';
import { FIRST_SLOT, type LifeWrite, type MarketLife, SLOT_MS, writeOf } from './market-life.js';
import type { PlannedEvent, VirtualTime } from './virtual-time.js';

const SYSVAR_PROGRAM = 'Sysvar1111111111111111111111111111111111111';
/** Readings as of an earlier slot look this far back, and forks reach no further. */
const PAST_SLOTS = 64;
/** Kinds of the accounts that a scan finds, by the first bytes, which both programs have in common. */
const KINDS: ReadonlyMap<string, ScannedKind> = new Map([
  [LAYOUTS.drift.USER.discriminator, 'user'],
  [LAYOUTS.drift.PERP_MARKET.discriminator, 'perpMarket'],
  [LAYOUTS.drift.SPOT_MARKET.discriminator, 'spotMarket'],
  [LAYOUTS.drift.STATE.discriminator, 'state'],
]);

/** A kind that a scan finds. */
type ScannedKind = 'user' | 'perpMarket' | 'spotMarket' | 'state';

/** The kind of an account by its bytes, or by the first eight of them; undefined for another one. */
export function kindOfData(data: Uint8Array | undefined): ScannedKind | undefined {
  return KINDS.get(Buffer.from(data ?? []).toString('hex', 0, 8));
}

const NAME_BYTES = 32;
/** One slot in so many is skipped, as on the real chain. */
const SKIPPED_ONE_IN = 20;

/** One state of one account. */
export interface AccountState {
  readonly pubkey: string;
  /** Null is an account that is gone. */
  readonly write: LifeWrite | null;
  /** The slot that notifications of it carry. */
  readonly slot: number;
  /** From when on it was true. */
  readonly fromMs: number;
  /** Until when it was true. */
  untilMs: number;
  /** A later write of its slot follows: streams of writes have it, RPC nodes notify the last state of a slot. */
  readonly isPassing: boolean;
  /** What the account was before; null when there was none, or too long ago. */
  before: AccountState | null;
}

/** The state of a user that the chain never had: another one's bytes under a key of its own. */
export function madeUpUser(chain: ModelChain, random: Random): AccountState | null {
  const users = [...chain.accounts.values()].filter(
    ({ write }) => kindOfData(write?.data) === 'user',
  );
  const like = random.pickOne(users);
  if (like?.write == null) return null;
  const pubkey = keyOf(Uint8Array.from({ length: 32 }, () => random.nextBelow(256)));
  return {
    ...like,
    write: writeOf({ ...like.write, pubkey }),
    pubkey,
    slot: chain.slot,
    before: null,
  };
}

/** What nodes are notified of. */
export interface ChainListener {
  /** An account has another state. */
  handleState(state: AccountState): void;
  /** These slots are abandoned, and what was written in them is about to go back. */
  handleDeadSlots?(first: number, last: number): void;
  /** Some accounts went back. */
  handleFork?(): void;
  /** A slot began after one that ended; after a fork it follows an earlier one. */
  handleSlot(slot: number, ended: number, parent: number): void;
}

/** Slots that pass, and accounts that are written in them. */
export class ModelChain {
  readonly genesisHash: string;
  readonly program: ProgramName;
  readonly accounts = new Map<string, AccountState>();
  readonly #time: VirtualTime;
  readonly #life: MarketLife;
  readonly #random: Random;
  readonly #listeners: ChainListener[] = [];
  #slot = FIRST_SLOT;
  #hasForked = false;
  #isLiving = true;
  /** By how much the slot after the next one is late. */
  #stillMs = 0;
  readonly #closed = new Set<string>();
  /** The names of markets by key, where they are not those of their lives. */
  readonly #names = new Map<string, string>();
  /** The names that these get back. */
  readonly #restored = new Map<string, string>();
  /** The users that transactions wrote which are not confirmed yet, by slot. */
  readonly #usersWritten = new Map<number, Set<string>>();
  readonly #slotMs: number;
  readonly #startedMs: number;
  #nextSlot: PlannedEvent | null = null;
  /** What the next slot follows, when that is not the present one. */
  #parent: number | null = null;

  /** `startMs` is the moment of the first slot by the chain's clock; the start of the run by default. */
  constructor(options: {
    time: VirtualTime;
    life: MarketLife;
    seed: number;
    slotMs?: number;
    startMs?: number;
  }) {
    this.#time = options.time;
    this.#slotMs = options.slotMs ?? SLOT_MS;
    this.#startedMs = options.startMs ?? 0;
    this.#life = options.life;
    this.program = options.life.program;
    this.#random = new Random(options.seed);
    this.genesisHash = keyOf(Uint8Array.from({ length: 32 }, () => this.#random.nextBelow(256)));
    for (const write of this.#life.genesis) this.#setState(write.pubkey, write, FIRST_SLOT);
    this.#writeClock();
  }

  get slot(): number {
    return this.#slot;
  }

  /** Whether its accounts may be others than those of its life. */
  get hasForked(): boolean {
    return this.#hasForked;
  }

  listen(listener: ChainListener): void {
    this.#listeners.push(listener);
  }

  /** The chain's second in a slot. */
  secondOf(slot: number): number {
    const passedMs = this.#startedMs + (slot - FIRST_SLOT) * this.#slotMs;
    return Math.floor((START_UNIX_MS + passedMs) / 1_000);
  }

  /** Lets slots pass. */
  start(): void {
    this.#planSlot();
  }

  /** No slot passes until the next start. */
  stop(): void {
    this.#nextSlot?.cancel();
  }

  /** The process of the only validator is stopped: after the present slot none ends for so long, and none is left out. */
  standStill(ms: number): void {
    this.#stillMs = ms;
  }

  /** Replaces the whole of an account now, beside what its life writes; null closes it. */
  setAccount(pubkey: string, write: LifeWrite | null): void {
    this.#setState(pubkey, write, this.#slot);
  }

  /** The state of an account at the end of a slot; null when it did not exist. */
  stateAt(pubkey: string, slot: number): AccountState | null {
    let state = this.accounts.get(pubkey) ?? null;
    while (state !== null && state.slot > slot) state = state.before;
    return state;
  }

  /**
   * The fork of the last slots is abandoned: what was written in them goes back to what it was, under
   * the slot of the other fork. Returns how many accounts went back.
   */
  revertSlots(count: number): number {
    this.#hasForked = true;
    const last = this.#slot - count;
    for (const listener of this.#listeners) listener.handleDeadSlots?.(last, this.#slot);
    let reverted = 0;
    for (const { pubkey, slot } of [...this.accounts.values()]) {
      const before = slot >= last && pubkey !== CLOCK_KEY ? this.stateAt(pubkey, last - 1) : null;
      if (before === null) continue;
      this.#setState(pubkey, before.write, last);
      reverted += 1;
    }
    this.#parent = last - 1;
    for (const listener of this.#listeners) listener.handleFork?.();
    return reverted;
  }

  /** An account is closed, and stays so: what its life writes meanwhile does not happen. */
  closeAccount(pubkey: string): void {
    this.#hasForked = true;
    this.#closed.add(pubkey);
    if (this.#isUser(pubkey)) this.#recordUser(pubkey, this.#slot);
    this.#setState(pubkey, null, this.#slot);
  }

  /** Whether an account is a user, a market or an oracle, which the book has to let go. */
  canClose(pubkey: string): boolean {
    const data = this.accounts.get(pubkey)?.write?.data ?? Buffer.alloc(0);
    return pubkey !== CLOCK_KEY && data.length > 0 && kindOfData(data) !== 'state';
  }

  /** The users that transactions up to a slot wrote, by slot; each is taken once. */
  takeUsersWritten(
    slotMax: number,
  ): readonly (readonly [slot: number, users: readonly string[]])[] {
    const taken = [...this.#usersWritten].filter(([slot]) => slot <= slotMax);
    for (const [slot] of taken) this.#usersWritten.delete(slot);
    return taken.map(([slot, users]) => [slot, [...users]]);
  }

  /** A perp market of this name has another one from now on. */
  renameMarket(name: string, to: string): void {
    const isNamed = ({ write }: AccountState) =>
      kindOfData(write?.data) === 'perpMarket' && this.#nameOf(write) === name;
    const market = [...this.accounts.values()].find(isNamed);
    if (market === undefined) return;
    this.#hasForked = true;
    this.#names.set(market.pubkey, to);
    this.#setState(market.pubkey, market.write, this.#slot);
    this.#restored.set(market.pubkey, name);
  }

  /** Markets have the names of their lives again. */
  restoreNames(): void {
    for (const [pubkey, name] of this.#restored) {
      this.#names.set(pubkey, name);
      this.#setState(pubkey, this.accounts.get(pubkey)?.write ?? null, this.#slot);
      this.#names.delete(pubkey);
    }
    this.#restored.clear();
  }

  #nameOf(write: LifeWrite | null): string | undefined {
    const at = LAYOUTS[this.program].PERP_MARKET.name;
    return write?.data.toString('latin1', at, at + NAME_BYTES).trimEnd();
  }

  /** The write with the name that the market has now. */
  #named(write: LifeWrite | null): LifeWrite | null {
    const name = this.#names.get(write?.pubkey ?? '');
    if (write === null || name === undefined) return write;
    const data = Buffer.from(write.data);
    data.write(name.padEnd(NAME_BYTES), LAYOUTS[this.program].PERP_MARKET.name, 'latin1');
    return writeOf({ ...write, data });
  }

  /** From now on slots pass, and nothing is written in them but the Clock. */
  stopLife(): void {
    this.#isLiving = false;
  }

  /** Their lives go on with their next writes. */
  reopenAccounts(): void {
    this.#closed.clear();
  }

  #isUser(pubkey: string): boolean {
    return kindOfData(this.accounts.get(pubkey)?.write?.data) === 'user';
  }

  #recordUser(pubkey: string, slot: number): void {
    const users = this.#usersWritten.get(slot) ?? new Set();
    users.add(pubkey);
    this.#usersWritten.set(slot, users);
  }

  #planSlot(): void {
    // Slots are as the second of the chain: one that is skipped leaves its number out.
    const skipped = this.#random.oneIn(SKIPPED_ONE_IN) ? 1 : 0;
    const stillMs = this.#stillMs;
    this.#stillMs = 0;
    this.#nextSlot = this.#time.plan(stillMs + this.#slotMs * (1 + skipped), () => {
      this.#planSlot();
      this.#endSlot(1 + skipped);
    });
  }

  /** What was written in the slot is seen at its end, and the next one begins. */
  #endSlot(step: number): void {
    const from = this.#slot;
    // A slot of a fork that is abandoned is dead: the writes are of the next one.
    const written = this.#parent === null ? from : from + step;
    const lived = Array.from({ length: this.#isLiving ? step : 0 }, (_, at) =>
      this.#life.writesOf(from + at - FIRST_SLOT),
    ).flat();
    const last = new Map(lived.map((write) => [write.pubkey, write]));
    for (const write of lived)
      if (!this.#closed.has(write.pubkey)) {
        this.#setState(write.pubkey, write, written, last.get(write.pubkey) !== write);
        if (kindOfData(write.data) === 'user') this.#recordUser(write.pubkey, written);
      }
    this.#slot = from + step;
    const parent = this.#parent ?? from;
    this.#parent = null;
    for (const listener of this.#listeners) listener.handleSlot(this.#slot, from, parent);
    this.#writeClock();
  }

  #writeClock(): void {
    const data = Buffer.alloc(40);
    data.writeUInt32LE(this.#slot, 0);
    data.writeUInt32LE(this.secondOf(this.#slot), 32);
    const base64 = data.toString('base64');
    const write = { pubkey: CLOCK_KEY, owner: SYSVAR_PROGRAM, data, base64, zstd: '' };
    this.#setState(CLOCK_KEY, write, this.#slot);
  }

  #setState(pubkey: string, told: LifeWrite | null, slot: number, isPassing = false): void {
    const write = this.#named(told);
    const before = this.accounts.get(pubkey) ?? null;
    const fromMs = this.#time.nowMs;
    if (before !== null) before.untilMs = fromMs;
    const untilMs = Number.POSITIVE_INFINITY;
    const state = { pubkey, write, slot, fromMs, untilMs, isPassing, before };
    this.#forgetPast(state);
    this.accounts.set(pubkey, state);
    for (const listener of this.#listeners) listener.handleState(state);
  }

  #forgetPast(state: AccountState): void {
    let kept: AccountState = state;
    while (kept.before !== null && kept.slot >= this.#slot - PAST_SLOTS) kept = kept.before;
    kept.before = null;
  }
}
