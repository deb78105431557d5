/** Figures of recent time: rates, and quantiles of latencies. */
import { LATENCIES_MAX, LATENCY_AGE_MS_MAX, RATE_MS } from './limits.js';

/** A sum per second over the last five seconds. */
export class RateWindow {
  /** One sum for each half second. */
  readonly #sums: number[] = new Array(RATE_MS / BUCKET_MS).fill(0);
  #bucket = 0;
  #startedMs: number | undefined;

  add(amount: number, nowMs: number): void {
    this.#advance(nowMs);
    const at = this.#bucket % this.#sums.length;
    this.#sums[at] = (this.#sums[at] ?? 0) + amount;
  }

  /** Returns the mean rate of the last seconds, or since the start if that is shorter. */
  perSecond(nowMs: number): number {
    this.#advance(nowMs);
    // The current bucket is incomplete.
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

/**
 * Latencies of the last minute, in reused arrays, because the strip reads all of them four times a
 * second.
 */
export class LatencyWindow {
  readonly #atMs = new Float64Array(LATENCIES_MAX);
  readonly #latencyMs = new Float64Array(LATENCIES_MAX);
  readonly #recent = new Float64Array(LATENCIES_MAX);
  #count = 0;

  add(latencyMs: number, nowMs: number): void {
    const at = this.#count % LATENCIES_MAX;
    this.#atMs[at] = nowMs;
    this.#latencyMs[at] = latencyMs;
    this.#count += 1;
  }

  /**
   * Returns the quantiles: half of the latencies are at most p50, and 99 in 100 are at most p99;
   * null when there are none.
   */
  quantiles(nowMs: number): { readonly p50: number; readonly p99: number } | null {
    let count = 0;
    for (let at = 0; at < Math.min(this.#count, LATENCIES_MAX); at += 1) {
      if (nowMs - (this.#atMs[at] ?? 0) > LATENCY_AGE_MS_MAX) continue;
      this.#recent[count] = this.#latencyMs[at] ?? 0;
      count += 1;
    }
    if (count === 0) return null;
    const sorted = this.#recent.subarray(0, count).sort();
    const at = (part: number): number => sorted[Math.min(count - 1, Math.floor(count * part))] ?? 0;
    return { p50: at(0.5), p99: at(0.99) };
  }
}
