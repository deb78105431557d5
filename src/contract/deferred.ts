/** A promise with its two ends, which callers may pass on as they are. */
export class Deferred<Value> {
  resolve!: (value: Value) => void;
  reject!: (error: unknown) => void;
  readonly promise = new Promise<Value>((resolve, reject) => {
    this.resolve = resolve;
    this.reject = reject;
  });
}
