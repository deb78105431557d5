/** Clients of the chain itself and of the signed-message server, without the service. */

export type { UserAuctions } from './auctions.js';
export { Auctions } from './auctions.js';
export type { EmptyReason } from './book-market.js';
export type { BookLevel, LocalL2, LocalL3 } from './built-book.js';
export type { ChainBookOptions, ChainBookState, ChainOptions } from './chain-book.js';
export { ChainBook } from './chain-book.js';
export type { LocalMarket, NoOracle } from './local-book.js';
export { LocalBook } from './local-book.js';
export type { OracleReading } from './oracle.js';
export { quoteAssetReading, readOracle } from './oracle.js';
export type { OracleFault } from './oracle-rules.js';
export type { BookOrder, Moment } from './order-rules.js';
export { isInAuction } from './order-rules.js';
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
export type { SlotSchedule } from './slot-clock.js';
export { PROGRAM_ID, VELOCITY_PROGRAM_ID } from './user-filters.js';
export type { VelocityUser } from './velocity.js';
