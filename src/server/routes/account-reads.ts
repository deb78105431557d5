/**
 * Reads accounts from the RPC node for clients, so that no flood of requests becomes a flood of calls: an
 * account that several lists name is read once, calls are evenly spaced over all clients, and what is
 * requested meanwhile goes out together in the next one.
 */
import { LIMITS } from '../../config/limits.js';
import { ServerError } from '../transport/errors.js';

/** Reads accounts as base64, in the order of their keys; null where there is none. */
export type ReadAccounts = (keys: readonly string[]) => Promise<readonly (string | null)[]>;

/** Time as the calls see it, so that a test can hold it in its hand. */
export interface ReadClock {
  /** Monotonic milliseconds from an arbitrary origin. */
  nowMs(): number;
  /** Calls once after the delay. */
  after(delayMs: number, run: () => void): void;
}

const systemClock: ReadClock = {
  nowMs: () => performance.now(),
  after: (delayMs, run) => void setTimeout(run, delayMs).unref(),
};

/** One account that is requested, being read, or cached. */
interface AccountRead {
  readonly text: Promise<string | null>;
  /** When its call ended; undefined before. */
  endedAtMs: number | undefined;
}

/** An account that is in no call yet. */
interface WaitingRead {
  readonly key: string;
  readonly resolve: (text: string | null) => void;
  readonly reject: (error: unknown) => void;
}

/** The accounts that clients have requested lately. */
export class AccountReads {
  readonly #readAccounts: ReadAccounts;
  readonly #clock: ReadClock;
  readonly #reads = new Map<string, AccountRead>();
  /** In the order in which they came. */
  readonly #waiting: WaitingRead[] = [];
  #running = 0;
  #nextAtMs = Number.NEGATIVE_INFINITY;
  #isScheduled = false;

  constructor(readAccounts: ReadAccounts, clock: ReadClock = systemClock) {
    this.#readAccounts = readAccounts;
    this.#clock = clock;
  }

  /** Number of accounts that wait, are being read or are cached. */
  get size(): number {
    return this.#reads.size;
  }

  /** Throws RATE_LIMITED when too many accounts wait, and rejects with what a call rejects with. */
  read(keys: readonly string[]): Promise<readonly (string | null)[]> {
    this.#evictExpired();
    const missing = keys.filter((key) => !this.#reads.has(key));
    if (this.#waiting.length + missing.length > LIMITS.accountsWaitingMax) {
      const message = `${LIMITS.accountsWaitingMax} accounts are waiting to be read, which is the limit`;
      throw new ServerError('RATE_LIMITED', message);
    }
    for (const key of missing) this.#addRead(key);
    const texts = keys.map((key) => this.#reads.get(key)?.text ?? null);
    this.#callNext();
    return Promise.all(texts);
  }

  #addRead(key: string): void {
    if (this.#reads.has(key)) return;
    const text = new Promise<string | null>((resolve, reject) => {
      this.#waiting.push({ key, resolve, reject });
    });
    // A list that fails by one account waits for no other.
    text.catch(() => undefined);
    this.#reads.set(key, { text, endedAtMs: undefined });
  }

  /** Calls for those that wait, when the time for the next call has come; else later. */
  #callNext(): void {
    if (this.#isScheduled || this.#waiting.length === 0) return;
    if (this.#running >= LIMITS.accountCallsMax) return;
    const nowMs = this.#clock.nowMs();
    if (nowMs < this.#nextAtMs) {
      this.#isScheduled = true;
      this.#clock.after(Math.ceil(this.#nextAtMs - nowMs), () => {
        this.#isScheduled = false;
        this.#callNext();
      });
      return;
    }
    this.#nextAtMs = nowMs + LIMITS.accountCallSpacingMs;
    void this.#call(this.#waiting.splice(0, LIMITS.topMakersMax));
    this.#callNext();
  }

  async #call(asked: readonly WaitingRead[]): Promise<void> {
    this.#running += 1;
    try {
      const texts = await this.#readAccounts(asked.map(({ key }) => key));
      for (const [index, { resolve }] of asked.entries()) resolve(texts[index] ?? null);
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
    this.#running -= 1;
    const nowMs = this.#clock.nowMs();
    for (const { key } of asked) {
      const read = this.#reads.get(key);
      if (read !== undefined) read.endedAtMs = nowMs;
    }
    this.#callNext();
  }

  /** They are as many as are read in that time, which the spacing of the calls bounds. */
  #evictExpired(): void {
    const oldestMs = this.#clock.nowMs() - LIMITS.accountReadsKeptMs;
    for (const [key, { endedAtMs }] of this.#reads) {
      if (endedAtMs !== undefined && endedAtMs < oldestMs) this.#reads.delete(key);
    }
  }
}
