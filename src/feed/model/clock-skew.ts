import type { Timers } from '../../contract/timers.js';
import type { Log } from '../../rpc/log.js';
import type { ChainClock } from './chain-clock.js';

/** The compared clocks, and the tolerated difference. */
interface ClockSkewOptions {
  readonly clock: Pick<ChainClock, 'unixMs'>;
  readonly timers: Pick<Timers, 'unixMs'>;
  readonly log: Log;
  readonly skewMsMax: number;
}

/** The difference between this machine's clock and the chain's. */
export interface ClockSkewStats {
  /** Milliseconds that this machine's clock is ahead of the chain's; null until known. */
  readonly clockSkewMs: number | null;
  /** The reason why the difference is too large; null when it is not. */
  readonly clockReason: string | null;
}

/**
 * Compares this machine's clock with the chain's, and reports excessive differences. The chain's
 * clock is an estimate of its validators that is off by several seconds; a larger difference means
 * a wrong clock of this machine, a late node, or a local chain with a shifted time.
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

  /** Logs once when the difference becomes excessive, and again only after it was small. */
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
