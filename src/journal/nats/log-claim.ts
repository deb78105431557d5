import { Deferred } from '../../contract/deferred.js';
import type { Timers } from '../../contract/timers.js';
import { sleep } from '../../rpc/timers.js';
import { LOG_QUIET_MS } from '../model/limits.js';
import type { LogSetup, TakenLog } from '../model/log-place.js';
import { fencedError } from './connect.js';
import type { LastMessage, LogAppender } from './log-appender.js';
import { textOfId } from './message-id.js';

/** The timers of a claim. */
interface LogClaimParts {
  readonly timers: Timers;
  readonly signal: AbortSignal;
}

/**
 * Decides when a writer owns a log: as soon as the log has no other writer, or for a standby after
 * the failover.
 */
export class LogClaim {
  readonly #parts: LogClaimParts;
  /** Resolves with the position from which a standby takes over; null for a new log. */
  #taken: Deferred<TakenLog> | null;

  constructor({ isStandby = false }: LogSetup, parts: LogClaimParts) {
    this.#parts = parts;
    this.#taken = isStandby ? new Deferred() : null;
  }

  takeOver(taken: TakenLog): void {
    this.#taken?.resolve(taken);
  }

  /**
   * Resolves with the message after which this writer appends. Rejects with `LOG_FENCED` when
   * another core writes the log.
   */
  async whenOurs(appender: LogAppender): Promise<LastMessage> {
    if (this.#taken === null) return this.#waitUntilFree(appender);
    const taken = await this.#taken.promise;
    // A log that is lost later starts again like any other log.
    this.#taken = null;
    return taken;
  }

  /**
   * Waits until the log has no writer; the current writer continues, because two cores that take
   * the log from each other would both be useless.
   */
  async #waitUntilFree(appender: LogAppender): Promise<LastMessage> {
    const { timers, signal } = this.#parts;
    const last = await appender.readLast();
    if (last.sequence === 0) return last;
    await sleep(timers, LOG_QUIET_MS, signal);
    const now = await appender.readLast();
    for (let next = last.sequence + 1; next <= now.sequence; next += 1) {
      const id = await appender.readId(next);
      if (id !== null) throw fencedError(textOfId(id));
    }
    return now;
  }
}
