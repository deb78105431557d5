/** Figures of the last moments: rates, and quantiles of latencies. */
import { LATENCIES_MAX, LATENCY_AGE_MS_MAX, RATE_MS } from './limits.js';

/** A sum a second over the last five. */
export class RateWindow {
  /** One sum for each half second. */
  readonly #sums: number[] = new Array(RATE_MS / BUCKET_MS).fill(0);
  #bucket = 0;
  #startedMs: number | undefined;

  /** Adds to the current moment. */
  add(amount: number, nowMs: number): void {
    this.#advance(nowMs);
    const at = this.#bucket % this.#sums.length;
    this.#sums[at] = (this.#sums[at] ?? 0) + amount;
  }

  /** The mean of the last seconds, or of those since the start while they are fewer. */
  perSecond(nowMs: number): number {
    this.#advance(nowMs);
    // The last part has only begun.
    const coveredMs = RATE_MS - BUCKET_MS + (nowMs % BUCKET_MS);
    const spanMs = Math.min(coveredMs, nowMs - (this.#startedMs ?? nowMs));
    if (spanMs < BUCKET_MS) return 0;
    return (this.#sums.reduce((sum, one) => sum + one, 0) * 1_000) / spanMs;
  }

  #advance(nowMs: number): void {
    this.#startedMs ??= nowMs;
    const bucket = Math.floor(nowMs / BUCKET_MS);
    const passed = Math.min(this.#sums.length, bucket - this.#bucket);
    for (let step = 1; step <= passed; step += 1) {
      this.#sums[(bucket - passed + step) % this.#sums.length] = 0;
    }
    this.#bucket = Math.max(this.#bucket, bucket);
  }
}

const BUCKET_MS = 500;

/** Latencies of the last minute. */
export class LatencyWindow {
  #samples: (readonly [atMs: number, latencyMs: number])[] = [];

  add(latencyMs: number, nowMs: number): void {
    this.#samples.push([nowMs, latencyMs]);
    // Trimmed in steps, so that a sample costs nothing.
    if (this.#samples.length >= 2 * LATENCIES_MAX)
      this.#samples = this.#samples.slice(-LATENCIES_MAX);
  }

  /** Half of the latencies are at most p50, all but one in a hundred at most p99; null without any. */
  quantiles(nowMs: number): { readonly p50: number; readonly p99: number } | null {
    const recent = this.#samples
      .slice(-LATENCIES_MAX)
      .filter(([atMs]) => nowMs - atMs <= LATENCY_AGE_MS_MAX)
      .map(([, latencyMs]) => latencyMs)
      .sort((one, other) => one - other);
    const at = (part: number): number =>
      recent[Math.min(recent.length - 1, Math.floor(recent.length * part))] ?? 0;
    return recent.length === 0 ? null : { p50: at(0.5), p99: at(0.99) };
  }
}
