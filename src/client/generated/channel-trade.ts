// Generated from the schemas of the service: UPDATE_GOLDEN=1 npx vitest run test/client/generated.test.ts
/** Trades of compatible channels. */
import { integer, type Of, object, text, word } from '../fields.js';
import { anyCount, orMissing, writtenBase, writtenPrice, writtenQuote } from '../written-amounts.js';

/** A trade of a compatible channel. */
export const channelTrade = object({
  /** Unix time in seconds, of the block. */
  ts: anyCount,
  /** The signature of the transaction. */
  txSig: text,
  /** The slot of the transaction. */
  slot: anyCount,
  /** What was filled, base. */
  baseAssetAmountFilled: orMissing(writtenBase),
  /** What was paid for it, quote. */
  quoteAssetAmountFilled: orMissing(writtenQuote),
  /** Positive is a charge, quote. */
  takerFee: orMissing(writtenQuote),
  /** Negative is a rebate, quote. */
  makerFee: orMissing(writtenQuote),
  /** What the referrer got, quote. */
  referrerReward: orMissing(writtenQuote),
  /** The part of a better price that the AMM retained, quote. */
  quoteAssetAmountSurplus: orMissing(writtenQuote),
  /** Size of the taker's order, base. */
  takerOrderBaseAssetAmount: orMissing(writtenBase),
  /** Filled of the taker's order so far, base. */
  takerOrderCumulativeBaseAssetAmountFilled: orMissing(writtenBase),
  /** Filled of the taker's order so far, quote. */
  takerOrderCumulativeQuoteAssetAmountFilled: orMissing(writtenQuote),
  /** Size of the maker's order, base. */
  makerOrderBaseAssetAmount: orMissing(writtenBase),
  /** Filled of the maker's order so far, base. */
  makerOrderCumulativeBaseAssetAmountFilled: orMissing(writtenBase),
  /** Filled of the maker's order so far, quote. */
  makerOrderCumulativeQuoteAssetAmountFilled: orMissing(writtenQuote),
  /** Of the oracle, quote for a base. */
  oraclePrice: orMissing(writtenPrice),
  /** What was done. */
  action: text,
  /** How, such as `orderFilledWithMatch`. */
  actionExplanation: text,
  /** Index among the markets of its type. */
  marketIndex: anyCount,
  /** Type of the market. */
  marketType: word('perp', 'spot'),
  /** User account of the filler. */
  filler: orMissing(text),
  /** Counts the fills of the market. */
  fillRecordId: orMissing(integer),
  /** User account of the taker. */
  taker: orMissing(text),
  /** The id of the taker's order. */
  takerOrderId: orMissing(anyCount),
  /** What the taker did. */
  takerOrderDirection: orMissing(word('long', 'short')),
  /** User account of the maker; empty for fills of the AMM. */
  maker: orMissing(text),
  /** The id of the maker's order. */
  makerOrderId: orMissing(anyCount),
  /** What the maker did. */
  makerOrderDirection: orMissing(word('long', 'short')),
  /** Flags of the fill, as on chain. */
  bitFlags: anyCount,
});

/** A trade as a compatible channel sends it. */
export type ChannelTrade = Of<typeof channelTrade>;
