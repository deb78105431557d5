/** Trades as JSON: as the specification says, and as the system in production writes them. */
import { scaledBase } from '../candles/trade.js';
import { fixedDecimal } from '../decimal.js';
import type { HistoryMarket, TradeRow } from '../records.js';

/** Decimals of prices and of quote amounts, and of base amounts, as they are written. */
const QUOTE_PLACES = 6;
const BASE_PLACES = 9;

/**
 * The specification's record, with more members behind it. Amounts are raw integers of any size, base
 * at 1e9 also where the token has other decimals. Nobody is null: the maker of a fill of the AMM.
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

/** The record of the system in production: decimals of fixed places as text, nothing is an empty text. */
export function tradeRecordText(row: TradeRow, market: HistoryMarket): string {
  const { decimals, marketType } = market;
  const base = (amount: bigint | null): string =>
    amount === null ? '' : fixedDecimal(scaledBase(amount, decimals), BASE_PLACES);
  const quote = (amount: bigint | null): string =>
    amount === null ? '' : fixedDecimal(amount, QUOTE_PLACES);
  const referrerReward = row.referrerReward === null ? null : BigInt(row.referrerReward);
  return JSON.stringify({
    ...{ ts: row.ts, txSig: row.txSig, txSigIndex: row.index, slot: row.slot },
    fillerReward: quote(row.fillerReward),
    baseAssetAmountFilled: base(row.baseAssetAmountFilled),
    quoteAssetAmountFilled: quote(row.quoteAssetAmountFilled),
    takerFee: quote(row.takerFee),
    makerRebate: quote(row.makerFee),
    makerFee: quote(row.makerFee),
    referrerReward: quote(referrerReward),
    quoteAssetAmountSurplus: quote(row.quoteAssetAmountSurplus),
    takerOrderBaseAssetAmount: base(row.takerOrderBaseAssetAmount),
    takerOrderCumulativeBaseAssetAmountFilled: base(row.takerOrderCumulativeBaseAssetAmountFilled),
    takerOrderCumulativeQuoteAssetAmountFilled: quote(
      row.takerOrderCumulativeQuoteAssetAmountFilled,
    ),
    makerOrderBaseAssetAmount: base(row.makerOrderBaseAssetAmount),
    makerOrderCumulativeBaseAssetAmountFilled: base(row.makerOrderCumulativeBaseAssetAmountFilled),
    makerOrderCumulativeQuoteAssetAmountFilled: quote(
      row.makerOrderCumulativeQuoteAssetAmountFilled,
    ),
    oraclePrice: quote(row.oraclePrice),
    ...{ action: row.action, actionExplanation: row.actionExplanation },
    ...{ marketIndex: row.marketIndex, marketType: row.marketType },
    ...{ filler: row.filler ?? '', fillRecordId: idText(row.fillRecordId) },
    ...{ taker: row.taker ?? '', takerOrderId: idText(row.takerOrderId) },
    takerOrderDirection: row.takerOrderDirection ?? '',
    ...{ maker: row.maker ?? '', makerOrderId: idText(row.makerOrderId) },
    makerOrderDirection: row.makerOrderDirection ?? '',
    spotFulfillmentMethodFee: quote(row.spotFulfillmentMethodFee),
    ...{ marketFilter: marketType, symbol: market.symbol, bitFlags: row.bitFlags },
    takerExistingQuoteEntryAmount: quote(row.takerExistingQuoteEntryAmount),
    takerExistingBaseAssetAmount: base(row.takerExistingBaseAssetAmount),
    makerExistingQuoteEntryAmount: quote(row.makerExistingQuoteEntryAmount),
    makerExistingBaseAssetAmount: base(row.makerExistingBaseAssetAmount),
  });
}

/** Keys and words need no escapes. */
function textOrNull(text: string | null): string {
  return text === null ? 'null' : `"${text}"`;
}

function idText(id: bigint | number | null): string {
  return id === null ? '' : String(id);
}
