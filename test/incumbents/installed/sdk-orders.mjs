/**
 * `@drift-labs/sdk` as it is, in a process of its own: its OrderSubscriber over the subscriptions of a node. Prints all
 * open orders as one line of JSON whenever they are others than before, each by its user account and id.
 *
 * Usage: sdk-orders.mjs RPC-URL WS-URL PROGRAM-ID
 */
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';

const load = createRequire(import.meta.url);
const { BulkAccountLoader, DriftClient, OrderSubscriber, Wallet, getVariant, isVariant } =
  load('@drift-labs/sdk');
const { Connection, Keypair, PublicKey } = load('@solana/web3.js');

const LOOK_MS = 100;

const [rpcUrl = '', wsEndpoint = '', programId = ''] = process.argv.slice(2);

// Standard output is for orders; the SDK has much to say on it.
console.log = console.error;

async function main() {
  const connection = new Connection(rpcUrl, { wsEndpoint, commitment: 'processed' });
  const driftClient = new DriftClient({
    connection,
    wallet: new Wallet(Keypair.generate()),
    programID: new PublicKey(programId),
    accountSubscription: {
      type: 'polling',
      accountLoader: new BulkAccountLoader(connection, 'processed', 0),
    },
  });
  const subscriber = new OrderSubscriber({
    driftClient,
    subscriptionConfig: { type: 'websocket', commitment: 'processed' },
    fastDecode: true,
    decodeData: true,
  });
  await subscriber.subscribe();
  for (let last = ''; ; await sleep(LOOK_MS)) {
    const text = JSON.stringify(openOrders(subscriber));
    if (text !== last) process.stdout.write(`${text}\n`);
    last = text;
  }
}

function openOrders({ usersAccounts }) {
  const open = {};
  for (const [account, { userAccount }] of usersAccounts) {
    for (const order of userAccount?.orders ?? []) {
      if (isVariant(order.status, 'open')) open[`${account} ${order.orderId}`] = factsOf(order);
    }
  }
  return open;
}

function factsOf(order) {
  return {
    marketType: getVariant(order.marketType),
    marketIndex: order.marketIndex,
    orderType: getVariant(order.orderType),
    direction: getVariant(order.direction),
    price: order.price.toString(),
    baseAssetAmount: order.baseAssetAmount.toString(),
    baseAssetAmountFilled: order.baseAssetAmountFilled.toString(),
    slot: order.slot.toNumber(),
  };
}

await main();
