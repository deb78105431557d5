/** The members of an account that `/accounts/{account}` and the channel `user` have in common. */
import { list, type Of, object, orNull, text, whole } from './fields.js';
import { accountOrder, marginSums, perpHolding, tokenBalance } from './generated/accounts.js';
import { bookState } from './generated/rows.js';

/** Readers of its names. */
export const accountOwner = { account: text, authority: text, subAccountId: whole, name: text };

/** Readers of its positions, balances and margin. */
export const accountParts = {
  positions: list(perpHolding),
  balances: list(tokenBalance),
  /** Null while the price of a market of the account is not known. */
  margin: orNull(marginSums),
};

const held = { ...accountOwner, orders: list(accountOrder), ...accountParts };

/** An account without the moment of its book. */
export const accountBody = object(held);

/** The body of `/accounts/{account}`. */
export const accountAnswer = object({ ...held, slot: whole, epoch: text, state: bookState });

/** A user account: its orders with their places, positions, balances and margin. */
export type AccountBody = Of<typeof accountBody>;

/** An account as `/accounts/{account}` has it. */
export type AccountAnswer = Of<typeof accountAnswer>;
