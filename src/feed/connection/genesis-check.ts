import { readGenesisHash } from '../../rpc/methods.js';
import { FeedError, throwIfStopped } from '../model/error.js';
import { GENESIS_INTERVAL_MS, SLOT_CHECK_INTERVAL_MS } from '../model/limits.js';
import type { FeedParts } from './parts.js';

/**
 * The chain of a connection, which has one. On another chain its slots are meaningless, and its
 * subscriptions may still be on the previous chain: only a new connection is certainly on the new
 * chain.
 */
export class GenesisCheck {
  readonly #parts: FeedParts;
  #genesis: string | null = null;
  #dueAtMs = Number.POSITIVE_INFINITY;
  #isDoubted = false;

  constructor(parts: FeedParts) {
    this.#parts = parts;
  }

  /**
   * Reads the chain before the accounts; `enter` decides whether it may be followed.
   *
   * # Errors
   * Rejects with GENESIS_MISMATCH when the connection had another chain before.
   */
  async beginChain(enter: (genesis: string) => void, signal: AbortSignal): Promise<void> {
    const genesis = await this.#readChain(signal);
    const before = this.#genesis;
    this.#genesis = genesis;
    enter(genesis);
    this.#requireSame(before, genesis);
  }

  /**
   * Reads the chain again when due: the node may have named a wrong one when the connection began.
   *
   * # Errors
   * Rejects with GENESIS_MISMATCH when two readings name another chain.
   */
  async checkIfDue(signal: AbortSignal): Promise<void> {
    if (this.#parts.timers.nowMs() < this.#dueAtMs) return;
    const genesis = await this.#readChain(signal).catch(() => this.#genesis);
    if (this.#isDoubted) this.#requireSame(this.#genesis, genesis);
    this.#isDoubted = genesis !== this.#genesis;
    if (this.#isDoubted) this.#dueAtMs = this.#parts.timers.nowMs() + SLOT_CHECK_INTERVAL_MS;
  }

  async #readChain(signal: AbortSignal): Promise<string> {
    const { rpc, timers } = this.#parts;
    this.#dueAtMs = Number.POSITIVE_INFINITY;
    const genesis = await readGenesisHash(rpc, { signal }).finally(() => {
      this.#dueAtMs = timers.nowMs() + GENESIS_INTERVAL_MS;
    });
    throwIfStopped(signal);
    return genesis;
  }

  #requireSame(before: string | null, genesis: string | null): void {
    if (before === null || before === genesis) return;
    const message = `genesis hash was ${genesis}, must be ${before} on this connection`;
    throw new FeedError('GENESIS_MISMATCH', message);
  }
}
