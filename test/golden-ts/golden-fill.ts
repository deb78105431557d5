/** A fill of which a vector tells only some members. */
import type { Fill } from '../../src/history/model/records.js';

/** A plain match of a perp market, with what is told. */
export function goldenFill(told: Partial<Fill>): Fill {
  return {
    ...{ index: 0, ts: 0, action: 'fill', actionExplanation: 'orderFilledWithMatch' },
    ...{ marketIndex: 0, marketType: 'perp', filler: null, fillerReward: null },
    ...{ fillRecordId: null, baseAssetAmountFilled: null, quoteAssetAmountFilled: null },
    ...{ takerFee: null, makerFee: null, referrerReward: null, quoteAssetAmountSurplus: null },
    ...{ spotFulfillmentMethodFee: null, oraclePrice: 0n, bitFlags: 0 },
    ...{ taker: null, takerOrderId: null, takerOrderDirection: null },
    takerOrderBaseAssetAmount: null,
    takerOrderCumulativeBaseAssetAmountFilled: null,
    takerOrderCumulativeQuoteAssetAmountFilled: null,
    ...{ maker: null, makerOrderId: null, makerOrderDirection: null },
    makerOrderBaseAssetAmount: null,
    makerOrderCumulativeBaseAssetAmountFilled: null,
    makerOrderCumulativeQuoteAssetAmountFilled: null,
    takerExistingQuoteEntryAmount: null,
    takerExistingBaseAssetAmount: null,
    makerExistingQuoteEntryAmount: null,
    makerExistingBaseAssetAmount: null,
    ...told,
  };
}
