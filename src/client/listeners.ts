/** The listeners of one event. */
export class Listeners<Value> {
  readonly #calls = new Set<(value: Value) => void>();

  get size(): number {
    return this.#calls.size;
  }

  /** Adds a listener; returns its unsubscribe function. A function that is added twice is called twice. */
  add(listener: (value: Value) => void): () => void {
    const call = (value: Value): void => listener(value);
    this.#calls.add(call);
    return () => void this.#calls.delete(call);
  }

  /** Calls every listener. An error of a listener is thrown after all were called. */
  emit(value: Value): void {
    for (const call of [...this.#calls]) {
      // An earlier listener may have removed it.
      if (!this.#calls.has(call)) continue;
      try {
        call(value);
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }

  clear(): void {
    this.#calls.clear();
  }
}

/**
 * Values for one `for await` reader. A slow reader skips replaced values: only the latest value of
 * each key waits, in the order in which the keys first came.
 */
export class LatestValues<Value> implements AsyncIterableIterator<Value> {
  readonly #onEnd: () => void;
  readonly #waiting = new Map<unknown, Value>();
  #wake: (() => void) | undefined;
  #lastCall: Promise<unknown> = Promise.resolve();
  #end: { readonly error?: unknown } | undefined;

  /** `onEnd` is called once, when the reader leaves or the values end. */
  constructor(onEnd: () => void = () => {}) {
    this.#onEnd = onEnd;
  }

  /** Adds a value, which replaces a waiting value with the same `key`. */
  push(value: Value, key?: unknown): void {
    if (this.#end !== undefined) return;
    this.#waiting.set(key, value);
    this.#wake?.();
  }

  /** Ends the loop after the waiting values; with an error, the reader then throws it. */
  end(end: { readonly error?: unknown } = {}): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    this.#wake?.();
    this.#onEnd();
  }

  /** Concurrent calls are resolved in their order. */
  next(): Promise<IteratorResult<Value>> {
    const result = this.#lastCall.then(() => this.#takeNext());
    this.#lastCall = result.catch(() => {});
    return result;
  }

  async return(): Promise<IteratorResult<Value>> {
    this.#waiting.clear();
    this.end();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async #takeNext(): Promise<IteratorResult<Value>> {
    for (;;) {
      for (const [key, value] of this.#waiting) {
        this.#waiting.delete(key);
        return { done: false, value };
      }
      if (this.#end !== undefined) return this.#takeEnd();
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #takeEnd(): IteratorResult<Value> {
    const { error } = this.#end ?? {};
    this.#end = {};
    if (error !== undefined) throw error;
    return { done: true, value: undefined };
  }
}
