/**
 * What ccxt's methods return for a market, as JSON.
 *
 * Usage: node look.mjs URL SYMBOL
 */
import { Slotbook } from './slotbook.mjs';

const [url = 'http://127.0.0.1:8080', symbol = 'SOL/USDC:USDC'] = process.argv.slice(2);

const exchange = new Slotbook({ url });
await exchange.loadMarkets();
const found = {
  symbols: exchange.symbols,
  market: exchange.market(symbol),
  book: await exchange.fetchOrderBook(symbol, 5),
  ticker: await exchange.fetchTicker(symbol),
  tickers: Object.keys(await exchange.fetchTickers()),
  trades: await exchange.fetchTrades(symbol, undefined, 5),
  candles: await exchange.fetchOHLCV(symbol, '1m', undefined, 5),
  fundingRate: await exchange.fetchFundingRate(symbol),
  fundingRates: await exchange.fetchFundingRateHistory(symbol, undefined, 5),
};
console.log(JSON.stringify(found, null, 2));
