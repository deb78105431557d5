import type { Timers } from '../../contract/timers.js';
import {
  CHAIN_TIME_AGREES_SECONDS,
  CHAIN_TIME_DOUBT_MS,
  CHAIN_TIME_RATE_MAX,
  CHAIN_TIME_SLACK_SECONDS,
  TS_MAX,
} from './limits.js';

/** The clocks that readings are compared with. */
interface ChainTimeSources {
  /** Their wall clock only confirms readings. */
  readonly timers: Pick<Timers, 'nowMs' | 'unixMs'>;
}

/** Readings of one node that no other source has confirmed yet. */
interface UnconfirmedReadings {
  /** The first of these readings, unix seconds; `atMs` is its arrival, monotonic milliseconds. */
  readonly firstTs: number;
  readonly atMs: number;
  /** The last of them. */
  readonly ts: number;
}

/**
 * The only clock of the history: the block time of the newest plausible finalised slot. It is never
 * ahead of the readings.
 *
 * Neither a single node nor the machine's clock is trusted alone. A reading is accepted when it
 * advanced at the rate of local time, when the wall clock or a transaction's own time agrees with
 * it, or when the node has repeated it consistently for `CHAIN_TIME_DOUBT_MS`.
 */
export class ChainTime {
  readonly #sources: ChainTimeSources;
  #shown: number | null = null;
  #isKnown = false;
  /** The highest plausible reading at the time `#boundAtMs`, unix seconds. */
  #bound = 0;
  #boundAtMs = 0;
  #doubt: UnconfirmedReadings | null = null;

  constructor(sources: ChainTimeSources) {
    this.#sources = sources;
  }

  /**
   * The chain's time, unix seconds; before the first reading, the time of the newest stored record,
   * or null.
   */
  get seconds(): number | null {
    return this.#shown;
  }

  /**
   * The chain's time as read in this run, unix seconds; null before the first plausible reading.
   */
  get readSeconds(): number | null {
    return this.#isKnown ? this.#shown : null;
  }

  /** Restarts from another store; `storedTs` is the time of its newest record. */
  restartFrom(storedTs: number | null): void {
    this.#shown = storedTs;
    this.#isKnown = false;
    this.#doubt = null;
  }

  /** Adds the block time of a finalised slot, unix seconds. */
  addReading(ts: number): void {
    if (!Number.isSafeInteger(ts) || ts < 0 || ts > TS_MAX) return;
    const isNext = this.#isKnown && this.#isContinuous(ts);
    if (isNext) this.#accept(Math.max(ts, this.#shown ?? ts), this.#boundNow());
    else if (this.#agreesWithWall(ts) || this.#isLasting(ts)) this.#accept(ts, TS_MAX);
  }

  /**
   * Adds the time of a transaction that was just stored. It can confirm a doubted reading; in a new
   * store it is the time until the first reading, if the wall clock agrees.
   */
  addRecordTime(ts: number): void {
    const doubt = this.#doubt;
    if (this.#shown === null && this.#agreesWithWall(ts)) this.#shown = ts;
    if (doubt === null || Math.abs(ts - doubt.ts) > CHAIN_TIME_AGREES_SECONDS) return;
    // A back-fill stores old records, so a record cannot confirm a step back.
    if (doubt.ts >= (this.#shown ?? 0)) this.#accept(doubt.ts, TS_MAX);
  }

  /** Whether the wall clock is near the chain's time; false while the chain's time is unknown. */
  get isWallNear(): boolean {
    return this.#isKnown && this.#shown !== null && this.#agreesWithWall(this.#shown);
  }

  #accept(ts: number, boundMax: number): void {
    this.#shown = ts;
    this.#isKnown = true;
    this.#bound = Math.min(boundMax, ts + CHAIN_TIME_SLACK_SECONDS);
    this.#boundAtMs = this.#sources.timers.nowMs();
    this.#doubt = null;
  }

  /**
   * Returns whether a reading continues the time; a node that lags slightly reports an earlier
   * time, which changes nothing.
   */
  #isContinuous(ts: number): boolean {
    const shown = this.#shown ?? 0;
    return ts >= shown - CHAIN_TIME_AGREES_SECONDS && ts <= this.#boundNow();
  }

  #boundNow(): number {
    return this.#bound + this.#allowedSince(this.#boundAtMs);
  }

  #allowedSince(atMs: number): number {
    return ((this.#sources.timers.nowMs() - atMs) / 1_000) * CHAIN_TIME_RATE_MAX;
  }

  #agreesWithWall(ts: number): boolean {
    return Math.abs(this.#sources.timers.unixMs() / 1_000 - ts) <= CHAIN_TIME_AGREES_SECONDS;
  }

  /**
   * Returns whether the doubted readings have advanced with local time for long enough; a jump
   * restarts the count.
   */
  #isLasting(ts: number): boolean {
    const nowMs = this.#sources.timers.nowMs();
    const doubt = this.#doubt;
    const gained = ts - (doubt?.firstTs ?? ts);
    const isSame =
      doubt !== null &&
      gained >= -CHAIN_TIME_SLACK_SECONDS &&
      gained <= this.#allowedSince(doubt.atMs) + CHAIN_TIME_SLACK_SECONDS;
    this.#doubt = isSame ? { ...doubt, ts } : { firstTs: ts, atMs: nowMs, ts };
    const goneMs = nowMs - this.#doubt.atMs;
    // A time that hardly advances is rejected.
    return goneMs >= CHAIN_TIME_DOUBT_MS && gained * 2_000 >= goneMs;
  }
}
