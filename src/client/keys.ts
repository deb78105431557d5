/** The keys that name markets and accounts: `perp_0`, `0_4rmh...`. */
import { isAddress } from './base58.js';
import { ClientError } from './error.js';

/** The kind of a market. */
export type MarketType = 'perp' | 'spot';

/** The key of a market: its kind and its index. */
export type MarketKey = `${MarketType}_${number}`;

/** The key of an account: its subaccount id and the address of its authority, base58. */
export type AccountKey = `${number}_${string}`;

/** A market by kind and index, with its key. */
export interface MarketId {
  readonly marketType: MarketType;
  /** From 0 to 65,535. */
  readonly marketIndex: number;
  readonly key: MarketKey;
}

/** Identifies an account: its owner's wallet, base58, and its subaccount id. */
export interface AccountId {
  readonly authority: string;
  /** From 0 to 65,535. */
  readonly subAccountId: number;
}

/** Market indexes and subaccount ids are u16 in the program. */
const INDEX_MAX = 65_535;

/**
 * Returns the id of a perp market. Throws INVALID_KEY.
 *
 * @example
 * perpMarket(0).key; // 'perp_0'
 */
export function perpMarket(marketIndex: number): MarketId {
  return marketId('perp', marketIndex);
}

/**
 * Returns the id of a spot market. Throws INVALID_KEY.
 *
 * @example
 * spotMarket(1).key; // 'spot_1'
 */
export function spotMarket(marketIndex: number): MarketId {
  return marketId('spot', marketIndex);
}

/**
 * Returns the id of a market by type and index. Throws INVALID_KEY.
 *
 * @example
 * marketId('perp', 0).key; // 'perp_0'
 */
export function marketId(marketType: MarketType, marketIndex: number): MarketId {
  checkIndex(marketIndex, 'market index');
  return { marketType, marketIndex, key: marketKey(marketType, marketIndex) };
}

/**
 * Returns the id of the market that a key names. Throws INVALID_KEY.
 *
 * @example
 * marketIdOfKey('perp_0').marketIndex; // 0
 */
export function marketIdOfKey(key: string): MarketId {
  const [, type, index] = /^(perp|spot)_(0|[1-9]\d{0,4})$/.exec(key) ?? [];
  if (type === undefined) throw invalidKey('market key', key, 'perp_ or spot_ and an index');
  return marketId(type === 'perp' ? 'perp' : 'spot', Number(index));
}

/**
 * The key of a market, nothing checked.
 *
 * @example
 * marketKey('spot', 1); // 'spot_1'
 */
export function marketKey(marketType: MarketType, marketIndex: number): MarketKey {
  return `${marketType}_${marketIndex}`;
}

/**
 * Whether two ids name one market.
 *
 * @example
 * isSameMarket(perpMarket(0), spotMarket(0)); // false
 */
export function isSameMarket(left: MarketId, right: MarketId): boolean {
  return left.key === right.key;
}

/**
 * The key of an account, nothing checked.
 *
 * @example
 * accountKey({ authority: '11111111111111111111111111111111', subAccountId: 0 });
 */
export function accountKey({ subAccountId, authority }: AccountId): AccountKey {
  return `${subAccountId}_${authority}`;
}

/**
 * Returns the id of the account that a key names. Throws INVALID_KEY.
 *
 * @example
 * accountIdOfKey('0_11111111111111111111111111111111').subAccountId; // 0
 */
export function accountIdOfKey(key: string): AccountId {
  const [, index, authority = ''] = /^(0|[1-9]\d{0,4})_([1-9A-Za-z]{32,44})$/.exec(key) ?? [];
  if (index === undefined || !isAddress(authority)) {
    throw invalidKey('account key', key, 'a subaccount id, _ and the address of an authority');
  }
  checkIndex(Number(index), 'subaccount id');
  return { subAccountId: Number(index), authority };
}

function checkIndex(index: number, what: string): void {
  if (Number.isInteger(index) && index >= 0 && index <= INDEX_MAX) return;
  throw invalidKey(what, String(index), `an integer of 0 to ${INDEX_MAX}`);
}

function invalidKey(what: string, value: string, rule: string): ClientError {
  // A valid key has at most 50 characters, so longer texts are truncated.
  const shown = JSON.stringify(value.slice(0, 64));
  return new ClientError('INVALID_KEY', `${what} was ${shown}, must be ${rule}`);
}
