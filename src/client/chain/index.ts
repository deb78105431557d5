/** What follows the chain itself, and the feed of signed orders, without the service. */
export type {
  OrderBase,
  SignedOrder,
  SignedOrderParams,
  SignedOrderTaker,
  SignedOrderType,
  TriggerParams,
} from './signed-order.js';
export { decodeSignedOrder } from './signed-order.js';
