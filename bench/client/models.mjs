/**
 * The client library's side of the row `accounts`: its models of accounts, as text to compare, and
 * the same work to time. The library is compiled, without Node's modules.
 */
import {
  AccountCache,
  decodePerpMarket,
  decodeSpotMarket,
  decodeUser,
  visitOrders,
  visitPerpPositions,
  visitSpotPositions,
} from '../../src/client/dist/accounts/index.js';
import { marketAccounts, NOW_S, pricesAt, userAccounts } from './accounts.mjs';

/** The models of all accounts at a tick. */
export function modelsAt({ count, seed, tick }) {
  const cache = filledCache(count, seed);
  setPrices(cache, tick);
  return [...cache.store.values()].map(plain);
}

/** All fields of accounts. */
export function wholeUsers({ count, seed }) {
  return userAccounts(count, seed).map((bytes) => wholeUser(bytes));
}

/** A tick of SOL to the models of every account that holds it. */
export function modelsWork({ count, seed }) {
  const cache = filledCache(count, seed);
  let tick = 0;
  let updated = 0;
  setPrices(cache, tick);
  cache.onUpdate(() => {
    updated += 1;
  });
  const run = () => {
    updated = 0;
    tick += 1;
    setPrices(cache, tick);
    if (updated !== count) throw new Error(`${updated} of ${count} accounts were updated`);
  };
  return { run, operations: count };
}

/** The reading of a decoded account, by the name of the part. */
const READERS = { checked: readNothing, margin: readMargin, numbers: readNumbers, all: readAll };

/** Accounts decoded, and of each the part read that {@link READERS} names. */
export function decodeWork({ count, seed, repeats, part }) {
  const accounts = userAccounts(count, seed);
  const read = READERS[part];
  const run = () => {
    let sum = 0;
    for (let pass = 0; pass < repeats; pass++) {
      for (const bytes of accounts) sum += read(decodeUser(bytes));
    }
    return sum;
  };
  return { run, operations: count * repeats };
}

/** Everything that the peer's decoder makes, made. */
function readAll(user) {
  const { authority, delegate, name, orders, lastActiveSlot, totalDeposits, totalWithdraws } = user;
  const { settledPerpPnl, cumulativePerpFunding } = user;
  const isThere =
    authority.length > 0 && delegate === null && name.length > 0 && lastActiveSlot >= 0n;
  const isPaid = totalDeposits + totalWithdraws + settledPerpPnl + cumulativePerpFunding === 0n;
  return readMargin(user) + orders.length + (isThere && isPaid ? 1 : 0);
}

/** Reads the members that a filter of accounts uses. */
function readNothing({ status, subAccountId }) {
  return status + subAccountId;
}

/** Reads the members of a margin. */
function readMargin(user) {
  return user.perpPositions.length + user.spotPositions.length + user.status;
}

/** Reads every amount, price and market of orders and positions, as numbers, and each order's kind. */
function readNumbers(user) {
  let sum = 0;
  visitPerpPositions(user, (position) => {
    const { marketIndex, baseAssetAmount, quoteAssetAmount, quoteEntryAmount } = position;
    const { quoteBreakEvenAmount, openBids, openAsks, openOrders, settledPnl } = position;
    const { lastCumulativeFundingRate, lpShares, positionFlag, maxMarginRatio } = position;
    const { isolatedPositionScaledBalance, lastQuoteAssetAmountPerLp } = position;
    sum += marketIndex + baseAssetAmount + quoteAssetAmount + quoteEntryAmount + openOrders;
    sum += quoteBreakEvenAmount + openBids + openAsks + settledPnl + lastCumulativeFundingRate;
    sum += lpShares + positionFlag + maxMarginRatio + isolatedPositionScaledBalance;
    sum += lastQuoteAssetAmountPerLp;
  });
  visitSpotPositions(user, (position) => {
    const { marketIndex, scaledBalance, balanceType, openBids, openAsks, openOrders } = position;
    sum += marketIndex + scaledBalance + openBids + openAsks + openOrders;
    sum += position.cumulativeDeposits + balanceType.length;
  });
  visitOrders(user, (order) => {
    const { slot, price, baseAssetAmount, baseAssetAmountFilled, quoteAssetAmountFilled } = order;
    const { triggerPrice, auctionStartPrice, auctionEndPrice, maxTs, oraclePriceOffset } = order;
    const { orderId, marketIndex, userOrderId, auctionDuration, postedSlotTail, bitFlags } = order;
    const { status, orderType, marketType, direction, triggerCondition } = order;
    const { reduceOnly, postOnly, immediateOrCancel, existingPositionDirection } = order;
    sum += slot + price + baseAssetAmount + baseAssetAmountFilled + quoteAssetAmountFilled;
    sum += triggerPrice + auctionStartPrice + auctionEndPrice + maxTs + oraclePriceOffset;
    sum += orderId + marketIndex + userOrderId + auctionDuration + postedSlotTail + bitFlags;
    sum += status.length + orderType.length + marketType.length + direction.length;
    sum += triggerCondition.length + existingPositionDirection.length;
    sum += Number(reduceOnly) + Number(postOnly) + Number(immediateOrCancel);
  });
  return sum;
}

function filledCache(count, seed) {
  const cache = new AccountCache({ nowS: () => NOW_S });
  const { perps, spots } = marketAccounts();
  for (const bytes of perps) cache.updatePerpMarket(decodePerpMarket(bytes));
  for (const bytes of spots) cache.updateSpotMarket(decodeSpotMarket(bytes));
  for (const bytes of userAccounts(count, seed)) {
    cache.updateAccount({ user: decodeUser(bytes), slot: 1 });
  }
  return cache;
}

function setPrices(cache, tick) {
  const { perp, spot, mark } = pricesAt(tick);
  const entries = [
    ...Object.entries(perp).map(([index, price]) => [
      `perp_${index}`,
      { oracle: BigInt(price), mark: BigInt(mark[index]) },
    ]),
    ...Object.entries(spot).map(([index, price]) => [`spot_${index}`, { oracle: BigInt(price) }]),
  ];
  cache.updatePrices(Object.fromEntries(entries));
}

/** A model as both sides write it: integers as text, and -1 where there is no price. */
function plain({ authority, subAccountId, openPerpPositions, spotBalances, marginInfo }) {
  return {
    account: `${subAccountId} ${authority}`,
    margin: {
      netUsdValue: text(marginInfo.netUsdValue),
      totalUnsettledPnl: text(marginInfo.totalUnsettledPnl),
      totalUnsettledFundingPnl: text(marginInfo.totalUnsettledFundingPnl),
      totalClaimablePnl: text(marginInfo.totalClaimablePnl),
      totalInitialMargin: text(marginInfo.totalInitialMargin),
      totalMaintenanceMargin: text(marginInfo.totalMaintenanceMargin),
      freeInitialMargin: text(marginInfo.freeInitialMargin),
      freeMaintenanceMargin: text(marginInfo.freeMaintenanceMargin),
      initialReq: text(marginInfo.initialReq),
      maintenanceReq: text(marginInfo.maintenanceReq),
      leverage: marginInfo.leverage,
      marginRatioPct: marginInfo.marginRatioPct,
      health: marginInfo.health,
    },
    positions: openPerpPositions.map((position) => ({
      marketIndex: position.marketIndex,
      direction: position.direction,
      baseSize: text(position.baseSize),
      notionalSize: text(position.notionalSize),
      entryPrice: text(position.entryPrice),
      liquidationPrice: text(position.liquidationPrice),
      markPnl: text(position.positionPnl.markBased.positionNotionalPnl),
      markPnlPercentage: position.positionPnl.markBased.positionPnlPercentage,
      oraclePnl: text(position.positionPnl.oracleBased.positionNotionalPnl),
      oraclePnlPercentage: position.positionPnl.oracleBased.positionPnlPercentage,
      feesAndFundingPnl: text(position.feesAndFundingPnl),
      unsettledFundingPnl: text(position.unsettledFundingPnl),
      costBasis: text(position.costBasis),
      quoteBreakEvenAmount: text(position.quoteBreakEvenAmount),
      totalUnsettledPnl: text(position.totalUnsettledPnl),
      totalClaimablePnl: text(position.totalClaimablePnl),
      totalSettledPnl: text(position.totalSettledPnl),
    })),
    balances: spotBalances.map((balance) => ({
      marketIndex: balance.marketIndex,
      baseBalance: text(balance.baseBalance),
      notionalBalance: text(balance.notionalBalance),
      liquidationPrice: text(balance.liquidationPrice),
    })),
  };
}

function text(value) {
  return (value ?? -1n).toString();
}

function wholeUser(bytes) {
  const user = decodeUser(bytes);
  const { authority, name, subAccountId, orders, perpPositions, spotPositions } = user;
  return {
    authority,
    name,
    subAccountId,
    orders: orders.map(flat),
    perpPositions: perpPositions.map(flat),
    spotPositions: spotPositions.map(flat),
  };
}

/** Members by name, all values as text, so that both sides write them alike. */
function flat(item) {
  const members = Object.entries(item).map(([name, value]) => [name, String(value)]);
  return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)));
}
