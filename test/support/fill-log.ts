import { fillRecordBytes } from '../../src/sim/bytes/event-record.js';
import {
  Direction,
  MarketType,
  OrderActionExplanation,
} from '../../src/sim/bytes/generated/enums.js';
import { PROGRAM } from './ingest-rig.js';

/** A node's log of a transaction with one fill of SOL-PERP, with its number, time and taker. */
export function fillLog(
  id: number,
  ts: number,
  program: string = PROGRAM,
  user: string = PROGRAM,
): readonly string[] {
  const bytes = fillRecordBytes({
    ...{ ts: BigInt(ts), marketIndex: 0, marketType: MarketType.Perp },
    ...{ actionExplanation: OrderActionExplanation.OrderFilledWithAMM, fillRecordId: BigInt(id) },
    ...{ baseAssetAmountFilled: 1_000_000n, quoteAssetAmountFilled: 100_000n, takerFee: 1n },
    ...{ taker: user, takerOrderId: id, takerOrderDirection: Direction.Long },
    ...{ takerOrderBaseAssetAmount: 10n, takerOrderCumulativeBaseAssetAmountFilled: 10n },
    ...{ takerOrderCumulativeQuoteAssetAmountFilled: 10n, oraclePrice: 100_000_000n },
  });
  return [
    `Program ${program} invoke [1]`,
    `Program data: ${bytes.toString('base64')}`,
    `Program ${program} success`,
  ];
}
