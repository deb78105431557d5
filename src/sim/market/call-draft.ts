import {
  type LoggedEvent,
  type Patch,
  type ProgramCall,
  patchesBetween,
} from '../chain/program-call.js';
import { makerBytes, marketBytes } from './accounts.js';
import type { Maker, SimulatedMarket } from './model.js';
import type { SimulatedMarkets } from './simulated-markets.js';

interface Watched {
  readonly pubkey: string;
  readonly before: Buffer;
  readonly now: () => Buffer;
}

/**
 * Collects one transaction: accounts are captured before they change, events when they happen; the
 * patches are computed at the end.
 */
export class CallDraft {
  readonly #sim: SimulatedMarkets;
  readonly #watched = new Map<Maker | SimulatedMarket, Watched>();
  readonly #events: LoggedEvent[] = [];

  constructor(sim: SimulatedMarkets) {
    this.#sim = sim;
  }

  /** Captures an account; only the first call counts. */
  watchMaker(maker: Maker): void {
    const { program } = this.#sim;
    if (this.#watched.has(maker)) return;
    this.#watchAccount(maker, maker.pubkey, () => makerBytes(maker, program));
  }

  /** Captures the account of a market; only the first call counts. */
  watchMarket(market: SimulatedMarket): void {
    if (this.#watched.has(market)) return;
    this.#watchAccount(market, market.addresses.pubkey, () => marketBytes(this.#sim, market));
  }

  addEvent(event: LoggedEvent): void {
    this.#events.push(event);
  }

  /** Returns the transaction: all changes of the captured accounts, and the events in order. */
  toCall(): ProgramCall {
    const patches = Array.from(this.#watched.values()).flatMap(({ pubkey, before, now }): Patch[] =>
      patchesBetween(pubkey, { before, after: now() }),
    );
    return { patches, events: this.#events };
  }

  #watchAccount(subject: Maker | SimulatedMarket, pubkey: string, now: () => Buffer): void {
    this.#watched.set(subject, { pubkey, before: now(), now });
  }
}
