/** A sent ping and its waiters. */
interface Ping {
  readonly sentAtMs: number;
  readonly resolve: () => void;
}

/** The pings without a pong. The oldest unanswered ping ends its connection, so there are few. */
export class UnansweredPings {
  readonly #pings = new Map<number, Ping>();
  #sent = 0;

  /**
   * The time at which the oldest unanswered ping was sent, monotonic milliseconds; null when all
   * are answered.
   */
  get oldestAtMs(): number | null {
    const [oldest] = this.#pings.values();
    return oldest?.sentAtMs ?? null;
  }

  add(sentAtMs: number): { readonly id: number; readonly pong: Promise<void> } {
    this.#sent = (this.#sent % 1_000_000) + 1;
    const id = this.#sent;
    const pong = new Promise<void>((resolve) => this.#pings.set(id, { sentAtMs, resolve }));
    return { id, pong };
  }

  handlePong(id: number): void {
    this.#pings.get(id)?.resolve();
    this.#pings.delete(id);
  }

  /** Resolves all pings when the connection ends. */
  clear(): void {
    for (const { resolve } of this.#pings.values()) resolve();
    this.#pings.clear();
  }
}
