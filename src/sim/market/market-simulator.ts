import { PROGRAM_IDS } from '../../contract/program.js';
import { spotMarketBytes, stateBytes } from '../bytes/accounts.js';
import { addresses } from '../bytes/keys.js';
import { FEW_MARKETS, type MarketPresets } from '../bytes/market-presets.js';
import type { ProgramCall } from '../chain/program-call.js';
import { feedBytes, makerBytes, marketBytes } from './accounts.js';
import {
  balanceQuotes,
  cancelOldest,
  changeStatus,
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
} from './actions.js';
import { CallDraft } from './call-draft.js';
import { fillNext, openMarket } from './fills.js';
import { fundingDue, updateFunding } from './funding.js';
import type { Maker, SimulatedMarket } from './model.js';
import { placeQuote } from './orders.js';
import { passTime } from './pass-time.js';
import { type Action, type AuctionSlots, SimulatedMarkets } from './simulated-markets.js';
import { placeTaking, uncrossMarket } from './takers.js';

/** Maximum makers of one simulation, because each is an account of the chain and of its readers. */
const MAKERS_MAX = 20_000;
/** Number of steps for each oracle move, whatever the rate is. */
const STEPS_PER_ORACLE_MOVE = 8;
/** Without takers, one step in this many places one. */
const TAKER_ONE_IN = 4;
/** Number of markets that begin with a trade, each a transaction of about 10 ms. */
const OPENED_MARKETS_MAX = 4;
/** Number of steps between two status changes of a market. */
const STEPS_PER_STATUS_CHANGE = 400;

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

/** Options of a simulation; equal options and clocks give equal writes. */
export interface MarketSimulatorOptions {
  readonly seed: number;
  /** By default three perp markets and SOL. */
  readonly presets?: MarketPresets;
  readonly makers?: number;
  /** Maximum transactions with fills per second of the chain's time; 0 for none. */
  readonly fillsPerSecond?: number;
  /** Funding period of a market, seconds; the program's is an hour. */
  readonly fundingSeconds?: number;
  /** Auction lengths; by default three to forty slots. */
  readonly auctionSlots?: AuctionSlots;
  /** Whether ETH-PERP occasionally goes reduce-only or has its fills paused. */
  readonly statusChanges?: 'none' | 'some';
}

/** The changes of one step. */
export interface SimulatorStep {
  /** The transaction that changes these accounts; undefined for writes from outside. */
  readonly call: ProgramCall | undefined;
  /** One to eight whole accounts, in order of effect. */
  readonly writes: AccountWrite[];
}

/** The chain's time at a step. */
export interface SimulatorClock {
  readonly slot: number;
  readonly unixSeconds: number;
}

/**
 * A seeded simulation of some markets: makers quote, move and cancel, takers are filled where
 * orders cross, oracle prices follow a random walk, orders expire and trigger, funding is paid. It
 * reads no clock and does no I/O: the output depends only on the options and the given clocks.
 *
 * Fills and funding rates are transactions; all other changes are written from outside. It is not
 * an exchange: it checks no margin, and its AMM's curve does not move.
 */
export class MarketSimulator {
  readonly #sim: SimulatedMarkets;
  readonly #presets: MarketPresets;
  readonly #statusChanges: 'none' | 'some';
  readonly #fillsPerSecond: number;
  #steps = 0;
  /** Remaining fills of this second. */
  #fillsLeft = 0;

  constructor(options: MarketSimulatorOptions) {
    const { seed, makers = 200, statusChanges = 'none', fillsPerSecond = 1 } = options;
    if (!Number.isInteger(makers) || makers < 1 || makers > MAKERS_MAX) {
      throw new RangeError(`makers was ${makers}, must be 1 to ${MAKERS_MAX}`);
    }
    const { fundingSeconds, auctionSlots, presets = FEW_MARKETS } = options;
    this.#fillsPerSecond = fillsPerSecond;
    this.#presets = presets;
    this.#sim = new SimulatedMarkets({ presets, seed, makers, fundingSeconds, auctionSlots });
    this.#statusChanges = statusChanges;
  }

  /** Makers' accounts. */
  get makers(): readonly Maker[] {
    return this.#sim.makers;
  }

  get markets(): readonly SimulatedMarket[] {
    return this.#sim.markets;
  }

  /** Returns the initial accounts: State, markets, oracles, then the makers with their quotes. */
  createGenesis(clock: SimulatorClock): AccountWrite[] {
    const sim = this.#sim;
    this.#setTime(clock);
    for (const market of sim.markets) {
      moveOracle(sim, market);
      const { funding } = market;
      const now = sim.time.unixSeconds;
      market.funding = { ...funding, lastFundingRateTs: now - (now % funding.fundingPeriod) };
    }
    for (const maker of sim.makers) {
      sim.dirtyMakers.add(maker);
      for (let i = 0; i < maker.quotesTarget; i += 1) {
        const market = maker.markets[i % maker.markets.length];
        if (market !== undefined) placeQuote(sim, maker, market);
      }
    }
    for (const market of sim.markets) sim.dirtyMarkets.add(market);
    for (const { market, maker } of sim.stills) {
      sim.dirtyMarkets.add(market);
      sim.dirtyMakers.add(maker);
    }
    const { perps, spots } = this.#presets;
    const counts = {
      perpMarkets: perps.length,
      spotMarkets: spots.length + sim.stills.length,
      users: sim.makers.length + sim.stills.length,
    };
    return [
      this.#accountWrite(addresses[sim.program].state(), stateBytes(counts, sim.program)),
      this.#quoteMarket(),
      ...this.#takeWrites(),
    ];
  }

  /** Each of the first markets gets a first trade; a simulation without fills gets none. */
  *openMarkets(clock: SimulatorClock): Generator<SimulatorStep> {
    if (this.#fillsPerSecond === 0) return;
    for (const market of this.#sim.markets.slice(0, OPENED_MARKETS_MAX)) {
      this.#setTime(clock);
      for (const call of openMarket(this.#sim, market)) yield { call, writes: this.#takeWrites() };
    }
  }

  nextStep(clock: SimulatorClock, transactions: 'wanted' | 'unwanted' = 'wanted'): SimulatorStep {
    this.#setTime(clock);
    this.#steps += 1;
    const call = transactions === 'wanted' ? this.#nextCall() : undefined;
    if (call === undefined) this.#runAction();
    return { call, writes: this.#takeWrites() };
  }

  /** Returns the next step as accounts only, for a chain that runs no transactions. */
  nextWrites(clock: SimulatorClock): AccountWrite[] {
    return this.nextStep(clock).writes;
  }

  /** Passes a longer time, see {@link passTime}. Returns the transactions with fills, and all writes. */
  leap(
    clock: SimulatorClock,
    priceOf: (market: SimulatedMarket) => bigint,
  ): { readonly calls: readonly ProgramCall[]; readonly writes: readonly AccountWrite[] } {
    const sim = this.#sim;
    this.#setTime(clock);
    const calls = passTime(sim, priceOf);
    return { calls, writes: this.#takeWrites() };
  }

  #nextCall(): ProgramCall | undefined {
    const sim = this.#sim;
    const draft = new CallDraft(sim);
    const market = fundingDue(sim);
    if (market !== undefined) {
      updateFunding(sim, draft, market);
      return draft.toCall();
    }
    if (this.#fillsLeft < 1 || !fillNext(sim, draft)) return undefined;
    this.#fillsLeft -= 1;
    return draft.toCall();
  }

  #runAction(): void {
    const sim = this.#sim;
    const turn = Math.floor(this.#steps / STEPS_PER_ORACLE_MOVE);
    const market = sim.markets[turn % sim.markets.length];
    if (market === undefined) throw new Error('Invariant: there are markets');
    if (this.#statusChanges === 'some' && this.#steps % STEPS_PER_STATUS_CHANGE === 0) {
      changeStatus(sim);
      return;
    }
    if (this.#steps % STEPS_PER_ORACLE_MOVE === 0) {
      moveOracle(sim, market);
      return;
    }
    if (this.#uncrossNext()) return;
    // No resting order could be filled.
    if (this.#fillsLeft >= 1 && sim.random.oneIn(TAKER_ONE_IN) && placeTaking(sim)) return;
    // Not every action is possible at all times; moving quotes or collateral always is.
    if (chooseAction(sim)(sim) || moveQuotes(sim)) return;
    moveCollateral(sim);
  }

  /** Uncrosses the next book. Ended auctions are found by checking markets in turn. */
  #uncrossNext(): boolean {
    const { markets, maybeCrossed: suspects } = this.#sim;
    const inTurn = markets[this.#steps % markets.length];
    if (inTurn !== undefined) suspects.add(inTurn);
    for (const market of suspects) {
      if (uncrossMarket(this.#sim, market)) return true;
      suspects.delete(market);
    }
    return false;
  }

  #setTime({ slot, unixSeconds }: SimulatorClock): void {
    const sim = this.#sim;
    if (BigInt(unixSeconds) > sim.time.unixSeconds) this.#fillsLeft = this.#fillsPerSecond;
    sim.time = { slot: BigInt(slot), unixSeconds: BigInt(unixSeconds) };
  }

  #quoteMarket(): AccountWrite {
    const { quoteAsset: preset, time, program } = this.#sim;
    const pubkey = addresses[program].spotMarket(preset.marketIndex);
    const data = spotMarketBytes({
      program,
      preset,
      addresses: { pubkey, oracle: undefined },
      time,
      oraclePrice: preset.startPrice,
      nextFillRecordId: preset.nextFillRecordId,
    });
    return this.#accountWrite(pubkey, data);
  }

  #takeWrites(): AccountWrite[] {
    const sim = this.#sim;
    const writes = [
      ...Array.from(sim.dirtyFeeds, (feed) => this.#accountWrite(feed.pubkey, feedBytes(feed))),
      ...Array.from(sim.dirtyMarkets, (market) =>
        this.#accountWrite(market.addresses.pubkey, marketBytes(sim, market)),
      ),
      ...Array.from(sim.dirtyMakers, (maker) =>
        this.#accountWrite(maker.pubkey, makerBytes(maker, sim.program)),
      ),
    ];
    sim.dirtyFeeds.clear();
    sim.dirtyMarkets.clear();
    sim.dirtyMakers.clear();
    return writes;
  }

  #accountWrite(pubkey: string, data: Buffer): AccountWrite {
    return { pubkey, owner: PROGRAM_IDS[this.#sim.program], data };
  }
}

function chooseAction(sim: SimulatedMarkets): Action {
  let at = sim.random.nextBelow(ACTIONS.reduce((sum, [weight]) => sum + weight, 0));
  for (const [weight, action] of ACTIONS) {
    at -= weight;
    if (at < 0) return action;
  }
  return moveQuotes;
}
