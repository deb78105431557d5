/** The fields of a user account that the local book needs. */
import { USER_STATUS, type UserAccount } from '../accounts/user.js';
import type { BookMarket } from './book-market.js';
import type { BookUser } from './order-rules.js';

/** Returns the account at an address. Its orders and positions are read on demand. */
export function bookUser(address: string, account: UserAccount): BookUser {
  const frozen = USER_STATUS.beingLiquidated | USER_STATUS.bankrupt;
  return {
    address,
    isFrozen: (account.status & frozen) !== 0,
    marketsOnClob: [],
    get orders() {
      return account.orders;
    },
    positionIn: (market) =>
      market.interest === null ? perpBase(account, market) : spotTokens(account, market),
  };
}

function perpBase({ perpPositions }: UserAccount, { id }: BookMarket): bigint {
  const held = perpPositions.filter(({ marketIndex }) => marketIndex === id.marketIndex);
  return held.reduce((base, position) => base + position.baseAssetAmount, 0n);
}

/** The decimals of a balance (1e9) times cumulative interest (1e10). */
const BALANCE_AND_INTEREST_DECIMALS = 19;

/**
 * Returns a position in tokens: a deposit is rounded down; a borrow is negative and rounded away
 * from zero; then whole steps of it, which orders can fill. Source:
 * programs/drift/src/math/spot_balance.rs `get_token_amount`,
 * programs/drift/src/controller/orders.rs `fulfill_spot_order_with_match`.
 */
function spotTokens({ spotPositions }: UserAccount, market: BookMarket): bigint {
  const { id, interest, decimals, stepSize } = market;
  if (interest === null) return 0n;
  const divisor = 10n ** BigInt(BALANCE_AND_INTEREST_DECIMALS - decimals);
  let tokens = 0n;
  for (const { marketIndex, scaledBalance, balanceType } of spotPositions) {
    if (marketIndex !== id.marketIndex) continue;
    if (balanceType === 'deposit') tokens += (scaledBalance * interest.deposit) / divisor;
    else tokens -= (scaledBalance * interest.borrow + divisor - 1n) / divisor;
  }
  return stepSize === 0n ? tokens : tokens - (tokens % stepSize);
}
