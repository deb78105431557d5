/**
 * Orders that their owners have signed and sent to the signed-message server instead of the chain.
 */
import type { Amount, Price, Quote } from '../amounts.js';
import { ClientError } from '../error.js';
import type { MarketType } from '../keys.js';
import { BorshReader } from './borsh.js';

/** The content of a signed message. */
export interface SignedOrder {
  readonly params: SignedOrderParams;
  /** The account that trades. */
  readonly taker: SignedOrderTaker;
  /** The slot at which it was signed. */
  readonly slot: bigint;
  /**
   * Eight characters that identify the order among its owner's orders, until it has an order id on
   * chain.
   */
  readonly uuid: string;
  readonly takeProfit: TriggerParams | null;
  readonly stopLoss: TriggerParams | null;
  /** Highest initial margin ratio wanted, 1e4. */
  readonly maxMarginRatio: number | null;
  readonly builderIdx: number | null;
  /** In tenths of a basis point. */
  readonly builderFeeTenthBps: number | null;
  /** Quote tokens to deposit into the isolated position before the order, 1e6. */
  readonly isolatedPositionDeposit: Quote | null;
}

/**
 * The account for which an order was signed. An authority signs for one of its subaccounts, whose
 * address is derived from authority and subaccount id; the message of a delegate contains the
 * address of the account.
 */
export type SignedOrderTaker =
  | { readonly signedBy: 'authority'; readonly subAccountId: number }
  | { readonly signedBy: 'delegate'; readonly account: string };

/** Base size in the program's unit: 1e9 in perp markets, the token's decimals in spot markets. */
export type OrderBase = Amount<'base'> | Amount<'tokens'>;

/** The order parameters for the program. */
export interface SignedOrderParams {
  readonly orderType: SignedOrderType;
  readonly marketType: MarketType;
  readonly marketIndex: number;
  readonly direction: 'long' | 'short';
  readonly userOrderId: number;
  readonly baseAssetAmount: OrderBase;
  /** Zero for orders without a limit. */
  readonly price: Price;
  readonly reduceOnly: boolean;
  readonly postOnly: (typeof POST_ONLY)[number];
  /** Flags: 1 means immediate or cancel; 2 means an update of the high-leverage mode. */
  readonly bitFlags: number;
  /** Unix seconds. */
  readonly maxTs: bigint | null;
  readonly triggerPrice: Price | null;
  readonly triggerCondition: (typeof TRIGGER_CONDITIONS)[number];
  readonly oraclePriceOffset: number | null;
  /** Slots. */
  readonly auctionDuration: number | null;
  /** A price; for oracle orders, a distance from the oracle price. 1e6. */
  readonly auctionStartPrice: bigint | null;
  readonly auctionEndPrice: bigint | null;
}

/** The order types that can be signed. */
export type SignedOrderType = (typeof ORDER_TYPES)[number];

/** An order that waits for a price. */
export interface TriggerParams {
  readonly triggerPrice: Price;
  readonly baseAssetAmount: OrderBase;
}

const ORDER_TYPES = ['market', 'limit', 'triggerMarket', 'triggerLimit', 'oracle'] as const;
const MARKET_TYPES = ['spot', 'perp'] as const;
const DIRECTIONS = ['long', 'short'] as const;
const POST_ONLY = ['none', 'mustPostOnly', 'tryPostOnly', 'slide'] as const;
const TRIGGER_CONDITIONS = ['above', 'below', 'triggeredAbove', 'triggeredBelow'] as const;

/**
 * The first 8 bytes of a message as hex, and the signer that they require. They are the start of
 * sha256("global:" and the type name); the type of an authority's message was renamed once.
 */
const SIGNERS: ReadonlyMap<string, SignedOrderTaker['signedBy']> = new Map([
  ['c8d5a65e2234f55d', 'authority'], // SignedMsgOrderParamsMessage
  ['b9c165ffdf70594d', 'authority'], // SwiftOrderParamsMessage
  ['42656638c7259e23', 'delegate'], // SignedMsgOrderParamsDelegateMessage
]);
const SIGNER_DIGITS = 16;

const UUID_BYTES = 8;
/** The longest message has 168 bytes plus 8; much longer texts are invalid. */
const MESSAGE_HEX_MAX = 1_024;

/**
 * Decodes a message of the signed-message server, `order_message` of its feed: bytes as hex. Newer
 * fields at the end may be missing, and bytes after the last known field are ignored.
 *
 * Throws MALFORMED_MESSAGE. The signature is not verified. Source:
 * programs/drift/src/state/order_params.rs SignedMsgOrderParamsMessage.
 *
 * @example
 * const { uuid, taker } = decodeSignedOrder(message);
 */
export function decodeSignedOrder(hex: string): SignedOrder {
  const signedBy = SIGNERS.get(hex.slice(0, SIGNER_DIGITS).toLowerCase());
  if (signedBy === undefined) {
    const start = JSON.stringify(hex.slice(0, SIGNER_DIGITS));
    throw new ClientError('MALFORMED_MESSAGE', `no signed order starts with ${start}`);
  }
  const reader = new BorshReader(bytesOfHex(hex).subarray(SIGNER_DIGITS / 2));
  const params = readParams(reader);
  const taker: SignedOrderTaker =
    signedBy === 'authority'
      ? { signedBy, subAccountId: reader.u16() }
      : { signedBy, account: reader.readAddress() };
  return {
    params,
    taker,
    slot: reader.u64(),
    uuid: reader.readText(UUID_BYTES),
    takeProfit: reader.addedOption(() => readTrigger(reader)),
    stopLoss: reader.addedOption(() => readTrigger(reader)),
    maxMarginRatio: reader.addedOption(() => reader.u16()),
    builderIdx: reader.addedOption(() => reader.u8()),
    builderFeeTenthBps: reader.addedOption(() => reader.u16()),
    isolatedPositionDeposit: reader.addedOption(() => reader.u64() as Quote),
  };
}

/** The object literal reads its members in the order in which the program writes them. */
function readParams(reader: BorshReader): SignedOrderParams {
  const orderType = reader.oneOf('order type', ORDER_TYPES);
  const marketType = reader.oneOf('market type', MARKET_TYPES);
  const direction = reader.oneOf('direction', DIRECTIONS);
  const userOrderId = reader.u8();
  const baseAssetAmount = reader.u64() as OrderBase;
  const price = reader.u64() as Price;
  return {
    orderType,
    marketType,
    direction,
    userOrderId,
    baseAssetAmount,
    price,
    marketIndex: reader.u16(),
    reduceOnly: reader.readBool(),
    postOnly: reader.oneOf('post only', POST_ONLY),
    bitFlags: reader.u8(),
    maxTs: reader.readOption(() => reader.i64()),
    triggerPrice: reader.readOption(() => reader.u64() as Price),
    triggerCondition: reader.oneOf('trigger condition', TRIGGER_CONDITIONS),
    oraclePriceOffset: reader.readOption(() => reader.i32()),
    auctionDuration: reader.readOption(() => reader.u8()),
    auctionStartPrice: reader.readOption(() => reader.i64()),
    auctionEndPrice: reader.readOption(() => reader.i64()),
  };
}

function readTrigger(reader: BorshReader): TriggerParams {
  return { triggerPrice: reader.u64() as Price, baseAssetAmount: reader.u64() as OrderBase };
}

function bytesOfHex(hex: string): Uint8Array {
  const isHex = hex.length <= MESSAGE_HEX_MAX && /^(?:[0-9a-f]{2})*$/i.test(hex);
  if (!isHex) {
    const message = `signed order had ${hex.length} characters, must be hex of at most ${MESSAGE_HEX_MAX}`;
    throw new ClientError('MALFORMED_MESSAGE', message);
  }
  const bytes = new Uint8Array(hex.length / 2);
  for (let at = 0; at < bytes.length; at += 1) {
    bytes[at] = Number.parseInt(hex.slice(2 * at, 2 * at + 2), 16);
  }
  return bytes;
}
