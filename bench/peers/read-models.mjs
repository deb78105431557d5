/**
 * The SDK's read models of accounts: every getter of its class `User` that drift-common calls at
 * each price for its user interface. The functions are those of `bench/client/models.mjs`.
 */
import { createRequire } from 'node:module';
import { BorshAccountsCoder } from '@coral-xyz/anchor';
import sdk from '@drift-labs/sdk';
import { marketAccounts, NOW_S, pricesAt, userAccounts } from '../client/accounts.mjs';

const { BN, User, decodeUser } = sdk;
const idl = createRequire(import.meta.url)('@drift-labs/sdk/lib/node/idl/drift.json');
const coder = new BorshAccountsCoder(idl);

const BASE = new BN(1_000_000_000);
const RATIO = new BN(10_000);

/** The SDK reads the clock for live averages. */
Date.now = () => NOW_S * 1000;

/** The models of all accounts at a tick. */
export function modelsAt({ count, seed, tick }) {
  const scene = sceneOf(count, seed);
  setPrices(scene, tick);
  return scene.users.map((user) => plain(modelOf(user, scene)));
}

/** All fields of accounts. */
export function wholeUsers({ count, seed }) {
  return userAccounts(count, seed).map((bytes) => wholeUser(bytes));
}

/** A tick of SOL to the models of every account. */
export function modelsWork({ count, seed }) {
  const scene = sceneOf(count, seed);
  let tick = 0;
  const run = () => {
    tick += 1;
    setPrices(scene, tick);
    for (const user of scene.users) modelOf(user, scene);
  };
  return { run, operations: count };
}

/**
 * Accounts decoded by the SDK's fast decoder, which decodes all members immediately; the part `all`
 * also converts the owner's address to text, the key of accounts.
 */
export function decodeWork({ count, seed, repeats, part }) {
  const isNamed = part === 'all';
  const read = (user) => user.orders.length + (isNamed ? user.authority.toBase58().length : 0);
  const accounts = userAccounts(count, seed);
  const run = () => {
    let sum = 0;
    for (let pass = 0; pass < repeats; pass++) {
      for (const bytes of accounts) sum += read(decodeUser(bytes));
    }
    return sum;
  };
  return { run, operations: count * repeats };
}

function sceneOf(count, seed) {
  const { perps, spots } = marketAccounts();
  const perpMarkets = perps.map((bytes) => coder.decode('PerpMarket', bytes));
  const spotMarkets = spots.map((bytes) => coder.decode('SpotMarket', bytes));
  const scene = { perpMarkets, spotMarkets, perp: {}, spot: {}, mark: {} };
  const client = stubbedClient(scene);
  scene.users = userAccounts(count, seed).map((bytes) => {
    const data = decodeUser(bytes);
    const userAccountSubscriber = { getUserAccountAndSlot: () => ({ data, slot: 1 }) };
    return new User({
      driftClient: client,
      userAccountPublicKey: data.authority,
      accountSubscription: { type: 'custom', userAccountSubscriber },
    });
  });
  return scene;
}

/** A client that answers from memory, so that its cost is negligible. */
function stubbedClient(scene) {
  const byIndex = (markets) => new Map(markets.map((market) => [market.marketIndex, market]));
  const [perps, spots] = [byIndex(scene.perpMarkets), byIndex(scene.spotMarkets)];
  return {
    getPerpMarketAccount: (index) => perps.get(index),
    getSpotMarketAccount: (index) => spots.get(index),
    getPerpMarketAccounts: () => scene.perpMarkets,
    getSpotMarketAccounts: () => scene.spotMarkets,
    getOracleDataForPerpMarket: (index) => scene.perp[index],
    getMMOracleDataForPerpMarket: (index) => scene.perp[index],
    getOracleDataForSpotMarket: (index) => scene.spot[index],
    getStateAccount: () => ({ liquidationMarginBufferRatio: 1_000 }),
  };
}

function setPrices(scene, tick) {
  const { perp, spot, mark } = pricesAt(tick);
  for (const [index, price] of Object.entries(perp)) scene.perp[index] = { price: new BN(price) };
  for (const [index, price] of Object.entries(spot)) scene.spot[index] = { price: new BN(price) };
  for (const [index, price] of Object.entries(mark)) scene.mark[index] = new BN(price);
}

function modelOf(user, scene) {
  const leverage = user.getLeverage();
  return {
    user,
    margin: marginOf(user, leverage),
    positions: user
      .getActivePerpPositions()
      .filter(
        ({ baseAssetAmount, quoteAssetAmount }) =>
          !(baseAssetAmount.isZero() && quoteAssetAmount.isZero()),
      )
      .map((position) => positionOf(user, position, scene, leverage)),
    balances: user
      .getActiveSpotPositions()
      .filter(({ scaledBalance }) => !scaledBalance.isZero())
      .map((position) => balanceOf(user, position, scene)),
  };
}

function marginOf(user, leverage) {
  const claimable = user.getActivePerpPositions().reduce((sum, position) => {
    const { driftClient: client } = user;
    const market = client.getPerpMarketAccount(position.marketIndex);
    const quote = client.getSpotMarketAccount(market.quoteSpotMarketIndex);
    const oracle = client.getOracleDataForPerpMarket(position.marketIndex);
    return sum.add(sdk.calculateClaimablePnl(market, quote, position, oracle));
  }, new BN(0));
  return {
    netUsdValue: user.getNetUsdValue(),
    totalUnsettledPnl: user.getUnrealizedPNL(true),
    totalUnsettledFundingPnl: user.getUnrealizedFundingPNL(),
    totalClaimablePnl: claimable,
    totalInitialMargin: user.getTotalCollateral('Initial'),
    totalMaintenanceMargin: user.getTotalCollateral('Maintenance'),
    freeInitialMargin: user.getFreeCollateral('Initial'),
    freeMaintenanceMargin: user.getFreeCollateral('Maintenance'),
    initialReq: user.getInitialMarginRequirement(),
    maintenanceReq: user.getMaintenanceMarginRequirement(),
    leverage,
    marginRatioPct: user.getMarginRatio(),
    health: user.getHealth(),
  };
}

function positionOf(user, position, scene, leverage) {
  const { marketIndex, baseAssetAmount: base } = position;
  const client = user.driftClient;
  const market = client.getPerpMarketAccount(marketIndex);
  const quote = client.getSpotMarketAccount(market.quoteSpotMarketIndex);
  const oracle = client.getOracleDataForPerpMarket(marketIndex);
  const entryPrice = sdk.calculateEntryPrice(position);
  return {
    marketIndex,
    direction: base.isNeg() ? 'short' : 'long',
    baseSize: base.abs(),
    notionalSize: base.abs().mul(oracle.price).div(BASE),
    entryPrice,
    liquidationPrice: user.liquidationPrice(marketIndex),
    mark: pnlAt(position, scene.mark[marketIndex], entryPrice, leverage),
    oracle: pnlAt(position, oracle.price, entryPrice, leverage),
    feesAndFundingPnl: sdk.calculateFeesAndFundingPnl(market, position),
    unsettledFundingPnl: sdk.calculateUnsettledFundingPnl(market, position),
    costBasis: position.quoteEntryAmount,
    quoteBreakEvenAmount: position.quoteBreakEvenAmount,
    totalUnsettledPnl: sdk.calculatePositionPNL(market, position, true, oracle),
    totalClaimablePnl: sdk.calculateClaimablePnl(market, quote, position, oracle),
    totalSettledPnl: position.settledPnl,
  };
}

/** Gains by price only, in percent of the cost times the leverage. */
function pnlAt(position, price, entryPrice, leverage) {
  const { baseAssetAmount: base, quoteEntryAmount: entry } = position;
  const difference = base.isNeg() ? entryPrice.sub(price) : price.sub(entryPrice);
  const pnl = base.abs().mul(difference).div(BASE);
  const isNothing = leverage.isZero() || entry.isZero();
  const part = isNothing ? 0 : pnl.mul(RATIO).div(entry.abs()).toNumber() / 1e6;
  return { pnl, percentage: isNothing ? 0 : part * leverage.toNumber() };
}

function balanceOf(user, position, scene) {
  const { marketIndex } = position;
  const market = user.driftClient.getSpotMarketAccount(marketIndex);
  const tokens = user.getTokenAmount(marketIndex);
  return {
    marketIndex,
    baseBalance: tokens,
    notionalBalance: sdk.getTokenValue(tokens, market.decimals, scene.spot[marketIndex]),
    liquidationPrice: user.spotLiquidationPrice(marketIndex),
  };
}

/** A model as both sides write it. */
function plain({ user, margin, positions, balances }) {
  const { authority, subAccountId } = user.getUserAccount();
  return {
    account: `${subAccountId} ${authority.toBase58()}`,
    margin: {
      ...texts(margin),
      leverage: margin.leverage.toNumber() / 1e4,
      marginRatioPct: margin.marginRatioPct.toNumber() / 100,
    },
    positions: positions.map(({ mark, oracle, ...position }) => ({
      ...texts(position),
      markPnl: mark.pnl.toString(),
      markPnlPercentage: mark.percentage,
      oraclePnl: oracle.pnl.toString(),
      oraclePnlPercentage: oracle.percentage,
    })),
    balances: balances.map(texts),
  };
}

function texts(members) {
  const text = (value) => (BN.isBN(value) ? value.toString() : value);
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, text(value)]));
}

/** Members of the SDK that do not come from the account's bytes, or duplicate another member. */
const LEFT_OUT = {
  order: new Set(['quoteAssetAmount']),
  perpPosition: new Set(['remainderBaseAssetAmount', 'perLpBase']),
  spotPosition: new Set(),
};

function wholeUser(bytes) {
  const user = decodeUser(bytes);
  return {
    authority: user.authority.toBase58(),
    name: Buffer.from(user.name).toString().trim(),
    subAccountId: user.subAccountId,
    orders: user.orders.map((order) => flat(order, LEFT_OUT.order)),
    perpPositions: user.perpPositions.map((held) => flat(held, LEFT_OUT.perpPosition)),
    spotPositions: user.spotPositions.map((held) => flat(held, LEFT_OUT.spotPosition)),
  };
}

function flat(item, left) {
  const members = Object.entries(item)
    .filter(([name]) => !left.has(name))
    .map(([name, value]) => [name, nameOf(value)]);
  return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function nameOf(value) {
  const isEnum = typeof value === 'object' && value !== null && !BN.isBN(value);
  return isEnum ? Object.keys(value)[0] : String(value);
}
