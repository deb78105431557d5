/** What follows the chain itself, and the feed of signed orders, without the service. */

export type { Signed, Verify } from './signature.js';
export { verifyWithWebCrypto } from './signature.js';
export type {
  OrderBase,
  SignedOrder,
  SignedOrderParams,
  SignedOrderTaker,
  SignedOrderType,
  TriggerParams,
} from './signed-order.js';
export { decodeSignedOrder } from './signed-order.js';
export type { SignedOrderFeedOptions, SignedOrderMessage } from './signed-order-feed.js';
export { SignedOrderFeed } from './signed-order-feed.js';
