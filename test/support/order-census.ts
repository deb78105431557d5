/** Counts a scene's open orders of each shape: shown, partly shown, or omitted. */
import type { Order } from '../../src/client/accounts/generated/user.js';
import { USER_KIND } from '../../src/client/accounts/generated/user.js';
import { isKind } from '../../src/client/accounts/reading.js';
import { decodeUser, USER_STATUS, type UserAccount } from '../../src/client/accounts/user.js';
import type { BookOrder, LocalBook } from '../../src/client/chain/index.js';
import { type AccountBytes, localBookOf } from './local-books.js';

/** By shape and fate, as `offset shown`, `reduceOnly cut`, `taker out`. */
export type OrderCensus = Map<string, number>;

/** Counts the open orders of these accounts in markets whose book is shown. */
export function countOrders(
  census: OrderCensus,
  accounts: readonly AccountBytes[],
  moment: LocalBook['moment'],
): void {
  const book = localBookOf(accounts, moment);
  const markets = book.markets().filter(({ emptyReason }) => emptyReason === null);
  const shown = new Map<string, BookOrder>();
  for (const { id } of markets) {
    const { bids, asks } = book.getL3(id);
    for (const row of [...bids, ...asks]) shown.set(`${row.maker} ${row.orderId}`, row);
  }
  const open = new Set<string>(markets.map(({ id }) => id.key));
  for (const { pubkey, data } of accounts) {
    if (!isKind(data, USER_KIND) || book.problems.has(pubkey)) continue;
    const user = decodeUser(data);
    for (const order of user.orders) {
      if (!open.has(`${order.marketType}_${order.marketIndex}`)) continue;
      const row = shown.get(`${pubkey} ${order.orderId}`);
      const key = `${shapeOf(order, user, moment)} ${fateOf(order, row)}`;
      census.set(key, (census.get(key) ?? 0) + 1);
    }
  }
}

/** The first rule that could concern the order. */
function shapeOf(order: Order, user: UserAccount, { slot, now }: LocalBook['moment']): string {
  const { orderType, triggerCondition, auctionDuration, maxTs } = order;
  if ((user.status & (USER_STATUS.beingLiquidated | USER_STATUS.bankrupt)) !== 0) return 'frozen';
  if (orderType !== 'limit' && orderType !== 'triggerLimit') return 'taker';
  if (orderType === 'triggerLimit') {
    return triggerCondition.startsWith('triggered') ? 'triggered' : 'waiting';
  }
  if (maxTs !== 0n && now > maxTs) return 'expired';
  if (!order.postOnly && auctionDuration > 0 && slot - order.slot <= auctionDuration) {
    return 'inAuction';
  }
  if (order.price === 0n && order.oraclePriceOffset === 0) return 'unpriced';
  const price = order.oraclePriceOffset === 0 ? 'fixed' : 'offset';
  return order.reduceOnly ? `${price} reduceOnly` : price;
}

function fateOf(order: Order, row: BookOrder | undefined): 'shown' | 'cut' | 'out' {
  if (row === undefined) return 'out';
  const isPerp = order.marketType === 'perp';
  const unfilled = order.baseAssetAmount - order.baseAssetAmountFilled;
  return isPerp && row.size < unfilled ? 'cut' : 'shown';
}
