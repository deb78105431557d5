import { type BookText, type Rows, readLevels, readOrders } from './book-text.js';
import type { ChainBook } from './chain-book.js';
import { Comparison, type Difference } from './comparison.js';
import { DIFFERENT_MS_MIN, LEVELS_MAX, LINES_MAX, SLOTS_BEHIND_MAX } from './limits.js';
import type { ServiceClient } from './service-client.js';

interface BothTexts {
  readonly orders: BookText;
  readonly levels: BookText;
}

/** The verdict on one market. */
export type Outcome = 'equal' | 'different' | 'undecided';

/** Reads one market repeatedly from the service and from the chain, until the result is certain. */
export class MarketRun {
  readonly #symbol: string;
  readonly #service: ServiceClient;
  readonly #chain: ChainBook;
  readonly #orders = new Comparison();
  readonly #levels = new Comparison();
  #lastOrders: BookText | null = null;
  /** The reason why the last reading could not be compared; null when it was compared. */
  #obstacle: string | null = null;

  constructor(parts: {
    readonly symbol: string;
    readonly service: ServiceClient;
    readonly chain: ChainBook;
  }) {
    this.#symbol = parts.symbol;
    this.#service = parts.service;
    this.#chain = parts.chain;
  }

  /** Whether more readings cannot change the result. */
  get decided(): boolean {
    return this.#obstacle === null && this.#orders.decided && this.#levels.decided;
  }

  get outcome(): Outcome {
    if (this.listDifferences().length > 0) return 'different';
    // Rows that change constantly are not judged; too short a series of readings is inconclusive.
    return this.decided || this.#orders.spanMs >= DIFFERENT_MS_MIN ? 'equal' : 'undecided';
  }

  /** Orders of the service in the last reading. */
  get orders(): number {
    return this.#lastOrders?.rows.size ?? 0;
  }

  /** Returns the confirmed differences; levels are listed only when the orders agree. */
  listDifferences(): readonly Difference[] {
    const orders = this.#orders.listDifferences();
    return orders.length > 0 ? orders : this.#levels.listDifferences();
  }

  /** Takes one reading. Rejects when the service does not reply. */
  async compareOnce(): Promise<void> {
    const before = this.#ofChain();
    const service = await this.#ofService();
    if (typeof service === 'string') {
      this.#obstacle = service;
      return;
    }
    const after = this.#ofChain();
    this.#obstacle =
      this.#chain.notLive() ?? notLiveReason(service.orders) ?? notLiveReason(before.orders);
    if (this.#obstacle !== null) return;
    this.#lastOrders = service.orders;
    const atMs = performance.now();
    this.#orders.addReading({
      service: withLag(service.orders, before.orders),
      before: before.orders.rows,
      after: after.orders.rows,
      atMs,
    });
    this.#levels.addReading({
      service: service.levels.rows,
      before: before.levels.rows,
      after: after.levels.rows,
      atMs,
    });
  }

  /** The result as an object. */
  report(): object {
    const { outcome, orders } = this;
    const { seq = null, slot = null } = this.#lastOrders ?? {};
    const reason = outcome === 'undecided' ? this.#undecidedReason() : null;
    const differences = this.listDifferences().slice(0, LINES_MAX);
    return { market: this.#symbol, outcome, orders, seq, slot, reason, differences };
  }

  reportLines(): readonly string[] {
    const symbol = this.#symbol;
    const differences = this.listDifferences();
    if (differences.length > 0) {
      const lines = differences.slice(0, LINES_MAX).map((one) => `${symbol} ${textOf(one)}`);
      const more = differences.length - lines.length;
      return more === 0 ? lines : [...lines, `${symbol} and ${more} more`];
    }
    if (this.outcome === 'undecided') return [`${symbol} not compared: ${this.#undecidedReason()}`];
    const { seq = 0, slot = 0 } = this.#lastOrders ?? {};
    const { moving } = this.#orders;
    const but = moving === 0 ? '' : ` but ${moving} that moved at each reading,`;
    return [`${symbol} equal${but} ${this.orders} orders seq ${seq} slot ${slot}`];
  }

  #undecidedReason(): string {
    return this.#obstacle ?? 'it differed for too short a time to tell; give it more --seconds';
  }

  #ofChain(): BothTexts {
    const orders = readOrders(this.#chain.l3(this.#symbol));
    return { orders, levels: readLevels(this.#chain.l2(this.#symbol, LEVELS_MAX)) };
  }

  /** Returns both bodies, or the reason why they are missing. */
  async #ofService(): Promise<BothTexts | string> {
    const query = `marketName=${encodeURIComponent(this.#symbol)}`;
    const l3 = await this.#service.getText(`/l3?${query}`);
    const l2 = await this.#service.getText(`/l2?${query}&depth=${LEVELS_MAX}`);
    const refused = [l3, l2].find(({ status }) => status !== 200);
    if (refused !== undefined) return `the service answered ${refused.status}`;
    return { orders: readOrders(l3.text), levels: readLevels(l2.text) };
  }
}

function notLiveReason({ state }: BookText): string | null {
  return state === 'live' ? null : `a book was ${state}`;
}

/** A book that claims to be live but lags far behind is wrong, whatever its rows are. */
export function withLag(
  service: Pick<BookText, 'slot' | 'rows'>,
  chain: Pick<BookText, 'slot'>,
): Rows {
  if (chain.slot - service.slot <= SLOTS_BEHIND_MAX) return service.rows;
  return new Map([...service.rows, ['slot', `more than ${SLOTS_BEHIND_MAX} slots behind`]]);
}

function textOf({ name, service, chain }: Difference): string {
  return `${name}: service ${service ?? 'none'}, chain ${chain ?? 'none'}`;
}
