/** The read model of a perp position. */
import { type Base, type Price, type Quote, rawBase, rawPrice, rawQuote } from '../amounts.js';
import { type MarketKey, marketKey } from '../keys.js';
import type { AccountMargin, MarginUser, PricedPerpPosition } from './account-margin.js';
import type { Direction } from './generated/enums.js';
import type { PerpPosition } from './generated/user.js';
import { crossLiquidationPrice, isolatedLiquidationPrice } from './liquidation-price.js';
import { accountMargin } from './margin.js';
import { free, health, leverageOf, netValue } from './margin-info.js';
import type { MarketTerms } from './market-terms.js';
import { abs, E9 } from './math/integer.js';
import { pricePerUnit, unsettledFunding } from './math/perp.js';
import { POSITION_FLAG } from './user.js';

/** The gain of a position from the price alone, without fees and funding. */
export interface PositionPnl {
  /** Quote, 1e6. */
  readonly positionNotionalPnl: Quote;
  /**
   * The gain in percent of the cost, times the account's leverage; null until the account's margin
   * is known. As in drift-common, the loss of an account with negative net value is a positive
   * number; see {@link marginReturnPercentage}.
   */
  readonly positionPnlPercentage: number | null;
  /** The same percentage, but null for an account whose net value is not positive. */
  readonly marginReturnPercentage: number | null;
}

/** Collateral and requirement of an isolated position; amounts are quote, 1e6. */
export interface IsolatedMarginInfo {
  readonly totalCollateral: Quote;
  readonly initialReq: Quote;
  readonly maintenanceReq: Quote;
  readonly freeInitialMargin: Quote;
  readonly freeMaintenanceMargin: Quote;
  /** Liability divided by collateral: 14.2 is 14.2 times. */
  readonly leverage: number;
  /** From 0, being liquidated, to 100. */
  readonly health: number;
}

/** A perp position; values that depend on an unknown price are null. */
export interface PerpPositionInfo {
  readonly marketIndex: number;
  readonly marketKey: MarketKey;
  /**
   * The side of the position; a position without base, which only has quote left, counts as long.
   */
  readonly direction: Direction;
  /** Without a sign, 1e9. */
  readonly baseSize: Base;
  /** The value at the oracle price, in settlement at the expiry price, quote 1e6. */
  readonly notionalSize: Quote | null;
  /** Average entry price without fees, 1e6; 0 without base. */
  readonly entryPrice: Price;
  /** The price at which fees and settled funding are earned back, 1e6; 0 without base. */
  readonly breakEvenPrice: Price;
  /**
   * The liquidation price, 1e6. Null when no price of this market leads to liquidation, or while
   * the margin is unknown: the margin of the account, or of the position alone when it is isolated.
   */
  readonly liquidationPrice: Price | null;
  /**
   * The gains at the mark price and at the oracle price. Null until either price is known; an
   * unknown price is replaced by the other price.
   */
  readonly positionPnl: {
    readonly markBased: PositionPnl | null;
    readonly oracleBased: PositionPnl | null;
  };
  /** Fees and funding, unsettled included, quote 1e6. */
  readonly feesAndFundingPnl: Quote | null;
  readonly unsettledFundingPnl: Quote | null;
  /** The cost of the position, quote 1e6; negative for a long position. */
  readonly costBasis: Quote;
  /** The cost with fees and settled funding, quote 1e6. */
  readonly quoteBreakEvenAmount: Quote;
  /** The gain at the oracle price, with funding, quote 1e6. */
  readonly totalUnsettledPnl: Quote | null;
  /** The currently claimable part, quote 1e6. */
  readonly totalClaimablePnl: Quote | null;
  /** The amount settled since the position was opened, quote 1e6. */
  readonly totalSettledPnl: Quote;
  /** The margin of an isolated position; null for a position that shares the account's margin. */
  readonly isolatedMargin: IsolatedMarginInfo | null;
}

/** The prices and the margin that the read model of a position needs. */
export interface PositionContext {
  readonly user: MarginUser;
  readonly markets: MarketTerms;
  readonly margin: AccountMargin | null;
}

/** Builds the read model of a perp position. */
export function perpPositionInfo(
  position: PerpPosition,
  context: PositionContext,
): PerpPositionInfo {
  const { marketIndex, baseAssetAmount: base } = position;
  const priced = pricedPositionOf(position, context);
  const facts = context.markets.perpMarket(marketIndex);
  const funding = facts === null ? null : unsettledFunding(position, facts);
  const settledFees = position.quoteBreakEvenAmount - position.quoteEntryAmount;
  return {
    marketIndex,
    marketKey: marketKey('perp', marketIndex),
    direction: base < 0n ? 'short' : 'long',
    baseSize: rawBase(abs(base)),
    notionalSize: priced === null ? null : rawQuote((abs(base) * priced.terms.value) / E9),
    entryPrice: rawPrice(pricePerUnit(position.quoteEntryAmount, base)),
    breakEvenPrice: rawPrice(pricePerUnit(position.quoteBreakEvenAmount, base)),
    liquidationPrice: liquidationPrice(priced, context),
    positionPnl: positionPnl(position, context),
    feesAndFundingPnl: funding === null ? null : rawQuote(settledFees + funding),
    unsettledFundingPnl: funding === null ? null : rawQuote(funding),
    costBasis: rawQuote(position.quoteEntryAmount),
    quoteBreakEvenAmount: rawQuote(position.quoteBreakEvenAmount),
    totalUnsettledPnl: priced === null ? null : rawQuote(priced.oraclePnl),
    totalClaimablePnl: priced === null ? null : rawQuote(priced.claimablePnl),
    totalSettledPnl: rawQuote(position.settledPnl),
    isolatedMargin: priced === null ? null : isolatedMarginInfo(priced),
  };
}

/**
 * Returns the position from the account's margin calculation; when that stopped at another market,
 * calculates this position alone.
 */
function pricedPositionOf(
  position: PerpPosition,
  context: PositionContext,
): PricedPerpPosition | null {
  const { user, markets } = context;
  const margin =
    context.margin ?? accountMargin({ ...marginUser(user), perpPositions: [position] }, markets);
  return margin?.perps.find((priced) => priced.position === position) ?? null;
}

function marginUser({ status, marginMode, maxMarginRatio }: MarginUser): MarginUser {
  return { status, marginMode, maxMarginRatio, spotPositions: [], perpPositions: [] };
}

function liquidationPrice(
  priced: PricedPerpPosition | null,
  { user, margin, markets }: PositionContext,
): Price | null {
  const price = priced === null ? null : rawLiquidationPrice(priced, { user, margin, markets });
  return price === null ? null : rawPrice(price);
}

/** An isolated position has its own margin, so the account's margin may be unknown. */
function rawLiquidationPrice(
  priced: PricedPerpPosition,
  { user, margin, markets }: PositionContext,
): bigint | null {
  if (priced.isolated !== null) return isolatedLiquidationPrice(user, priced);
  return margin === null ? null : crossLiquidationPrice({ user, margin, markets }, priced);
}

function positionPnl(
  position: PerpPosition,
  { markets, margin }: PositionContext,
): PerpPositionInfo['positionPnl'] {
  const { oracle, mark } = markets.prices(marketKey('perp', position.marketIndex));
  const leverage = margin === null ? null : leverageOf(margin);
  const hasMargin = margin !== null && netValue(margin) > 0n;
  const at = (price: bigint | null) =>
    price === null ? null : pnlAtPrice(position, price, { leverage, hasMargin });
  return { markBased: at(mark ?? oracle), oracleBased: at(oracle ?? mark) };
}

/** Source: the position read model of drift-common; the entry price is rounded first. */
function pnlAtPrice(
  position: PerpPosition,
  price: bigint,
  { leverage, hasMargin }: { readonly leverage: bigint | null; readonly hasMargin: boolean },
): PositionPnl {
  const { baseAssetAmount: base, quoteEntryAmount: entry } = position;
  // The base of a short position is negative, so a falling price gives it a positive gain.
  const pnl = (base * (price - pricePerUnit(entry, base))) / E9;
  const percentage = leverage === null ? null : pnlPercentage(pnl, entry, leverage);
  return {
    positionNotionalPnl: rawQuote(pnl),
    positionPnlPercentage: percentage,
    marginReturnPercentage: hasMargin ? percentage : null,
  };
}

function pnlPercentage(pnl: bigint, entry: bigint, leverage: bigint): number {
  if (leverage === 0n || entry === 0n) return 0;
  return (Number((pnl * 10_000n) / abs(entry)) / 1e6) * Number(leverage);
}

function isolatedMarginInfo(priced: PricedPerpPosition): IsolatedMarginInfo | null {
  const { isolated, position } = priced;
  if (isolated === null) return null;
  const isOver =
    (position.positionFlag & (POSITION_FLAG.beingLiquidated | POSITION_FLAG.bankrupt)) !== 0;
  const net = isolated.depositValue + priced.oraclePnl;
  return {
    totalCollateral: rawQuote(isolated.maintenance.collateral),
    initialReq: rawQuote(isolated.initialStrict.requirement),
    maintenanceReq: rawQuote(isolated.maintenance.requirement),
    freeInitialMargin: free(isolated.initialStrict),
    freeMaintenanceMargin: free(isolated.maintenance),
    leverage: net === 0n ? 0 : Number((priced.liability * 10_000n) / net) / 1e4,
    health: isOver ? 0 : health(isolated.maintenance),
  };
}
