/**
 * Display names of orders. The side of the position has no influence.
 *
 * Source: the table of order labels in common-ts of drift-common; the golden vectors `order_labels`
 * record all combinations.
 */
import type { OrderType, TriggerCondition } from './generated/enums.js';
import type { Order } from './generated/user.js';

/** The kinds of order that an interface distinguishes. */
export type UiOrderType =
  | 'market'
  | 'limit'
  | 'oracleLimit'
  | 'oracle'
  | 'stopMarket'
  | 'takeProfitMarket'
  | 'stopLimit'
  | 'takeProfitLimit';

/** The fields that determine an order's name. */
export type LabelledOrder = Pick<
  Order,
  'orderType' | 'triggerCondition' | 'direction' | 'oraclePriceOffset'
>;

/**
 * Returns the display name of an order, for example `Stop Market`.
 *
 * @example
 * const labels = user.orders.map((order) => orderLabel(order));
 */
export function orderLabel(order: LabelledOrder): string {
  if (isTriggered(order.triggerCondition) && isTriggerType(order.orderType)) {
    return order.orderType === 'triggerMarket' ? 'Market (Triggered)' : 'Limit (Triggered)';
  }
  return LABELS[uiOrderType(order)];
}

/**
 * Returns the kind of an order for an interface; a triggered order keeps its kind.
 *
 * @example
 * const types = user.orders.map((order) => uiOrderType(order));
 */
export function uiOrderType(order: LabelledOrder): UiOrderType {
  switch (order.orderType) {
    case 'market':
      return 'market';
    case 'oracle':
      return 'oracle';
    case 'limit':
      return order.oraclePriceOffset === 0 ? 'limit' : 'oracleLimit';
    case 'triggerMarket':
      return isStop(order) ? 'stopMarket' : 'takeProfitMarket';
    case 'triggerLimit':
      return isStop(order) ? 'stopLimit' : 'takeProfitLimit';
  }
}

const LABELS: Readonly<Record<UiOrderType, string>> = {
  market: 'Market',
  limit: 'Limit',
  oracleLimit: 'Oracle Limit',
  oracle: 'Oracle Market',
  stopMarket: 'Stop Market',
  takeProfitMarket: 'TP Market',
  stopLimit: 'Stop Limit',
  takeProfitLimit: 'TP Limit',
};

/** A stop buys above and sells below. */
function isStop({ triggerCondition, direction }: LabelledOrder): boolean {
  const isAbove = triggerCondition === 'above' || triggerCondition === 'triggeredAbove';
  return isAbove === (direction === 'long');
}

function isTriggered(condition: TriggerCondition): boolean {
  return condition === 'triggeredAbove' || condition === 'triggeredBelow';
}

function isTriggerType(type: OrderType): boolean {
  return type === 'triggerMarket' || type === 'triggerLimit';
}
