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
 * One transaction in the making: accounts are watched before they change, events are noted as they
 * happen, and the result is read at the end.
 */
export class CallDraft {
  readonly #sim: SimulatedMarkets;
  readonly #watched = new Map<Maker | SimulatedMarket, Watched>();
  readonly #events: LoggedEvent[] = [];

  constructor(sim: SimulatedMarkets) {
    this.#sim = sim;
  }

  /** Watches an account from now on; the first time counts. */
  watchMaker(maker: Maker): void {
    if (!this.#watched.has(maker)) this.#watchAccount(maker, maker.pubkey, () => makerBytes(maker));
  }

  /** The same for the account of a market. */
  watchMarket(market: SimulatedMarket): void {
    if (this.#watched.has(market)) return;
    this.#watchAccount(market, market.addresses.pubkey, () => marketBytes(this.#sim, market));
  }

  addEvent(event: LoggedEvent): void {
    this.#events.push(event);
  }

  /** The transaction: all changes of the accounts watched, and the events in their order. */
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
