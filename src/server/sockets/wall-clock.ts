/** Steps of the system's clock beyond this are followed. */
const DRIFT_MS_MAX = 2;

/** Unix time in nanoseconds: finer than `Date.now`, which it follows when the system's clock is set. */
export class WallClock {
  #offsetMs = performance.timeOrigin;

  /** Unix nanoseconds of a time of `performance.now`. */
  toUnixNs(atMs: number): bigint {
    const drift = Date.now() - (this.#offsetMs + performance.now());
    if (Math.abs(drift) > DRIFT_MS_MAX) this.#offsetMs += drift;
    return BigInt(Math.round((this.#offsetMs + atMs) * 1_000_000));
  }
}
