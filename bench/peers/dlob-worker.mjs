/**
 * The SDK's own reading of a chain: its DriftClient for markets and oracles, its OrderSubscriber
 * for orders, its DLOBSubscriber for the book, all over the RPC that slotbook reads as well.
 * Commands: see `verbs`.
 */
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import sdk from '@drift-labs/sdk';
import { Connection, Keypair } from '@solana/web3.js';
import { WebSocketServer } from 'ws';
import { Latencies } from '../service/latencies.mjs';

const {
  BN,
  DLOBSubscriber,
  DriftClient,
  MarketType,
  OracleSource,
  OrderSubscriber,
  PublicKey,
  Wallet,
  getVariant,
  isVariant,
} = sdk;

/** More levels a side than any book of a local chain has. */
const ALL_LEVELS = 100_000;
/** All levels that may share the tick of the best. */
const TOP_LEVELS = 20;
/** The levels a side that dlob-server publishes. */
const SERVED_LEVELS = 100;
/** The subscriber's own rhythm, which is never used: books are made when they are requested. */
const UPDATE_MS = 1_000;

let client;
let orders;
let book;
let slot = 0;
/** Milliseconds from a message at the socket to the best levels. */
const latencies = new Latencies();

const verbs = {
  /** `subscribe RPC-URL WS-URL PERPS SPOTS ORACLES`: counts of markets, and keys of oracles. */
  async subscribe(rpcUrl, wsEndpoint, perps, spots, oracles) {
    const connection = new Connection(rpcUrl, { wsEndpoint, commitment: 'processed' });
    client = new DriftClient({
      connection,
      wallet: new Wallet(Keypair.generate()),
      programID: new PublicKey('dRiftyHA39MWEi3m9aunc5MzRF1JYuBsbn6VPcn33UH'),
      accountSubscription: { type: 'websocket', commitment: 'processed' },
      perpMarketIndexes: indexes(perps),
      spotMarketIndexes: indexes(spots),
      oracleInfos: [
        ...oracles.split(',').map((key) => oracleInfo(key, OracleSource.PYTH_LAZER)),
        oracleInfo(PublicKey.default, OracleSource.QUOTE_ASSET),
      ],
      skipLoadUsers: true,
    });
    await client.subscribe();
    orders = new OrderSubscriber({
      driftClient: client,
      subscriptionConfig: { type: 'websocket', commitment: 'processed' },
      fastDecode: true,
      decodeData: false,
      fetchAllNonIdleUsers: true,
    });
    await orders.subscribe();
    book = new DLOBSubscriber({
      driftClient: client,
      dlobSource: orders,
      slotSource: { getSlot: () => slot },
      updateFrequency: UPDATE_MS,
    });
    return { users: orders.usersAccounts.size };
  },

  /** `live`: from now on a DLOB of each changed user, and the best levels of the first perp market. */
  live() {
    const { socket } = client.connection._rpcWebSocket;
    let receivedAtMs = performance.now();
    socket.prependListener('message', () => {
      receivedAtMs = performance.now();
    });
    orders.eventEmitter.on('userUpdated', async (_user, _key, at) => {
      const startMs = receivedAtMs;
      slot = at;
      await book.updateDLOB();
      levelsOf(client.getPerpMarketAccounts()[0], 1);
      latencies.add(performance.now() - startMs);
    });
    return {};
  },

  ...latencies.verbs,

  /**
   * `serve INTERVAL-MS`: a WebSocket that sends each client the whole book of the first perp market so often,
   * as dlob-server does after its ORDERBOOK_UPDATE_INTERVAL of 400 ms; without its Redis between.
   */
  async serve(intervalMs) {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    await once(server, 'listening');
    setInterval(async () => {
      slot = await client.connection.getSlot();
      await book.updateDLOB();
      const { bids, asks } = levelsOf(client.getPerpMarketAccounts()[0], SERVED_LEVELS);
      const row = ({ price, size }) => ({ price: price.toString(), size: size.toString() });
      const text = JSON.stringify({ bids: bids.map(row), asks: asks.map(row), slot });
      for (const socket of server.clients) socket.send(text);
    }, Number(intervalMs));
    return { port: server.address().port };
  },

  /** `top`: the best levels of the first perp market, prices at its ticks, where orders fill. */
  async top() {
    await book.updateDLOB();
    const market = client.getPerpMarketAccounts()[0];
    const tick = (market.amm ?? market).orderTickSize;
    const { bids, asks } = levelsOf(market, TOP_LEVELS);
    const top = [
      atTicks(bids, (price) => price.div(tick).mul(tick)),
      atTicks(asks, (price) => price.add(tick.subn(1)).div(tick).mul(tick)),
    ];
    return { top };
  },

  /** `resync`: reads all users again, as the SDK's own resync does. */
  async resync() {
    await orders.fetch();
    return {};
  },

  /** `books SLOT`: every market's levels and orders at a slot, and the fields of every open order. */
  async books(at) {
    slot = Number(at);
    await book.updateDLOB();
    const perps = client.getPerpMarketAccounts().map((market) => perpBook(market));
    const spots = client.getSpotMarketAccounts().map((market) => spotBook(market));
    return { books: [...perps, ...spots], orders: openOrders() };
  },
};

function indexes(count) {
  return Array.from({ length: Number(count) }, (_, index) => index);
}

function oracleInfo(key, source) {
  return { publicKey: new PublicKey(key), source };
}

/** Perps are priced by the oracle that the program uses for them, as the SDK's own server does. */
function perpBook(market) {
  const oracle = client.getMMOracleDataForPerpMarket(market.marketIndex);
  const { orderTickSize, orderStepSize } = market.amm ?? market;
  return bookOf(market, { type: MarketType.PERP, oracle, orderTickSize, orderStepSize });
}

function levelsOf({ marketIndex }, depth) {
  const oraclePriceData = client.getMMOracleDataForPerpMarket(marketIndex);
  const asked = { marketIndex, marketType: MarketType.PERP, slot, oraclePriceData, depth };
  return book.getDLOB().getL2(asked);
}

/** The first level of a side whose prices are rounded. */
function atTicks(levels, round) {
  const price = round(levels[0].price);
  const sizes = levels.filter((level) => round(level.price).eq(price)).map(({ size }) => size);
  return pair({ price, size: sizes.reduce((sum, size) => sum.add(size)) });
}

function spotBook(market) {
  const oracle = client.getOracleDataForSpotMarket(market.marketIndex);
  const { orderTickSize, orderStepSize } = market;
  return bookOf(market, { type: MarketType.SPOT, oracle, orderTickSize, orderStepSize });
}

function bookOf({ marketIndex }, { type, oracle, orderTickSize, orderStepSize }) {
  const asked = { marketIndex, marketType: type, slot, oraclePriceData: oracle };
  const l2 = book.getDLOB().getL2({ ...asked, depth: ALL_LEVELS });
  const l3 = book.getDLOB().getL3(asked);
  const where = [marketIndex, slot, type, oracle];
  const nodes = {
    bids: [...book.getDLOB().getRestingLimitBids(...where)],
    asks: [...book.getDLOB().getRestingLimitAsks(...where)],
  };
  return {
    market: `${getVariant(type)}-${marketIndex}`,
    oracle: oracle.price.toString(),
    tick: orderTickSize.toString(),
    step: orderStepSize.toString(),
    levels: { bids: l2.bids.map(pair), asks: l2.asks.map(pair) },
    orders: { bids: rowsOf(l3.bids, nodes.bids), asks: rowsOf(l3.asks, nodes.asks) },
  };
}

const pair = ({ price, size }) => [price.toString(), size.toString()];

/** The rows of the SDK's L3. Its L2 counts another size where an order only reduces. */
function rowsOf(rows, nodes) {
  return rows.map(({ price, size, maker, orderId }, at) => ({
    id: `${maker.toBase58()}:${orderId}`,
    price: price.toString(),
    size: size.toString(),
    levelSize: levelSizeOf(nodes[at]).toString(),
  }));
}

/** A capped order that has filled more than its cap is in no level of the SDK. */
function levelSizeOf({ baseAssetAmount, order }) {
  return BN.max(baseAssetAmount.sub(order.baseAssetAmountFilled), new BN(0));
}

/** The orders that the rules of departure use, decoded by the SDK. */
function openOrders() {
  const open = {};
  for (const [maker, { userAccount }] of orders.usersAccounts) {
    for (const order of userAccount.orders) {
      if (isVariant(order.status, 'open'))
        open[`${maker}:${order.orderId}`] = facts(order, userAccount);
    }
  }
  return open;
}

function facts(order, { status }) {
  return {
    market: `${getVariant(order.marketType)}-${order.marketIndex}`,
    type: getVariant(order.orderType),
    triggered: /triggered/.test(getVariant(order.triggerCondition)),
    side: isVariant(order.direction, 'long') ? 'bids' : 'asks',
    slot: order.slot.toNumber(),
    maxTs: order.maxTs.toNumber(),
    offset: order.oraclePriceOffset,
    price: order.price.toString(),
    filled: order.baseAssetAmountFilled.toString(),
    size: order.baseAssetAmount.sub(order.baseAssetAmountFilled).toString(),
    auctionDuration: order.auctionDuration,
    reduceOnly: order.reduceOnly,
    postOnly: order.postOnly,
    owner: status,
  };
}

for await (const line of createInterface({ input: process.stdin })) {
  const [verb, ...words] = line.split(' ');
  try {
    process.stdout.write(`${JSON.stringify(await verbs[verb](...words))}\n`);
  } catch (error) {
    process.stdout.write(`${JSON.stringify({ error: error.stack ?? String(error) })}\n`);
  }
}
process.exit();
