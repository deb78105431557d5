import { lazerOracleBytes, perpMarketBytes, spotMarketBytes, stateBytes } from './accounts.js';
import { MarketStatus, MarketType, SpotBalanceType } from './chain-enums.js';
import { address, PROGRAM_ID } from './keys.js';
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
import { placeQuote } from './life-orders.js';
import { placeTaking, takeBest, uncross } from './life-takers.js';
import { type Action, type Feed, type LifeMarket, type Maker, World } from './life-world.js';
import { PERP_PRESETS, type PerpPreset, SPOT_PRESETS, type SpotPreset } from './market-presets.js';
import { type SpotPositionFields, userBytes } from './user-account.js';

/** Makers that a life can have: each is an account that the chain and its readers hold. */
const MAKERS_MAX = 20_000;
/** One step in so many moves an oracle: their share of writes does not depend on the rate. */
const STEPS_PER_ORACLE_MOVE = 8;
/** Steps between two changes of a market's status, where they are wanted. */
const STEPS_PER_STATUS_CHANGE = 400;

/** How often each action is chosen, in parts of the sum. */
const ACTIONS: readonly (readonly [weight: number, action: Action])[] = [
  [420, moveQuotes],
  [230, balanceQuotes],
  [110, takeBest],
  [80, cancelOldest],
  [40, placeExpiring],
  [80, sweep],
  [30, placeReduceOnly],
  [30, placeAuctionLimit],
  [30, placeTaking],
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
  /** Whether ETH-PERP now and then goes reduce-only or has its fills paused. */
  readonly statusChanges?: 'none' | 'some';
}

/** The chain's time at a step. */
export interface LifeClock {
  readonly slot: number;
  readonly unixSeconds: number;
}

/**
 * The life of some markets as a sequence of account writes: makers quote, move, cancel and are
 * filled, oracles walk, orders expire and trigger. It reads no clock and does no I/O: what comes
 * out depends on the options and on the clocks given to it, and on nothing else.
 *
 * It is not an exchange: it fills what it likes at the price of the book, pays no fees and checks
 * no margin.
 */
export class MarketLife {
  readonly #world: World;
  readonly #statusChanges: 'none' | 'some';
  #steps = 0;

  constructor({ seed, makers = 200, statusChanges = 'none' }: MarketLifeOptions) {
    if (!Number.isInteger(makers) || makers < 1 || makers > MAKERS_MAX) {
      throw new RangeError(`makers was ${makers}, must be 1 to ${MAKERS_MAX}`);
    }
    this.#world = new World({ seed, makers });
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
    for (const market of world.markets) moveOracle(world, market);
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

  /** What happens next, as one to eight account writes in the order in which they take effect. */
  next(clock: LifeClock): AccountWrite[] {
    this.#setTime(clock);
    this.#steps += 1;
    this.#act();
    return this.#drain();
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
    this.#world.time = { slot: BigInt(slot), unixSeconds: BigInt(unixSeconds) };
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
        write(market.addresses.pubkey, this.#marketBytes(market)),
      ),
      ...Array.from(world.dirtyMakers, (maker) => write(maker.pubkey, makerBytes(maker))),
    ];
    world.dirtyFeeds.clear();
    world.dirtyMarkets.clear();
    world.dirtyMakers.clear();
    return writes;
  }

  #marketBytes(market: LifeMarket): Buffer {
    const { time } = this.#world;
    const oraclePrice = market.feed.price;
    const numberOfUsers = this.#world.makers.length;
    return market.marketType === MarketType.Perp
      ? perpMarketBytes({
          ...market,
          preset: market.preset as PerpPreset,
          time,
          oraclePrice,
          numberOfUsers,
        })
      : spotMarketBytes({ ...market, preset: market.preset as SpotPreset, time, oraclePrice });
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

function feedBytes(feed: Feed): Buffer {
  const scale = 10n ** BigInt(-feed.exponent - 6);
  return lazerOracleBytes({
    price: feed.price * scale,
    conf: (feed.price * scale) / 10_000n,
    exponent: feed.exponent,
    postedSlot: feed.postedSlot,
    publishTimeUs: feed.publishTimeUs,
  });
}

function makerBytes(maker: Maker): Buffer {
  return userBytes({
    authority: maker.authority,
    name: maker.name,
    subAccountId: 0,
    status: maker.status,
    idle: false,
    lastActiveSlot: maker.lastActiveSlot,
    nextOrderId: maker.nextOrderId,
    orders: maker.orders,
    perpPositions: maker.perpBase.map((baseAssetAmount, marketIndex) => ({
      marketIndex,
      baseAssetAmount,
      quoteAssetAmount: maker.perpQuote[marketIndex] ?? 0n,
    })),
    spotPositions: SPOT_PRESETS.map((preset) => spotPosition(maker, preset)),
  });
}

/**
 * The scaled balance of a signed token amount: deposits round down, borrows up, as the program
 * rounds.
 *
 * Source: programs/drift/src/math/spot_balance.rs get_spot_balance.
 */
function spotPosition(maker: Maker, preset: SpotPreset): SpotPositionFields {
  const amount = preset.feedId === undefined ? maker.usdc : maker.sol;
  const precision = 10n ** BigInt(19 - preset.decimals);
  const isBorrow = amount < 0n;
  const scaled = isBorrow
    ? (-amount * precision) / preset.cumulativeBorrowInterest + 1n
    : (amount * precision) / preset.cumulativeDepositInterest;
  return {
    marketIndex: preset.marketIndex,
    scaledBalance: scaled,
    balanceType: isBorrow ? SpotBalanceType.Borrow : SpotBalanceType.Deposit,
  };
}
