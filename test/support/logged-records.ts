/**
 * Encodes and decodes records as the program logs them, apart from the core: an eight-byte
 * discriminator, then borsh. Source: programs/drift/src/state/events.rs.
 */
import { type LoggedRecord, readLogged } from '../../src/engine/events.js';
import { decodeBase58, encodeBase58 } from '../../src/history/store/base58.js';
import { LAYOUTS } from '../../src/sim/bytes/generated/layout.js';

/** The explanation of a position transfer, which is not a trade. */
export const TRANSFER_EXPLANATION = 'transferPerpPosition';

const EXPLANATIONS = [
  'none',
  'insufficientFreeCollateral',
  'oraclePriceBreachedLimitPrice',
  'marketOrderFilledToLimitPrice',
  'orderExpired',
  'liquidation',
  'orderFilledWithAmm',
  'orderFilledWithAmmJit',
  'orderFilledWithMatch',
  'orderFilledWithMatchJit',
  'marketExpired',
  'riskingIncreasingOrder',
  'reduceOnlyOrderIncreasedPosition',
  'orderFillWithSerum',
  'noBorrowLiquidity',
  'orderFillWithPhoenix',
  'orderFilledWithAmmJitLpSplit',
  'orderFilledWithLpJit',
  'deriskLp',
  'orderFilledWithOpenbookV2',
  TRANSFER_EXPLANATION,
] as const;
const ACTIONS = ['place', 'cancel', 'fill', 'trigger', 'expire'] as const;
const MARKET_TYPES = ['spot', 'perp'] as const;
const DIRECTIONS = ['long', 'short'] as const;

/** A type of borsh: an integer, a key, or one of these words. */
type Kind = 'u8' | 'u16' | 'u32' | 'u64' | 'i64' | 'i128' | 'time' | 'key' | readonly string[];
/** A question mark is an option. */
type Field = readonly [name: string, kind: Kind, option?: '?'];

/** The members that fields make. */
type MembersOf<Fields extends readonly Field[]> = {
  readonly [F in Fields[number] as F[0]]: F[2] extends '?' ? ValueOf<F[1]> | null : ValueOf<F[1]>;
};
type ValueOf<K> = K extends readonly (infer Word)[]
  ? Word
  : K extends 'key'
    ? string
    : K extends 'u64' | 'i64' | 'i128'
      ? bigint
      : number;

const order = <Name extends 'taker' | 'maker'>(side: Name) =>
  [
    [side, 'key', '?'],
    [`${side}OrderId`, 'u32', '?'],
    [`${side}OrderDirection`, DIRECTIONS, '?'],
    [`${side}OrderBaseAssetAmount`, 'u64', '?'],
    [`${side}OrderCumulativeBaseAssetAmountFilled`, 'u64', '?'],
    [`${side}OrderCumulativeQuoteAssetAmountFilled`, 'u64', '?'],
  ] as const;

const FILL = [
  ['ts', 'time'],
  ['action', ACTIONS],
  ['actionExplanation', EXPLANATIONS],
  ['marketIndex', 'u16'],
  ['marketType', MARKET_TYPES],
  ['filler', 'key', '?'],
  ['fillerReward', 'u64', '?'],
  ['fillRecordId', 'u64', '?'],
  ['baseAssetAmountFilled', 'u64', '?'],
  ['quoteAssetAmountFilled', 'u64', '?'],
  ['takerFee', 'u64', '?'],
  ['makerFee', 'i64', '?'],
  ['referrerReward', 'u32', '?'],
  ['quoteAssetAmountSurplus', 'i64', '?'],
  ['spotFulfillmentMethodFee', 'u64', '?'],
  ...order('taker'),
  ...order('maker'),
  ['oraclePrice', 'i64'],
  ['bitFlags', 'u8'],
  ['takerExistingQuoteEntryAmount', 'u64', '?'],
  ['takerExistingBaseAssetAmount', 'u64', '?'],
  ['makerExistingQuoteEntryAmount', 'u64', '?'],
  ['makerExistingBaseAssetAmount', 'u64', '?'],
] as const satisfies readonly Field[];

/** A fill, with the program's integers. */
export interface Fill extends MembersOf<typeof FILL> {
  /** Position among the program's events in the transaction, from 0. */
  readonly index: number;
}

const FUNDING_RATE = [
  ['ts', 'time'],
  ['recordId', 'u64'],
  ['marketIndex', 'u16'],
  ['fundingRate', 'i64'],
  ['fundingRateLong', 'i128'],
  ['fundingRateShort', 'i128'],
  ['cumulativeFundingRateLong', 'i128'],
  ['cumulativeFundingRateShort', 'i128'],
  ['oraclePriceTwap', 'i64'],
  ['markPriceTwap', 'u64'],
  ['periodRevenue', 'i64'],
  ['baseAssetAmountWithAmm', 'i128'],
  ['baseAssetAmountWithUnsettledLp', 'i128'],
] as const satisfies readonly Field[];

/** A funding rate, with the program's integers. */
export interface FundingRate extends MembersOf<typeof FUNDING_RATE> {
  readonly index: number;
}

/** The records of other kinds that tests make; some end before fields that tests leave 0. */
const OTHERS = {
  DepositRecord: {
    discriminator: 'b4f1dacf66872c86',
    fields: [
      ['ts', 'time'],
      ['userAuthority', 'key'],
      ['user', 'key'],
      ['direction', ['deposit', 'withdraw']],
      ['depositRecordId', 'u64'],
      ['amount', 'u64'],
      ['marketIndex', 'u16'],
    ],
  },
  LiquidationRecord: {
    discriminator: '7f11006cb60de735',
    fields: [
      ['ts', 'time'],
      ['liquidationType', 'u8'],
      ['user', 'key'],
      ['liquidator', 'key'],
    ],
  },
  NewUserRecord: {
    discriminator: 'ecba71db2a3395f9',
    fields: [
      ['ts', 'time'],
      ['userAuthority', 'key'],
      ['user', 'key'],
      ['subAccountId', 'u16'],
      ['name', 'key'],
      ['referrer', 'key'],
    ],
  },
  SpotInterestRecord: {
    discriminator: 'b7bacbbae1bb5f82',
    fields: [
      ['ts', 'time'],
      ['marketIndex', 'u16'],
    ],
  },
  FundingPaymentRecord: {
    discriminator: '083b601489c9385f',
    fields: [
      ['ts', 'time'],
      ['userAuthority', 'key'],
      ['user', 'key'],
      ['marketIndex', 'u16'],
      ['fundingPayment', 'i64'],
      ['baseAssetAmount', 'i64'],
      ['userLastCumulativeFunding', 'i64'],
      ['ammCumulativeFundingLong', 'i128'],
      ['ammCumulativeFundingShort', 'i128'],
    ],
  },
  SettlePnlRecord: {
    discriminator: '3944691a77c6d559',
    fields: [
      ['ts', 'time'],
      ['user', 'key'],
      ['marketIndex', 'u16'],
      ['pnl', 'i128'],
      ['baseAssetAmount', 'i64'],
      ['quoteAssetAmountAfter', 'i64'],
      ['quoteEntryAmount', 'i64'],
      ['settlePrice', 'i64'],
      ['explanation', 'u8'],
    ],
  },
  DeleteUserRecord: {
    discriminator: '476fbe76070384de',
    fields: [
      ['ts', 'time'],
      ['userAuthority', 'key'],
      ['user', 'key'],
      ['subAccountId', 'u16'],
      ['keeper', 'key', '?'],
    ],
  },
} as const satisfies Readonly<
  Record<string, { readonly discriminator: string; readonly fields: readonly Field[] }>
>;

type Members = Readonly<Record<string, unknown>>;

/** The bytes of a fill or of another action on an order. */
export function fillBytes(fill: Fill): Buffer {
  return bytesOf('e0344347c2ed6d01', FILL, fill as unknown as Members);
}

/** The bytes of a funding rate. */
export function fundingRateBytes(rate: FundingRate): Buffer {
  return bytesOf('4403ff1a855b93fe', FUNDING_RATE, rate as unknown as Members);
}

/** The bytes of a record of another kind. */
export function otherBytes(record: keyof typeof OTHERS, members: Members): Buffer {
  const { discriminator, fields } = OTHERS[record];
  return bytesOf(discriminator, fields, members);
}

/** The bytes of a new order of a perp market, of which all else is 0. */
export function placedBytes(user: string, ts: number, orderId: number): Buffer {
  const { ORDER } = LAYOUTS.drift;
  const order = Buffer.alloc(ORDER.size);
  order.writeUInt32LE(orderId, ORDER.orderId);
  order.writeUInt8(MARKET_TYPES.indexOf('perp'), ORDER.marketType);
  const head: readonly Field[] = [
    ['ts', 'time'],
    ['user', 'key'],
  ];
  return Buffer.concat([bytesOf('681340385915025a', head, { ts, user }), order]);
}

/** The records of a transaction as the decoder gives them. */
export function loggedRecords(
  records: readonly { readonly index: number; readonly bytes: Uint8Array }[],
): readonly LoggedRecord[] {
  const heads = readLogged(
    'drift',
    records.map(({ bytes }) => bytes),
  );
  return heads.map((head, at) => ({ ...head, index: records[at]?.index ?? 0 }));
}

/** Reads a fill back. */
export function readFill(bytes: Uint8Array, index: number): Fill {
  return { index, ...membersOf(bytes, FILL) } as unknown as Fill;
}

/** Reads a funding rate back. */
export function readRate(bytes: Uint8Array, index: number): FundingRate {
  return { index, ...membersOf(bytes, FUNDING_RATE) } as unknown as FundingRate;
}

function bytesOf(discriminator: string, fields: readonly Field[], members: Members): Buffer {
  const parts = fields.map(([name, kind, option]) => {
    const value = members[name] ?? null;
    if (option === undefined) return elementBytes(kind, value);
    return value === null
      ? Buffer.from([0])
      : Buffer.concat([Buffer.from([1]), elementBytes(kind, value)]);
  });
  return Buffer.concat([Buffer.from(discriminator, 'hex'), ...parts]);
}

function elementBytes(kind: Kind, value: unknown): Buffer {
  if (typeof kind !== 'string') {
    const word = kind.indexOf(String(value));
    if (word < 0) throw new Error(`${String(value)} is none of ${kind.join()}`);
    return Buffer.from([word]);
  }
  if (kind === 'key') return Buffer.from(decodeBase58(String(value), 32) ?? []);
  return integerBytes(BigInt(value as number | bigint), sizeOf(kind));
}

function sizeOf(kind: string): number {
  return kind === 'key' ? 32 : kind === 'time' ? 8 : Number(kind.slice(1)) / 8;
}

function integerBytes(value: bigint, size: number): Buffer {
  const hex = BigInt.asUintN(size * 8, value)
    .toString(16)
    .padStart(size * 2, '0');
  return Buffer.from(hex, 'hex').reverse();
}

function membersOf(bytes: Uint8Array, fields: readonly Field[]): Members {
  const left = Buffer.from(bytes);
  let at = 8;
  const take = (size: number): Buffer => {
    at += size;
    return left.subarray(at - size, at);
  };
  return Object.fromEntries(
    fields.map(([name, kind, option]) => {
      // Records of before later fields end before them.
      if (at >= left.length) return [name, option === undefined ? 0 : null];
      if (option !== undefined && take(1)[0] === 0) return [name, null];
      return [name, elementOf(kind, take(typeof kind === 'string' ? sizeOf(kind) : 1))];
    }),
  );
}

function elementOf(kind: Kind, bytes: Buffer): unknown {
  if (typeof kind !== 'string') return kind[bytes[0] ?? 0];
  if (kind === 'key') return encodeBase58(bytes);
  const number = BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
  const isSigned = kind === 'time' || kind.startsWith('i');
  const value = isSigned ? BigInt.asIntN(bytes.length * 8, number) : number;
  return bytes.length <= 4 || kind === 'time' ? Number(value) : value;
}
