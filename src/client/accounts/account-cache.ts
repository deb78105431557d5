/** Caches the data of many accounts, computed from the newest accounts, markets and prices. */
import type { Lookup } from '../caches/lookup.js';
import { systemClock } from '../environment.js';
import {
  type AccountId,
  type AccountKey,
  accountKey,
  type MarketKey,
  marketIdOfKey,
  marketKey,
} from '../keys.js';
import { LatestValues, Listeners } from '../listeners.js';
import { type MarketPrices, MarketTerms } from './market-terms.js';
import type { PerpMarketFacts } from './math/perp.js';
import type { SpotMarketFacts } from './math/spot.js';
import type { ModelUser } from './read-models.js';
import { type AccountData, type AccountHead, accountData, accountHead } from './read-models.js';

/** A cache of prices by market, for example `OraclePriceCache` and `MarkPriceCache`. */
export interface PriceCache<Value> {
  readonly store: Lookup<Value>;
  /** Registers a listener for changed markets; returns its unsubscribe function. */
  onUpdate(listener: (changed: Lookup<Value>) => void): () => void;
}

/** The oracle prices of a market, 1e6, for example `OraclePriceData`. */
export interface OraclePrices {
  readonly price: bigint;
  /** The slot that the price is from. */
  readonly slot?: number;
  /**
   * The price of the market makers' oracle while the program uses it; null when that is not known.
   */
  readonly mmPrice?: bigint | null;
}

/** The sources of prices. {@link AccountCache.updatePrices} sets prices that these sources lack. */
export interface AccountCacheOptions {
  /** Oracles, the market makers' with them. */
  readonly oracles?: PriceCache<OraclePrices>;
  readonly marks?: PriceCache<{ readonly markPrice: bigint }>;
  /**
   * Returns the time, in Unix seconds, at which live averages are computed; the system clock by
   * default.
   */
  readonly nowS?: () => number;
}

/** The state of an account at a slot. */
export interface AccountUpdate {
  readonly user: ModelUser;
  /** The slot of the account's bytes. */
  readonly slot: number;
  /** The account's own address, base58. */
  readonly address?: string;
}

interface Held {
  readonly user: ModelUser;
  readonly slot: number;
  readonly head: AccountHead;
  /** Null until it is computed again. */
  data: AccountData | null;
}

/**
 * Caches the data of accounts by account key. A change of a market or a price only affects accounts
 * with dependent positions; these are recomputed immediately when there are listeners, and
 * otherwise on the next read.
 *
 * @example
 * const cache = new AccountCache();
 * cache.onUpdate(({ name, marginInfo }) => console.log(name, marginInfo?.health));
 */
export class AccountCache implements AsyncIterable<AccountData> {
  readonly #markets = new MarketTerms();
  readonly #held = new Map<AccountKey, Held>();
  readonly #holders = new Map<MarketKey, Set<AccountKey>>();
  readonly #listeners = new Listeners<AccountData>();
  readonly #readers = new Set<LatestValues<AccountData>>();
  readonly #unsubscribe: readonly (() => void)[];
  readonly #nowS: () => number;
  #isDestroyed = false;

  constructor(options: AccountCacheOptions = {}) {
    const { oracles, marks } = options;
    this.#nowS = options.nowS ?? (() => systemClock.unixMs() / 1000);
    this.#unsubscribe = [
      this.#follow(oracles, ({ price, slot, mmPrice = null }) => ({
        oracle: price,
        mmOracle: mmPrice,
        oracleSlot: slot === undefined ? null : BigInt(slot),
      })),
      this.#follow(marks, ({ markPrice }) => ({ mark: markPrice })),
    ];
  }

  /** The data of all accounts. */
  get store(): ReadonlyMap<AccountKey, AccountData> {
    return new Map(Array.from(this.#held, ([key, held]) => [key, this.#dataOf(held)]));
  }

  /** Returns the data of an account; null when the account is not cached. */
  getAccount(id: AccountId): AccountData | null {
    return this.getAccountByKey(accountKey(id));
  }

  /** Returns the data of an account by its key; null when the account is not cached. */
  getAccountByKey(key: AccountKey): AccountData | null {
    const held = this.#held.get(key);
    return held === undefined ? null : this.#dataOf(held);
  }

  /** Updates an account, unless the cached version has a newer slot. */
  updateAccount({ user, slot, address }: AccountUpdate): void {
    const key = accountKey(user);
    const known = this.#held.get(key);
    if (known !== undefined && slot < known.slot) return;
    if (known !== undefined) this.#leaveMarkets(key, known.user);
    const head = accountHead(user, address ?? known?.head.address ?? null);
    this.#held.set(key, { user, slot, head, data: null });
    for (const market of marketsOf(user)) this.#joinMarket(market, key);
    this.#emitAccounts([key]);
  }

  /** Forgets an account. */
  removeAccount(id: AccountId): void {
    const key = accountKey(id);
    const known = this.#held.get(key);
    if (known === undefined) return;
    this.#leaveMarkets(key, known.user);
    this.#held.delete(key);
  }

  /** Updates a perp market's account. */
  updatePerpMarket(market: PerpMarketFacts): void {
    this.#handleChanged(this.#markets.setPerpMarket(market, this.#nowS()));
  }

  /** Updates a spot market's account. */
  updateSpotMarket(market: SpotMarketFacts): void {
    this.#handleChanged(this.#markets.setSpotMarket(market, this.#nowS()));
  }

  /**
   * Updates prices of markets. Omitted members are unchanged, except that a slot and a sequence id
   * belong to the price that they come with. Throws INVALID_KEY for an invalid key; no price is
   * then updated.
   */
  updatePrices(prices: Lookup<Partial<MarketPrices>>): void {
    const now = this.#nowS();
    const keys = Object.keys(prices) as MarketKey[];
    for (const key of keys) marketIdOfKey(key);
    const changed = keys.flatMap((key) => {
      const { oracleSlot = null, oracleSequenceId = null, ...known } = this.#markets.prices(key);
      const given = prices[key] ?? {};
      const of = given.oracle === undefined ? { oracleSlot, oracleSequenceId } : {};
      return this.#markets.setPrices(key, { ...known, ...of, ...given }, now);
    });
    this.#handleChanged(changed);
  }

  /** Registers a listener for changed accounts; returns its unsubscribe function. */
  onUpdate(listener: (account: AccountData) => void): () => void {
    return this.#listeners.add(listener);
  }

  /**
   * Iterates over accounts that change from now on; a slow reader gets the newest state of each
   * account. Ends after `destroy`.
   */
  [Symbol.asyncIterator](): AsyncIterator<AccountData> {
    const reader: LatestValues<AccountData> = new LatestValues(() => {
      this.#readers.delete(reader);
    });
    this.#readers.add(reader);
    if (this.#isDestroyed) reader.end();
    return reader;
  }

  /** Removes all accounts; markets, prices and listeners stay. */
  reset(): void {
    this.#held.clear();
    this.#holders.clear();
  }

  /** Removes all data and listeners, and stops following prices. */
  destroy(): void {
    this.#isDestroyed = true;
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    this.reset();
    this.#listeners.clear();
    for (const reader of [...this.#readers]) reader.end();
  }

  #follow<Value>(
    cache: PriceCache<Value> | undefined,
    pricesOf: (value: Value) => Partial<MarketPrices>,
  ): () => void {
    if (cache === undefined) return () => {};
    const take = (changed: Lookup<Value>) => {
      const entries = Object.entries(changed) as [MarketKey, Value][];
      this.updatePrices(Object.fromEntries(entries.map(([key, value]) => [key, pricesOf(value)])));
    };
    take(cache.store);
    return cache.onUpdate(take);
  }

  #dataOf(held: Held): AccountData {
    held.data ??= accountData(held.user, this.#markets, held.head);
    return held.data;
  }

  #handleChanged(markets: readonly MarketKey[]): void {
    const keys = new Set<AccountKey>();
    for (const market of markets) {
      for (const key of this.#holders.get(market) ?? []) keys.add(key);
    }
    this.#emitAccounts(keys);
  }

  #emitAccounts(keys: Iterable<AccountKey>): void {
    const isHeard = this.#listeners.size > 0 || this.#readers.size > 0;
    const changed: Held[] = [];
    for (const key of keys) {
      const held = this.#held.get(key);
      if (held === undefined) continue;
      held.data = null;
      changed.push(held);
    }
    if (!isHeard) return;
    for (const held of changed) {
      const data = this.#dataOf(held);
      this.#listeners.emit(data);
      for (const reader of this.#readers) reader.push(data, data.key);
    }
  }

  #joinMarket(market: MarketKey, key: AccountKey): void {
    const holders = this.#holders.get(market);
    if (holders === undefined) this.#holders.set(market, new Set([key]));
    else holders.add(key);
  }

  #leaveMarkets(key: AccountKey, user: ModelUser): void {
    for (const market of marketsOf(user)) this.#holders.get(market)?.delete(key);
  }
}

function marketsOf({ perpPositions, spotPositions }: ModelUser): readonly MarketKey[] {
  return [
    ...perpPositions.map(({ marketIndex }) => marketKey('perp', marketIndex)),
    ...spotPositions.map(({ marketIndex }) => marketKey('spot', marketIndex)),
  ];
}
