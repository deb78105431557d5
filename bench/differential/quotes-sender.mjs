/**
 * The SDK's own sender of indicative quotes, unchanged, against a running service on a local chain.
 *
 * Usage: node bench/differential/quotes-sender.mjs
 *
 * Ends with 1 when a quote is not in the book that asks for it at the price and the size that it was
 * sent with, when it improves the touch, or when it stays after its sender has gone.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { installPeers } from '../harness/setup.mjs';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
const QUOTES = 'inDNdu3ML4vG5LNExqcwuCQtLcCU8KfK5YM2qYV3JJz';
const WAIT_MS_MAX = 15_000;
/** The sender repeats its quotes every 500 ms, and a quote lives for 1,000. */
const WATCH_MS = 3_000;
const POLL_MS = 50;

/** Sizes that the demo's own maker, which quotes whole steps, does not have. */
const BID_SIZES = ['2000000001', '3000000001'];
const ASK_SIZES = ['1000000001', '4000000001'];

/** Far from everything that the simulated makers quote. */
const LOW = '1000000';
const HIGH = '900000000';

async function main() {
  installPeers();
  const peers = createRequire(path.join(root, 'bench', 'peers', 'package.json'));
  const sdk = '@drift-labs/sdk/lib/node/indicative-quotes/indicativeQuotesSender.js';
  const { IndicativeQuotesSender } = peers(sdk);
  const { BN } = peers('@drift-labs/sdk');
  const keypair = peers('@solana/web3.js').Keypair.generate();
  const service = await startService(keypair.publicKey.toBase58());
  try {
    const address = `${service.url.replace('http', 'ws')}/quotes/ws`;
    const sender = new IndicativeQuotesSender(address, keypair);
    await sender.connect();
    await until('the sender is authenticated', () => sender.connected);
    const quote = (bid, ask, bidSize, askSize, isOracleOffset) => ({
      marketIndex: 0,
      bidPrice: new BN(bid),
      askPrice: new BN(ask),
      bidBaseAssetAmount: new BN(bidSize),
      askBaseAssetAmount: new BN(askSize),
      isOracleOffset,
    });
    const atOracle = quote(0, 0, BID_SIZES[0], ASK_SIZES[0], true);
    sender.setQuote([atOracle, quote(LOW, HIGH, BID_SIZES[1], ASK_SIZES[1], false)]);
    await until(
      'the quotes are shown',
      async () => (await quotesOf(service.url)).bids.length === 2,
    );
    await watch(service.url);
    gone(sender);
    await until('they are gone', async () => (await quotesOf(service.url)).bids.length === 0);
    process.stdout.write("the SDK's sender quotes, and its quotes go with it\n");
  } finally {
    service.child.kill('SIGTERM');
    await once(service.child, 'exit');
  }
}

/** Looks at the book again and again: the quotes never leave it while they are sent. */
async function watch(url) {
  let readings = 0;
  for (const end = Date.now() + WATCH_MS; Date.now() < end; readings += 1) {
    const { bids, asks } = await quotesOf(url);
    assert.deepEqual(sizes(bids), BID_SIZES, 'bids of the sender');
    assert.deepEqual(sizes(asks), ASK_SIZES, 'asks of the sender');
    assert.equal(bids[1].price, LOW);
    assert.equal(asks[1].price, HIGH);
    const query = '/l2?marketName=SOL-PERP&depth=1000&includeVamm=true&includeIndicative=true';
    const book = await read(url, query);
    for (const side of ['bids', 'asks']) {
      const [best] = book[side];
      const others = Object.keys(best.sources).filter((source) => source !== 'indicative');
      assert.notDeepEqual(others, [], `quotes alone are the best ${side}`);
    }
    await sleep(POLL_MS);
  }
  assert.ok(readings > 10, `${readings} readings`);
}

const sizes = (rows) => rows.map(({ size }) => size);

/** The quotes of the sender, in the order of the book. */
async function quotesOf(url) {
  const query = `/l3?marketName=SOL-PERP&includeIndicative=true&maker=${QUOTES}`;
  const { bids, asks } = await read(url, query);
  const those = (rows, ofSender) => rows.filter(({ size }) => ofSender.includes(size));
  return { bids: those(bids, BID_SIZES), asks: those(asks, ASK_SIZES) };
}

async function read(url, query) {
  const response = await fetch(`${url}${query}`);
  assert.equal(response.status, 200, query);
  return response.json();
}

/** Ends the sender, which has no call for it and would connect again. */
function gone(sender) {
  clearInterval(sender.sendQuotesInterval);
  clearTimeout(sender.heartbeatTimeout);
  sender.ws.removeAllListeners();
  sender.ws.terminate();
}

async function until(what, holds) {
  for (const end = Date.now() + WAIT_MS_MAX; Date.now() < end; await sleep(POLL_MS)) {
    if (await holds()) return;
  }
  throw new Error(`never: ${what}`);
}

/** A demo of its own that the key may quote in; resolves when its book is live. */
async function startService(key) {
  const cli = path.join(root, 'dist', 'src', 'app', 'cli.js');
  const args = [cli, 'demo', '--port', '0', '--makers', '20', '--log-level', 'warn'];
  const child = spawn(process.execPath, [...args, '--quote-makers', key], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith('ready ')) return { child, url: line.slice('ready '.length) };
  }
  throw new Error('the service ended before its book was live');
}

await main();
process.exit(0);
