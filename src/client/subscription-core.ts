/**
 * Common parts of all subscriptions: a subscription is open until it is closed, aborted or
 * rejected, and then ends its listeners and loops.
 */
import { abortedBy } from './environment.js';
import { ClientError } from './error.js';
import { Listeners } from './listeners.js';

/** A `for await` loop of a subscription. */
interface Loop {
  end(end: { readonly error?: unknown }): void;
}

/** The state, the loops and the cleanups of one subscription. */
export class SubscriptionCore<L extends Loop> {
  readonly #onClose: () => void;
  readonly #loops = new Set<L>();
  readonly #cleanups = new Set<() => void>();
  readonly #errors = new Listeners<ClientError>();
  #error: ClientError | undefined;
  #isOpen = true;

  /** `onClose` is called once. */
  constructor(onClose: () => void) {
    this.#onClose = onClose;
  }

  /** The error that ended the subscription; undefined while it is open, and after closing. */
  get error(): ClientError | undefined {
    return this.#error;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** The loops that have not ended. */
  get loops(): Iterable<L> {
    return this.#loops;
  }

  /** Ends the subscription with ABORTED when the signal is aborted. */
  watchSignal(signal: AbortSignal | undefined): void {
    if (signal === undefined) return;
    const abort = (): void => this.end(abortedBy(signal));
    signal.addEventListener('abort', abort, { once: true });
    this.addCleanup(() => signal.removeEventListener('abort', abort));
    if (signal.aborted) abort();
  }

  /** Registers a listener for an end other than by closing; returns its unsubscribe function. */
  onError(listener: (error: ClientError) => void): () => void {
    return this.#errors.add(listener);
  }

  /** Adds a cleanup that runs at the end; returns a function that runs it earlier. */
  addCleanup(undo: () => void): () => void {
    const cleanup = (): void => {
      undo();
      this.#cleanups.delete(cleanup);
    };
    if (this.#isOpen) this.#cleanups.add(cleanup);
    else undo();
    return cleanup;
  }

  /**
   * Adds a loop; leaving the loop closes the subscription. After the end, a new loop ends
   * immediately.
   */
  addLoop(create: (onLeave: () => void) => L): L {
    const loop = create(() => {
      this.#loops.delete(loop);
      this.end(undefined);
    });
    if (this.#isOpen) this.#loops.add(loop);
    else loop.end({ error: this.#error });
    return loop;
  }

  /**
   * Ends the subscription: listeners are no longer called, and loops end with the error, if there
   * is one.
   */
  end(error: ClientError | undefined): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#error = error;
    for (const loop of [...this.#loops]) loop.end({ error });
    for (const cleanup of this.#cleanups) cleanup();
    this.#onClose();
    if (error !== undefined) this.#errors.emit(error);
    this.#errors.clear();
  }
}

/** The open subscriptions of one client, which closes all of them when it closes. */
export class OpenSubscriptions<S extends { readonly isOpen: boolean; close(): void }> {
  readonly #open = new Set<S>();
  #isClosed = false;

  /** Throws CLOSED after {@link OpenSubscriptions.closeAll}. */
  checkOpen(): void {
    if (this.#isClosed) throw new ClientError('CLOSED', 'the client was closed');
  }

  /**
   * Adds the subscription that `subscribe` creates; `onClose` is called when that subscription
   * ends.
   */
  add<One extends S>(subscribe: (onClose: () => void) => One, onClose: () => void): One {
    // It may be aborted during its creation.
    let made: One | undefined;
    made = subscribe(() => {
      if (made !== undefined) this.#open.delete(made);
      onClose();
    });
    // A listener of the connection may have closed the client.
    if (this.#isClosed) made.close();
    if (made.isOpen) this.#open.add(made);
    return made;
  }

  closeAll(): void {
    this.#isClosed = true;
    for (const subscription of [...this.#open]) subscription.close();
  }
}

/**
 * Values that several subscriptions share, by key: a value is created for its first user and ended
 * after its last user.
 */
export class SharedEntries<Value> {
  readonly #entries = new Map<string, { readonly value: Value; users: number }>();

  get size(): number {
    return this.#entries.size;
  }

  findEntry(key: string): Value | undefined {
    return this.#entries.get(key)?.value;
  }

  /** Adds a user to the value of a key; undefined when there is no such value. */
  joinEntry(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    entry.users += 1;
    return entry.value;
  }

  /** Adds an entry with one user. */
  addEntry(key: string, value: Value): Value {
    this.#entries.set(key, { value, users: 1 });
    return value;
  }

  /** Removes a user of a value; after the last user, calls `end` and deletes the value. */
  leaveEntry(key: string, value: Value, end: (value: Value) => void): void {
    const entry = this.#entries.get(key);
    if (entry?.value !== value) return;
    entry.users -= 1;
    if (entry.users > 0) return;
    end(value);
    this.#entries.delete(key);
  }

  deleteEntry(key: string): void {
    this.#entries.delete(key);
  }

  deleteAll(): void {
    this.#entries.clear();
  }

  /** Calls with every current entry. */
  eachEntry(call: (value: Value) => void): void {
    for (const { value } of [...this.#entries.values()]) call(value);
  }
}
