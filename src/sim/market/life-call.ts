import {
  type LoggedEvent,
  type Patch,
  type ProgramCall,
  patchesBetween,
} from '../chain/program-call.js';
import { makerBytes, marketBytes } from './life-accounts.js';
import type { LifeMarket, Maker } from './life-model.js';
import type { World } from './life-world.js';

interface Watched {
  readonly pubkey: string;
  readonly before: Buffer;
  readonly now: () => Buffer;
}

/**
 * One transaction in the making: accounts are watched before they change, events are noted as they
 * happen, and what came of it is told at the end.
 */
export class CallDraft {
  readonly #world: World;
  readonly #watched = new Map<Maker | LifeMarket, Watched>();
  readonly #events: LoggedEvent[] = [];

  constructor(world: World) {
    this.#world = world;
  }

  /** Watches an account from now on; the first time counts. */
  watchMaker(maker: Maker): void {
    if (!this.#watched.has(maker)) this.#watch(maker, maker.pubkey, () => makerBytes(maker));
  }

  /** The same for the account of a market. */
  watchMarket(market: LifeMarket): void {
    if (this.#watched.has(market)) return;
    this.#watch(market, market.addresses.pubkey, () => marketBytes(this.#world, market));
  }

  log(event: LoggedEvent): void {
    this.#events.push(event);
  }

  /** The transaction: all changes of the accounts watched, and the events in their order. */
  finish(): ProgramCall {
    const patches = Array.from(this.#watched.values()).flatMap(({ pubkey, before, now }): Patch[] =>
      patchesBetween(pubkey, { before, after: now() }),
    );
    return { patches, events: this.#events };
  }

  #watch(subject: Maker | LifeMarket, pubkey: string, now: () => Buffer): void {
    this.#watched.set(subject, { pubkey, before: now(), now });
  }
}
