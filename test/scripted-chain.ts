/** A chain that exists in memory only: real accounts, ticking slots, and every write written down. */
import { CLOCK_KEY } from '../src/feed/model/queries.js';
import { keyOf } from '../src/sim/bytes/keys.js';
import { type AccountWrite, MarketSimulator } from '../src/sim/market/market-simulator.js';
import { Random } from '../src/sim/random.js';
import { zstdFrame } from './support/zstd-frame.js';

const SYSVAR_PROGRAM = 'Sysvar1111111111111111111111111111111111111';
const SLOT_MS = 400;
/** How often writes that fell due are made. */
const BEAT_MS = 10;
/** Writes that may fall due while the process was busy; what is beyond is given up. */
const DUE_MAX = 50;

/** The whole new state of one account, as the chain wrote it. */
export interface ChainWrite {
  readonly pubkey: string;
  readonly owner: string;
  /** Null is the end of the account. */
  readonly bytes: Buffer | null;
  readonly slot: number;
}

/** What the chain tells whoever serves it, in its order. */
export interface ChainListener {
  written(write: ChainWrite): void;
  ticked(slot: { readonly slot: number; readonly parent: number; readonly root: number }): void;
}

/**
 * A life of real accounts in real time, for processes that read it over sockets, at any rate: tests in one process have the
 * model chain of `simulation`. It has no network.
 */
export class ScriptedChain {
  readonly genesisHash: string;
  /** All writes but those of the Clock, in their order; the first ones are the first state. */
  readonly writes: ChainWrite[] = [];
  readonly life: MarketSimulator;
  readonly #accounts = new Map<string, ChainWrite>();
  readonly #listeners = new Set<ChainListener>();
  #slot = 1_000;
  #timers: NodeJS.Timeout[] = [];
  #perMs = 0;
  #due = 0;
  #dueAtMs = 0;

  /** The same options and clocks give the same writes, each of which is seen at once. */
  constructor({ seed, makers }: { readonly seed: number; readonly makers: number }) {
    const random = new Random(seed);
    this.genesisHash = keyOf(Uint8Array.from({ length: 32 }, () => random.nextBelow(256)));
    this.life = new MarketSimulator({ seed, makers, statusChanges: 'some' });
    for (const account of this.life.createGenesis(this.clock)) this.write(account);
    this.#writeClock();
  }

  get slot(): number {
    return this.#slot;
  }

  /** The chain's second is this machine's. */
  get clock(): { readonly slot: number; readonly unixSeconds: number } {
    return { slot: this.#slot, unixSeconds: Math.floor(Date.now() / 1_000) };
  }

  /** Every account with its last write. */
  get accounts(): ReadonlyMap<string, ChainWrite> {
    return this.#accounts;
  }

  /** Markets with a book. */
  get markets(): readonly { readonly name: string; readonly account: string }[] {
    return this.life.markets.map(({ name, addresses }) => ({ name, account: addresses.pubkey }));
  }

  listen(listener: ChainListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Lets slots pass. */
  start(): void {
    this.#timers.push(setInterval(() => this.#beginSlot(), SLOT_MS));
    this.#timers.push(setInterval(() => this.#live(), BEAT_MS));
  }

  stop(): void {
    for (const timer of this.#timers.splice(0)) clearInterval(timer);
  }

  /** Makes this many writes a second from now on; 0 ends it. */
  load(perSecond: number): void {
    this.#perMs = perSecond / 1_000;
    this.#due = 0;
    this.#dueAtMs = performance.now();
  }

  /** Writes one account now. */
  write({ pubkey, owner, data }: AccountWrite): ChainWrite {
    return this.#write({ pubkey, owner, bytes: data });
  }

  #beginSlot(): void {
    const parent = this.#slot;
    this.#slot += 1;
    const slot = this.#slot;
    for (const listener of this.#listeners) listener.ticked({ slot, parent, root: slot - 31 });
    this.#writeClock();
  }

  #writeClock(): void {
    const { slot, unixSeconds } = this.clock;
    const bytes = Buffer.alloc(40);
    bytes.writeBigUInt64LE(BigInt(slot), 0);
    bytes.writeBigInt64LE(BigInt(unixSeconds), 32);
    this.#write({ pubkey: CLOCK_KEY, owner: SYSVAR_PROGRAM, bytes });
  }

  #write(account: Pick<ChainWrite, 'pubkey' | 'owner' | 'bytes'>): ChainWrite {
    const write = { ...account, slot: this.#slot };
    this.#accounts.set(account.pubkey, write);
    if (account.pubkey !== CLOCK_KEY) this.writes.push(write);
    for (const listener of this.#listeners) listener.written(write);
    return write;
  }

  #live(): void {
    const nowMs = performance.now();
    this.#due = Math.min(DUE_MAX, this.#due + (nowMs - this.#dueAtMs) * this.#perMs);
    this.#dueAtMs = nowMs;
    while (this.#due >= 1) {
      const writes = this.life.nextWrites(this.clock);
      for (const account of writes) this.write(account);
      this.#due -= writes.length;
    }
  }
}

/** How an RPC tells an account's bytes. */
export type Encoding = 'base64' | 'base64+zstd';

const texts = new WeakMap<Buffer, Partial<Record<Encoding, string>>>();

/** The bytes as text; each is made once, whoever asks. */
export function encoded(bytes: Buffer, encoding: Encoding): string {
  const known = texts.get(bytes) ?? {};
  texts.set(bytes, known);
  known[encoding] ??= (encoding === 'base64' ? bytes : zstdFrame(bytes)).toString('base64');
  return known[encoding];
}
