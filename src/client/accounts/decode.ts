/** Decodes accounts. Each decoder throws MALFORMED_ACCOUNT for bytes of another kind of account. */
import { PRELAUNCH_ORACLE_KIND, PYTH_LAZER_ORACLE_KIND } from './generated/oracles.js';
import { PERP_MARKET_KIND, type PerpMarket, perpMarketAt } from './generated/perp-market.js';
import {
  SIGNED_MSG_USER_ORDERS_KIND,
  type SignedMsgUserOrders,
  signedMsgUserOrdersAt,
} from './generated/signed-msg-user-orders.js';
import { SPOT_MARKET_KIND, type SpotMarket, spotMarketAt } from './generated/spot-market.js';
import { STATE_KIND, type State, stateAt } from './generated/state.js';
import { USER_KIND } from './generated/user.js';
import { USER_STATS_KIND, type UserStats, userStatsAt } from './generated/user-stats.js';
import { checkedView, isKind } from './reading.js';

/**
 * Reads a perp market and its AMM.
 *
 * @example
 * const { marketIndex, amm } = decodePerpMarket(bytes);
 */
export function decodePerpMarket(bytes: Uint8Array): PerpMarket {
  return perpMarketAt(checkedView(bytes, PERP_MARKET_KIND), 0);
}

/**
 * Decodes a spot market account: a token and its lending pool.
 *
 * @example
 * const { marketIndex, decimals } = decodeSpotMarket(bytes);
 */
export function decodeSpotMarket(bytes: Uint8Array): SpotMarket {
  return spotMarketAt(checkedView(bytes, SPOT_MARKET_KIND), 0);
}

/**
 * Reads the settings of Drift v2.
 *
 * @example
 * const state = decodeState(bytes);
 */
export function decodeState(bytes: Uint8Array): State {
  return stateAt(checkedView(bytes, STATE_KIND), 0);
}

/**
 * Reads fees and volumes of one authority.
 *
 * @example
 * const { authority } = decodeUserStats(bytes);
 */
export function decodeUserStats(bytes: Uint8Array): UserStats {
  return userStatsAt(checkedView(bytes, USER_STATS_KIND), 0);
}

/**
 * Decodes the account that lists which signed messages of an authority became which orders.
 *
 * @example
 * const orders = decodeSignedMsgUserOrders(bytes);
 */
export function decodeSignedMsgUserOrders(bytes: Uint8Array): SignedMsgUserOrders {
  return signedMsgUserOrdersAt(checkedView(bytes, SIGNED_MSG_USER_ORDERS_KIND), 0);
}

/** The kinds of accounts that can be told by their first bytes. */
const KINDS = [
  USER_KIND,
  USER_STATS_KIND,
  PERP_MARKET_KIND,
  SPOT_MARKET_KIND,
  STATE_KIND,
  SIGNED_MSG_USER_ORDERS_KIND,
  PYTH_LAZER_ORACLE_KIND,
  PRELAUNCH_ORACLE_KIND,
] as const;

/** A kind of program account that this package decodes. */
export type AccountKindName = (typeof KINDS)[number]['name'];

/**
 * Returns the kind of an account by its eight-byte discriminator; null for an unknown kind.
 *
 * @example
 * accountKindOf(bytes); // 'User', or null for another kind
 */
export function accountKindOf(bytes: Uint8Array): AccountKindName | null {
  return KINDS.find((kind) => isKind(bytes, kind))?.name ?? null;
}
