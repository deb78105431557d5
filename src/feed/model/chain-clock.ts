import type { Timers } from '../../contract/timers.js';
import { CHAIN_TIME_DRIFT_MAX, CHAIN_TIME_STEP_S_MAX, CLOCK_STEP_BACK_MIN_S } from './limits.js';

/**
 * Offsets of `Clock.slot` and `Clock.unix_timestamp`. Source: the Clock sysvar, five little-endian
 * words of 8 bytes.
 */
const SLOT_OFFSET = 0;
const UNIX_TIMESTAMP_OFFSET = 32;
const CLOCK_BYTES = 40;

/** A state of the Clock account. */
export interface ClockAccount {
  readonly slot: number;
  readonly unixSeconds: number;
}

/** Parses the Clock account, base64; null when malformed. */
export function parseClockAccount(base64: string): ClockAccount | null {
  const data = Buffer.from(base64, 'base64');
  if (data.length < CLOCK_BYTES) return null;
  const slot = Number(data.readBigUInt64LE(SLOT_OFFSET));
  const unixSeconds = Number(data.readBigInt64LE(UNIX_TIMESTAMP_OFFSET));
  const isSound = Number.isSafeInteger(slot) && Number.isSafeInteger(unixSeconds);
  return isSound ? { slot, unixSeconds } : null;
}

/** The local clocks; the wall clock is used only before the first state of the chain's Clock. */
type TimeSource = Pick<Timers, 'nowMs' | 'unixMs'>;

/**
 * The chain's slot and unix time. Between states of the Clock account, time advances with this
 * machine's monotonic clock, so that orders expire although the account changes in steps.
 */
export class ChainClock {
  readonly #time: TimeSource;
  #slot = 0;
  #slotKnown = false;
  #accountS: number | null = null;
  #timeKnown = false;
  #readAtMs = 0;
  #shownS = 0;
  /** The latest time of all states. */
  #latestS = 0;
  /** Minimum lead over the monotonic clock, widened by the allowed drift. */
  #aheadMsMin = 0;

  constructor(time: TimeSource) {
    this.#time = time;
  }

  /** The newest slot; 0 before the first. */
  get slot(): number {
    return this.#slot;
  }

  /**
   * Forgets the slot for a new connection or another chain: the next slot is accepted, even if it
   * is lower. Until then the last slot is published.
   */
  forgetSlot(): void {
    this.#slotKnown = false;
  }

  /**
   * Records an announced or read slot. Within a connection the slot never decreases: a lower slot
   * is late and ignored.
   */
  advanceTo(slot: number): void {
    if (this.#slotKnown && slot < this.#slot) return;
    this.#slotKnown = true;
    this.#slot = slot;
  }

  /** Whether a state of the Clock was read since the start, or since the time was forgotten. */
  get isTimeKnown(): boolean {
    return this.#timeKnown;
  }

  /** Forgets the time: the next state of the Clock is accepted unconditionally. */
  forgetTime(): void {
    this.#timeKnown = false;
  }

  /**
   * Returns whether the chain's time is plausible: it advances at most at the rate of this
   * machine's monotonic clock, and may have paused since the last state of the Clock. It is
   * compared with all states since the first one, so that many small steps gain no more than one.
   */
  admitsTime(unixSeconds: number): boolean {
    if (!this.#timeKnown || this.#accountS === null) return true;
    const nowMs = this.#time.nowMs();
    const aheadMs = Math.min(this.#aheadMsMinAt(nowMs), this.#accountS * 1_000 - this.#readAtMs);
    const earliestS = this.#latestS - CHAIN_TIME_STEP_S_MAX;
    const latestS = (nowMs + aheadMs) / 1_000 + CHAIN_TIME_STEP_S_MAX;
    return unixSeconds >= earliestS && unixSeconds <= latestS;
  }

  /** Reads a state of the Clock account, base64; returns false when it is malformed. */
  readAccount(base64: string): boolean {
    const account = parseClockAccount(base64);
    if (account === null) return false;
    const { unixSeconds } = account;
    // The time published before the first state came from this machine's clock, so it may step
    // back.
    if (this.#accountS === null) this.#shownS = unixSeconds;
    const nowMs = this.#time.nowMs();
    const aheadMs = unixSeconds * 1_000 - nowMs;
    this.#latestS = this.#timeKnown ? Math.max(this.#latestS, unixSeconds) : unixSeconds;
    this.#aheadMsMin = this.#timeKnown ? Math.min(this.#aheadMsMinAt(nowMs), aheadMs) : aheadMs;
    this.#accountS = unixSeconds;
    this.#timeKnown = true;
    this.#readAtMs = nowMs;
    return true;
  }

  /**
   * Returns the chain's time in whole seconds; before the first state of the Clock, this machine's
   * time.
   */
  unixSeconds(): number {
    const nowS = this.#extrapolatedS();
    if (this.#accountS === null) return nowS;
    const backS = this.#shownS - nowS;
    if (backS > 0 && backS < CLOCK_STEP_BACK_MIN_S) return this.#shownS;
    this.#shownS = nowS;
    return nowS;
  }

  /**
   * Returns the chain's time in unix milliseconds, accurate to a second; null before the first
   * state of the Clock.
   */
  unixMs(): number | null {
    if (this.#accountS === null) return null;
    return this.#accountS * 1_000 + this.#time.nowMs() - this.#readAtMs;
  }

  #aheadMsMinAt(nowMs: number): number {
    return this.#aheadMsMin + (nowMs - this.#readAtMs) * CHAIN_TIME_DRIFT_MAX;
  }

  #extrapolatedS(): number {
    if (this.#accountS === null) return Math.floor(this.#time.unixMs() / 1_000);
    return this.#accountS + Math.floor((this.#time.nowMs() - this.#readAtMs) / 1_000);
  }
}
