// Generated from the schemas of the service: UPDATE_GOLDEN=1 npx vitest run test/client/generated.test.ts
/** What an account has. */
import { base, decimal, flag, integer, type Of, object, orNull, price, quote, text, whole, word } from '../fields.js';

const marketType = word('perp', 'spot');

/** An open order with its place in the book. */
export const accountOrder = object({
  /** Name of the market. */
  marketName: text,
  /** Type of the market. */
  marketType,
  /** Index among the markets of its type. */
  marketIndex: whole,
  /** Distance from the oracle at 1e6; 0 for a fixed price. */
  oraclePriceOffset: price,
  /** The id of the order in its account. */
  orderId: whole,
  /** The slot at which it was placed. */
  slot: whole,
  /** When it expires, in unix seconds, maybe beyond 2^53; 0 for never. */
  maxTs: decimal,
  reduceOnly: flag,
  postOnly: flag,
  signedMsg: flag,
  /** The number that the user gave it; 0 for none. */
  userOrderId: whole,
  /** How the order is priced. */
  orderType: word('market', 'limit', 'triggerMarket', 'triggerLimit', 'oracle'),
  /** Whether it buys or sells. */
  direction: word('long', 'short'),
  /** The limit price that the order names, at 1e6; 0 for none. */
  price,
  /** Size at placement, at 1e9. */
  baseAssetAmount: base,
  /** Filled so far, at 1e9. */
  baseAssetAmountFilled: base,
  /** Filled so far, in quote at 1e6. */
  quoteAssetAmountFilled: base,
  /** At 1e6; 0 for none. */
  triggerPrice: base,
  /** The condition of a trigger order, met or not. */
  triggerCondition: word('above', 'below', 'triggeredAbove', 'triggeredBelow'),
  immediateOrCancel: flag,
  /** As on chain, at 1e6: a price, or an offset from the oracle. */
  auctionStartPrice: price,
  /** As on chain, at 1e6: a price, or an offset from the oracle. */
  auctionEndPrice: price,
  /** Slots of the auction after its first. */
  auctionDuration: whole,
  /** Why the book does not show it, as in /status; null when it does. */
  leftOut: orNull(text),
  /** Where it would fill now, at 1e6; null where it cannot. */
  priceNow: orNull(price),
  /** What of it would fill, at 1e9. */
  sizeNow: base,
  /** Orders before it at its price; null when it is not in the book. */
  ordersAhead: orNull(whole),
  /** Their size at 1e9; null likewise. */
  sizeAhead: orNull(base),
  /** From the best price of its side, at 1e6; null likewise. */
  distance: orNull(price),
});

/** A perp position. */
export const perpHolding = object({
  /** Name of the market; null for a market that is not known. */
  marketName: orNull(text),
  /** Index among the markets of its type. */
  marketIndex: whole,
  /** At 1e9; negative for a short position. */
  baseAssetAmount: base,
  /** Its quote side with fees and funding, at 1e6. */
  quoteAssetAmount: quote,
  /** The same at entry, without fees. */
  quoteEntryAmount: quote,
  /** The same with fees and settled funding. */
  quoteBreakEvenAmount: quote,
  /** Profit that was settled since it was opened. */
  settledPnl: quote,
  /** Funding that is owed to it; null without a price. */
  unsettledFunding: orNull(quote),
  /** Profit at the exchange oracle's price, with that funding. */
  unsettledPnl: orNull(quote),
  /** What of it can be settled now. */
  claimablePnl: orNull(quote),
  /** At 1e6, with all other prices as they are; null where no price of this market leads there. */
  liquidationPrice: orNull(price),
  /** Whether it has collateral of its own. */
  isIsolated: flag,
});

/** The balance of a token. */
export const tokenBalance = object({
  /** Name of the market; null for a market that is not known. */
  marketName: orNull(text),
  /** Index among the markets of its type. */
  marketIndex: whole,
  /** Decimals of the token. */
  decimals: orNull(whole),
  /** With interest, in its decimals; a debt is negative. */
  tokens: orNull(integer),
  /** At the oracle's price, at 1e6. */
  value: orNull(quote),
  /** At 1e6, with all other prices as they are; null where no price of this market leads there. */
  liquidationPrice: orNull(price),
});

/** Collateral, requirement and health. */
export const marginSums = object({
  /** Balances, profits and isolated collateral, at 1e6. */
  netUsdValue: quote,
  /** Profit of all positions at the makers' oracle, if it is used. */
  totalUnsettledPnl: quote,
  /** Funding that is not settled. */
  totalUnsettledFundingPnl: quote,
  /** What of the profits can be settled now. */
  totalClaimablePnl: quote,
  /** Collateral for new positions. */
  totalInitialMargin: quote,
  /** Collateral against liquidation. */
  totalMaintenanceMargin: quote,
  /** Free for new positions, by the worse of price and average. */
  freeInitialMargin: quote,
  /** Free before liquidation. */
  freeMaintenanceMargin: quote,
  /** Required by positions and orders, by the worse of price and average. */
  initialReq: quote,
  /** Below it the account is liquidated. */
  maintenanceReq: quote,
  /** Liabilities divided by net value, at 1e4. */
  leverage: integer,
  /** Net value divided by them, at 1e4; null for none. */
  marginRatio: orNull(integer),
  /** 0, being liquidated, to 100. */
  health: whole,
  /** Profit settled in all perp markets. */
  settledPerpPnl: quote,
  /** Funding received in all perp markets; negative where paid. */
  cumulativePerpFunding: quote,
});

/** An open order with its place in the book. */
export type AccountOrder = Of<typeof accountOrder>;

/** A perp position. */
export type PerpHolding = Of<typeof perpHolding>;

/** The balance of a token. */
export type TokenBalance = Of<typeof tokenBalance>;

/** Collateral, requirement and health. */
export type MarginSums = Of<typeof marginSums>;
