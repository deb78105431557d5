/** Follows the address that a reader pastes: a user account, or the accounts of a wallet. */
import {
  type AccountWatch,
  type ClientError,
  type WatchedAccount,
  watchAccount,
  watchAuthority,
} from '@slotbook/client';
import { serviceUrl } from './address.js';

/** The receiver of the accounts. */
interface Follower {
  /** Called with all accounts, and the one of them that has just changed. */
  readonly onAccounts: (all: readonly WatchedAccount[], changed: WatchedAccount) => void;
  /** Called when the address is neither an account nor a wallet. */
  readonly onRefused: (error: ClientError) => void;
}

/** Follows an address until the returned function is called. */
export function followKey(key: string, { onAccounts, onRefused }: Follower): () => void {
  const options = { url: serviceUrl };
  let watch: AccountWatch;
  const follow = (next: AccountWatch, onError: (error: ClientError) => void): void => {
    watch = next;
    watch.onUpdate((changed) => onAccounts(next.accounts, changed));
    watch.onError(onError);
  };
  follow(watchAccount(key, options), (error) => {
    if (error.code !== 'UNKNOWN_ACCOUNT') onRefused(error);
    else follow(watchAuthority(key, options), onRefused);
  });
  return () => watch.close();
}
