import type { Timers } from '../../contract/timers.js';
import { sleep } from '../../rpc/timers.js';
import { LOG_QUIET_MS } from '../model/limits.js';
import type { LogSetup, TakenLog } from '../model/log-place.js';
import { fencedError } from './connect.js';
import type { LastMessage, LogAppender } from './log-appender.js';

/** By what a claim keeps time. */
export interface LogClaimParts {
  readonly timers: Timers;
  readonly signal: AbortSignal;
}

/** When a log is a writer's own: as soon as nobody writes it, or for a standby when that has taken it over. */
export class LogClaim {
  readonly #parts: LogClaimParts;
  /** Resolves with where a standby goes on; null for a log that is begun. */
  #taken: Promise<TakenLog> | null = null;
  #onTaken: (taken: TakenLog) => void = () => undefined;

  constructor({ isStandby = false }: LogSetup, parts: LogClaimParts) {
    this.#parts = parts;
    if (!isStandby) return;
    this.#taken = new Promise((resolve) => {
      this.#onTaken = resolve;
    });
  }

  /** The log was taken over, and goes on here. */
  takeOver(taken: TakenLog): void {
    this.#onTaken(taken);
  }

  /** Resolves with the message behind which this writer appends. Rejects with `LOG_FENCED` where another core writes the log. */
  async whenOurs(appender: LogAppender): Promise<Pick<LastMessage, 'sequence'>> {
    if (this.#taken === null) return this.#waitUntilFree(appender);
    const taken = await this.#taken;
    // Where the log is lost later, it is begun again as any other.
    this.#taken = null;
    return taken;
  }

  /** Two cores that take the log from each other would both be of no use: the one that writes it goes on. */
  async #waitUntilFree(appender: LogAppender): Promise<LastMessage> {
    const { timers, signal } = this.#parts;
    const last = await appender.readLast();
    if (last.sequence === 0) return last;
    await sleep(timers, LOG_QUIET_MS, signal);
    const now = await appender.readLast();
    if (now.sequence === last.sequence) return now;
    throw fencedError(now.id);
  }
}
