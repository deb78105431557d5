import {
  ACCOUNTS_PER_READ,
  PROBE_OTHERS_IN_TURN,
  PROBES_PER_INTERVAL_MAX,
} from '../model/limits.js';
import type { FeedParts } from './parts.js';

/**
 * Returns the number of probes per interval with which all markets, State and oracles are read
 * within one interval, if possible: a lost message of one is then found within two seconds.
 */
export function probesPerInterval(others: number): number {
  const wanted = Math.ceil(others / PROBE_OTHERS_IN_TURN);
  return Math.max(1, Math.min(wanted, PROBES_PER_INTERVAL_MAX));
}

/**
 * Chooses the accounts for probes: recently notified users; markets, State and oracles in turn;
 * users in turn, which are those with orders where a probe has no room for all.
 */
export class ProbedKeys {
  readonly #parts: FeedParts;
  readonly #oracleKeys: () => readonly string[];
  #userAt = 0;
  #otherAt = 0;

  /** `oracleKeys` returns the followed oracles. */
  constructor(parts: FeedParts, oracleKeys: () => readonly string[]) {
    this.#parts = parts;
    this.#oracleKeys = oracleKeys;
  }

  /** Returns the markets, State and oracles of the last scan and of later notifications. */
  otherKeys(): readonly string[] {
    const { markets, texts } = this.#parts.memory;
    return [...new Set([...markets, ...texts.keys(), ...this.#oracleKeys()])];
  }

  /** Whether one of these is a market, State or oracle. */
  haveOther(keys: readonly string[]): boolean {
    const others = keys.length === 0 ? [] : this.otherKeys();
    return keys.some((key) => others.includes(key));
  }

  /** Returns the accounts of the next probe, including `first`; users in turn fill the rest. */
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
    const users = engine.usersInTurn(this.#userAt, ACCOUNTS_PER_READ - keys.length);
    this.#userAt = users.next;
    return [...new Set([...keys, ...users.keys])];
  }
}
