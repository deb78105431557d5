/** A ping that was sent, and who waits for its pong. */
interface Ping {
  readonly sentAtMs: number;
  readonly resolve: () => void;
}

/** Own pings without a pong: the oldest of them ends its connection, so that they are few. */
export class UnansweredPings {
  readonly #pings = new Map<number, Ping>();
  #sent = 0;

  /** When the oldest was sent; null where each has its pong. */
  get oldestAtMs(): number | null {
    const [oldest] = this.#pings.values();
    return oldest?.sentAtMs ?? null;
  }

  /** Notes one that is being sent: its number, and what resolves with its pong or with the end of the connection. */
  add(sentAtMs: number): { readonly id: number; readonly pong: Promise<void> } {
    this.#sent = (this.#sent % 1_000_000) + 1;
    const id = this.#sent;
    const pong = new Promise<void>((resolve) => this.#pings.set(id, { sentAtMs, resolve }));
    return { id, pong };
  }

  /** Notes the pong of a ping. */
  handlePong(id: number): void {
    this.#pings.get(id)?.resolve();
    this.#pings.delete(id);
  }

  /** Nothing comes any more. */
  clear(): void {
    for (const { resolve } of this.#pings.values()) resolve();
    this.#pings.clear();
  }
}
