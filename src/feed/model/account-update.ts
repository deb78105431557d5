import type { RawAccount } from '../../contract/accounts.js';

/** The kind of an account, which follows from its subscription or call. */
export type AccountKind = 'user' | 'perpMarket' | 'spotMarket' | 'state' | 'oracle' | 'clock';

/** One state of one account. A closed account has no data. */
export interface AccountUpdate extends RawAccount {
  readonly kind: AccountKind;
  readonly closed: boolean;
}

/** The update of a closed account. */
export function closedAccount(
  account: Pick<AccountUpdate, 'kind' | 'pubkey' | 'slot'>,
): AccountUpdate {
  return { ...account, owner: '', data: '', encoding: 'base64', closed: true };
}

/** A slot announced by a socket. */
export interface AnnouncedSlot {
  readonly slot: number;
  /** The parent slot; null when the node omits it. */
  readonly parent: number | null;
}
