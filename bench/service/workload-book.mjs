/**
 * A workload as the service's own engine takes it: the accounts that a workload does not hold
 * (State, markets, oracles), the load, and then its events for ever.
 *
 * Only the feed is missing: accounts come from the file, already as the texts that a node sends.
 */
import { PROGRAM_IDS } from '../../dist/src/contract/program.js';
import { Engine } from '../../dist/src/engine/engine.js';
import {
  lazerOracleBytes,
  perpMarketBytes,
  spotMarketBytes,
  stateBytes,
} from '../../dist/src/sim/bytes/accounts.js';
import { MarketStatus } from '../../dist/src/sim/bytes/generated/enums.js';
import { addresses, keyOf } from '../../dist/src/sim/bytes/keys.js';
import { PERP_PRESETS, SPOT_PRESETS } from '../../dist/src/sim/bytes/market-presets.js';
import { readWorkload } from '../workload/read.mjs';

/** The slot time of the chain: unix seconds follow the slot. */
const SLOTS_PER_SECOND = 2.5;
/** 0.02 % of the price, as SOL's is on mainnet: an AMM's spread is at least that. */
const CONFIDENCE_DIVISOR = 5_000n;
/** The texts of so many users and states are below a megabyte, which a core's own cache holds. */
const REPEATED = { users: 32, states: 4 };
/** SOL's curve without the position that moves one side of its quote far away from the oracle. */
const AMM = {
  ...PERP_PRESETS[0].amm,
  baseAssetAmountWithAmm: 0n,
  referencePriceOffset: 0,
  maxSpread: 1_000,
};
/** A maker's quotes: distances from the oracle in parts of its price, and sizes in whole base, or one more. */
const QUOTES = { distances: [5_000n, 3_000n], base: 25n };
const MAKER = addresses.drift.perpMarket(9_999);
/** Feeds of the benchmark's markets, apart from those of the presets. */
const FEED_ID_FIRST = 1_000;

/** An engine with a loaded workload, and the workload's events as turns. */
export class WorkloadBook {
  #workload;
  #steps;
  #oracleKeys;
  #at = 0;
  #repeated;
  #repeatedAt = 0;
  /** Turns of `keepChanges`: of each, an account for each market. */
  #changes = [];
  #changesAt = 0;
  #quotesSent = 0n;
  #slot;
  #unixSeconds;

  /** `change` may change the bytes of each account of the load. */
  constructor(path, change = () => {}) {
    this.#workload = readWorkload(path);
    const users = this.#workload.load.filter(({ kind }) => kind === 'account');
    for (const { data } of users) change(data);
    this.users = users.map(({ key }) => keyOf(key));
    const { config } = this.#workload;
    this.#slot = config.slot;
    this.#unixSeconds = config.ts;
    const { program } = config;
    this.engine = new Engine({ programId: PROGRAM_IDS[program], epoch: 'bench' });
    this.marketNames = Array.from({ length: config.markets }, (_, index) => nameOf(index));
    this.#oracleKeys = this.marketNames.map((_, index) => oracleKey(program, index));
    this.#open();
    this.#steps = this.#workload.events.map((record) => this.#textsOf(record));
    this.#repeated = repeatedOf(this.#statesByUser());
  }

  /** Adds the market of the quote token, without which no account has a margin. */
  pushQuoteMarket() {
    const [preset] = SPOT_PRESETS;
    const pubkey = addresses.drift.spotMarket(preset.marketIndex);
    const data = spotMarketBytes({
      preset,
      addresses: { pubkey, oracle: undefined },
      time: { slot: BigInt(this.#slot), unixSeconds: BigInt(this.#unixSeconds) },
      oraclePrice: preset.startPrice,
      nextFillRecordId: 1n,
    });
    this.#pushAccount(this.#textOf(pubkey, data));
  }

  /** Adds the next `count` accounts to the turn, with the ticks and slots between them. */
  push(count) {
    for (let left = count; left > 0; ) {
      const step = this.#steps[this.#at];
      // After the last event comes the first: same bytes, later slots.
      this.#at = (this.#at + 1) % this.#steps.length;
      if (step.kind === 'account') left -= 1;
      this.#take(step);
    }
  }

  /** Adds the next of a few accounts, which are in the CPU cache like newly received ones. */
  pushRepeated() {
    this.#repeatedAt = (this.#repeatedAt + 1) % this.#repeated.length;
    this.#take(this.#repeated[this.#repeatedAt]);
  }

  /**
   * Chooses turns that can be repeated: in each, one account of each of the first so many markets,
   * and each of them changes the best `depth` levels of its market. Of a user there are two states
   * that come by turns, so that after all turns the book is what it was before them.
   */
  keepChanges({ markets, users, depth }) {
    const taken = new Set();
    const byMarket = Array.from({ length: markets }, (_, market) => {
      const handle = this.engine.topics.openTopic({ channel: 'book', market, depth });
      const pairs = this.#visiblePairs(handle, taken, users);
      this.engine.topics.closeTopic(handle);
      return pairs.flat();
    });
    this.#changes = byMarket[0].map((_, turn) => byMarket.map((states) => states[turn]));
    this.#changesAt = 0;
    for (const _ of this.#changes) {
      this.pushChanges();
      this.engine.endTurn(0);
    }
  }

  /** Adds the accounts of the next turn of {@link WorkloadBook.keepChanges}. */
  pushChanges() {
    for (const step of this.#changes[this.#changesAt]) this.#take(step);
    this.#changesAt = (this.#changesAt + 1) % this.#changes.length;
  }

  #visiblePairs(handle, taken, users) {
    const isShown = (step) => {
      this.#take(step);
      this.engine.endTurn(0);
      return this.engine.topics.renderDelta(handle) !== null;
    };
    const pairs = [];
    for (const [pubkey, [first, second]] of this.#statesByUser()) {
      if (pairs.length === users) break;
      if (second === undefined || taken.has(pubkey)) continue;
      isShown(second);
      if (!isShown(first) || !isShown(second)) continue;
      taken.add(pubkey);
      pairs.push([first, second]);
    }
    if (pairs.length < users) throw new Error(`${pairs.length} users change a book visibly`);
    return pairs;
  }

  #statesByUser() {
    return byUserOf(this.#steps.filter(({ kind }) => kind === 'account'));
  }

  /** Adds a price of the market's oracle, `ticks` away from where the workload began. */
  pushOracle(market, ticks) {
    const { config } = this.#workload;
    this.#pushOracle(market, BigInt(config.oracle * (1 + market) + ticks * config.tick));
  }

  /** Replaces the indicative quotes of a market's one maker; they live for a second of `tsMs`. */
  quote(market, tsMs) {
    const price = BigInt(this.#workload.config.oracle * (1 + market));
    this.#quotesSent += 1n;
    const size = (QUOTES.base + (this.#quotesSent % 2n)) * 10n ** 9n;
    const quotes = QUOTES.distances.map((part) => ({
      bid: { price: -(price / part), size },
      ask: { price: price / part, size },
      isOracleOffset: true,
    }));
    const outcome = this.engine.setIndicative({ market, maker: MAKER, quotes, tsMs });
    if (outcome !== 'changed') throw new Error(`the engine answered quotes with ${outcome}`);
  }

  #take(step) {
    if (step.kind === 'account') this.#pushAccount(step.account);
    else if (step.kind === 'oracle') this.#pushOracle(step.market, BigInt(step.price));
    else this.#tickSlot();
  }

  #pushAccount(account) {
    account.slot = this.#slot;
    this.engine.push(account);
  }

  #tickSlot() {
    this.#slot += 1;
    this.#unixSeconds += 1 / SLOTS_PER_SECOND;
    this.engine.setClock(this.#slot, Math.floor(this.#unixSeconds));
  }

  #pushOracle(market, price) {
    const data = lazerOracleBytes({
      price: price * 100n,
      conf: (price * 100n) / CONFIDENCE_DIVISOR,
      exponent: -8,
      postedSlot: BigInt(this.#slot),
      publishTimeUs: BigInt(this.#slot) * 400_000n,
    });
    this.#pushAccount(this.#textOf(this.#oracleKeys[market], data));
  }

  #open() {
    const { config, load } = this.#workload;
    const { engine } = this;
    const { state: stateKey, perpMarket } = addresses[config.program];
    const time = { slot: BigInt(this.#slot), unixSeconds: BigInt(this.#unixSeconds) };
    engine.setClock(this.#slot, this.#unixSeconds);
    const counts = { perpMarkets: config.markets, spotMarkets: 0, users: config.users };
    const state = stateBytes(counts, config.program);
    this.#pushAccount(this.#textOf(stateKey(), state));
    for (let index = 0; index < config.markets; index += 1) {
      const market = marketAccount(config, index, time);
      this.#pushAccount(this.#textOf(perpMarket(index), market));
    }
    const refused = engine.endTurn(config.ts * 1_000).problems;
    for (const record of load) this.#take(this.#textsOf(record));
    engine.setState('live');
    const { problems, dirty } = engine.endTurn(config.ts * 1_000);
    const first = [...refused, ...problems][0];
    if (first !== undefined) throw new Error(`the engine refused an account: ${first.message}`);
    if (dirty.length !== config.markets)
      throw new Error(`only ${dirty.length} markets have orders`);
  }

  #textsOf(record) {
    if (record.kind !== 'account') return record;
    return { kind: 'account', account: this.#textOf(keyOf(record.key), record.data) };
  }

  #textOf(pubkey, data) {
    const owner = PROGRAM_IDS[this.#workload.config.program];
    return { pubkey, owner, slot: 0, data: data.toString('base64'), encoding: 'base64' };
  }
}

/** Some states of some users in turns, so that every one of them changes the book again and again. */
function repeatedOf(byUser) {
  const users = [...byUser.values()].filter((states) => states.length >= REPEATED.states);
  const chosen = users.slice(0, REPEATED.users);
  return Array.from({ length: REPEATED.states }, (_, at) =>
    chosen.map((states) => states[at]),
  ).flat();
}

function byUserOf(steps) {
  const byUser = new Map();
  for (const step of steps) {
    const { pubkey } = step.account;
    byUser.set(pubkey, [...(byUser.get(pubkey) ?? []), step]);
  }
  return byUser;
}

function oracleKey(program, index) {
  return addresses[program].pythLazerOracle(FEED_ID_FIRST + index);
}

function nameOf(index) {
  return `BENCH${index}-PERP`;
}

export function marketAccount(config, index, time) {
  const { program } = config;
  const oraclePrice = BigInt(config.oracle * (1 + index));
  const preset = {
    ...PERP_PRESETS[0],
    amm: AMM,
    name: nameOf(index),
    marketIndex: index,
    tick: BigInt(config.tick),
    step: BigInt(config.step),
  };
  return perpMarketBytes({
    program,
    preset,
    addresses: {
      pubkey: addresses[program].perpMarket(index),
      oracle: oracleKey(program, index),
    },
    time,
    status: MarketStatus.Active,
    pausedOperations: 0,
    oraclePrice,
    mmOracle: { price: 0n, slot: 0n, sequenceId: 0n },
    lastFillPrice: oraclePrice,
    nextFillRecordId: 1n,
    volume24h: 0n,
    lastTradeTs: time.unixSeconds,
    numberOfUsers: config.users,
  });
}
