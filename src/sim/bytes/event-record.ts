/**
 * Encodes the events that the program logs: an eight-byte discriminator, then borsh.
 *
 * Source: programs/drift/src/state/events.rs.
 */
import { PublicKey } from '@solana/web3.js';
import type { ProgramName } from '../../contract/program.js';
import { u16, u32 } from './account-bytes.js';
import type { Direction, MarketType, OrderActionExplanation } from './chain-enums.js';

const ORDER_ACTION_RECORD = 'e0344347c2ed6d01';
const FUNDING_RATE_RECORD = '4403ff1a855b93fe';
const FILL_ACTION = 2;

/** One side's order in the record of a fill. Base and quote amounts are those on chain. */
export interface FilledOrder {
  readonly user: string;
  readonly orderId: number;
  readonly direction: Direction;
  readonly baseAssetAmount: bigint;
  readonly cumulativeBaseAssetAmountFilled: bigint;
  readonly cumulativeQuoteAssetAmountFilled: bigint;
  /**
   * The quote entry amount of the closed part of the position; undefined when the fill closes none.
   */
  readonly existingQuoteEntryAmount: bigint | undefined;
  /** The base of the position when the fill turns it to the other side; otherwise undefined. */
  readonly existingBaseAssetAmount: bigint | undefined;
}

/** The program's record of a fill. Prices and quote at 1e6; undefined for omitted fields. */
export interface FillRecord {
  /** The chain's clock, unix seconds. */
  readonly ts: bigint;
  readonly actionExplanation: OrderActionExplanation;
  readonly marketIndex: number;
  readonly marketType: MarketType;
  readonly filler: string | undefined;
  readonly fillerReward: bigint | undefined;
  readonly fillRecordId: bigint;
  readonly baseAssetAmountFilled: bigint;
  readonly quoteAssetAmountFilled: bigint;
  readonly takerFee: bigint;
  /** Negative is a rebate. */
  readonly makerFee: bigint | undefined;
  readonly referrerReward: number | undefined;
  readonly quoteAssetAmountSurplus: bigint | undefined;
  readonly spotFulfillmentMethodFee: bigint | undefined;
  readonly taker: FilledOrder;
  /** Undefined is the AMM. */
  readonly maker: FilledOrder | undefined;
  readonly oraclePrice: bigint;
  readonly bitFlags: number;
}

/** The program's record of a new funding rate. Rates at 1e9, prices and quote at 1e6. */
interface FundingRecord {
  /** The chain's clock, unix seconds. */
  readonly ts: bigint;
  readonly recordId: bigint;
  readonly marketIndex: number;
  readonly fundingRate: bigint;
  readonly fundingRateLong: bigint;
  readonly fundingRateShort: bigint;
  readonly cumulativeFundingRateLong: bigint;
  readonly cumulativeFundingRateShort: bigint;
  readonly oraclePriceTwap: bigint;
  readonly markPriceTwap: bigint;
  readonly periodRevenue: bigint;
  readonly baseAssetAmountWithAmm: bigint;
  readonly baseAssetAmountWithUnsettledLp: bigint;
}

/** The OrderActionRecord of a fill, with all current fields of the program. */
export function fillRecordBytes(fill: FillRecord): Buffer {
  const { taker, maker } = fill;
  return Buffer.concat([
    Buffer.from(ORDER_ACTION_RECORD, 'hex'),
    i64(fill.ts),
    u8(FILL_ACTION),
    u8(fill.actionExplanation),
    u16(fill.marketIndex),
    u8(fill.marketType),
    optionBytes(fill.filler, keyBytes),
    optionBytes(fill.fillerReward, u64),
    optionBytes(fill.fillRecordId, u64),
    optionBytes(fill.baseAssetAmountFilled, u64),
    optionBytes(fill.quoteAssetAmountFilled, u64),
    optionBytes(fill.takerFee, u64),
    optionBytes(fill.makerFee, i64),
    optionBytes(fill.referrerReward, u32),
    optionBytes(fill.quoteAssetAmountSurplus, i64),
    optionBytes(fill.spotFulfillmentMethodFee, u64),
    filledOrder(taker),
    filledOrder(maker),
    i64(fill.oraclePrice),
    u8(fill.bitFlags),
    optionBytes(taker.existingQuoteEntryAmount, u64),
    optionBytes(taker.existingBaseAssetAmount, u64),
    optionBytes(maker?.existingQuoteEntryAmount, u64),
    optionBytes(maker?.existingBaseAssetAmount, u64),
    // No trigger price, no builder.
    Buffer.alloc(3),
  ]);
}

/** The FundingRateRecord. */
export function fundingRecordBytes(funding: FundingRecord, program: ProgramName): Buffer {
  const ofDrift = (bytes: Buffer): Buffer => (program === 'drift' ? bytes : Buffer.alloc(0));
  return Buffer.concat([
    Buffer.from(FUNDING_RATE_RECORD, 'hex'),
    i64(funding.ts),
    u64(funding.recordId),
    u16(funding.marketIndex),
    i64(funding.fundingRate),
    i128(funding.fundingRateLong),
    i128(funding.fundingRateShort),
    i128(funding.cumulativeFundingRateLong),
    i128(funding.cumulativeFundingRateShort),
    i64(funding.oraclePriceTwap),
    u64(funding.markPriceTwap),
    ofDrift(i64(funding.periodRevenue)),
    i128(funding.baseAssetAmountWithAmm),
    ofDrift(i128(funding.baseAssetAmountWithUnsettledLp)),
  ]);
}

function filledOrder(order: FilledOrder | undefined): Buffer {
  return Buffer.concat([
    optionBytes(order?.user, keyBytes),
    optionBytes(order?.orderId, u32),
    optionBytes(order?.direction, u8),
    optionBytes(order?.baseAssetAmount, u64),
    optionBytes(order?.cumulativeBaseAssetAmountFilled, u64),
    optionBytes(order?.cumulativeQuoteAssetAmountFilled, u64),
  ]);
}

function optionBytes<T>(value: T | undefined, write: (value: T) => Buffer): Buffer {
  return value === undefined ? u8(0) : Buffer.concat([u8(1), write(value)]);
}

function keyBytes(text: string): Buffer {
  return Buffer.from(new PublicKey(text).toBytes());
}

function u8(value: number): Buffer {
  return Buffer.from([value]);
}

function u64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}

function i64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64LE(value);
  return bytes;
}

function i128(value: bigint): Buffer {
  return Buffer.concat([u64(BigInt.asUintN(64, value)), i64(value >> 64n)]);
}
