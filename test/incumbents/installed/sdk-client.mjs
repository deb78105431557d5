/**
 * `@drift-labs/sdk` as it is, in a process of its own: its sender of indicative quotes and its reader of priority
 * fees. Prints a line with the name of what works whenever it was seen to.
 *
 * Usage: sdk-client.mjs URL SEED, where SEED is the byte of which the sender's key is made
 */
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';

const load = createRequire(import.meta.url);
const { IndicativeQuotesSender } = load(
  '@drift-labs/sdk/lib/node/indicative-quotes/indicativeQuotesSender.js',
);
const { PriorityFeeSubscriberMap } = load(
  '@drift-labs/sdk/lib/node/priorityFee/priorityFeeSubscriberMap.js',
);
const { Keypair } = load('@solana/web3.js');
const BN = load('bn.js');

/** Every maker's quotes stand under this one name, so a size that nobody else quotes tells them apart. */
const QUOTES = 'inDNdu3ML4vG5LNExqcwuCQtLcCU8KfK5YM2qYV3JJz';
const SIZE = '2000000001';
const LOOK_MS = 100;
const FEES_MS = 500;
const FEE_MARKETS = [
  { marketType: 'perp', marketIndex: 0 },
  { marketType: 'spot', marketIndex: 1 },
];

/** The reader, which keeps what it has read, so that each read is told as it comes. */
class TellingFees extends PriorityFeeSubscriberMap {
  updateFeesMap(fees) {
    super.updateFeesMap(fees);
    const [first] = fees;
    const read = first && this.getPriorityFees(first.marketType, first.marketIndex);
    if (fees.length === FEE_MARKETS.length && read?.high >= 0) process.stdout.write('fees\n');
  }
}

const [url = '', seed = ''] = process.argv.slice(2);

// Standard output is for what was seen; the SDK has much to say on it.
console.log = console.error;

async function main() {
  const key = Keypair.fromSeed(new Uint8Array(32).fill(Number(seed)));
  const sender = new IndicativeQuotesSender(`${url.replace('http', 'ws')}/quotes/ws`, key);
  sender.setQuote({
    marketIndex: 0,
    bidPrice: new BN(0),
    askPrice: new BN(0),
    bidBaseAssetAmount: new BN(SIZE),
    askBaseAssetAmount: new BN(SIZE),
    isOracleOffset: true,
  });
  await sender.connect();
  await new TellingFees({
    driftPriorityFeeEndpoint: url,
    frequencyMs: FEES_MS,
    driftMarkets: FEE_MARKETS,
  }).subscribe();
  for (;;) {
    if (await isQuoted().catch(() => false)) process.stdout.write('quotes\n');
    await sleep(LOOK_MS);
  }
}

async function isQuoted() {
  const response = await fetch(
    `${url}/l3?marketName=SOL-PERP&includeIndicative=true&maker=${QUOTES}`,
  );
  const { bids = [], asks = [] } = await response.json();
  return [bids, asks].every((side) => side.some(({ size }) => size === SIZE));
}

await main();
