/**
 * Orders and positions of a user account one by one, for scans of many accounts: none is made. What is visited
 * reads each of its fields when it is asked and is the same object for all, so keep what it says and not itself.
 */
import {
  type Order,
  OrderReader,
  type PerpPosition,
  PerpPositionReader,
  type SpotPosition,
  SpotPositionReader,
} from './generated/user.js';
import type { AsNumbers } from './reading.js';
import {
  forEachOpenOrder,
  forEachPerpPosition,
  forEachSpotPosition,
  type UserAccount,
} from './user.js';

/**
 * Visits what `user.orders` would be, amounts as numbers: exact up to 2 ** 53.
 *
 * @example
 * visitOrders(user, ({ marketIndex, price }) => {
 *   if (marketIndex === 0) highest = Math.max(highest, price);
 * });
 */
export function visitOrders({ view }: UserAccount, visit: (order: AsNumbers<Order>) => void): void {
  const reader = new OrderReader(view);
  forEachOpenOrder(view, (at) => visit(reader.moveTo(at)));
}

/**
 * Visits what `user.perpPositions` would be, as {@link visitOrders} does orders.
 *
 * @example
 * visitPerpPositions(user, ({ marketIndex, baseAssetAmount }) => {
 *   if (marketIndex === 0) openInterest += Math.abs(baseAssetAmount);
 * });
 */
export function visitPerpPositions(
  { view }: UserAccount,
  visit: (position: AsNumbers<PerpPosition>) => void,
): void {
  const reader = new PerpPositionReader(view);
  forEachPerpPosition(view, (at) => visit(reader.moveTo(at)));
}

/**
 * Visits what `user.spotPositions` would be, as {@link visitOrders} does orders.
 *
 * @example
 * visitSpotPositions(user, ({ marketIndex }) => markets.add(marketIndex));
 */
export function visitSpotPositions(
  { view }: UserAccount,
  visit: (position: AsNumbers<SpotPosition>) => void,
): void {
  const reader = new SpotPositionReader(view);
  forEachSpotPosition(view, (at) => visit(reader.moveTo(at)));
}
