import type { ProgramName } from '../../contract/program.js';
import type { FundingFields } from '../bytes/amm-bytes.js';
import { fundingOf, HOUR_SECONDS } from '../bytes/amm-bytes.js';
import { MarketType } from '../bytes/generated/enums.js';
import { addresses } from '../bytes/keys.js';
import type { PerpPreset, SpotPreset } from '../bytes/market-presets.js';
import type { Feed, SimulatedMarket } from './model.js';

const NO_FUNDING: FundingFields = {
  lastFundingRate: 0n,
  last24hAvgFundingRate: 0n,
  cumulativeFundingRateLong: 0n,
  cumulativeFundingRateShort: 0n,
  lastFundingRateTs: 0n,
  fundingPeriod: HOUR_SECONDS,
  nextFundingRateRecordId: 0n,
  netRevenueSinceLastFunding: 0n,
};

/** The initial state of a perpetual market. */
export function perpMarket(
  preset: PerpPreset,
  feeds: Feeds,
  fundingSeconds = Number(HOUR_SECONDS),
): SimulatedMarket {
  const feed = feeds.feedOf(preset.feedId, {
    exponent: preset.exponent,
    price: preset.startPrice,
    tick: preset.tick,
  });
  const pubkey = addresses[feeds.program].perpMarket(preset.marketIndex);
  const market = lifeMarket(preset, feed, MarketType.Perp, pubkey);
  const { amm } = preset;
  const { baseAssetAmountLong, baseAssetAmountShort, baseAssetAmountWithAmm } = amm;
  return {
    ...market,
    volume24h: amm.volume24h,
    funding: fundingOf(amm, { ts: 0n, fundingPeriod: BigInt(fundingSeconds) }),
    positions: { baseAssetAmountLong, baseAssetAmountShort, baseAssetAmountWithAmm },
  };
}

/** The initial state of a spot market. */
export function spotMarket(preset: SpotPreset, feeds: Feeds): SimulatedMarket {
  if (preset.feedId === undefined)
    throw new Error('Invariant: a spot market with a book has a feed');
  const feed = feeds.feedOf(preset.feedId, {
    exponent: -8,
    price: preset.startPrice,
    tick: preset.tick,
  });
  const pubkey = addresses[feeds.program].spotMarket(preset.marketIndex);
  return lifeMarket(preset, feed, MarketType.Spot, pubkey);
}

/** The feeds of a program's markets: markets of the same token share a feed. */
export class Feeds {
  readonly #byId = new Map<number, Feed>();

  constructor(readonly program: ProgramName) {}

  /** Returns the feed of an id; creates the feed with the given values if it is new. */
  feedOf(id: number, start: Pick<Feed, 'exponent' | 'price' | 'tick'>): Feed {
    const pubkey = addresses[this.program].pythLazerOracle(id);
    const feed = this.#byId.get(id) ?? { pubkey, ...start, postedSlot: 0n, publishTimeUs: 0n };
    this.#byId.set(id, feed);
    return feed;
  }
}

function lifeMarket(
  preset: PerpPreset | SpotPreset,
  feed: Feed,
  marketType: MarketType,
  pubkey: string,
): SimulatedMarket {
  return {
    name: preset.name,
    marketType,
    marketIndex: preset.marketIndex,
    tick: preset.tick,
    step: preset.step,
    minOrderSize: preset.minOrderSize,
    feed,
    addresses: { pubkey, oracle: feed.pubkey },
    preset,
    status: 1,
    pausedOperations: 0,
    mmOracle: { price: 0n, slot: 0n, sequenceId: 0n },
    lastFillPrice: preset.startPrice,
    nextFillRecordId: preset.nextFillRecordId,
    volume24h: 0n,
    lastTradeTs: 0n,
    funding: NO_FUNDING,
    positions: { baseAssetAmountLong: 0n, baseAssetAmountShort: 0n, baseAssetAmountWithAmm: 0n },
  };
}
