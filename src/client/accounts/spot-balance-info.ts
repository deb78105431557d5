/** The read model of a spot balance. */
import { type Price, type Quote, rawPrice, rawQuote, rawTokens, type Tokens } from '../amounts.js';
import { type MarketKey, marketKey } from '../keys.js';
import type { SpotPosition } from './generated/user.js';
import { spotLiquidationPrice } from './liquidation-price.js';
import { balanceUnitOf, signedTokens, tokenValue } from './math/spot.js';
import type { PositionContext } from './perp-position-info.js';

/** A spot balance; values that depend on unknown data are null. */
export interface SpotBalanceInfo {
  readonly marketIndex: number;
  readonly marketKey: MarketKey;
  /**
   * Tokens including interest, in the market's decimals; a debt is negative and rounded away from
   * zero.
   */
  readonly baseBalance: Tokens | null;
  /** Decimals of the token. */
  readonly decimals: number | null;
  /** At the oracle's price, quote 1e6. */
  readonly notionalBalance: Quote | null;
  /**
   * The liquidation price, 1e6. Null when no price of this token leads to liquidation, or while the
   * margin is unknown.
   */
  readonly liquidationPrice: Price | null;
}

/** Builds the read model of a spot balance. */
export function spotBalanceInfo(position: SpotPosition, context: PositionContext): SpotBalanceInfo {
  const { marketIndex } = position;
  const facts = context.markets.spotMarket(marketIndex);
  const terms = context.markets.spot(marketIndex);
  const tokens =
    facts === null ? null : signedTokens(position, { facts, balanceUnit: balanceUnitOf(facts) });
  const value = terms === null || tokens === null ? null : tokenValue(tokens, terms);
  return {
    marketIndex,
    marketKey: marketKey('spot', marketIndex),
    baseBalance: tokens === null ? null : rawTokens(tokens),
    decimals: facts?.decimals ?? null,
    notionalBalance: value === null ? null : rawQuote(value),
    liquidationPrice: liquidationPrice(position, context),
  };
}

function liquidationPrice(
  position: SpotPosition,
  { user, margin, markets }: PositionContext,
): Price | null {
  const priced = margin?.spots.find((spot) => spot.position === position);
  if (margin === null || priced === undefined) return null;
  const price = spotLiquidationPrice({ user, margin, markets }, priced);
  return price === null ? null : rawPrice(price);
}
