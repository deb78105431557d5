import { CLOCK_STEP_BACK_MIN_S } from './limits.js';

/** `Clock.unix_timestamp`. Source: the Clock sysvar, five little-endian words of 8 bytes. */
const UNIX_TIMESTAMP_OFFSET = 32;
const CLOCK_BYTES = 40;

/** Where time comes from; both in milliseconds. */
export interface TimeSource {
  /** Never steps: only differences of it are used. */
  readonly monotonicMs: () => number;
  /** Since 1970, used before the first state of the chain's clock only. */
  readonly wallMs: () => number;
}

/**
 * The chain's slot and unix time. Between states of the Clock account time advances with the
 * monotonic clock of this machine, so that orders expire although the account moves in steps.
 */
export class ChainClock {
  readonly #time: TimeSource;
  #slot = 0;
  #slotKnown = false;
  #accountS: number | null = null;
  #readAtMs = 0;
  #shownS = 0;

  constructor(time: TimeSource) {
    this.#time = time;
  }

  /** The newest slot; 0 before the first. */
  get slot(): number {
    return this.#slot;
  }

  /**
   * A new connection or another chain: its next slot counts, though it may be lower. Until then the
   * last one is shown.
   */
  forgetSlot(): void {
    this.#slotKnown = false;
  }

  /** A slot announced or read. On one connection the clock never goes back: a lower one is late. */
  advanceTo(slot: number): void {
    if (this.#slotKnown && slot < this.#slot) return;
    this.#slotKnown = true;
    this.#slot = slot;
  }

  /** Takes a state of the Clock account, base64; false when it is not one. */
  readAccount(base64: string): boolean {
    const data = Buffer.from(base64, 'base64');
    if (data.length < CLOCK_BYTES) return false;
    const unixSeconds = Number(data.readBigInt64LE(UNIX_TIMESTAMP_OFFSET));
    if (!Number.isSafeInteger(unixSeconds)) return false;
    // What was published before the first state was another clock's.
    if (this.#accountS === null) this.#shownS = unixSeconds;
    this.#accountS = unixSeconds;
    this.#readAtMs = this.#time.monotonicMs();
    return true;
  }

  /** The chain's time in whole seconds; this machine's before the first state of the Clock. */
  unixSeconds(): number {
    const nowS = this.#extrapolatedS();
    if (this.#accountS === null) return nowS;
    const backS = this.#shownS - nowS;
    if (backS > 0 && backS < CLOCK_STEP_BACK_MIN_S) return this.#shownS;
    this.#shownS = nowS;
    return nowS;
  }

  #extrapolatedS(): number {
    if (this.#accountS === null) return Math.floor(this.#time.wallMs() / 1_000);
    return this.#accountS + Math.floor((this.#time.monotonicMs() - this.#readAtMs) / 1_000);
  }
}
