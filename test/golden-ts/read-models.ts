/**
 * What the reference library shows of accounts (`readmodels.json`), put to the client's models.
 *
 * It writes -1 where there is no liquidation price and the largest safe integer where there is no
 * margin ratio; ours are null. An isolated position is asked both ways: by its own margin, and
 * without knowing that it is isolated.
 */

import type { PricedPerpPosition } from '../../src/client/accounts/account-margin.js';
import {
  crossLiquidationPrice,
  type LiquidationInput,
  liquidationPriceAfterTrade,
} from '../../src/client/accounts/liquidation-price.js';
import { accountMargin } from '../../src/client/accounts/margin.js';
import { leverageOf, marginInfo, marginRatioOf } from '../../src/client/accounts/margin-info.js';
import type { MarketTerms } from '../../src/client/accounts/market-terms.js';
import { pricePerUnit } from '../../src/client/accounts/math/perp.js';
import {
  type PerpPositionInfo,
  type PositionPnl,
  perpPositionInfo,
} from '../../src/client/accounts/perp-position-info.js';
import {
  type AccountData,
  accountData,
  type ModelUser,
} from '../../src/client/accounts/read-models.js';
import type { SpotBalanceInfo } from '../../src/client/accounts/spot-balance-info.js';
import { Cases, type Family, type FamilyReport, type GoldenFile } from './family.js';
import { type ModelVector, sceneOf } from './read-models-input.js';

/** What stands for no margin ratio. */
const NO_RATIO = '9007199254740991';

export const readModelFamily: Family = {
  name: 'readmodels',
  matches: ({ json }) => vectorsOf(json).some((vector) => 'spotBalances' in vector.expected),
  run,
};

function vectorsOf(json: unknown): readonly ModelVector[] {
  if (typeof json !== 'object' || json === null || !('vectors' in json)) return [];
  const { vectors } = json;
  if (!Array.isArray(vectors)) return [];
  return vectors.filter((vector) => typeof vector?.expected === 'object');
}

function run({ json }: GoldenFile): FamilyReport {
  const cases = new Cases();
  for (const vector of vectorsOf(json)) runVector(vector, cases);
  return cases.report();
}

/** An account at recorded prices, and what the pass over its positions found. */
interface Scene extends LiquidationInput {
  readonly vector: ModelVector;
  readonly user: ModelUser;
  readonly markets: MarketTerms;
  readonly data: AccountData;
}

type Members = Readonly<Record<string, unknown>>;

function runVector(vector: ModelVector, cases: Cases): void {
  const { user, markets } = sceneOf(vector.input);
  const margin = accountMargin(user, markets);
  if (margin === null) {
    cases.failed(vector.name, 'the account has no margin');
    return;
  }
  const scene = { vector, user, markets, margin, data: accountData(user, markets) };
  const { account, positions, spotBalances } = vector.expected;
  const check = (place: string, ours: Members, recorded: Members) => {
    for (const [name, value] of Object.entries(recorded)) {
      cases.same(`${vector.name} ${place} ${name}`, { ours: ours[name], recorded: value });
    }
  };
  check('account', accountOf(scene), account);
  // The vectors hold positions of open orders alone as well, which are not shown as positions.
  const ours = Object.fromEntries(margin.perps.map((figures) => positionOf(scene, figures)));
  check('position', namesOf(ours), namesOf(positions));
  for (const [index, recorded] of Object.entries(positions)) {
    check(`position ${index}`, ours[index] ?? {}, recorded);
  }
  const balances = Object.fromEntries(scene.data.spotBalances.map(balanceOf));
  check('balance', namesOf(balances), namesOf(spotBalances));
  for (const [index, recorded] of Object.entries(spotBalances)) {
    check(`balance ${index}`, balances[index] ?? {}, recorded);
  }
  check('trade', { price: priceAfterTrade(scene) }, tradeOf(vector));
}

/** Which positions there are, so that one too many is seen as well. */
function namesOf(members: Members): Members {
  return { indexes: Object.keys(members).sort() };
}

function tradeOf({ expected }: ModelVector): Members {
  const price = expected.liquidationPriceAfterTrade;
  return price === undefined ? {} : { price };
}

function accountOf({ user, margin }: Scene): Members {
  const info = marginInfo(user, margin);
  const ratio = marginRatioOf(margin);
  return {
    netSpotMarketValue: text(margin.netSpotValue),
    netUsdValue: text(info.netUsdValue),
    unrealizedPnlWithoutFunding: text(margin.unrealizedPnlWithoutFunding),
    totalUnsettledPnl: text(info.totalUnsettledPnl),
    totalUnsettledFundingPnl: text(info.totalUnsettledFundingPnl),
    totalClaimablePnl: text(info.totalClaimablePnl),
    totalCollateralInitial: text(info.totalInitialMargin),
    totalCollateralInitialStrict: text(margin.initialStrict.collateral),
    totalCollateralMaintenance: text(info.totalMaintenanceMargin),
    initialMarginRequirement: text(info.initialReq),
    maintenanceMarginRequirement: text(info.maintenanceReq),
    freeCollateralInitial: text(info.freeInitialMargin),
    freeCollateralMaintenance: text(info.freeMaintenanceMargin),
    leverage: text(leverageOf(margin)),
    marginRatio: ratio === null ? NO_RATIO : text(ratio),
    health: info.health,
  };
}

function balanceOf(balance: SpotBalanceInfo): [number, Members] {
  const members = {
    baseBalance: text(balance.baseBalance),
    decimals: balance.decimals,
    notionalBalance: text(balance.notionalBalance),
    liquidationPrice: orMinusOne(balance.liquidationPrice),
  };
  return [balance.marketIndex, members];
}

function priceAfterTrade(scene: Scene): string | null {
  const { trade, state } = scene.vector.input;
  const terms = trade === undefined ? null : scene.markets.perp(trade.marketIndex);
  if (trade === undefined || terms === null) return null;
  const proposed = {
    terms,
    baseSizeChange: BigInt(trade.baseSizeChange),
    entryPrice: BigInt(trade.estimatedEntryPrice),
    takerFee: state.takerFeeTier0,
  };
  return orMinusOne(liquidationPriceAfterTrade(scene, proposed));
}

function positionOf(scene: Scene, figures: PricedPerpPosition): [number, Members] {
  const { position, oraclePnl, unsettledFunding } = figures;
  const info = perpPositionInfo(position, scene);
  const base = position.baseAssetAmount;
  const quote = position.quoteAssetAmount;
  const members = {
    direction: info.direction,
    baseSize: text(info.baseSize),
    notionalSize: text(info.notionalSize),
    entryPrice: text(info.entryPrice),
    breakEvenPrice: text(info.breakEvenPrice),
    costBasis: text(info.costBasis),
    costBasisPrice: text(pricePerUnit(quote, base)),
    costBasisPriceInclSettled: text(pricePerUnit(quote + position.settledPnl, base)),
    quoteBreakEvenAmount: text(info.quoteBreakEvenAmount),
    positionPnl: {
      markBased: pnlOf(info.positionPnl.markBased),
      oracleBased: pnlOf(info.positionPnl.oracleBased),
    },
    feesAndFundingPnl: text(info.feesAndFundingPnl),
    unsettledFundingPnl: text(info.unsettledFundingPnl),
    totalUnsettledPnl: text(info.totalUnsettledPnl),
    pnlWithoutFunding: text(oraclePnl - unsettledFunding),
    totalClaimablePnl: text(info.totalClaimablePnl),
    totalSettledPnl: text(info.totalSettledPnl),
    liquidationPrice: orMinusOne(info.liquidationPrice),
    isolated: info.isolatedMargin !== null,
    isolatedMargin: isolatedOf(info, crossLiquidationPrice(scene, figures)),
  };
  return [position.marketIndex, members];
}

function pnlOf(pnl: PositionPnl | null) {
  return {
    positionNotionalPnl: text(pnl?.positionNotionalPnl ?? null),
    positionPnlPercentage: pnl?.positionPnlPercentage,
  };
}

function isolatedOf({ isolatedMargin }: PerpPositionInfo, crossPrice: bigint | null) {
  if (isolatedMargin === null) return undefined;
  return {
    totalCollateral: text(isolatedMargin.totalCollateral),
    maintenanceMarginRequirement: text(isolatedMargin.maintenanceReq),
    freeCollateralInitial: text(isolatedMargin.freeInitialMargin),
    freeCollateralMaintenance: text(isolatedMargin.freeMaintenanceMargin),
    health: isolatedMargin.health,
    liquidationPriceWithoutIsolatedType: orMinusOne(crossPrice),
    leverage: `${Math.round(isolatedMargin.leverage * 10_000)}`,
  };
}

function text(value: bigint | null): string | null {
  return value === null ? null : value.toString();
}

function orMinusOne(price: bigint | null): string {
  return (price ?? -1n).toString();
}
