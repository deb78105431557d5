import type { Log } from '../../rpc/log.js';
import type { Timers } from '../../rpc/timers.js';
import { TROUBLE_LOG_INTERVAL_MS, TROUBLES_MAX } from './limits.js';

interface Trouble {
  loggedAtMs: number;
  /** How often it happened since it was logged. */
  unlogged: number;
}

/**
 * Logs what repeats while the book is not live, such as tries to connect: at once when it is new or
 * its reason is, then once a minute with the count.
 */
export class TroubleLog {
  readonly #log: Log;
  readonly #timers: Timers;
  readonly #troubles = new Map<string, Trouble>();

  constructor(log: Log, timers: Timers) {
    this.#log = log;
    this.#timers = timers;
  }

  info(message: string, reason: string, fields: object = {}): void {
    this.#write('info', { message, reason, fields });
  }

  warn(message: string, reason: string, fields: object = {}): void {
    this.#write('warn', { message, reason, fields });
  }

  /** The trouble is over: all that comes now is new. */
  clear(): void {
    this.#troubles.clear();
  }

  #write(
    level: 'info' | 'warn',
    { message, reason, fields }: { message: string; reason: string; fields: object },
  ): void {
    const name = this.#nameOf(message, reason);
    const before = this.#troubles.get(name);
    const nowMs = this.#timers.nowMs();
    if (before !== undefined && nowMs - before.loggedAtMs < TROUBLE_LOG_INTERVAL_MS) {
      before.unlogged += 1;
      return;
    }
    this.#troubles.set(name, { loggedAtMs: nowMs, unlogged: 0 });
    const unlogged = before?.unlogged ?? 0;
    this.#log[level](unlogged === 0 ? fields : { ...fields, unlogged }, message);
  }

  /** Reasons that hold numbers may be new each time: with too many of them the message counts. */
  #nameOf(message: string, reason: string): string {
    const name = `${message}: ${reason}`;
    return this.#troubles.has(name) || this.#troubles.size < TROUBLES_MAX ? name : message;
  }
}
