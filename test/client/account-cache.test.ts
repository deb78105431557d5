/** The cache of accounts: what touches which, who is told, and that nothing stays behind. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  AccountCache,
  type AccountData,
  accountData,
  MarketTerms,
  type ModelUser,
} from '../../src/client/accounts/index.js';
import {
  type MarketKey,
  MarkPriceCache,
  OraclePriceCache,
  rawPrice,
} from '../../src/client/index.js';
import {
  AUTHORITY,
  balance,
  boughtAt,
  NOW_S,
  perpFacts,
  solSpotFacts,
  spotFacts,
  user,
} from '../support/model-scene.js';

function filled(): AccountCache {
  const cache = new AccountCache({ nowS: () => NOW_S });
  cache.updateSpotMarket(spotFacts());
  cache.updatePerpMarket(perpFacts());
  cache.updatePrices({
    spot_0: { oracle: 1_000_000n },
    perp_0: { oracle: 150_000_000n, mark: 151_000_000n },
  });
  return cache;
}

const trader = user({ perpPositions: [boughtAt(10, 150)], spotPositions: [balance(500)] });
const saver = user({ subAccountId: 1, spotPositions: [balance(700)] });

/** Takes the place of LookupCache: what a test says, everybody is told. */
class Prices<Value> {
  store: Readonly<Partial<Record<MarketKey, Value>>> = {};
  readonly #listeners = new Set<(changed: Readonly<Partial<Record<MarketKey, Value>>>) => void>();

  get size(): number {
    return this.#listeners.size;
  }

  onUpdate(listener: (changed: Readonly<Partial<Record<MarketKey, Value>>>) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  tell(changed: Readonly<Partial<Record<MarketKey, Value>>>): void {
    this.store = { ...this.store, ...changed };
    for (const listener of this.#listeners) listener(changed);
  }
}

describe('the cache of accounts', () => {
  test('an account is asked for by its subaccount id with its authority', () => {
    const cache = filled();
    cache.updateAccount({ user: trader, slot: 5, address: 'the account' });
    const data = cache.getAccount({ subAccountId: 0, authority: AUTHORITY });
    expect(data?.key).toBe(`0_${AUTHORITY}`);
    expect(data?.address).toBe('the account');
    expect(cache.getAccountByKey(`0_${AUTHORITY}`)).toBe(data);
    expect(cache.getAccount({ subAccountId: 1, authority: AUTHORITY })).toBeNull();
    expect([...cache.store.keys()]).toEqual([`0_${AUTHORITY}`]);
  });

  test('a price touches the accounts that hold its market, and tells of them alone', () => {
    const cache = filled();
    cache.updateAccount({ user: trader, slot: 5 });
    cache.updateAccount({ user: saver, slot: 5 });
    const saved = cache.getAccountByKey(`1_${AUTHORITY}`);
    const told: AccountData[] = [];
    cache.onUpdate((account) => told.push(account));
    cache.updatePrices({ perp_0: { oracle: 160_000_000n } });
    expect(told.map(({ key }) => key)).toEqual([`0_${AUTHORITY}`]);
    expect(told[0]?.openPerpPositions[0]?.notionalSize).toBe(1_600_000_000n);
    expect(cache.getAccountByKey(`1_${AUTHORITY}`)).toBe(saved);
    cache.updatePrices({ perp_0: { oracle: 160_000_000n } });
    expect(told).toHaveLength(1);
  });

  test('a price of the quote market touches every account that a perp position is priced by', () => {
    const cache = filled();
    const alone = user({ subAccountId: 2, perpPositions: [boughtAt(1, 150)] });
    cache.updateAccount({ user: alone, slot: 5 });
    const told: (bigint | undefined)[] = [];
    cache.onUpdate(({ marginInfo }) => told.push(marginInfo?.maintenanceReq));
    cache.updatePrices({ spot_0: { oracle: 990_000n } });
    expect(told).toEqual([7_425_000n]);
  });

  test('a spot balance without a price of its own moves with the perp of its oracle', () => {
    const cache = filled();
    cache.updateSpotMarket(solSpotFacts({ oracleSource: perpFacts().amm.oracleSource }));
    const holder = user({ subAccountId: 3, spotPositions: [balance(2, { marketIndex: 1 })] });
    cache.updateAccount({ user: holder, slot: 5 });
    const worth = () => cache.getAccountByKey(`3_${AUTHORITY}`)?.spotBalances[0]?.notionalBalance;
    expect(worth()).toBe(300_000_000n);
    cache.updatePrices({ perp_0: { oracle: 200_000_000n } });
    expect(worth()).toBe(400_000_000n);
    cache.updatePrices({ spot_1: { oracle: 100_000_000n } });
    expect(worth()).toBe(200_000_000n);
  });

  test('an account of an older slot is not taken; one of the same slot is', () => {
    const cache = filled();
    cache.updateAccount({ user: trader, slot: 5 });
    cache.updateAccount({ user: user(), slot: 4 });
    const sizeOf = () => cache.getAccountByKey(`0_${AUTHORITY}`)?.openPerpPositions.length;
    expect(sizeOf()).toBe(1);
    cache.updateAccount({ user: user(), slot: 5 });
    expect(sizeOf()).toBe(0);
  });

  test('a position that is closed is touched by its market no more', () => {
    const cache = filled();
    cache.updateAccount({ user: trader, slot: 5 });
    cache.updateAccount({ user: user({ spotPositions: [balance(500)] }), slot: 6 });
    let told = 0;
    cache.onUpdate(() => {
      told += 1;
    });
    cache.updatePrices({ perp_0: { oracle: 170_000_000n } });
    expect(told).toBe(0);
  });

  test('a market that no account can be computed with is refused, and the last one stays', () => {
    const cache = filled();
    cache.updateAccount({ user: trader, slot: 5 });
    const before = cache.getAccountByKey(`0_${AUTHORITY}`);
    for (const decimals of [20, 2 ** 32 - 1]) {
      expect(() => cache.updateSpotMarket(spotFacts({ decimals }))).toThrow('decimals');
    }
    expect(cache.getAccountByKey(`0_${AUTHORITY}`)).toBe(before);
  });

  test('prices come from the caches of oracle and mark prices', () => {
    const [oracles, marks] = [new OraclePriceCache(), new MarkPriceCache()];
    const cache = new AccountCache({ oracles, marks, nowS: () => NOW_S });
    expect(cache.store.size).toBe(0);
    cache.destroy();
    const [told, toldMarks] = [
      new Prices<{ readonly price: bigint }>(),
      new Prices<{ readonly markPrice: bigint }>(),
    ];
    told.tell({ spot_0: { price: rawPrice(1_000_000n) } });
    const followed = new AccountCache({ oracles: told, marks: toldMarks, nowS: () => NOW_S });
    followed.updateSpotMarket(spotFacts());
    followed.updatePerpMarket(perpFacts());
    followed.updateAccount({ user: trader, slot: 1 });
    const pnl = () => followed.getAccountByKey(`0_${AUTHORITY}`)?.openPerpPositions[0]?.positionPnl;
    expect(pnl()).toEqual({ markBased: null, oracleBased: null });
    told.tell({ perp_0: { price: 155_000_000n } });
    toldMarks.tell({ perp_0: { markPrice: 152_000_000n } });
    expect(pnl()?.oracleBased?.positionNotionalPnl).toBe(50_000_000n);
    expect(pnl()?.markBased?.positionNotionalPnl).toBe(20_000_000n);
    expect([told.size, toldMarks.size]).toEqual([1, 1]);
    followed.destroy();
    expect([told.size, toldMarks.size]).toEqual([0, 0]);
  });

  test('accounts that change can be read with for await, and destroy ends it', async () => {
    const cache = filled();
    cache.updateAccount({ user: trader, slot: 5 });
    const seen: (bigint | null | undefined)[] = [];
    const reading = (async () => {
      for await (const { openPerpPositions } of cache) {
        seen.push(openPerpPositions[0]?.notionalSize);
        if (seen.length === 2) cache.destroy();
      }
    })();
    cache.updatePrices({ perp_0: { oracle: 160_000_000n } });
    await new Promise((resolve) => setImmediate(resolve));
    cache.updatePrices({ perp_0: { oracle: 161_000_000n } });
    cache.updatePrices({ perp_0: { oracle: 162_000_000n } });
    await reading;
    expect(seen).toEqual([1_600_000_000n, 1_620_000_000n]);
  });

  test('a removed account is told of no more, and reset forgets all of them', () => {
    const cache = filled();
    cache.updateAccount({ user: trader, slot: 5 });
    cache.updateAccount({ user: saver, slot: 5 });
    cache.removeAccount(trader);
    expect([...cache.store.keys()]).toEqual([`1_${AUTHORITY}`]);
    cache.reset();
    expect(cache.store.size).toBe(0);
    cache.updateAccount({ user: trader, slot: 1 });
    expect(cache.store.get(`0_${AUTHORITY}`)?.marginInfo).not.toBeNull();
  });

  test('a listener that is taken away is told no more', () => {
    const cache = filled();
    cache.updateAccount({ user: trader, slot: 5 });
    let told = 0;
    const stop = cache.onUpdate(() => {
      told += 1;
    });
    cache.updatePrices({ perp_0: { oracle: 151_000_000n } });
    stop();
    cache.updatePrices({ perp_0: { oracle: 152_000_000n } });
    expect(told).toBe(1);
  });
});

/** One thing that happens: a price, a market's account or a user's account. */
type Step =
  | {
      readonly kind: 'price';
      readonly market: MarketKey;
      readonly price: bigint | null;
      readonly slot: bigint | null;
    }
  | { readonly kind: 'perp'; readonly funding: bigint; readonly oracle: string }
  | { readonly kind: 'spot'; readonly index: number; readonly interest: bigint }
  | { readonly kind: 'user'; readonly user: ModelUser };

// Half of them near the market makers' price of the captured market, which is of slot 405286944.
const prices = fc.option(
  fc.oneof(
    fc.bigInt({ min: 1n, max: 300_000_000n }),
    fc.bigInt({ min: 84_000_000n, max: 86_000_000n }),
  ),
  { freq: 8 },
);
const slots = fc.constantFrom(null, 405_286_943n, 405_286_944n, 405_286_945n);
const positions = fc.array(fc.double({ min: -50, max: 50, noNaN: true }), { maxLength: 2 });

const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('price' as const),
    market: fc.constantFrom<MarketKey>('perp_0', 'perp_1', 'spot_0', 'spot_1'),
    price: prices,
    slot: slots,
  }),
  fc.record({
    kind: fc.constant('perp' as const),
    funding: fc.bigInt({ min: -1_000_000n, max: 1_000_000n }),
    oracle: fc.constantFrom('sol', 'btc'),
  }),
  fc.record({
    kind: fc.constant('spot' as const),
    index: fc.constantFrom(0, 1),
    interest: fc.bigInt({ min: 10_000_000_000n, max: 12_000_000_000n }),
  }),
  fc.record({
    kind: fc.constant('user' as const),
    user: fc
      .tuple(fc.integer({ min: 0, max: 3 }), positions, positions)
      .map(([subAccountId, perps, spots]) =>
        user({
          subAccountId,
          perpPositions: perps.map((units, marketIndex) => ({
            ...boughtAt(units, 150),
            marketIndex,
          })),
          spotPositions: spots.map((units, marketIndex) => balance(units, { marketIndex })),
        }),
      ),
  }),
);

/** What a step tells a cache, and what it tells markets from which everything is made anew. */
function take(step: Step, cache: AccountCache, markets: MarketTerms): void {
  switch (step.kind) {
    case 'price': {
      const told = { oracle: step.price, oracleSlot: step.slot };
      cache.updatePrices({ [step.market]: told });
      markets.setPrices(step.market, { ...markets.prices(step.market), ...told }, NOW_S);
      return;
    }
    case 'perp': {
      const { amm } = perpFacts();
      const changed = {
        ...perpFacts({ marketIndex: 1 }),
        amm: { ...amm, oracle: step.oracle, cumulativeFundingRateLong: step.funding },
      };
      cache.updatePerpMarket(changed);
      markets.setPerpMarket(changed, NOW_S);
      return;
    }
    case 'spot': {
      const interest = { cumulativeDepositInterest: step.interest };
      const oracleSource = perpFacts().amm.oracleSource;
      const changed =
        step.index === 0 ? spotFacts(interest) : solSpotFacts({ ...interest, oracleSource });
      cache.updateSpotMarket(changed);
      markets.setSpotMarket(changed, NOW_S);
      return;
    }
    case 'user':
      cache.updateAccount({ user: step.user, slot: 1 });
  }
}

/** Markets as they are, told in one go to others that know nothing. */
function afresh(told: MarketTerms): MarketTerms {
  const markets = new MarketTerms();
  for (const index of [0, 1]) {
    const [perp, spot] = [told.perpMarket(index), told.spotMarket(index)];
    if (perp !== null) markets.setPerpMarket(perp, NOW_S);
    if (spot !== null) markets.setSpotMarket(spot, NOW_S);
    markets.setPrices(`perp_${index}`, told.prices(`perp_${index}`), NOW_S);
    markets.setPrices(`spot_${index}`, told.prices(`spot_${index}`), NOW_S);
  }
  return markets;
}

test('what is recomputed by what changed equals everything made anew, whatever happens', () => {
  fc.assert(
    fc.property(fc.array(steps, { minLength: 1, maxLength: 40 }), fc.boolean(), (all, isHeard) => {
      const cache = filled();
      const told = new MarketTerms();
      told.setSpotMarket(spotFacts(), NOW_S);
      told.setPerpMarket(perpFacts(), NOW_S);
      told.setPrices('spot_0', { oracle: 1_000_000n, mmOracle: null, mark: null }, NOW_S);
      told.setPrices('perp_0', { oracle: 150_000_000n, mmOracle: null, mark: 151_000_000n }, NOW_S);
      if (isHeard) cache.onUpdate(() => {});
      const users = new Map<number, ModelUser>();
      for (const step of all) {
        take(step, cache, told);
        if (step.kind === 'user') users.set(step.user.subAccountId, step.user);
        for (const account of users.values()) {
          const ours = cache.getAccount(account);
          expect(ours).toEqual(accountData(account, afresh(told)));
        }
      }
    }),
    { numRuns: 60 },
  );
});
