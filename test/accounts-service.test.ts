/** /accounts and the channel `user` of a whole service, against the client's calculators and the books beside them. */
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import {
  accountMargin,
  decodePerpMarket,
  decodeSpotMarket,
  decodeUser,
  MarketTerms,
  marginInfo,
  perpLiquidationPrice,
  spotLiquidationPrice,
} from '../src/client/accounts/index.js';
import { watchAccount, watchAuthority } from '../src/client/index.js';
import { LIMITS } from '../src/config/limits.js';
import type { ServiceProbe } from './support/service-probe.js';
import { testWorld } from './support/test-world.js';
import { until } from './support/until.js';
import { bytesOf, UserReader, usersOf } from './support/user-reader.js';
import { type World, world } from './world/world.js';

interface AccountBody {
  readonly account: string;
  readonly authority: string;
  readonly orders: readonly {
    readonly marketName: string;
    readonly orderId: number;
    readonly direction: string;
    readonly leftOut: string | null;
    readonly priceNow: string | null;
    readonly sizeNow: string;
    readonly ordersAhead: number | null;
    readonly sizeAhead: string | null;
    readonly distance: string | null;
  }[];
  readonly positions: readonly Record<string, unknown>[];
  readonly balances: readonly Record<string, unknown>[];
  readonly margin: Readonly<Record<string, unknown>> | null;
}

interface BookOrder {
  readonly maker: string;
  readonly orderId: number;
  readonly price: string;
  readonly size: string;
  readonly queue: string;
}

const bodyOf = ({ engine }: ServiceProbe, key: string): AccountBody =>
  JSON.parse(engine.accounts.render(key) ?? 'null');

const text = (value: bigint | null | undefined): string | null => value?.toString() ?? null;

/** The markets of the chain at the prices of the service's book. */
function termsOf({ chain, service }: World): MarketTerms {
  const terms = new MarketTerms();
  for (const info of service.engine.markets()) {
    const { marketType, marketIndex, account, id } = info;
    const body = JSON.parse(Buffer.from(service.engine.l2({ market: id, depth: 1 })).toString());
    const priceOf = (reading: { price?: string }) =>
      reading.price === undefined ? null : BigInt(reading.price);
    const prices = {
      oracle: priceOf(body.oracleData),
      mmOracle: priceOf(body.mmOracleData),
      mark: null,
    };
    const data = bytesOf(chain, account);
    if (marketType === 'perp') terms.setPerpMarket(decodePerpMarket(data), service.unixSeconds);
    else terms.setSpotMarket(decodeSpotMarket(data), service.unixSeconds);
    terms.setPrices(`${marketType}_${marketIndex}`, prices, service.unixSeconds);
  }
  return terms;
}

/** The amounts of an account by the client's calculators, as the body has them. */
function calculated(bytes: Uint8Array, markets: MarketTerms) {
  const user = decodeUser(bytes);
  const margin = accountMargin(user, markets);
  if (margin === null) return { positions: [], balances: [], margin: null };
  const info = marginInfo(user, margin);
  const { leverage, marginRatioPct, health, ...amounts } = info;
  const texts = Object.entries(amounts).map(([name, amount]) => [name, text(amount as bigint)]);
  return {
    positions: margin.perps.map((priced) => ({
      marketIndex: priced.position.marketIndex,
      baseAssetAmount: text(priced.position.baseAssetAmount),
      settledPnl: text(priced.position.settledPnl),
      unsettledFunding: text(priced.unsettledFunding),
      unsettledPnl: text(priced.oraclePnl),
      claimablePnl: text(priced.claimablePnl),
      liquidationPrice: text(perpLiquidationPrice({ user, margin, markets }, priced)),
    })),
    balances: margin.spots.map((priced) => ({
      marketIndex: priced.position.marketIndex,
      tokens: text(priced.tokens),
      liquidationPrice: text(spotLiquidationPrice({ user, margin, markets }, priced)),
    })),
    margin: {
      ...Object.fromEntries(texts),
      leverage: String(Math.round(leverage * 1e4)),
      marginRatio: marginRatioPct === null ? null : String(Math.round(marginRatioPct * 100)),
      health,
    },
  };
}

/** The places of the shown orders of an account by /l3. Returns how many there are. */
function expectPlaces({ engine }: ServiceProbe, { account, orders }: AccountBody): number {
  let shown = 0;
  for (const order of orders) {
    if (order.leftOut !== null) {
      expect(order).toMatchObject({ ordersAhead: null, sizeAhead: null, distance: null });
      continue;
    }
    const market = engine.findMarket(order.marketName)?.id ?? -1;
    const book = JSON.parse(Buffer.from(engine.l3({ market })).toString());
    const rows: readonly BookOrder[] = order.direction === 'long' ? book.bids : book.asks;
    const at = rows.findIndex((row) => row.maker === account && row.orderId === order.orderId);
    const row = rows[at] as BookOrder;
    const distance = BigInt(row.price) - BigInt(rows[0]?.price ?? 0);
    expect(order).toMatchObject({
      priceNow: row.price,
      sizeNow: row.size,
      sizeAhead: row.queue,
      ordersAhead: rows.slice(0, at).filter(({ price }) => price === row.price).length,
      distance: String(distance < 0n ? -distance : distance),
    });
    shown += 1;
  }
  return shown;
}

test('orders, positions and margin of every account are those of /l3 and of the calculators', async () => {
  const scene = await testWorld();
  const seen = { shown: 0, positions: 0, prices: 0 };
  for (let round = 0; round < 20; round += 1) {
    await scene.run(1_500);
    // Until all that was written has arrived.
    scene.chain.stop();
    await scene.run(400);
    const markets = termsOf(scene);
    for (const key of usersOf(scene.chain)) {
      const body = bodyOf(scene.service, key);
      seen.shown += expectPlaces(scene.service, body);
      const expected = calculated(bytesOf(scene.chain, key), markets);
      expect(body).toMatchObject(expected);
      seen.positions += body.positions.length;
      seen.prices += body.positions.filter((held) => held['liquidationPrice'] !== null).length;
    }
    scene.chain.start();
  }
  expect(seen.shown).toBeGreaterThan(500);
  expect(seen.positions).toBeGreaterThan(100);
  expect(seen.prices).toBeGreaterThan(10);
});

test('accounts of Velocity have margins, and their orders their places', async () => {
  const scene = await testWorld({ program: 'velocity' });
  await scene.run(5_000);
  const bodies = usersOf(scene.chain).map((key) => bodyOf(scene.service, key));
  expect(bodies.filter(({ margin }) => margin === null)).toEqual([]);
  expect(bodies.some(({ positions }) => positions.length > 0)).toBe(true);
  const shown = bodies.map((body) => expectPlaces(scene.service, body));
  expect(shown.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(50);
});

test('accounts are asked for alone, in lists and by their wallet, and others are refused by name', async () => {
  const scene = await testWorld();
  const { service, chain } = scene;
  const [first = '', second = ''] = usersOf(chain);
  const { authority } = bodyOf(service, first);
  const own = await service.json(`/accounts/${first}`);
  expect(own).toMatchObject({
    account: first,
    authority,
    state: 'live',
    epoch: service.engine.epoch,
  });
  const none = 'So11111111111111111111111111111111111111112';
  const market = service.engine.markets()[0]?.account ?? '';
  const { accounts } = (await service.json(`/accounts?accounts=${first},${none},${second}`)) as {
    accounts: readonly Record<string, unknown>[];
  };
  expect(accounts).toMatchObject([
    { account: first, authority },
    { account: none, error: { code: 'UNKNOWN_ACCOUNT', param: 'account' } },
    { account: second },
  ]);
  const ofWallet = await service.json(`/accounts?authority=${authority}`);
  expect(ofWallet['accounts']).toMatchObject([{ account: first }]);
  for (const [path, status, code, words] of [
    [`/accounts/${none}`, 404, 'UNKNOWN_ACCOUNT', none],
    [`/accounts/${authority}`, 404, 'UNKNOWN_ACCOUNT', first],
    [`/accounts/${market}`, 400, 'INVALID_PARAM', 'no user account'],
    ['/accounts/nobody', 400, 'INVALID_PARAM', 'base58'],
    ['/accounts', 400, 'MISSING_PARAM', 'authority'],
    [`/accounts?accounts=${none}&authority=${none}`, 400, 'INVALID_PARAM', 'not both'],
    [`/accounts?authority=${none}`, 404, 'UNKNOWN_ACCOUNT', none],
  ] as const) {
    const answer = await service.get(path);
    expect([path, answer.status]).toEqual([path, status]);
    expect(JSON.parse(answer.text).error).toMatchObject({
      code,
      message: expect.stringContaining(words),
    });
  }
  // Because of one account the node refuses every call that has it.
  for (const node of scene.nodes) Object.assign(node.faults, { spoilt: new Set([none]) });
  await scene.run(LIMITS.accountReadsKeptMs + 1);
  const rent = 'SysvarRent111111111111111111111111111111111';
  expect((await service.json(`/accounts?accounts=${none},${rent}`))['accounts']).toMatchObject([
    { account: none, error: { code: 'NOT_READY' } },
    { account: rent, error: { code: 'UNKNOWN_ACCOUNT' } },
  ]);
});

/** What a followed account and a body have in common, whatever the order of rows. */
const partsOf = (account: Record<string, unknown>) => {
  const { orders, positions, balances, margin } = account as unknown as AccountBody;
  const sorted = [...orders].sort((left, right) => left.orderId - right.orderId);
  return { orders: sorted, positions, balances, margin };
};

test('a followed account is the account of the body, through a cut with resume, and fills are told', async () => {
  const scene = await testWorld();
  const { service, chain } = scene;
  const keys = usersOf(chain);
  const reader = await UserReader.open(service.url);
  for (const [id, account] of keys.entries()) {
    reader.send({ type: 'subscribe', id, channel: 'user', account });
  }
  await until('all snapshots', () => reader.accounts.size === keys.length);
  await scene.run(60_000);
  expect(reader.faults).toEqual([]);
  expect(reader.fills).toBeGreaterThan(0);
  // Right after the frame of its interval, an account is that of the book.
  const [first = ''] = keys;
  const topic = `user:${first}`;
  const count = (): number => reader.messages.filter((one) => one['topic'] === topic).length;
  let same = false;
  for (let tries = 0; tries < 50 && !same; tries += 1) {
    const before = count();
    await until('the next frame', () => count() > before);
    const now = JSON.stringify(
      partsOf(bodyOf(service, first) as unknown as Record<string, unknown>),
    );
    same = JSON.stringify(partsOf(reader.accounts.get(topic) ?? {})) === now;
  }
  expect(same).toBe(true);
  const { epoch, seq } = reader.accounts.get(topic) ?? {};
  await reader.close(scene);
  await scene.run(3_000);
  const again = await UserReader.open(service.url);
  again.accounts.set(topic, { ...reader.accounts.get(topic) });
  again.send({ type: 'subscribe', channel: 'user', account: first, resume: { epoch, seq } });
  await until('what was missed', () => again.messages.some(({ type }) => type === 'delta'));
  expect(again.messages.filter(({ type }) => type === 'snapshot')).toEqual([]);
  expect(again.faults).toEqual([]);
  await again.close(scene);
});

test('a wallet is followed with its accounts, and unknown accounts are refused by name', async () => {
  const scene = await testWorld();
  const { service, chain } = scene;
  const [first = ''] = usersOf(chain);
  const { authority } = bodyOf(service, first);
  const reader = await UserReader.open(service.url);
  reader.send({ type: 'subscribe', id: 1, channel: 'user', authority });
  await until('its snapshot', () => reader.accounts.size === 1);
  expect(reader.messages[0]).toEqual({
    type: 'subscribed',
    id: 1,
    topic: `user:*:${authority}`,
    topics: [`user:${first}`],
  });
  for (const [members, code, words] of [
    [{ account: authority }, 'UNKNOWN_ACCOUNT', first],
    [{ account: 'nobody' }, 'INVALID_PARAM', 'base58'],
    [{}, 'MISSING_PARAM', 'account'],
  ] as const) {
    reader.send({ type: 'subscribe', id: 'bad', channel: 'user', ...members });
    const refusal = () => reader.messages.find(({ id }) => id === 'bad');
    await until('its refusal', refusal);
    expect(refusal()).toMatchObject({
      type: 'error',
      code,
      message: expect.stringContaining(words),
    });
    reader.messages.length = 0;
  }
  reader.send({ type: 'unsubscribe', id: 2, topic: `user:*:${authority}` });
  await until('the end', () => reader.messages.some(({ id }) => id === 2));
  await reader.close(scene);
});

test('the library watches an account and a wallet as the book has them', async ({
  onTestFinished,
}) => {
  const scene = await world();
  const { service, chain } = scene;
  onTestFinished(() => scene.stop());
  const [first = ''] = usersOf(chain);
  const { authority } = bodyOf(service, first);
  const options = { url: service.url, WebSocket };
  const account = watchAccount(first, options);
  const wallet = watchAuthority(authority, options);
  const wrong = watchAccount(authority, options);
  const refusals: string[] = [];
  wrong.onError(({ code }) => refusals.push(code));
  let updates = 0;
  account.onUpdate(() => {
    updates += 1;
  });
  await until('both', () => account.accounts.length + wallet.accounts.length === 2);
  await scene.run(20_000);
  chain.stop();
  await scene.run(2_000);
  for (const watch of [account, wallet, wrong]) watch.close();
  await scene.run(1_000);
  const body = bodyOf(service, first);
  for (const { accounts } of [account, wallet]) {
    const [watched] = accounts;
    expect(watched?.account).toBe(first);
    expect(watched?.margin?.netUsdValue).toBe(BigInt(String(body.margin?.['netUsdValue'])));
    const ids = watched?.orders.map(({ orderId }) => orderId).sort((a, b) => a - b);
    expect(ids).toEqual(body.orders.map(({ orderId }) => orderId).sort((a, b) => a - b));
  }
  expect(updates).toBeGreaterThan(3);
  expect(refusals).toEqual(['UNKNOWN_ACCOUNT']);
});
