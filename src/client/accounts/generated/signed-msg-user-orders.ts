// Generated from the layout tables of crates/protocol/layouts by its test client_layouts.
import { bytesAt, keyAt, listAt } from '../reading.js';

/** The struct `SignedMsgOrderId`; amounts are raw. */
export interface SignedMsgOrderId {
  readonly uuid: Uint8Array;
  readonly maxSlot: bigint;
  readonly orderId: number;
}

/** Where the fields of `SignedMsgOrderId` are, and how many bytes it has. */
export const SIGNED_MSG_ORDER_ID = {
  bytes: 24,
  uuid: 0,
  maxSlot: 8,
  orderId: 16,
} as const;

/** Reads `SignedMsgOrderId` at a place, whose bytes are there. */
export function signedMsgOrderIdAt(view: DataView, at: number): SignedMsgOrderId {
  return {
    uuid: bytesAt(view, at, 8),
    maxSlot: view.getBigUint64(at + 8, true),
    orderId: view.getUint32(at + 16, true),
  };
}

/** The account `SignedMsgUserOrders`; amounts are raw. */
export interface SignedMsgUserOrders {
  readonly authorityPubkey: string;
  readonly signedMsgOrderData: readonly SignedMsgOrderId[];
}

/** Where the fields of `SignedMsgUserOrders` are, and how many bytes it has. */
export const SIGNED_MSG_USER_ORDERS = {
  bytes: 48,
  authorityPubkey: 8,
  signedMsgOrderData: 44,
} as const;

/** Reads `SignedMsgUserOrders` at a place, whose bytes are there. */
export function signedMsgUserOrdersAt(view: DataView, at: number): SignedMsgUserOrders {
  return {
    authorityPubkey: keyAt(view, at + 8),
    signedMsgOrderData: listAt(view, at + 44, 24, signedMsgOrderIdAt),
  };
}

/** How an account `SignedMsgUserOrders` is told from others. */
export const SIGNED_MSG_USER_ORDERS_KIND = {
  name: 'SignedMsgUserOrders',
  discriminatorHigh: 0x460632f8,
  discriminatorLow: 0xde018f31,
  bytes: 48,
  hasFixedLength: false,
} as const;
