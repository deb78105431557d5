/** Shares a quota, or a queue, of the whole service among clients. */

/** The client of a request that waits. */
export interface QueuedClient {
  /** The key of the client's limits; undefined for a client without limits. */
  readonly client: string | undefined;
  /** Returns whether the client has disconnected, which cancels its request. */
  readonly isGone: () => boolean;
}

/**
 * A quota of which no client may hold more than the free remainder: the first client gets half of
 * the quota, the second client a quarter, and so on, so that a few clients never take all of it. A
 * client without a key, such as a client on this machine, may take the whole remainder.
 */
export class FairShare {
  readonly #max: number;
  readonly #held = new Map<string, number>();
  #used = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** The part of the quota that no client holds. */
  get free(): number {
    return this.#max - this.#used;
  }

  /** Takes a part of the quota; returns false when the client may not have as much. */
  take(client: string | undefined, amount = 1): boolean {
    const left = this.free - amount;
    const held = amount + (client === undefined ? 0 : (this.#held.get(client) ?? 0));
    if (left < 0 || (client !== undefined && held > left + 1)) return false;
    this.#used += amount;
    if (client !== undefined) this.#held.set(client, held);
    return true;
  }

  /** Gives back a part that was taken. */
  give(client: string | undefined, amount = 1): void {
    this.#used -= amount;
    if (client === undefined) return;
    const held = (this.#held.get(client) ?? 0) - amount;
    if (held > 0) this.#held.set(client, held);
    else this.#held.delete(client);
  }
}

/** Serves the requests of a queue so that clients take turns. */
export class ClientTurns {
  /** The number of the turn in which each waiting client was served last, or was before it came. */
  #served = new Map<string | undefined, number>();
  #count = 0;

  /**
   * Returns the first request of the client that was served longest ago; undefined without a
   * request. Newcomers come after clients that have waited for longer.
   */
  takeNext<T extends { readonly client: string | undefined }>(waiting: Iterable<T>): T | undefined {
    let next: T | undefined;
    let servedAt = Number.POSITIVE_INFINITY;
    const served = new Map<string | undefined, number>();
    for (const request of waiting) {
      const at = this.#served.get(request.client) ?? this.#count - 1;
      served.set(request.client, at);
      if (at >= servedAt) continue;
      next = request;
      servedAt = at;
    }
    // A client without waiting requests is forgotten.
    this.#served = served;
    if (next === undefined) return undefined;
    this.#count += 1;
    served.set(next.client, this.#count);
    return next;
  }
}
