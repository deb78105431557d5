/**
 * Visits the orders and positions of a user account without allocating objects, for scans of many
 * accounts. The visited object reads its fields on access and is reused: copy its values, do not
 * keep the object.
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
 * Visits the elements of `user.orders`, with amounts as numbers: exact up to 2 ** 53.
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
 * Visits the elements of `user.perpPositions` like {@link visitOrders}.
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
 * Visits the elements of `user.spotPositions` like {@link visitOrders}.
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
