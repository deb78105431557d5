/** Order books of all markets from raw accounts, rebuilt on request. */
import { decodePerpMarket, decodeSpotMarket, decodeState } from '../accounts/decode.js';
import { PERP_MARKET_KIND } from '../accounts/generated/perp-market.js';
import { SPOT_MARKET_KIND } from '../accounts/generated/spot-market.js';
import { STATE_KIND, type State } from '../accounts/generated/state.js';
import { USER_KIND } from '../accounts/generated/user.js';
import { type AccountKind, isKind } from '../accounts/reading.js';
import { decodeUser } from '../accounts/user.js';
import type { Price } from '../amounts.js';
import { ClientError } from '../error.js';
import type { MarketId } from '../keys.js';
import {
  type BookMarket,
  bookPerpMarket,
  bookSpotMarket,
  type EmptyReason,
  emptyReason,
} from './book-market.js';
import { bookUser } from './book-user.js';
import {
  type BookInput,
  type BuiltBook,
  buildBooks,
  type LocalL2,
  type LocalL3,
} from './built-book.js';
import { type OracleReading, quoteAssetReading, readOracle } from './oracle.js';
import {
  FIRST_GUARD_RAILS,
  mmReading,
  type OracleFault,
  type OracleTerms,
  oracleFault,
} from './oracle-rules.js';
import type { BookUser, Moment } from './order-rules.js';
import {
  type ExchangeState,
  isOfVelocity,
  velocityBookUser,
  velocityMarket,
  velocityState,
} from './velocity.js';

/** The facts about a market's book, besides its orders. */
export interface LocalMarket {
  readonly id: MarketId;
  readonly name: string;
  /** The rule that empties the book; null when no rule does. */
  readonly emptyReason: EmptyReason | null;
  /** The oracle reading that the book uses; null for none. */
  readonly oracle: OracleReading | null;
  /**
   * The reason for which orders with an oracle offset are excluded; null when they are included.
   */
  readonly offsetOrdersExcluded: OracleFault | NoOracle | null;
}

/** Why a market has no oracle reading. */
export type NoOracle = 'oracleMissing' | 'oracleMalformed';

/** An account kind, and its handler. */
interface Taker {
  readonly kind: AccountKind;
  take(address: string, bytes: Uint8Array): void;
}

/**
 * Maximum number of listed accounts that could not be decoded; further accounts are only counted.
 */
const PROBLEMS_MAX = 100;

/** The book before the first rebuild. */
const NOTHING: BuiltBook = { l2: { bids: [], asks: [] }, l3: { bids: [], asks: [] } };

/**
 * A local book: it collects accounts; `rebuild` evaluates and sorts all orders. Results are
 * constant between two rebuilds.
 *
 * The book follows the rules of the service's book, without AMM and indicative quotes. Accounts may
 * be those of Drift v2 or of Velocity, which are longer.
 *
 * @example
 * const { book } = new ChainBook({ rpcUrl: 'http://127.0.0.1:8899' });
 * book.findMarket('SOL-PERP');
 */
export class LocalBook {
  readonly #users = new Map<string, BookUser>();
  readonly #markets = new Map<string, BookMarket>();
  /** The oracle accounts that markets name; null until an account arrives. */
  readonly #oracles = new Map<string, Uint8Array | null>();
  readonly #problems = new Map<string, ClientError>();
  #state: ExchangeState | null = null;
  #moment: Moment = { slot: 0n, now: 0n };
  /** The indexes of perp markets whose orders rest on a CLOB program. */
  #onClob: ReadonlySet<number> = new Set();
  #shown = new Map<string, LocalMarket>();
  #books = new Map<string, BuiltBook>();

  readonly #takers: readonly Taker[] = [
    {
      kind: USER_KIND,
      take: (address, bytes) => {
        const user = isOfVelocity(bytes, USER_KIND)
          ? velocityBookUser(address, bytes, USER_KIND)
          : bookUser(address, decodeUser(bytes));
        this.#users.set(address, user);
      },
    },
    {
      kind: PERP_MARKET_KIND,
      take: (address, bytes) => {
        const market = isOfVelocity(bytes, PERP_MARKET_KIND)
          ? velocityMarket(bytes, PERP_MARKET_KIND)
          : bookPerpMarket(decodePerpMarket(bytes));
        this.#setMarket(address, market);
      },
    },
    {
      kind: SPOT_MARKET_KIND,
      take: (address, bytes) => {
        // Velocity's spot markets have no orders.
        if (isOfVelocity(bytes, SPOT_MARKET_KIND)) return;
        this.#setMarket(address, bookSpotMarket(decodeSpotMarket(bytes)));
      },
    },
    {
      kind: STATE_KIND,
      take: (_, bytes) => {
        this.#state = isOfVelocity(bytes, STATE_KIND)
          ? velocityState(bytes, STATE_KIND)
          : stateOf(decodeState(bytes));
      },
    },
  ];

  /**
   * The addresses of the oracle accounts that markets name; pass these accounts to `setAccount` as
   * well.
   */
  get oracleAddresses(): readonly string[] {
    return [...this.#oracles.keys()];
  }

  /** Accounts that could not be decoded, by address; at most 100. They count as missing. */
  get problems(): ReadonlyMap<string, ClientError> {
    return this.#problems;
  }

  /**
   * Adds an account of the program, or an oracle account that a market names; other accounts are
   * ignored. Null bytes mean a closed account. An account that cannot be decoded is excluded and
   * listed in `problems`. The bytes are not copied: the caller must not change them.
   */
  setAccount(address: string, bytes: Uint8Array | null): void {
    if (this.#oracles.has(address)) {
      this.#oracles.set(address, bytes);
      return;
    }
    this.#users.delete(address);
    this.#markets.delete(address);
    this.#problems.delete(address);
    const taker = bytes && this.#takers.find(({ kind }) => isKind(bytes, kind));
    if (!bytes || !taker) return;
    try {
      taker.take(address, bytes);
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
      if (this.#problems.size < PROBLEMS_MAX) this.#problems.set(address, error);
    }
  }

  /** Removes all accounts, for another chain or before a new scan. */
  clear(): void {
    this.#users.clear();
    this.#markets.clear();
    this.#oracles.clear();
    this.#problems.clear();
    this.#state = null;
  }

  /** Rebuilds all books at a slot and a time of the chain, in seconds. Costs O(all orders). */
  rebuild(moment: Moment): void {
    this.#moment = moment;
    const inputs: BookInput[] = [];
    const slots = this.#state?.slots ?? null;
    this.#onClob = new Set([...this.#users.values()].flatMap(({ marketsOnClob }) => marketsOnClob));
    this.#shown = new Map();
    for (const market of this.#markets.values()) {
      const shown = this.#describeMarket(market);
      this.#shown.set(market.id.key, shown);
      const isPriced = shown.offsetOrdersExcluded === null;
      const oraclePrice = isPriced ? (shown.oracle?.price ?? null) : null;
      inputs.push({ market, moment, slots, oraclePrice, empty: shown.emptyReason });
    }
    this.#books = buildBooks(this.#users.values(), inputs);
  }

  /** The markets of the last rebuild. */
  markets(): readonly LocalMarket[] {
    return [...this.#shown.values()];
  }

  /** Returns the market with a name such as `SOL-PERP`; undefined when there is none. */
  findMarket(name: string): LocalMarket | undefined {
    return this.markets().find((market) => market.name === name);
  }

  /** The slot and time of the books. */
  get moment(): Moment {
    return this.#moment;
  }

  /**
   * Returns the levels of a market, best first, at most `depth` a side. An unknown market has no
   * levels.
   */
  getL2({ key }: MarketId, depth = 10): LocalL2 {
    const { bids, asks } = (this.#books.get(key) ?? NOTHING).l2;
    return { bids: bids.slice(0, depth), asks: asks.slice(0, depth) };
  }

  /** Returns the orders of a market in book order. An unknown market has no orders. */
  getL3({ key }: MarketId): LocalL3 {
    return (this.#books.get(key) ?? NOTHING).l3;
  }

  /** The highest bid, 1e6; null without bids. */
  getBestBid(market: MarketId): Price | null {
    return this.getL3(market).bids[0]?.price ?? null;
  }

  /** Returns whether the best bid is above the best ask. A crossed book is not changed. */
  isCrossed(market: MarketId): boolean {
    const { bids, asks } = this.getL3(market);
    const bid = bids[0];
    const ask = asks[0];
    return bid !== undefined && ask !== undefined && bid.price > ask.price;
  }

  /** The lowest ask, 1e6; null without asks. */
  getBestAsk(market: MarketId): Price | null {
    return this.getL3(market).asks[0]?.price ?? null;
  }

  #setMarket(address: string, market: BookMarket): void {
    this.#markets.set(address, market);
    const hasAccount = market.oracleSource !== 'quoteAsset';
    if (hasAccount && !this.#oracles.has(market.oracle)) this.#oracles.set(market.oracle, null);
  }

  #describeMarket(market: BookMarket): LocalMarket {
    const { id, name } = market;
    const exchangeStatus = this.#state?.exchangeStatus ?? 0;
    const isOnClob = id.marketType === 'perp' && this.#onClob.has(id.marketIndex);
    const empty = emptyReason(market, { exchangeStatus, now: this.#moment.now, isOnClob });
    const about = { id, name, emptyReason: empty };
    const exchange = this.#exchangeReading(market);
    if (typeof exchange === 'string') {
      return { ...about, oracle: null, offsetOrdersExcluded: exchange };
    }
    const terms = this.#termsOf(market);
    const { mmOracle } = market;
    const oracle = mmOracle === null ? exchange : mmReading(exchange, mmOracle, terms);
    return { ...about, oracle, offsetOrdersExcluded: oracleFault(oracle, terms) };
  }

  #exchangeReading({ oracle, oracleSource }: BookMarket): OracleReading | NoOracle {
    if (oracleSource === 'quoteAsset') return quoteAssetReading(this.#moment.slot);
    const bytes = this.#oracles.get(oracle);
    if (!bytes) return 'oracleMissing';
    try {
      return readOracle(oracleSource, bytes);
    } catch (error) {
      if (error instanceof ClientError) return 'oracleMalformed';
      throw error;
    }
  }

  #termsOf(market: BookMarket): OracleTerms {
    const { oracleSource, lastOracleTwap, confidenceMultiplier } = market;
    const isStable = oracleSource.includes('StableCoin');
    return {
      guardRails: this.#state?.guardRails ?? FIRST_GUARD_RAILS,
      lastTwap: lastOracleTwap,
      confidenceMultiplier,
      ageing: oracleSource === 'prelaunch' ? 'never' : isStable ? 'slow' : 'usual',
      slot: this.#moment.slot,
      slots: this.#state?.slots ?? null,
    };
  }
}

function stateOf({ exchangeStatus, oracleGuardRails }: State): ExchangeState {
  return { exchangeStatus, guardRails: oracleGuardRails.validity, slots: null };
}
