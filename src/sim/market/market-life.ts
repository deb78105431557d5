import { spotMarketBytes, stateBytes } from '../bytes/accounts.js';
import { MarketStatus } from '../bytes/chain-enums.js';
import { address, PROGRAM_ID } from '../bytes/keys.js';
import { PERP_PRESETS, SPOT_PRESETS } from '../bytes/market-presets.js';
import type { ProgramCall } from '../chain/program-call.js';
import { feedBytes, makerBytes, marketBytes } from './life-accounts.js';
import {
  balanceQuotes,
  cancelOldest,
  moveCollateral,
  moveOracle,
  moveQuotes,
  placeAuctionLimit,
  placeExpiring,
  placeReduceOnly,
  placeTrigger,
  pullQuotes,
  sweep,
  toggleLiquidation,
  trigger,
} from './life-actions.js';
import { CallDraft } from './life-call.js';
import { fillNext } from './life-fills.js';
import { fundingDue, updateFunding } from './life-funding.js';
import type { LifeMarket, Maker } from './life-model.js';
import { placeQuote } from './life-orders.js';
import { placeTaking, uncross } from './life-takers.js';
import { type Action, World } from './life-world.js';

/** Makers that a life can have: each is an account that the chain and its readers hold. */
const MAKERS_MAX = 20_000;
/** One step in so many moves an oracle: their share of writes does not depend on the rate. */
const STEPS_PER_ORACLE_MOVE = 8;
/** While nobody takes, one step in so many places an order that does. */
const TAKER_ONE_IN = 4;
/** Steps between two changes of a market's status, where they are wanted. */
const STEPS_PER_STATUS_CHANGE = 400;

/** How often each action is chosen, in parts of the sum. */
const ACTIONS: readonly (readonly [weight: number, action: Action])[] = [
  [420, moveQuotes],
  [230, balanceQuotes],
  [80, cancelOldest],
  [40, placeExpiring],
  [80, sweep],
  [30, placeReduceOnly],
  [30, placeAuctionLimit],
  [20, placeTaking],
  [20, placeTrigger],
  [20, trigger],
  [15, moveCollateral],
  [12, pullQuotes],
  [3, toggleLiquidation],
];

/** The whole new state of one account. */
export interface AccountWrite {
  readonly pubkey: string;
  readonly owner: string;
  readonly data: Buffer;
}

/** What a life is made of; the same options and the same clocks give the same writes. */
export interface MarketLifeOptions {
  readonly seed: number;
  readonly makers?: number;
  /** Transactions with fills, at most so many in each second of the chain; 0 for none. */
  readonly fillsPerSecond?: number;
  /** Time between two funding rates of a market; the program's is an hour. */
  readonly fundingSeconds?: number;
  /** Whether ETH-PERP now and then goes reduce-only or has its fills paused. */
  readonly statusChanges?: 'none' | 'some';
}

/** What one step changes, and how. */
export interface LifeStep {
  /** The transaction that changes these accounts and says why; undefined when none is known. */
  readonly call: ProgramCall | undefined;
  /** One to eight accounts in the order in which they take effect, each as a whole. */
  readonly writes: AccountWrite[];
}

/** The chain's time at a step. */
export interface LifeClock {
  readonly slot: number;
  readonly unixSeconds: number;
}

/**
 * The life of some markets: makers quote, move and cancel, takers are filled where orders cross,
 * oracles walk, orders expire and trigger, funding is paid. It reads no clock and does no I/O: what
 * comes out depends on the options and on the clocks given to it, and on nothing else.
 *
 * Fills and funding rates are transactions, all else is written from outside: it is not an exchange,
 * checks no margin, and its AMM's curve does not move.
 */
export class MarketLife {
  readonly #world: World;
  readonly #statusChanges: 'none' | 'some';
  readonly #fillsPerSecond: number;
  #steps = 0;
  /** Fills that may still come in this second. */
  #fillsLeft = 0;

  constructor(options: MarketLifeOptions) {
    const { seed, makers = 200, statusChanges = 'none', fillsPerSecond = 1 } = options;
    if (!Number.isInteger(makers) || makers < 1 || makers > MAKERS_MAX) {
      throw new RangeError(`makers was ${makers}, must be 1 to ${MAKERS_MAX}`);
    }
    const { fundingSeconds } = options;
    this.#fillsPerSecond = fillsPerSecond;
    this.#world = new World({ seed, makers, fundingSeconds });
    this.#statusChanges = statusChanges;
  }

  /** Makers' accounts. */
  get makers(): readonly Maker[] {
    return this.#world.makers;
  }

  /** Markets with a book. */
  get markets(): readonly LifeMarket[] {
    return this.#world.markets;
  }

  /** The first state of everything: State, markets, oracles, then the makers with their quotes. */
  genesis(clock: LifeClock): AccountWrite[] {
    const world = this.#world;
    this.#setTime(clock);
    for (const market of world.markets) {
      moveOracle(world, market);
      const { funding } = market;
      const now = world.time.unixSeconds;
      market.funding = { ...funding, ts: now - (now % funding.periodSeconds) };
    }
    for (const maker of world.makers) {
      world.dirtyMakers.add(maker);
      for (let i = 0; i < maker.quotesTarget; i += 1) {
        const market = maker.markets[i % maker.markets.length];
        if (market !== undefined) placeQuote(world, maker, market);
      }
    }
    for (const market of world.markets) world.dirtyMarkets.add(market);
    const state = stateBytes({
      perpMarkets: PERP_PRESETS.length,
      spotMarkets: SPOT_PRESETS.length,
      users: world.makers.length,
    });
    return [
      { pubkey: address.state(), owner: PROGRAM_ID, data: state },
      ...this.#quoteMarkets(),
      ...this.#drain(),
    ];
  }

  /** What happens next. While transactions are unwanted, takers and funding rates wait. */
  step(clock: LifeClock, transactions: 'wanted' | 'unwanted' = 'wanted'): LifeStep {
    this.#setTime(clock);
    this.#steps += 1;
    const call = transactions === 'wanted' ? this.#transact() : undefined;
    if (call === undefined) this.#act();
    return { call, writes: this.#drain() };
  }

  /** The same as accounts alone, for those who have no chain that runs transactions. */
  next(clock: LifeClock): AccountWrite[] {
    return this.step(clock).writes;
  }

  #transact(): ProgramCall | undefined {
    const world = this.#world;
    const draft = new CallDraft(world);
    const market = fundingDue(world);
    if (market !== undefined) {
      updateFunding(world, draft, market);
      return draft.finish();
    }
    if (this.#fillsLeft < 1 || !fillNext(world, draft)) return undefined;
    this.#fillsLeft -= 1;
    return draft.finish();
  }

  #act(): void {
    const world = this.#world;
    const turn = Math.floor(this.#steps / STEPS_PER_ORACLE_MOVE);
    const market = world.markets[turn % world.markets.length];
    if (market === undefined) throw new Error('Invariant: there are markets');
    if (this.#statusChanges === 'some' && this.#steps % STEPS_PER_STATUS_CHANGE === 0) {
      changeStatus(world);
      return;
    }
    if (this.#steps % STEPS_PER_ORACLE_MOVE === 0) {
      moveOracle(world, market);
      return;
    }
    if (this.#uncross()) return;
    // Nobody was there to be filled.
    if (this.#fillsLeft >= 1 && world.random.oneIn(TAKER_ONE_IN) && placeTaking(world)) return;
    // Not every action has an occasion; quotes can always be moved or collateral paid in.
    if (chooseAction(world)(world) || moveQuotes(world)) return;
    moveCollateral(world);
  }

  /** Oracle moves and triggers cross books; auctions that end are found by looking in turn. */
  #uncross(): boolean {
    const { markets, suspects } = this.#world;
    const inTurn = markets[this.#steps % markets.length];
    if (inTurn !== undefined) suspects.add(inTurn);
    for (const market of suspects) {
      if (uncross(this.#world, market)) return true;
      suspects.delete(market);
    }
    return false;
  }

  #setTime({ slot, unixSeconds }: LifeClock): void {
    const world = this.#world;
    if (BigInt(unixSeconds) > world.time.unixSeconds) this.#fillsLeft = this.#fillsPerSecond;
    world.time = { slot: BigInt(slot), unixSeconds: BigInt(unixSeconds) };
  }

  #quoteMarkets(): AccountWrite[] {
    return SPOT_PRESETS.filter((preset) => preset.feedId === undefined).map((preset) => ({
      pubkey: address.spotMarket(preset.marketIndex),
      owner: PROGRAM_ID,
      data: spotMarketBytes({
        preset,
        addresses: { pubkey: address.spotMarket(preset.marketIndex), oracle: undefined },
        time: this.#world.time,
        oraclePrice: preset.startPrice,
        nextFillRecordId: preset.nextFillRecordId,
      }),
    }));
  }

  #drain(): AccountWrite[] {
    const world = this.#world;
    const writes = [
      ...Array.from(world.dirtyFeeds, (feed) => write(feed.pubkey, feedBytes(feed))),
      ...Array.from(world.dirtyMarkets, (market) =>
        write(market.addresses.pubkey, marketBytes(world, market)),
      ),
      ...Array.from(world.dirtyMakers, (maker) => write(maker.pubkey, makerBytes(maker))),
    ];
    world.dirtyFeeds.clear();
    world.dirtyMarkets.clear();
    world.dirtyMakers.clear();
    return writes;
  }
}

function chooseAction(world: World): Action {
  let at = world.random.below(ACTIONS.reduce((sum, [weight]) => sum + weight, 0));
  for (const [weight, action] of ACTIONS) {
    at -= weight;
    if (at < 0) return action;
  }
  return moveQuotes;
}

/** Active, reduce-only, active, fills paused, and again: a book that must empty and come back. */
function changeStatus(world: World): void {
  const market = world.markets[2];
  if (market === undefined) throw new Error('Invariant: ETH-PERP is the third market');
  const isPlain = market.status === MarketStatus.Active && market.pausedOperations === 0;
  market.status = MarketStatus.Active;
  market.pausedOperations = 0;
  if (isPlain && world.random.oneIn(2)) market.status = MarketStatus.ReduceOnly;
  else if (isPlain) market.pausedOperations = 4;
  world.dirtyMarkets.add(market);
}

function write(pubkey: string, data: Buffer): AccountWrite {
  return { pubkey, owner: PROGRAM_ID, data };
}
