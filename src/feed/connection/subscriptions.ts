import { FeedError } from '../model/error.js';
import { ORACLES_MAX } from '../model/limits.js';
import type { FeedParts } from './parts.js';

/** The key of the system program, which is the oracle name of a market with a fixed price. */
const NO_ORACLE_KEY = '11111111111111111111111111111111';

/** The oracle subscriptions of one connection, which follow the markets. */
export class OracleSubscriptions {
  readonly #parts: FeedParts;
  #followed: ReadonlySet<string> = new Set();

  constructor(parts: FeedParts) {
    this.#parts = parts;
  }

  /** The subscribed oracles. */
  followedKeys(): readonly string[] {
    return [...this.#followed];
  }

  /**
   * Subscribes to new oracles and ends the subscriptions of oracles that no market names; resolves
   * with the new oracles.
   */
  async followMarkets(): Promise<readonly string[]> {
    const wanted = new Set(this.#parts.engine.oracleKeys());
    wanted.delete(NO_ORACLE_KEY);
    if (wanted.size > ORACLES_MAX) throw tooManyOraclesError(wanted.size);
    const added = [...wanted].filter((key) => !this.#followed.has(key));
    if (added.length === 0 && wanted.size === this.#followed.size) return [];
    await this.#parts.updates.followOracles([...wanted]);
    this.#followed = wanted;
    return added;
  }
}

function tooManyOraclesError(count: number): FeedError {
  const message = `oracles were ${count}, must be at most ${ORACLES_MAX}`;
  return new FeedError('ACCOUNTS_EXCEEDED', message, { count });
}
