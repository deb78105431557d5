/** Trades and funding rates as JSON: in slotbook's format, and in the format of the Drift v2 data API. */
import {
  BASE_PLACES,
  FRACTION_PLACES,
  formatDecimal,
  formatFixedDecimal,
  QUOTE_PLACES,
  RATE_PLACES,
} from '../../amounts/decimals.js';
import { fundingFraction, scaledBase } from '../model/amounts.js';
import type { FundingRow, HistoryMarket, TradeRow } from '../model/records.js';

/**
 * Returns a trade in slotbook's format. Amounts are raw integers of any size; base is at 1e9 for
 * every token. A missing party is null: a fill of the AMM has no maker.
 */
export function tradeText(row: TradeRow, { decimals }: HistoryMarket): string {
  const base = scaledBase(row.baseAssetAmountFilled ?? 0n, decimals);
  return (
    `{"ts":${row.ts},"marketIndex":${row.marketIndex},"marketType":"${row.marketType}",` +
    `"filler":${textOrNull(row.filler)},"taker":${textOrNull(row.taker)},` +
    `"maker":${textOrNull(row.maker)},"takerOrderId":${row.takerOrderId},` +
    `"makerOrderId":${row.makerOrderId},"baseAssetAmountFilled":${base},` +
    `"quoteAssetAmountFilled":${row.quoteAssetAmountFilled ?? 0n},` +
    `"takerFee":${row.takerFee ?? 0n},"makerFee":${row.makerFee ?? 0n},` +
    `"action":"${row.action}","actionExplanation":"${row.actionExplanation}",` +
    `"slot":${row.slot},"txSig":"${row.txSig}","fillRecordId":${row.fillRecordId},` +
    `"takerOrderDirection":${textOrNull(row.takerOrderDirection)},"oraclePrice":${row.oraclePrice}}`
  );
}

/**
 * Returns a trade in the format of the Drift v2 data API: decimals of fixed places as text; an
 * empty text for a missing value.
 */
export function tradeRecordText(row: TradeRow, market: HistoryMarket): string {
  const base = (amount: bigint | null): string =>
    amount === null ? '' : formatFixedDecimal(scaledBase(amount, market.decimals), BASE_PLACES);
  const { referrerReward, marketType } = row;
  // The text is written piece by piece, because building an object first takes three times as long.
  return (
    `{"ts":${row.ts},"txSig":"${row.txSig}","txSigIndex":${row.index},"slot":${row.slot},` +
    `"fillerReward":"${quoteText(row.fillerReward)}",` +
    `"baseAssetAmountFilled":"${base(row.baseAssetAmountFilled)}",` +
    `"quoteAssetAmountFilled":"${quoteText(row.quoteAssetAmountFilled)}",` +
    `"takerFee":"${quoteText(row.takerFee)}",` +
    `"makerRebate":"${quoteText(row.makerFee)}","makerFee":"${quoteText(row.makerFee)}",` +
    `"referrerReward":"${quoteText(referrerReward === null ? null : BigInt(referrerReward))}",` +
    `"quoteAssetAmountSurplus":"${quoteText(row.quoteAssetAmountSurplus)}",` +
    `${orderMembers(row, base)},"oraclePrice":"${quoteText(row.oraclePrice)}",` +
    `"action":"${row.action}","actionExplanation":"${row.actionExplanation}",` +
    `"marketIndex":${row.marketIndex},"marketType":"${marketType}",` +
    `"filler":"${row.filler ?? ''}","fillRecordId":"${row.fillRecordId ?? ''}",` +
    `"taker":"${row.taker ?? ''}","takerOrderId":"${row.takerOrderId ?? ''}",` +
    `"takerOrderDirection":"${row.takerOrderDirection ?? ''}",` +
    `"maker":"${row.maker ?? ''}","makerOrderId":"${row.makerOrderId ?? ''}",` +
    `"makerOrderDirection":"${row.makerOrderDirection ?? ''}",` +
    `"spotFulfillmentMethodFee":"${quoteText(row.spotFulfillmentMethodFee)}",` +
    `"marketFilter":"${marketType}","symbol":${JSON.stringify(market.symbol)},` +
    `"bitFlags":${row.bitFlags},${positionMembers(row, base)}}`
  );
}

/** The members of `tradeRecordText`, in order. */
export const TRADE_RECORD_MEMBERS = [
  'ts',
  'txSig',
  'txSigIndex',
  'slot',
  'fillerReward',
  'baseAssetAmountFilled',
  'quoteAssetAmountFilled',
  'takerFee',
  'makerRebate',
  'makerFee',
  'referrerReward',
  'quoteAssetAmountSurplus',
  ...orderNames('taker'),
  ...orderNames('maker'),
  'oraclePrice',
  'action',
  'actionExplanation',
  'marketIndex',
  'marketType',
  'filler',
  'fillRecordId',
  'taker',
  'takerOrderId',
  'takerOrderDirection',
  'maker',
  'makerOrderId',
  'makerOrderDirection',
  'spotFulfillmentMethodFee',
  'marketFilter',
  'symbol',
  'bitFlags',
  'takerExistingQuoteEntryAmount',
  'takerExistingBaseAssetAmount',
  'makerExistingQuoteEntryAmount',
  'makerExistingBaseAssetAmount',
] as const;

function orderNames(side: 'taker' | 'maker'): readonly string[] {
  const filled = ['Base', 'Quote'].map((of) => `${side}OrderCumulative${of}AssetAmountFilled`);
  return [`${side}OrderBaseAssetAmount`, ...filled];
}

type WriteBase = (amount: bigint | null) => string;

/** The two orders after the fill. */
function orderMembers(row: TradeRow, base: WriteBase): string {
  const takerBase = row.takerOrderCumulativeBaseAssetAmountFilled;
  const takerQuote = row.takerOrderCumulativeQuoteAssetAmountFilled;
  const makerBase = row.makerOrderCumulativeBaseAssetAmountFilled;
  const makerQuote = row.makerOrderCumulativeQuoteAssetAmountFilled;
  return (
    `"takerOrderBaseAssetAmount":"${base(row.takerOrderBaseAssetAmount)}",` +
    `"takerOrderCumulativeBaseAssetAmountFilled":"${base(takerBase)}",` +
    `"takerOrderCumulativeQuoteAssetAmountFilled":"${quoteText(takerQuote)}",` +
    `"makerOrderBaseAssetAmount":"${base(row.makerOrderBaseAssetAmount)}",` +
    `"makerOrderCumulativeBaseAssetAmountFilled":"${base(makerBase)}",` +
    `"makerOrderCumulativeQuoteAssetAmountFilled":"${quoteText(makerQuote)}"`
  );
}

/** The positions that the fill closed. */
function positionMembers(row: TradeRow, base: WriteBase): string {
  return (
    `"takerExistingQuoteEntryAmount":"${quoteText(row.takerExistingQuoteEntryAmount)}",` +
    `"takerExistingBaseAssetAmount":"${base(row.takerExistingBaseAssetAmount)}",` +
    `"makerExistingQuoteEntryAmount":"${quoteText(row.makerExistingQuoteEntryAmount)}",` +
    `"makerExistingBaseAssetAmount":"${base(row.makerExistingBaseAssetAmount)}"`
  );
}

function quoteText(amount: bigint | null): string {
  return amount === null ? '' : formatFixedDecimal(amount, QUOTE_PLACES);
}

/** Keys and words need no escapes. */
function textOrNull(text: string | null): string {
  return text === null ? 'null' : `"${text}"`;
}

/** Returns a funding rate in slotbook's format: the rate is a fraction of the price per hour. */
export function fundingRateText(row: FundingRow, { symbol }: HistoryMarket): string {
  return (
    `{"ts":${row.ts},"symbol":${JSON.stringify(symbol)},"marketIndex":${row.marketIndex},` +
    `"fundingRate":${fractionText(row)},` +
    `"oraclePrice":${formatDecimal(row.oraclePriceTwap, QUOTE_PLACES)},` +
    `"markPrice":${formatDecimal(row.markPriceTwap, QUOTE_PLACES)}}`
  );
}

function fractionText({ fundingRate, oraclePriceTwap }: FundingRow): string {
  return formatDecimal(fundingFraction(fundingRate, oraclePriceTwap), FRACTION_PLACES);
}

/**
 * Returns a funding rate in the format of the Drift v2 data API: decimals of fixed places as text.
 */
export function fundingRateRecordText(row: FundingRow, { symbol }: HistoryMarket): string {
  const rate = (value: bigint): string => formatFixedDecimal(value, RATE_PLACES);
  const base = (amount: bigint): string => formatFixedDecimal(amount, BASE_PLACES);
  return JSON.stringify({
    ts: row.ts,
    txSig: row.txSig,
    txSigIndex: row.index,
    slot: row.slot,
    recordId: String(row.recordId),
    marketIndex: row.marketIndex,
    symbol,
    fundingRate: rate(row.fundingRate),
    fundingRateLong: rate(row.fundingRateLong),
    fundingRateShort: rate(row.fundingRateShort),
    cumulativeFundingRateLong: rate(row.cumulativeFundingRateLong),
    cumulativeFundingRateShort: rate(row.cumulativeFundingRateShort),
    oraclePriceTwap: formatFixedDecimal(row.oraclePriceTwap, QUOTE_PLACES),
    markPriceTwap: formatFixedDecimal(row.markPriceTwap, QUOTE_PLACES),
    periodRevenue: formatFixedDecimal(row.periodRevenue, QUOTE_PLACES),
    baseAssetAmountWithAmm: base(row.baseAssetAmountWithAmm),
    baseAssetAmountWithUnsettledLp: base(row.baseAssetAmountWithUnsettledLp),
  });
}

/** The members of `fundingRateRecordText`, in order. */
export const FUNDING_RATE_RECORD_MEMBERS = [
  'ts',
  'txSig',
  'txSigIndex',
  'slot',
  'recordId',
  'marketIndex',
  'symbol',
  'fundingRate',
  'fundingRateLong',
  'fundingRateShort',
  'cumulativeFundingRateLong',
  'cumulativeFundingRateShort',
  'oraclePriceTwap',
  'markPriceTwap',
  'periodRevenue',
  'baseAssetAmountWithAmm',
  'baseAssetAmountWithUnsettledLp',
] as const;

/**
 * Returns a funding rate with the program's integers, as the older path of the Drift v2 data API
 * does.
 */
export function rawFundingRateText(row: FundingRow): string {
  return JSON.stringify({
    txSig: row.txSig,
    slot: row.slot,
    ts: String(row.ts),
    recordId: String(row.recordId),
    marketIndex: row.marketIndex,
    fundingRate: String(row.fundingRate),
    cumulativeFundingRateLong: String(row.cumulativeFundingRateLong),
    cumulativeFundingRateShort: String(row.cumulativeFundingRateShort),
    oraclePriceTwap: String(row.oraclePriceTwap),
    markPriceTwap: String(row.markPriceTwap),
    fundingRateLong: String(row.fundingRateLong),
    fundingRateShort: String(row.fundingRateShort),
    periodRevenue: String(row.periodRevenue),
    baseAssetAmountWithAmm: String(row.baseAssetAmountWithAmm),
    baseAssetAmountWithUnsettledLp: String(row.baseAssetAmountWithUnsettledLp),
  });
}
