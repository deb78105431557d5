import {
  ACCOUNTS_PER_READ,
  PROBE_INTERVALS_A_TURN,
  PROBE_OTHERS_IN_TURN,
  PROBES_PER_INTERVAL_MAX,
} from '../model/limits.js';
import type { FeedParts } from './parts.js';

/** How many probes it takes to read so many markets, State and oracles in a few intervals, if that is possible. */
export function probesPerInterval(others: number): number {
  const reads = Math.ceil(others / PROBE_OTHERS_IN_TURN);
  const wanted = Math.ceil(reads / PROBE_INTERVALS_A_TURN);
  return Math.max(1, Math.min(wanted, PROBES_PER_INTERVAL_MAX));
}

/** The accounts that probes read: users that were notified last, markets, State and oracles in turn, users with orders in turn. */
export class ProbedKeys {
  readonly #parts: FeedParts;
  readonly #oracleKeys: () => readonly string[];
  #userAt = 0;
  #otherAt = 0;

  /** `oracleKeys` are the oracles that are followed. */
  constructor(parts: FeedParts, oracleKeys: () => readonly string[]) {
    this.#parts = parts;
    this.#oracleKeys = oracleKeys;
  }

  /** Markets, State and oracles: those of the last scan, and those that were notified since. */
  otherKeys(): readonly string[] {
    const { markets, texts } = this.#parts.memory;
    return [...new Set([...markets, ...texts.keys(), ...this.#oracleKeys()])];
  }

  /** The accounts of the next probe, `first` among them; users in turn fill it. */
  nextKeys(first: readonly string[]): readonly string[] {
    const { memory, engine } = this.#parts;
    const others = this.otherKeys();
    const othersFrom = this.#otherAt < others.length ? this.#otherAt : 0;
    this.#otherAt = othersFrom + PROBE_OTHERS_IN_TURN;
    const keys = [
      ...first,
      ...memory.recentUsers.keys(),
      ...others.slice(othersFrom, this.#otherAt),
    ].slice(0, ACCOUNTS_PER_READ);
    const users = engine.usersWithOrders(this.#userAt, ACCOUNTS_PER_READ - keys.length);
    this.#userAt = users.next;
    return [...new Set([...keys, ...users.keys])];
  }
}
