/** Expected compiler errors: a line that compiles fails the build. */
import { type Base, formatPrice, type Price, parseBase, type Quote, rawPrice } from '../amounts.js';
import type { AccountCache } from './account-cache.js';
import { isSignedMsgOrder, type OpenOrder } from './orders.js';
import type { AccountData } from './read-models.js';
import type { UserAccount } from './user.js';

/** Never called: it is only compiled. */
export function refusals(data: AccountData, order: OpenOrder, user: UserAccount): void {
  const [position] = data.openPerpPositions;
  if (position === undefined) return;

  // @ts-expect-error a price that is not there is null, so it has to be asked about
  const price: Price = position.liquidationPrice;
  // @ts-expect-error a size is no price
  const size: Price = position.baseSize;
  // @ts-expect-error an amount is a bigint, never a number
  const paid: number = position.costBasis;
  // @ts-expect-error a raw integer has no unit until it is given one
  const raw: Base = 1_000_000_000n;
  // @ts-expect-error a size is not written as a price
  formatPrice(parseBase('1'));
  // @ts-expect-error a margin may not be known yet
  const value: Quote = data.marginInfo.netUsdValue;
  // @ts-expect-error amounts of a stored order are text
  const total: bigint = order.baseAssetAmount;
  // @ts-expect-error a direction is one of two names
  if (order.direction === 'buy') return;
  // @ts-expect-error an order of an account has a status, parameters that were signed have none
  isSignedMsgOrder({ bitFlags: 1 });
  // @ts-expect-error what was decoded is not changed
  user.subAccountId = 1;
  // @ts-expect-error nor are the models
  position.direction = 'long';

  return void [price, size, paid, raw, value, total];
}

/** Expected to compile: units mix with bigint where they are read. */
export function permissions(cache: AccountCache, data: AccountData): bigint {
  const [position] = data.openPerpPositions;
  cache.updatePrices({ perp_0: { oracle: rawPrice(1n) } });
  return (position?.liquidationPrice ?? 0n) + (position?.baseSize ?? 0n);
}

/** Market keys are checked as far as their form. */
export function keys(cache: AccountCache): void {
  // @ts-expect-error a market key is perp_ or spot_ and an index
  cache.updatePrices({ sol: { oracle: 1n } });
}
