/**
 * Follows the best prices of a market for ever, over broken connections as well, and prints each as a line of JSON.
 *
 * Usage: node watch.mjs URL SYMBOL WS_URL, each with a default
 */
import { NetworkError } from 'ccxt';
import { Slotbook } from './slotbook.mjs';

const [url = 'http://127.0.0.1:8080', symbol = 'SOL/USDC:USDC', wsUrl] = process.argv.slice(2);

/** Between two tries, in milliseconds. */
const PAUSE_MS = 250;

const DEPTH = 10;

const exchange = new Slotbook({ url, wsUrl });
for (;;) {
  try {
    const { bids, asks, info } = await exchange.watchOrderBook(symbol, DEPTH);
    console.log(JSON.stringify({ bid: bids[0], ask: asks[0], ...info }));
  } catch (error) {
    // The next call connects again.
    if (!(error instanceof NetworkError)) throw error;
    console.log(JSON.stringify({ error: error.constructor.name, message: error.message }));
    await exchange.sleep(PAUSE_MS);
  }
}
