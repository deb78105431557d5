/** A sent ping and its waiters. */
interface Ping {
  readonly sentAtMs: number;
  readonly resolve: () => void;
}

/** Pings without a pong: the oldest one ends its connection, so that they are few. */
export class UnansweredPings {
  readonly #pings = new Map<number, Ping>();
  #sent = 0;

  /** The send time of the oldest; null when all are answered. */
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

  /** Resolves all pings at the end of the connection. */
  clear(): void {
    for (const { resolve } of this.#pings.values()) resolve();
    this.#pings.clear();
  }
}
