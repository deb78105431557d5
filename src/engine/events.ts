import { LogDecoder as NativeDecoder, orderActionExplanations } from '@slotbook/core/native';
import type { MarketType } from '../contract/markets.js';
import type { ProgramName } from '../contract/program.js';
import { EngineError } from './errors.js';

/** Room for eight fills; the buffer grows when a transaction needs more. */
const OUT_BYTES = 4 << 10;

const HEAD_BYTES = 24;
const FILL_BYTES = 328;
const FUNDING_BYTES = 160;
const KEY_TEXT_BYTES = 44;
/** A length before a key. */
const USER_BYTES = 1 + KEY_TEXT_BYTES;
const FILL_WIDE_AT = 32;
const FILL_KEYS_AT = 192;
/**
 * The first presence bits belong to the ids and the referrer's reward; the 64-bit numbers follow.
 */
const FILL_SMALL_BITS = 3;

/** A side of an order or a position. */
export type FillDirection = 'long' | 'short';

const DIRECTIONS: readonly (FillDirection | null)[] = [null, 'long', 'short'];
const MARKET_TYPES: readonly MarketType[] = ['spot', 'perp'];

/**
 * One fill: an OrderActionRecord of action fill, as the program logs it. Base is in units of 1e-9
 * for perps and of the token's decimals for spot, quote, fees and prices of 1e-6. A field is null
 * when the record lacks it: a fill against the AMM has no maker. The decoder rejects a fill that
 * lacks its number, its base or its quote.
 *
 * Source: programs/drift/src/state/events.rs OrderActionRecord.
 */
export type FillEvent = Readonly<ReturnType<typeof readFill>>;

/**
 * One update of a perp market's funding rate. Rates are quote per base and hour in units of 1e-9,
 * prices of 1e-6, quote of 1e-6, base of 1e-9.
 *
 * Source: programs/drift/src/state/events.rs FundingRateRecord.
 */
export type FundingRateEvent = Readonly<ReturnType<typeof readFunding>>;

/** What one transaction's logs say about users. */
export interface LoggedUsers {
  /** User accounts that the program wrote and names: owners of orders, depositors, liquidators. */
  readonly users: string[];
  /** Whether the logs may name more users: they were truncated, or have unreadable events. */
  readonly isPartial: boolean;
}

/** The events in one transaction's logs. */
export interface LogEvents extends LoggedUsers {
  /** Fills, in the order of the logs. */
  readonly fills: FillEvent[];
  readonly fundingRates: FundingRateEvent[];
  /** All events of the program, of every kind. */
  readonly events: number;
  /** Whether the runtime truncated the logs, so that later events may be missing. */
  readonly isTruncated: boolean;
  /** Events that could not be decoded: truncated, or with invalid values. */
  readonly unreadable: number;
}

/** Decodes the program's events in transaction logs. It may be used on any thread. */
export class LogDecoder {
  readonly #native: NativeDecoder;
  readonly #explanations = orderActionExplanations();
  #out = Buffer.allocUnsafeSlow(OUT_BYTES);

  /**
   * `programId` is the program's key (base58), `program` the one whose records it logs, by default that of the key.
   * Throws an {@link EngineError}: INVALID_PROGRAM_ID.
   */
  constructor(programId: string, program?: ProgramName) {
    try {
      this.#native = new NativeDecoder(programId, program);
    } catch (error) {
      const message = `program was "${programId}", must be 32 bytes in base58`;
      throw new EngineError('INVALID_PROGRAM_ID', message, { program: programId, cause: error });
    }
  }

  /**
   * Decodes the log lines of one transaction, as the RPC node returns them. The transaction must
   * have succeeded: the runtime also logs the events of a failed transaction, but their changes
   * were rolled back.
   */
  decode(lines: readonly string[]): LogEvents {
    this.#decodeInto(lines);
    return this.#readEvents(this.#out);
  }

  /** Decodes only the users, which takes a tenth of the time when there are many fills. */
  decodeUsers(lines: readonly string[]): LoggedUsers {
    this.#decodeInto(lines);
    return readUsers(this.#out);
  }

  #decodeInto(lines: readonly string[]): void {
    // The addon's type declares a mutable array, but the addon only reads the array.
    const bytes = this.#native.decode(lines as string[], this.#out);
    if (bytes <= this.#out.length) return;
    this.#out = Buffer.allocUnsafeSlow(bytes * 2);
    this.#native.copy(this.#out);
  }

  #readEvents(out: Buffer): LogEvents {
    const fills: FillEvent[] = [];
    const fundingRates: FundingRateEvent[] = [];
    let at = HEAD_BYTES;
    for (let left = out.readUInt32LE(0); left > 0; left -= 1, at += FILL_BYTES) {
      fills.push(readFill(out, at, this.#explanations));
    }
    for (let left = out.readUInt32LE(4); left > 0; left -= 1, at += FUNDING_BYTES) {
      fundingRates.push(readFunding(out, at));
    }
    const isTruncated = out.readUInt32LE(16) !== 0;
    const events = out.readUInt32LE(8);
    const unreadable = out.readUInt32LE(12);
    return { fills, fundingRates, events, isTruncated, unreadable, ...readUsers(out) };
  }
}

function readUsers(out: Buffer): LoggedUsers {
  const isPartial = out.readUInt32LE(12) > 0 || out.readUInt32LE(16) !== 0;
  const users: string[] = [];
  let at = HEAD_BYTES + out.readUInt32LE(0) * FILL_BYTES + out.readUInt32LE(4) * FUNDING_BYTES;
  for (let left = out.readUInt32LE(20); left > 0; left -= 1, at += USER_BYTES) {
    users.push(out.toString('latin1', at + 1, at + 1 + out.readUInt8(at)));
  }
  return { users, isPartial };
}

function readFill(out: Buffer, at: number, explanations: readonly string[]) {
  const present = out.readUInt32LE(at + 12);
  const has = (bit: number) => ((present >>> bit) & 1) !== 0;
  const small = (place: number) => (has(place) ? out.readUInt32LE(at + 16 + place * 4) : null);
  const offset = (place: number) => at + FILL_WIDE_AT + 16 + place * 8;
  const wide = (place: number) =>
    has(FILL_SMALL_BITS + place) ? out.readBigUInt64LE(offset(place)) : null;
  const signed = (place: number) =>
    has(FILL_SMALL_BITS + place) ? out.readBigInt64LE(offset(place)) : null;
  const key = (place: number) => {
    const start = at + FILL_KEYS_AT + place * KEY_TEXT_BYTES;
    const length = out.readUInt8(at + 28 + place);
    return length === 0 ? null : out.toString('latin1', start, start + length);
  };
  return {
    /** Position among the program's events in the transaction, from 0. */
    index: out.readUInt32LE(at),
    /** The chain's time, unix seconds. */
    ts: Number(out.readBigInt64LE(at + FILL_WIDE_AT)),
    action: 'fill' as const,
    /** The SDK's name, such as `orderFilledWithMatch`. `transferPerpPosition` is not a trade. */
    actionExplanation: explanations[out.readUInt8(at + 6)] ?? 'none',
    marketIndex: out.readUInt16LE(at + 4),
    marketType: MARKET_TYPES[out.readUInt8(at + 7)] ?? 'perp',
    /** Keys are base58. */
    filler: key(0),
    fillerReward: wide(0),
    /** The fill's number in its market, without gaps. */
    fillRecordId: out.readBigUInt64LE(offset(1)),
    baseAssetAmountFilled: out.readBigUInt64LE(offset(2)),
    quoteAssetAmountFilled: out.readBigUInt64LE(offset(3)),
    takerFee: wide(4),
    /** Negative for a rebate. */
    makerFee: signed(5),
    referrerReward: small(2),
    quoteAssetAmountSurplus: signed(6),
    spotFulfillmentMethodFee: wide(7),
    taker: key(1),
    takerOrderId: small(0),
    takerOrderDirection: DIRECTIONS[out.readUInt8(at + 8)] ?? null,
    takerOrderBaseAssetAmount: wide(8),
    takerOrderCumulativeBaseAssetAmountFilled: wide(9),
    takerOrderCumulativeQuoteAssetAmountFilled: wide(10),
    maker: key(2),
    makerOrderId: small(1),
    makerOrderDirection: DIRECTIONS[out.readUInt8(at + 9)] ?? null,
    makerOrderBaseAssetAmount: wide(11),
    makerOrderCumulativeBaseAssetAmountFilled: wide(12),
    makerOrderCumulativeQuoteAssetAmountFilled: wide(13),
    oraclePrice: out.readBigInt64LE(at + FILL_WIDE_AT + 8),
    /** OrderBitFlag of the taker's order; 0 in records before 2025. */
    bitFlags: out.readUInt8(at + 10),
    takerExistingQuoteEntryAmount: wide(14),
    takerExistingBaseAssetAmount: wide(15),
    makerExistingQuoteEntryAmount: wide(16),
    makerExistingBaseAssetAmount: wide(17),
  };
}

function readFunding(out: Buffer, at: number) {
  const huge = (place: number) => readBigInt128(out, at + 56 + place * 16);
  return {
    /** Position among the program's events in the transaction, from 0. */
    index: out.readUInt32LE(at),
    /** The chain's time, unix seconds. */
    ts: Number(out.readBigInt64LE(at + 8)),
    /** The update's number in its market. */
    recordId: out.readBigUInt64LE(at + 16),
    marketIndex: out.readUInt32LE(at + 4),
    /** Positive when longs pay. */
    fundingRate: out.readBigInt64LE(at + 24),
    fundingRateLong: huge(0),
    fundingRateShort: huge(1),
    cumulativeFundingRateLong: huge(2),
    cumulativeFundingRateShort: huge(3),
    oraclePriceTwap: out.readBigInt64LE(at + 32),
    markPriceTwap: out.readBigUInt64LE(at + 40),
    periodRevenue: out.readBigInt64LE(at + 48),
    baseAssetAmountWithAmm: huge(4),
    baseAssetAmountWithUnsettledLp: huge(5),
  };
}

function readBigInt128(out: Buffer, at: number): bigint {
  return (out.readBigInt64LE(at + 8) << 64n) | out.readBigUInt64LE(at);
}
