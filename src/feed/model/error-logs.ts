import type { AccountProblem } from '../../contract/accounts.js';
import type { Timers } from '../../contract/timers.js';
import type { Log } from '../../rpc/log.js';
import { PROBLEMS_LOGGED_MAX, TRANSIENT_ERRORS_MAX, TRANSIENT_LOG_INTERVAL_MS } from './limits.js';

interface RepeatedError {
  loggedAtMs: number;
  /** Occurrences since the last log line. */
  unlogged: number;
}

/**
 * Logs errors that repeat while the book is not live, such as failed connection attempts:
 * immediately for a new error or reason, then once a minute with their number.
 */
export class TransientErrorLog {
  readonly #log: Log;
  readonly #timers: Pick<Timers, 'nowMs'>;
  readonly #repeated = new Map<string, RepeatedError>();

  constructor(log: Log, timers: Pick<Timers, 'nowMs'>) {
    this.#log = log;
    this.#timers = timers;
  }

  logInfo(message: string, reason: string, fields: object = {}): void {
    this.#logOnce('info', { message, reason, fields });
  }

  logWarning(message: string, reason: string, fields: object = {}): void {
    this.#logOnce('warn', { message, reason, fields });
  }

  /** Call this when the errors have ended: the next error counts as new. */
  clear(): void {
    this.#repeated.clear();
  }

  #logOnce(
    level: 'info' | 'warn',
    { message, reason, fields }: { message: string; reason: string; fields: object },
  ): void {
    const name = this.#nameOf(message, reason);
    const before = this.#repeated.get(name);
    const nowMs = this.#timers.nowMs();
    if (before !== undefined && nowMs - before.loggedAtMs < TRANSIENT_LOG_INTERVAL_MS) {
      before.unlogged += 1;
      return;
    }
    this.#repeated.set(name, { loggedAtMs: nowMs, unlogged: 0 });
    const unlogged = before?.unlogged ?? 0;
    this.#log[level](unlogged === 0 ? fields : { ...fields, unlogged }, message);
  }

  /**
   * Returns the name under which an error is counted. Reasons with numbers may differ each time:
   * beyond a limit, the message alone identifies an error.
   */
  #nameOf(message: string, reason: string): string {
    const name = `${message}: ${reason}`;
    return this.#repeated.has(name) || this.#repeated.size < TRANSIENT_ERRORS_MAX ? name : message;
  }
}

/** Logs each unreadable account once; the engine counts all occurrences. */
export class ProblemLog {
  readonly #log: Log;
  readonly #named = new Set<string>();

  constructor(log: Log) {
    this.#log = log;
  }

  logProblems(problems: readonly AccountProblem[]): void {
    for (const { pubkey, code, message } of problems) {
      const name = `${pubkey ?? ''} ${code}`;
      if (this.#named.has(name) || this.#named.size >= PROBLEMS_LOGGED_MAX) continue;
      this.#named.add(name);
      this.#log.warn({ pubkey, code, problem: message }, 'an account is left out');
    }
  }
}
