/**
 * Calculates collateral and margin requirement in one pass over an account's positions.
 *
 * Source: sdk/src/user.ts getMarginCalculation, getSpotMarketAssetAndLiabilityValue,
 * getLeverageComponents and getUnrealizedPNL of @drift-labs/sdk 2.163.0-beta.0, each of which is a
 * separate pass there.
 */

import {
  type AccountMargin,
  isActivePerp,
  isActiveSpot,
  isHighLeverage,
  type Margin,
  type Margins,
  type MarginUser,
  type MarketTermsSource,
  type PricedPerpPosition,
  type PricedSpotPosition,
} from './account-margin.js';
import type { PerpPosition, SpotPosition } from './generated/user.js';
import { E4, E6 } from './math/integer.js';
import {
  claimable,
  initialPnl,
  initialRatio,
  liability,
  maintenancePnl,
  maintenanceRatio,
  type PerpTerms,
  pnlAt,
  unsettledFunding,
  type WorstPerp,
  worstPerp,
} from './math/perp.js';
import {
  assetValue,
  depositTokens,
  liabilityValue,
  type SpotTerms,
  type SpotWeighing,
  signedTokens,
  tokenValue,
  worstCase,
} from './math/spot.js';
import { POSITION_FLAG } from './user.js';

/** Margin requirement of each open order, quote 1e6. Source: OPEN_ORDER_MARGIN_REQUIREMENT. */
const OPEN_ORDER_MARGIN = 10_000n;

/**
 * Returns the margin of an account; null while one of its markets is unknown or has no price.
 *
 * @example
 * const margin = accountMargin(decodeUser(bytes), markets);
 */
export function accountMargin(user: MarginUser, markets: MarketTermsSource): AccountMargin | null {
  const pass = new MarginPass(user);
  for (const position of user.spotPositions) {
    if (!isActiveSpot(position)) continue;
    const terms = markets.spot(position.marketIndex);
    if (terms === null) return null;
    pass.addSpot(position, terms);
  }
  for (const position of user.perpPositions) {
    if (!isActivePerp(position)) continue;
    const terms = markets.perp(position.marketIndex);
    if (terms === null) return null;
    pass.addPerp(position, terms);
  }
  pass.finish();
  return pass;
}

function noMargin(): Margin {
  return { collateral: 0n, requirement: 0n };
}

function add(margin: Margin, collateral: bigint, requirement: bigint): void {
  margin.collateral += collateral;
  margin.requirement += requirement;
}

class MarginPass implements AccountMargin {
  readonly initial = noMargin();
  readonly initialStrict = noMargin();
  readonly maintenance = noMargin();
  readonly maintenanceWithoutOrders = noMargin();
  readonly perps: PricedPerpPosition[] = [];
  readonly spots: PricedSpotPosition[] = [];
  netSpotValue = 0n;
  unrealizedPnl = 0n;
  unrealizedPnlWithoutFunding = 0n;
  unsettledFunding = 0n;
  claimablePnl = 0n;
  isolatedDeposits = 0n;
  perpLiabilities = 0n;
  spotLiabilities = 0n;
  spotAssets = 0n;
  /**
   * Sum of balances and orders in quote, which offset each other before the sum counts as an asset
   * or a debt.
   */
  #netQuote = 0n;
  readonly #user: MarginUser;
  readonly #maxMarginRatio: bigint;
  readonly #weighings: Readonly<
    Record<'initial' | 'strict' | 'maintenance' | 'none', SpotWeighing>
  >;

  constructor(user: MarginUser) {
    this.#user = user;
    const maxMarginRatio = BigInt(user.maxMarginRatio);
    this.#maxMarginRatio = maxMarginRatio;
    this.#weighings = {
      initial: { category: 'initial', isStrict: false, maxMarginRatio },
      strict: { category: 'initial', isStrict: true, maxMarginRatio },
      maintenance: { category: 'maintenance', isStrict: false, maxMarginRatio: 0n },
      none: { category: 'none', isStrict: false, maxMarginRatio },
    };
  }

  addSpot(position: SpotPosition, terms: SpotTerms): void {
    const tokens = signedTokens(position, terms);
    this.spots.push({ position, terms, tokens });
    const value = tokenValue(tokens, terms);
    this.netSpotValue += value;
    const { initial, strict, maintenance } = this.#weighings;
    this.#weighTokens(this.maintenanceWithoutOrders, tokens, terms, maintenance);
    if (terms.isQuote) {
      this.#weighTokens(this.initial, tokens, terms, initial);
      this.#weighTokens(this.initialStrict, tokens, terms, strict);
      this.#weighTokens(this.maintenance, tokens, terms, maintenance);
      this.#netQuote += value;
      return;
    }
    this.#weighWorst(this.initial, { position, tokens, terms }, initial);
    this.#weighWorst(this.initialStrict, { position, tokens, terms }, strict);
    this.#weighWorst(this.maintenance, { position, tokens, terms }, maintenance);
    this.#addLeverage({ position, tokens, terms });
  }

  #weighTokens(margin: Margin, tokens: bigint, terms: SpotTerms, weighing: SpotWeighing): void {
    if (tokens > 0n) margin.collateral += assetValue(tokens, terms, weighing);
    else if (tokens < 0n) margin.requirement += liabilityValue(tokens, terms, weighing);
  }

  #weighWorst(margin: Margin, spot: PricedSpotPosition, weighing: SpotWeighing): void {
    const { tokens, ordersValue } = worstCase(spot.tokens, spot.position, spot.terms, weighing);
    this.#weighTokens(margin, tokens, spot.terms, weighing);
    if (ordersValue > 0n) margin.collateral += ordersValue;
    else margin.requirement -= ordersValue;
    margin.requirement += BigInt(spot.position.openOrders) * OPEN_ORDER_MARGIN;
  }

  #addLeverage(spot: PricedSpotPosition): void {
    const { none } = this.#weighings;
    const { tokens, ordersValue } = worstCase(spot.tokens, spot.position, spot.terms, none);
    if (tokens > 0n) this.spotAssets += assetValue(tokens, spot.terms, none);
    else this.spotLiabilities += liabilityValue(tokens, spot.terms, none);
    this.#netQuote += ordersValue;
    this.spotLiabilities += BigInt(spot.position.openOrders) * OPEN_ORDER_MARGIN;
  }

  addPerp(position: PerpPosition, terms: PerpTerms): void {
    const { prices, quote, isPrediction } = terms;
    const worst = worstPerp(position, prices.oracle, isPrediction);
    const funding = unsettledFunding(position, terms.facts);
    const withoutFunding = pnlAt(terms.mmValue, position);
    const pnl = withoutFunding + funding;
    const oraclePnl = pnlAt(terms.value, position) + funding;
    const depositValue = this.#isolatedDeposit(position, quote);
    const isolated = depositValue === null ? null : isolatedMargins(depositValue, position, quote);
    this.#addMargins(isolated ?? this, { position, terms, worst, pnl });
    const priced = {
      position,
      terms,
      unsettledFunding: funding,
      oraclePnl,
      claimablePnl: claimable(oraclePnl, position, terms),
      liability: terms.isInSettlement
        ? worstPerp(position, terms.value, isPrediction).liability
        : worst.liability,
      isolated,
    };
    this.perps.push(priced);
    this.unrealizedPnl += (pnl * quote.price) / E6;
    this.unrealizedPnlWithoutFunding += (withoutFunding * quote.price) / E6;
    this.unsettledFunding += funding;
    this.claimablePnl += priced.claimablePnl;
    this.perpLiabilities += priced.liability;
  }

  /** Returns the value of a position's isolated deposit; null when the position is not isolated. */
  #isolatedDeposit(position: PerpPosition, quote: SpotTerms): bigint | null {
    if ((position.positionFlag & POSITION_FLAG.isolated) === 0) return null;
    const value = tokenValue(depositTokens(position.isolatedPositionScaledBalance, quote), quote);
    this.isolatedDeposits += value;
    return value;
  }

  #addMargins(
    margins: Margins,
    {
      position,
      terms,
      worst,
      pnl,
    }: {
      readonly position: PerpPosition;
      readonly terms: PerpTerms;
      readonly worst: WorstPerp;
      readonly pnl: bigint;
    },
  ): void {
    const { quote } = terms;
    const asked = this.#ratios(position, terms, worst.base);
    const orders = BigInt(position.openOrders) * OPEN_ORDER_MARGIN;
    const value = (worst.liability * quote.price) / E6;
    const strictValue = (worst.liability * quote.twapHigh) / E6;
    const gain = (pnl * quote.price) / E6;
    const strictGain = (pnl * (pnl > 0n ? quote.twapLow : quote.twapHigh)) / E6;
    const kept = maintenancePnl(gain, terms);
    add(margins.initial, initialPnl(gain, terms), (value * asked.initial) / E4 + orders);
    add(
      margins.initialStrict,
      initialPnl(strictGain, terms),
      (strictValue * asked.initial) / E4 + orders,
    );
    add(margins.maintenance, kept, (value * asked.maintenance) / E4 + orders);
    const base = position.baseAssetAmount;
    const hasOrders = base !== worst.base;
    const own = hasOrders ? liability(base, terms.prices.oracle, terms.isPrediction) : 0n;
    const ownRatio = hasOrders ? this.#ratios(position, terms, base).maintenance : 0n;
    const withoutOrders = hasOrders
      ? (((own * quote.price) / E6) * ownRatio) / E4
      : (value * asked.maintenance) / E4;
    add(margins.maintenanceWithoutOrders, kept, withoutOrders);
  }

  #ratios(
    position: PerpPosition,
    terms: PerpTerms,
    base: bigint,
  ): { readonly initial: bigint; readonly maintenance: bigint } {
    if (terms.isInSettlement) return { initial: 0n, maintenance: 0n };
    const ofPosition = BigInt(position.maxMarginRatio);
    const custom = ofPosition > this.#maxMarginRatio ? ofPosition : this.#maxMarginRatio;
    const user = { isHighLeverage: isHighLeverage(this.#user, 'initial'), custom };
    return {
      initial: initialRatio(base, terms, user),
      maintenance: maintenanceRatio(base, terms, isHighLeverage(this.#user, 'maintenance')),
    };
  }

  finish(): void {
    if (this.#netQuote > 0n) this.spotAssets += this.#netQuote;
    else this.spotLiabilities -= this.#netQuote;
  }
}

/** Returns margins whose collateral starts with the isolated deposit of the position. */
function isolatedMargins(
  depositValue: bigint,
  position: PerpPosition,
  quote: SpotTerms,
): Margins & { readonly depositValue: bigint } {
  const tokens = depositTokens(position.isolatedPositionScaledBalance, quote);
  const strictValue = (tokens * quote.twapLow) / quote.tokenUnit;
  return {
    depositValue,
    initial: { collateral: depositValue, requirement: 0n },
    initialStrict: { collateral: strictValue, requirement: 0n },
    maintenance: { collateral: depositValue, requirement: 0n },
    maintenanceWithoutOrders: { collateral: depositValue, requirement: 0n },
  };
}
