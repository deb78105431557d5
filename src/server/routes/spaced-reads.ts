/**
 * Rate-limits the reads of an RPC node on behalf of clients: a key in several requests is read
 * once, calls are evenly spaced over all clients, and keys requested in between share the next
 * call.
 */
import { FairShare } from '../../contract/fair-share.js';
import type { Timers } from '../../contract/timers.js';
import { ServerError } from '../transport/errors.js';

/** Reads a value for each key, in the order of the keys. */
type ReadValues<Value> = (keys: readonly string[]) => Promise<readonly Value[]>;

/** The read function and its rate. */
export interface SpacedReadsOptions<Value> {
  readonly read: ReadValues<Value>;
  /** Keys of one call at most. */
  readonly keysPerCall: number;
  /** The interval between two calls, over all clients. */
  readonly spacingMs: number;
  /** Calls in flight at most. */
  readonly callsMax: number;
  /** Keys that may wait for a call. */
  readonly waitingMax: number;
  /** How long a value, or the failure to read it, is reused for requests with its key. */
  readonly keptMs: number;
  readonly timers: Pick<Timers, 'nowMs' | 'after'>;
}

/** A value that is requested, being read, or cached. */
interface Read<Value> {
  readonly value: Promise<Value>;
  /** When its call ended; undefined before. */
  endedAtMs: number | undefined;
}

/** A key that no call has included yet, and the client that asked for it first. */
interface WaitingRead<Value> {
  readonly key: string;
  readonly client: string | undefined;
  readonly resolve: (value: Value) => void;
  readonly reject: (error: unknown) => void;
}

/** The values that clients have requested lately. */
export class SpacedReads<Value> {
  readonly #options: SpacedReadsOptions<Value>;
  readonly #timers: SpacedReadsOptions<Value>['timers'];
  readonly #reads = new Map<string, Read<Value>>();
  /** In the order in which they came. */
  readonly #waiting: WaitingRead<Value>[] = [];
  /** The keys that may still wait. */
  readonly #share: FairShare;
  #running = 0;
  #nextAtMs = Number.NEGATIVE_INFINITY;
  #isScheduled = false;

  constructor(options: SpacedReadsOptions<Value>) {
    this.#options = options;
    this.#timers = options.timers;
    this.#share = new FairShare(options.waitingMax);
  }

  /** The number of keys that wait, are being read or are cached. */
  get size(): number {
    return this.#reads.size;
  }

  /**
   * Returns the values of the keys. Throws RATE_LIMITED when too many keys wait, of all clients or
   * of this one; rejects with the error of a failed call.
   */
  read(keys: readonly string[], client?: string): Promise<readonly Value[]> {
    this.#evictExpired();
    const missing = new Set(keys.filter((key) => !this.#reads.has(key)));
    if (missing.size > 0 && !this.#share.take(client, missing.size)) {
      const message = `${this.#share.free} more reads of the RPC node may wait, and no address may have more of them than that`;
      throw new ServerError('RATE_LIMITED', message);
    }
    const values = keys.map((key) => this.#reads.get(key)?.value ?? this.#addRead(key, client));
    this.#callNext();
    return Promise.all(values);
  }

  #addRead(key: string, client: string | undefined): Promise<Value> {
    const value = new Promise<Value>((resolve, reject) => {
      this.#waiting.push({ key, client, resolve, reject });
    });
    // A request rejects at its first failed key, so failures of its other keys are handled here.
    value.catch(() => undefined);
    this.#reads.set(key, { value, endedAtMs: undefined });
    return value;
  }

  /** Calls for the waiting keys when the next call is due, otherwise schedules the call. */
  #callNext(): void {
    if (this.#isScheduled || this.#waiting.length === 0) return;
    const { callsMax, spacingMs, keysPerCall } = this.#options;
    if (this.#running >= callsMax) return;
    const nowMs = this.#timers.nowMs();
    if (nowMs < this.#nextAtMs) {
      this.#isScheduled = true;
      this.#timers.after(Math.ceil(this.#nextAtMs - nowMs), () => {
        this.#isScheduled = false;
        this.#callNext();
      });
      return;
    }
    this.#nextAtMs = nowMs + spacingMs;
    const called = this.#waiting.splice(0, keysPerCall);
    for (const { client } of called) this.#share.give(client);
    void this.#call(called);
    this.#callNext();
  }

  async #call(asked: readonly WaitingRead<Value>[]): Promise<void> {
    this.#running += 1;
    try {
      const values = await this.#options.read(asked.map(({ key }) => key));
      if (values.length !== asked.length) throw new Error('Invariant: each key has a value');
      for (const [index, value] of values.entries()) asked[index]?.resolve(value);
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
    this.#running -= 1;
    const nowMs = this.#timers.nowMs();
    for (const { key } of asked) {
      const read = this.#reads.get(key);
      if (read !== undefined) read.endedAtMs = nowMs;
    }
    this.#callNext();
  }

  /** The spacing of calls bounds the number of cached values. */
  #evictExpired(): void {
    const oldestMs = this.#timers.nowMs() - this.#options.keptMs;
    for (const [key, { endedAtMs }] of this.#reads) {
      if (endedAtMs !== undefined && endedAtMs < oldestMs) this.#reads.delete(key);
    }
  }
}

/** Keeps the code of an error but not its text, which may contain the node's address. */
export function nodeFailure(what: string, error: unknown): ServerError {
  if (error instanceof ServerError) return error;
  const code = (error as { readonly code?: unknown } | null)?.code;
  const reason = typeof code === 'string' && /^[A-Z_]+$/.test(code) ? code : 'the node failed';
  return new ServerError('NOT_READY', `${what} could not be read: ${reason}`);
}
