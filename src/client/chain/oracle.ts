/** Decodes the oracle accounts of all oracle sources. */

import type { OracleSource } from '../accounts/generated/enums.js';
import {
  PRELAUNCH_ORACLE_KIND,
  PYTH_LAZER_ORACLE_KIND,
  prelaunchOracleAt,
  pythLazerOracleAt,
} from '../accounts/generated/oracles.js';
import { checkedView, i128At, malformedAccount } from '../accounts/reading.js';

/** One reading of an oracle. */
export interface OracleReading {
  /** 1e6. */
  readonly price: bigint;
  /** 1e6. */
  readonly confidence: bigint;
  /** The slot at which it was published. */
  readonly slot: bigint;
  /** The sequence id orders readings; 0 when the source has none. */
  readonly sequenceId: bigint;
  readonly hasSufficientData: boolean;
}

const ONE = 1_000_000n;

/**
 * Returns the reading of the quote asset, which has no oracle account: its price is one and never
 * stale.
 *
 * @example
 * quoteAssetReading(slot).price; // 1000000n
 */
export function quoteAssetReading(slot: bigint): OracleReading {
  return { price: ONE, confidence: 1n, slot, sequenceId: 0n, hasSufficientData: true };
}

/**
 * Decodes an oracle account like the program. Throws MALFORMED_ACCOUNT for an account of another
 * source, or when its price does not fit 1e6. The owner of the account is not checked.
 *
 * Source: programs/drift/src/state/oracle.rs `get_oracle_price`.
 *
 * @example
 * const { price, confidence } = readOracle('pythLazer', bytes);
 */
export function readOracle(source: OracleSource, bytes: Uint8Array): OracleReading {
  const read = READERS[source];
  if (read === undefined) throw malformedAccount(`oracle source ${source} has no account`);
  const reading = read(bytes);
  const isSigned64 = reading.price >= -(1n << 63n) && reading.price < 1n << 63n;
  if (isSigned64 && reading.confidence >= 0n && reading.confidence < 1n << 64n) return reading;
  throw malformedAccount(`oracle price ${reading.price} is beyond what the program can hold`);
}

type Reader = (bytes: Uint8Array) => OracleReading;

const READERS: Readonly<Partial<Record<OracleSource, Reader>>> = {
  pyth: (bytes) => pythPush(bytes, 1n),
  pyth1K: (bytes) => pythPush(bytes, 1_000n),
  pyth1M: (bytes) => pythPush(bytes, 1_000_000n),
  pythStableCoin: (bytes) => heldAtOne(pythPush(bytes, 1n)),
  pythPull: (bytes) => pythPull(bytes, 1n),
  pyth1KPull: (bytes) => pythPull(bytes, 1_000n),
  pyth1MPull: (bytes) => pythPull(bytes, 1_000_000n),
  pythStableCoinPull: (bytes) => heldAtOne(pythPull(bytes, 1n)),
  pythLazer: (bytes) => pythLazer(bytes, 1n),
  pythLazer1K: (bytes) => pythLazer(bytes, 1_000n),
  pythLazer1M: (bytes) => pythLazer(bytes, 1_000_000n),
  pythLazerStableCoin: (bytes) => heldAtOne(pythLazer(bytes, 1n)),
  switchboard: switchboard,
  switchboardOnDemand: switchboardOnDemand,
  prelaunch: prelaunch,
};

/**
 * Price and confidence in Pyth's form: integers to multiply by ten to the power of the exponent.
 */
interface PythPrice {
  readonly price: bigint;
  readonly confidence: bigint;
  readonly exponent: number;
  /** The number of asset units to which one price applies. */
  readonly multiple: bigint;
}

/** Highest exponent of ten in 128 bits. */
const EXPONENT_MAX = 38;

/**
 * Converts a price to 1e6, truncated toward zero. The sign of the exponent is ignored. Source:
 * programs/drift/src/state/oracle.rs `get_pyth_price`.
 */
function toPricePrecision({ price, confidence, exponent, multiple }: PythPrice) {
  const digits = Math.abs(exponent);
  const precision = digits > EXPONENT_MAX ? 0n : 10n ** BigInt(digits);
  if (precision <= multiple)
    throw malformedAccount(`oracle has the exponent ${exponent}, which is out of range`);
  const scale = scaleOf(precision / multiple);
  return { price: scale(price), confidence: scale(confidence) };
}

/** From a precision to 1e6. */
function scaleOf(precision: bigint): (value: bigint) => bigint {
  if (precision > ONE) return (value) => value / (precision / ONE);
  return (value) => value * (ONE / precision);
}

/** The largest distance from one at which a stable coin's price counts as one, 1e6. */
const STABLE_COIN_BAND = 500n;

/**
 * Sets a stable coin's price to one when one lies within its confidence interval and the price is
 * near one. Source: programs/drift/src/state/oracle.rs `get_pyth_stable_coin_price`.
 */
function heldAtOne(reading: OracleReading): OracleReading {
  const apart = magnitude(reading.price - ONE);
  const isNear = apart <= reading.confidence && apart <= STABLE_COIN_BAND;
  return isNear ? { ...reading, price: ONE } : reading;
}

const PYTH_PUSH = { name: 'a Pyth price', start: 'd4c3b2a1', bytes: 240 };
const PYTH_PUSH_TYPE_PRICE = 3;
/** The required number of publishers, however many there are. */
const PUBLISHERS_MIN = 3;

/** The SDK reads `lastSlot` at offset 32; the program reads `validSlot`. */
function pythPush(bytes: Uint8Array, multiple: bigint): OracleReading {
  const view = foreignView(bytes, PYTH_PUSH);
  if (view.getUint32(8, true) !== PYTH_PUSH_TYPE_PRICE)
    throw malformedAccount('oracle is not a Pyth price');
  const price = view.getBigInt64(208, true);
  const confidence = view.getBigUint64(216, true);
  const components = Math.min(view.getUint32(24, true), PUBLISHERS_MIN);
  return {
    ...toPricePrecision({ price, confidence, exponent: view.getInt32(20, true), multiple }),
    slot: view.getBigUint64(40, true),
    sequenceId: 0n,
    hasSufficientData: view.getUint32(28, true) >= components,
  };
}

const PYTH_PULL = { name: 'a Pyth update', start: '22f123639d7ef4cd', bytes: 133 };
const PYTH_PULL_LEVEL = 40;
/** The offset of the message, by the level of verification. */
const PYTH_PULL_STARTS = [42, 41];
const PYTH_PULL_MESSAGE_BYTES = 92;

function pythPull(bytes: Uint8Array, multiple: bigint): OracleReading {
  const view = foreignView(bytes, PYTH_PULL);
  const at = PYTH_PULL_STARTS[view.getUint8(PYTH_PULL_LEVEL)];
  if (at === undefined || bytes.length < at + PYTH_PULL_MESSAGE_BYTES) {
    throw malformedAccount('oracle is a Pyth update that was cut short or has an unknown level');
  }
  const price = view.getBigInt64(at + 32, true);
  const confidence = view.getBigUint64(at + 40, true);
  const published = view.getBigInt64(at + 52, true);
  return {
    ...toPricePrecision({ price, confidence, exponent: view.getInt32(at + 48, true), multiple }),
    slot: view.getBigUint64(at + 84, true),
    sequenceId: published > 0n ? published : 0n,
    hasSufficientData: true,
  };
}

function pythLazer(bytes: Uint8Array, multiple: bigint): OracleReading {
  const { price, conf, exponent, postedSlot, publishTime } = pythLazerOracleAt(
    checkedView(bytes, PYTH_LAZER_ORACLE_KIND),
    0,
  );
  return {
    ...toPricePrecision({ price, confidence: conf, exponent, multiple }),
    slot: postedSlot,
    sequenceId: publishTime,
    hasSufficientData: true,
  };
}

/** Source: programs/drift/src/state/oracle.rs `get_prelaunch_price`. */
function prelaunch(bytes: Uint8Array): OracleReading {
  const view = checkedView(bytes, PRELAUNCH_ORACLE_KIND);
  const { price, confidence, ammLastUpdateSlot } = prelaunchOracleAt(view, 0);
  return { price, confidence, slot: ammLastUpdateSlot, sequenceId: 0n, hasSufficientData: true };
}

const AGGREGATOR = { name: 'a Switchboard aggregator', start: 'd9e64165c9a21b7d', bytes: 3851 };
/** The confidence is at least the price divided by this number. */
const CONFIDENCE_DIVISOR = 1_000n;
const CONFIDENCE_MAX = (1n << 64n) - 1n;

/** Source: programs/drift/src/state/oracle.rs `get_switchboard_price`. */
function switchboard(bytes: Uint8Array): OracleReading {
  const view = foreignView(bytes, AGGREGATOR);
  const price = switchboardDecimal(view, 366);
  const deviation = switchboardDecimal(view, 386);
  const least = magnitude(price) / CONFIDENCE_DIVISOR;
  // A negative deviation is invalid and must never count as precise.
  const confidence = deviation < 0n ? CONFIDENCE_MAX : deviation > least ? deviation : least;
  return {
    price,
    confidence,
    slot: view.getBigUint64(350, true),
    sequenceId: 0n,
    hasSufficientData: view.getUint32(341, true) >= view.getUint32(236, true),
  };
}

/** Reads a mantissa and its scale. Source: state/oracle.rs `convert_switchboard_decimal`. */
function switchboardDecimal(view: DataView, at: number): bigint {
  const scale = view.getUint32(at + 16, true);
  if (scale > EXPONENT_MAX)
    throw malformedAccount(`oracle has the scale ${scale}, must be at most ${EXPONENT_MAX}`);
  return scaleOf(10n ** BigInt(scale))(i128At(view, at));
}

const ON_DEMAND = { name: 'a Switchboard feed', start: 'c41b6cc40ad7db28', bytes: 3208 };
const SUBMISSIONS = { at: 8, count: 32, bytes: 64, landedAt: 40, value: 48 };
/** From 1e18 to 1e6. */
const ON_DEMAND_DIVISOR = 1_000_000_000_000n;

/**
 * Reads the mean of the last submissions. The SDK uses the account's median instead. Source:
 * programs/drift/src/state/oracle.rs `get_sb_on_demand_price`.
 */
function switchboardOnDemand(bytes: Uint8Array): OracleReading {
  const view = foreignView(bytes, ON_DEMAND);
  let newest = 0n;
  let values: bigint[] = [];
  for (let index = 0; index < SUBMISSIONS.count; index += 1) {
    const at = SUBMISSIONS.at + index * SUBMISSIONS.bytes;
    const landedAt = view.getBigUint64(at + SUBMISSIONS.landedAt, true);
    if (landedAt > newest) values = [];
    if (landedAt >= newest) values.push(i128At(view, at + SUBMISSIONS.value));
    newest = landedAt > newest ? landedAt : newest;
  }
  const sum = values.reduce((total, value) => total + value, 0n);
  return {
    price: sum / BigInt(values.length) / ON_DEMAND_DIVISOR,
    confidence: i128At(view, 2312) / ON_DEMAND_DIVISOR,
    slot: newest,
    sequenceId: 0n,
    hasSufficientData: true,
  };
}

/** Accounts of other programs, which may grow. */
interface ForeignKind {
  readonly name: string;
  /** Their first bytes, as hex. */
  readonly start: string;
  /** Bytes that are read. */
  readonly bytes: number;
}

function foreignView(bytes: Uint8Array, { name, start, bytes: least }: ForeignKind): DataView {
  if (bytes.length < least)
    throw malformedAccount(`oracle had ${bytes.length} bytes, ${name} must have at least ${least}`);
  for (let at = 0; at < start.length / 2; at += 1) {
    const isStart = bytes[at] === Number.parseInt(start.slice(2 * at, 2 * at + 2), 16);
    if (!isStart) throw malformedAccount(`oracle is not ${name}: its first bytes are others`);
  }
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

const magnitude = (value: bigint): bigint => (value < 0n ? -value : value);
