import type { Timers } from '../../contract/timers.js';
import type { Log } from '../../rpc/log.js';
import type { ChainClock } from './chain-clock.js';

/** What the clock of this machine and the chain's are compared with, and by how much they may differ. */
export interface ClockSkewOptions {
  readonly clock: Pick<ChainClock, 'unixMs'>;
  readonly timers: Pick<Timers, 'unixMs'>;
  readonly log: Log;
  readonly skewMsMax: number;
}

/** How far the clock of this machine is from the chain's. */
export interface ClockSkewStats {
  /** Milliseconds that this machine's clock is ahead of the chain's; null before the chain's is known. */
  readonly clockSkewMs: number | null;
  /** Why that is too much; null when it is not. */
  readonly clockReason: string | null;
}

/**
 * Compares the clock of this machine with the chain's, and says when they differ by more than they may.
 * The chain's is an estimate of its validators, which is off by some seconds by nature; what is beyond
 * is a wrong clock of this machine, a node that is late, or a local chain that was moved in time.
 */
export class ClockSkew {
  readonly #options: ClockSkewOptions;
  #isReported = false;

  constructor(options: ClockSkewOptions) {
    this.#options = options;
  }

  get stats(): ClockSkewStats {
    const { clock, timers, skewMsMax } = this.#options;
    const chainMs = clock.unixMs();
    if (chainMs === null) return { clockSkewMs: null, clockReason: null };
    const clockSkewMs = timers.unixMs() - chainMs;
    const isTooMuch = Math.abs(clockSkewMs) > skewMsMax;
    return { clockSkewMs, clockReason: isTooMuch ? reasonOf(clockSkewMs, skewMsMax) : null };
  }

  /** Logs once when the difference becomes too much, and again only after it was small. */
  checkSkew(): void {
    const { log, skewMsMax } = this.#options;
    const { clockSkewMs, clockReason } = this.stats;
    if (clockReason !== null && !this.#isReported) {
      this.#isReported = true;
      log.warn({ clockSkewMs }, clockReason);
    } else if (clockSkewMs !== null && Math.abs(clockSkewMs) < skewMsMax / 2) {
      this.#isReported = false;
    }
  }
}

function reasonOf(skewMs: number, skewMsMax: number): string {
  const side = skewMs > 0 ? 'ahead of' : 'behind';
  const [isS, maxS] = [Math.abs(skewMs), skewMsMax].map((ms) => Math.round(ms / 1_000));
  return `this machine's clock is ${isS} s ${side} the chain's, must be within ${maxS} s`;
}
