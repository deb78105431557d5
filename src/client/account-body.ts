/** The members of an account that `LiveBook` and the channel `user` have in common. */
import { list, type Of, object, orNull, text, whole } from './fields.js';
import { accountOrder, marginSums, perpHolding, tokenBalance } from './generated/accounts.js';

/** Readers of its names. */
export const accountOwner = { account: text, authority: text, subAccountId: whole, name: text };

/** Readers of its positions, balances and margin. */
export const accountParts = {
  positions: list(perpHolding),
  balances: list(tokenBalance),
  /** Null while the price of a market of the account is not known. */
  margin: orNull(marginSums),
};

/** Reads an account. */
export const accountBody = object({ ...accountOwner, orders: list(accountOrder), ...accountParts });

/** A user account: its orders with their places, positions, balances and margin. */
export type AccountBody = Of<typeof accountBody>;
