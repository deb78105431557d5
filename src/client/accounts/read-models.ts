/**
 * The read models of an account: positions, orders, balances and margin.
 *
 * All values are computed from the prices of one moment (`MarketTerms`) in one pass over the
 * positions. Unknown values are null, never 0 or -1.
 */
import { type AccountKey, accountKey } from '../keys.js';
import type { MarginUser } from './account-margin.js';
import { accountMargin } from './margin.js';
import { type MarginInfo, marginInfo } from './margin-info.js';
import type { MarketTerms } from './market-terms.js';
import { isOpenOrder, type OpenOrder, openOrder } from './orders.js';
import { type PerpPositionInfo, perpPositionInfo } from './perp-position-info.js';
import { type SpotBalanceInfo, spotBalanceInfo } from './spot-balance-info.js';
import type { UserAccount } from './user.js';

/** The fields of a user account that its read models need. */
export type ModelUser = MarginUser &
  Pick<
    UserAccount,
    | 'authority'
    | 'subAccountId'
    | 'name'
    | 'poolId'
    | 'delegate'
    | 'isMarginTradingEnabled'
    | 'orders'
  >;

/** The price-independent part of an account's data. */
export interface AccountHead {
  readonly key: AccountKey;
  /** The wallet that owns the account, base58. */
  readonly authority: string;
  /** The address of the account itself, base58; null when it is not known. */
  readonly address: string | null;
  readonly subAccountId: number;
  /** The name that the user gave to the account; empty for none. */
  readonly name: string;
  readonly poolId: number;
  /** The key of the delegate who may also trade with the account, base58; null for none. */
  readonly delegate: string | null;
  /** Whether it may borrow for spot trades. */
  readonly marginEnabled: boolean;
  readonly openOrders: readonly OpenOrder[];
}

/** The data of one account; each subaccount has its own. */
export interface AccountData extends AccountHead {
  /** Perp positions with a base or a quote amount. */
  readonly openPerpPositions: readonly PerpPositionInfo[];
  /** Spot positions with a balance. */
  readonly spotBalances: readonly SpotBalanceInfo[];
  /** The margin; null while one of the account's markets is unknown or has no price. */
  readonly marginInfo: MarginInfo | null;
}

/**
 * The price-independent part of an account's data.
 *
 * @example
 * const { name, subAccountId } = accountHead(decodeUser(bytes), null);
 */
export function accountHead(user: ModelUser, address: string | null): AccountHead {
  return {
    key: accountKey(user),
    authority: user.authority,
    address,
    subAccountId: user.subAccountId,
    name: user.name,
    poolId: user.poolId,
    delegate: user.delegate,
    marginEnabled: user.isMarginTradingEnabled,
    openOrders: user.orders.filter(isOpenOrder).map(openOrder),
  };
}

/**
 * Returns the data of an account at the prices of one moment.
 *
 * @example
 * const { marginInfo } = accountData(decodeUser(bytes), markets);
 */
export function accountData(
  user: ModelUser,
  markets: MarketTerms,
  head: AccountHead = accountHead(user, null),
): AccountData {
  const margin = accountMargin(user, markets);
  const context = { user, markets, margin };
  const perps = user.perpPositions.filter(
    ({ baseAssetAmount, quoteAssetAmount }) => baseAssetAmount !== 0n || quoteAssetAmount !== 0n,
  );
  const spots = user.spotPositions.filter(({ scaledBalance }) => scaledBalance !== 0n);
  return {
    ...head,
    openPerpPositions: perps.map((position) => perpPositionInfo(position, context)),
    spotBalances: spots.map((position) => spotBalanceInfo(position, context)),
    marginInfo: margin === null ? null : marginInfo(user, margin),
  };
}
