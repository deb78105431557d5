/** The inputs of `readmodels.json` as the client's models take them. */
import type {
  ContractType,
  MarginMode,
  MarketStatus,
  OracleSource,
  SpotBalanceType,
} from '../../src/client/accounts/generated/enums.js';
import type { PerpPosition, SpotPosition } from '../../src/client/accounts/generated/user.js';
import { MarketTerms } from '../../src/client/accounts/market-terms.js';
import type { PerpMarketFacts } from '../../src/client/accounts/math/perp.js';
import type { SpotMarketFacts } from '../../src/client/accounts/math/spot.js';
import type { ModelUser } from '../../src/client/accounts/read-models.js';

/** A type whose 64-bit integers are written as text. */
type Recorded<Type> = {
  readonly [Name in keyof Type]: Type[Name] extends bigint
    ? string
    : Type[Name] extends object
      ? Recorded<Type[Name]>
      : Type[Name];
};

type RecordedSpotMarket = Omit<Recorded<SpotMarketFacts>, 'historicalOracleData'> & {
  readonly historicalOracleData: {
    readonly lastOraclePriceTwap5Min: string;
    readonly lastOraclePriceTwapTs: string;
  };
};

/** One recorded account. */
export interface ModelVector {
  readonly name: string;
  readonly input: ModelInput;
  readonly expected: {
    readonly account: Readonly<Record<string, unknown>>;
    readonly positions: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
    readonly spotBalances: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
    readonly liquidationPriceAfterTrade?: string;
  };
}

/** What it was made of. */
interface ModelInput {
  readonly now: number;
  readonly state: {
    readonly takerFeeTier0: { readonly feeNumerator: number; readonly feeDenominator: number };
  };
  readonly perpMarkets: readonly Recorded<PerpMarketFacts>[];
  readonly spotMarkets: readonly RecordedSpotMarket[];
  readonly oraclePrices: {
    readonly perp: Readonly<Record<string, string>>;
    readonly spot: Readonly<Record<string, string>>;
  };
  readonly mmOraclePrices: Readonly<Record<string, string>>;
  readonly markPrices: Readonly<Record<string, string>>;
  readonly user: {
    readonly authority: string;
    readonly subAccountId: number;
    readonly poolId: number;
    readonly status: number;
    readonly marginMode: MarginMode;
    readonly maxMarginRatio: number;
    readonly perpPositions: readonly Omit<Recorded<PerpPosition>, 'lastQuoteAssetAmountPerLp'>[];
    readonly spotPositions: readonly Recorded<SpotPosition>[];
  };
  readonly trade?: {
    readonly marketIndex: number;
    readonly baseSizeChange: string;
    readonly estimatedEntryPrice: string;
  };
}

/** The markets at their prices, and the account. */
export function sceneOf(input: ModelInput): {
  readonly user: ModelUser;
  readonly markets: MarketTerms;
  readonly nowS: number;
} {
  const markets = new MarketTerms();
  for (const market of input.spotMarkets) {
    markets.setSpotMarket(spotMarketOf(market), input.now);
    const oracle = priceOf(input.oraclePrices.spot, market.marketIndex);
    markets.setPrices(`spot_${market.marketIndex}`, { ...oracle, mark: null }, input.now);
  }
  for (const market of input.perpMarkets) {
    const index = market.marketIndex;
    markets.setPerpMarket(perpMarketOf(market), input.now);
    const { oracle } = priceOf(input.oraclePrices.perp, index);
    const { oracle: mmOracle } = priceOf(input.mmOraclePrices, index);
    const { oracle: mark } = priceOf(input.markPrices, index);
    markets.setPrices(`perp_${index}`, { oracle, mmOracle, mark }, input.now);
  }
  return { user: userOf(input.user), markets, nowS: input.now };
}

function priceOf(prices: Readonly<Record<string, string>>, index: number) {
  const price = prices[index];
  return { oracle: price === undefined ? null : BigInt(price), mmOracle: null };
}

/** Texts of digits become bigint where the model wants one. */
function spotMarketOf(market: RecordedSpotMarket): SpotMarketFacts {
  const history = market.historicalOracleData;
  return {
    ...market,
    oracleSource: market.oracleSource as OracleSource,
    cumulativeDepositInterest: BigInt(market.cumulativeDepositInterest),
    cumulativeBorrowInterest: BigInt(market.cumulativeBorrowInterest),
    depositBalance: BigInt(market.depositBalance),
    scaleInitialAssetWeightStart: BigInt(market.scaleInitialAssetWeightStart),
    historicalOracleData: {
      lastOraclePriceTwap5min: BigInt(history.lastOraclePriceTwap5Min),
      lastOraclePriceTwapTs: BigInt(history.lastOraclePriceTwapTs),
    },
  };
}

function perpMarketOf(market: Recorded<PerpMarketFacts>): PerpMarketFacts {
  const { amm } = market;
  return {
    ...market,
    status: market.status as MarketStatus,
    contractType: market.contractType as ContractType,
    expiryPrice: BigInt(market.expiryPrice),
    unrealizedPnlMaxImbalance: BigInt(market.unrealizedPnlMaxImbalance),
    pnlPool: { scaledBalance: BigInt(market.pnlPool.scaledBalance) },
    amm: {
      oracle: amm.oracle,
      oracleSource: amm.oracleSource as OracleSource,
      orderStepSize: BigInt(amm.orderStepSize),
      cumulativeFundingRateLong: BigInt(amm.cumulativeFundingRateLong),
      cumulativeFundingRateShort: BigInt(amm.cumulativeFundingRateShort),
      baseAssetAmountWithAmm: BigInt(amm.baseAssetAmountWithAmm),
      baseAssetAmountWithUnsettledLp: BigInt(amm.baseAssetAmountWithUnsettledLp),
      quoteAssetAmount: BigInt(amm.quoteAssetAmount),
      quoteAssetAmountWithUnsettledLp: BigInt(amm.quoteAssetAmountWithUnsettledLp),
      netUnsettledFundingPnl: BigInt(amm.netUnsettledFundingPnl),
      feePool: { scaledBalance: BigInt(amm.feePool.scaledBalance) },
      // The vectors tell the market makers' price by itself.
      ...{ mmOraclePrice: 0n, mmOracleSlot: 0n, mmOracleSequenceId: 0n },
      historicalOracleData: { lastOraclePriceTwap: 0n },
    },
  };
}

function userOf(user: ModelInput['user']): ModelUser {
  return {
    ...user,
    name: '',
    delegate: null,
    isMarginTradingEnabled: false,
    orders: [],
    perpPositions: user.perpPositions.map((position) => ({
      ...position,
      lastQuoteAssetAmountPerLp: 0n,
      lastCumulativeFundingRate: BigInt(position.lastCumulativeFundingRate),
      baseAssetAmount: BigInt(position.baseAssetAmount),
      quoteAssetAmount: BigInt(position.quoteAssetAmount),
      quoteBreakEvenAmount: BigInt(position.quoteBreakEvenAmount),
      quoteEntryAmount: BigInt(position.quoteEntryAmount),
      openBids: BigInt(position.openBids),
      openAsks: BigInt(position.openAsks),
      settledPnl: BigInt(position.settledPnl),
      lpShares: BigInt(position.lpShares),
      isolatedPositionScaledBalance: BigInt(position.isolatedPositionScaledBalance),
    })),
    spotPositions: user.spotPositions.map((position) => ({
      ...position,
      balanceType: position.balanceType as SpotBalanceType,
      scaledBalance: BigInt(position.scaledBalance),
      openBids: BigInt(position.openBids),
      openAsks: BigInt(position.openAsks),
      cumulativeDeposits: BigInt(position.cumulativeDeposits),
    })),
  };
}
