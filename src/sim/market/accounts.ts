/** Encodes the current accounts of the simulated market. */
import type { ProgramName } from '../../contract/program.js';
import { lazerOracleBytes, perpMarketBytes, spotMarketBytes } from '../bytes/accounts.js';
import { MarketType, SpotBalanceType } from '../bytes/generated/enums.js';
import type { PerpPreset, SpotPreset } from '../bytes/market-presets.js';
import { type SpotPositionFields, userBytes } from '../bytes/user-account.js';
import type { Feed, Maker, SimulatedMarket, TokenHolding } from './model.js';
import type { SimulatedMarkets } from './simulated-markets.js';

/** Encodes the account of a market, with the current time and oracle price. */
export function marketBytes(sim: SimulatedMarkets, market: SimulatedMarket): Buffer {
  const { time, program } = sim;
  const oraclePrice = market.feed.price;
  const numberOfUsers = sim.makers.length;
  return market.marketType === MarketType.Perp
    ? perpMarketBytes({
        ...market,
        program,
        preset: market.preset as PerpPreset,
        time,
        oraclePrice,
        numberOfUsers,
        numberOfUsersWithBase: usersWithBase(sim, market),
      })
    : spotMarketBytes({
        ...market,
        program,
        preset: market.preset as SpotPreset,
        time,
        oraclePrice,
      });
}

/** Readers compare this number with their users. */
function usersWithBase({ makers }: SimulatedMarkets, { marketIndex }: SimulatedMarket): number {
  return makers.reduce((count, { perps }) => count + (perps.get(marketIndex)?.base ? 1 : 0), 0);
}

/** The oracle account of a feed. */
export function feedBytes(feed: Feed): Buffer {
  const scale = 10n ** BigInt(-feed.exponent - 6);
  return lazerOracleBytes({
    price: feed.price * scale,
    conf: (feed.price * scale) / 10_000n,
    exponent: feed.exponent,
    postedSlot: feed.postedSlot,
    publishTimeUs: feed.publishTimeUs,
  });
}

/** The User account of a maker. */
export function makerBytes(maker: Maker, program: ProgramName): Buffer {
  const user = {
    authority: maker.authority,
    name: maker.name,
    subAccountId: 0,
    status: maker.status,
    idle: false,
    lastActiveSlot: maker.lastActiveSlot,
    nextOrderId: maker.nextOrderId,
    orders: maker.orders,
    perpPositions: Array.from(maker.perps, ([marketIndex, { base, quote }]) => ({
      marketIndex,
      baseAssetAmount: base,
      quoteAssetAmount: quote,
    })),
    spotPositions: Array.from(maker.tokens.values(), spotPosition),
  };
  return userBytes(user, program);
}

/**
 * Returns the scaled balance of a signed token amount, rounded like the program: deposits down,
 * borrows up.
 *
 * Source: programs/drift/src/math/spot_balance.rs get_spot_balance.
 */
function spotPosition({ preset, amount }: TokenHolding): SpotPositionFields {
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
