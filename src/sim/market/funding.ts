/** Funding rates of perp markets: one for each funding period. */

import { fundingRecordBytes } from '../bytes/event-record.js';
import { MarketType } from '../bytes/generated/enums.js';
import type { CallDraft } from './call-draft.js';
import type { SimulatedMarket } from './model.js';
import type { SimulatedMarkets } from './simulated-markets.js';

/** The divisor of the spread of a day, whatever the period is: the program's hours. */
const PERIODS_PER_DAY = 24n;
const DAY_SECONDS = 86_400n;
/** The mark price is raised by one part in this many. Source: FUNDING_RATE_OFFSET_DENOMINATOR. */
const OFFSET_PART = 5_000n;
/** Converts prices at 1e6 to rates at 1e9. Source: FUNDING_RATE_BUFFER. */
const RATE_SCALE = 1_000n;

/** Returns a market whose period has ended since its last rate; undefined when there is none. */
export function fundingDue({ markets, time }: SimulatedMarkets): SimulatedMarket | undefined {
  return markets.find(({ marketType, funding }) => {
    if (marketType === MarketType.Spot) return false;
    const { fundingPeriod, lastFundingRateTs } = funding;
    return time.unixSeconds / fundingPeriod > lastFundingRateTs / fundingPeriod;
  });
}

/**
 * Sets the market's next rate from the distance between mark and oracle price. Positions are not
 * settled.
 *
 * Source: programs/drift/src/controller/funding.rs update_funding_rate.
 */
export function updateFunding(
  sim: SimulatedMarkets,
  draft: CallDraft,
  market: SimulatedMarket,
): void {
  const { funding, positions } = market;
  const ts = sim.time.unixSeconds;
  const oraclePriceTwap = market.feed.price;
  const markPriceTwap = markPrice(sim, market);
  const spread = markPriceTwap - oraclePriceTwap + oraclePriceTwap / OFFSET_PART;
  const rate = (spread * RATE_SCALE) / PERIODS_PER_DAY;
  draft.watchMarket(market);
  market.funding = {
    ...funding,
    lastFundingRate: rate,
    last24hAvgFundingRate: dayAverage(funding, { rate, ts }),
    cumulativeFundingRateLong: funding.cumulativeFundingRateLong + rate,
    cumulativeFundingRateShort: funding.cumulativeFundingRateShort + rate,
    lastFundingRateTs: ts,
    nextFundingRateRecordId: funding.nextFundingRateRecordId + 1n,
    netRevenueSinceLastFunding: 0n,
  };
  const record = {
    ...market.funding,
    ts,
    recordId: funding.nextFundingRateRecordId,
    marketIndex: market.marketIndex,
    fundingRate: rate,
    fundingRateLong: rate,
    fundingRateShort: rate,
    oraclePriceTwap,
    markPriceTwap,
    periodRevenue: funding.netRevenueSinceLastFunding,
    baseAssetAmountWithAmm: positions.baseAssetAmountWithAmm,
    baseAssetAmountWithUnsettledLp: 0n,
  };
  draft.addEvent({ form: 'data', bytes: fundingRecordBytes(record, sim.program) });
  sim.dirtyMarkets.add(market);
}

function markPrice(sim: SimulatedMarkets, market: SimulatedMarket): bigint {
  const { bid, ask } = sim.bestOrders(market);
  return bid === undefined || ask === undefined ? market.feed.price : (bid.price + ask.price) / 2n;
}

/** Source: programs/drift/src/math/stats.rs calculate_new_twap, over a day. */
function dayAverage(
  last: SimulatedMarket['funding'],
  { rate, ts }: { rate: bigint; ts: bigint },
): bigint {
  const since = ts > last.lastFundingRateTs ? ts - last.lastFundingRateTs : 1n;
  const kept = since < DAY_SECONDS ? DAY_SECONDS - since : 0n;
  return (last.last24hAvgFundingRate * kept + rate * since) / (kept + since);
}
