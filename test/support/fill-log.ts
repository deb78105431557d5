import { Direction, MarketType, OrderActionExplanation } from '../../src/sim/bytes/chain-enums.js';
import { fillRecordBytes } from '../../src/sim/bytes/event-record.js';
import { PROGRAM } from './ingest-rig.js';

/** A node's log of a transaction with one fill of SOL-PERP, with its number, time and taker. */
export function fillLog(
  id: number,
  ts: number,
  program: string = PROGRAM,
  user: string = PROGRAM,
): readonly string[] {
  const order = {
    ...{ user, orderId: id, direction: Direction.Long, baseAssetAmount: 10n },
    ...{ cumulativeBaseAssetAmountFilled: 10n, cumulativeQuoteAssetAmountFilled: 10n },
    ...{ existingQuoteEntryAmount: undefined, existingBaseAssetAmount: undefined },
  };
  const bytes = fillRecordBytes({
    ...{ ts: BigInt(ts), marketIndex: 0, marketType: MarketType.Perp },
    ...{ actionExplanation: OrderActionExplanation.FilledWithAmm, filler: undefined },
    ...{ fillerReward: undefined, fillRecordId: BigInt(id), baseAssetAmountFilled: 1_000_000n },
    ...{ quoteAssetAmountFilled: 100_000n, takerFee: 1n, makerFee: undefined },
    ...{ referrerReward: undefined, quoteAssetAmountSurplus: undefined },
    ...{ spotFulfillmentMethodFee: undefined, taker: order, maker: undefined },
    ...{ oraclePrice: 100_000_000n, bitFlags: 0 },
  });
  return [
    `Program ${program} invoke [1]`,
    `Program data: ${bytes.toString('base64')}`,
    `Program ${program} success`,
  ];
}
