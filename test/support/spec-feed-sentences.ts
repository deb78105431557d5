/**
 * The sentences of the specification about candles, books and prices of the client library in its own words, each under a short id;
 * see `spec-sentences.ts`.
 */
export const FEED_SENTENCES = {
  // "Client-side read models": the caches of prices.
  'client-mark-data':
    'Mark price data: markPrice, bestBid, bestAsk, lastUpdateSlot (all integers).',
  'client-oracle-data':
    'Oracle price data per market: fields not shown beyond being keyed by market.',
  'client-keyed-market': 'Client-side caches are keyed by market.',

  // "Client-side access (library)", 4 and 5; 1 to 3 are among the sentences of the client.
  'client-candle-fetch':
    'fetch(env, marketId, resolution, fromTs, toTs in Unix seconds) returns a list of Candle.',
  'client-candle-subscribe':
    'subscribe(params, key) then listen for the event `candle-update` on that key.',
  'client-candle-unsubscribe': 'unsubscribe(key).',
  'client-mark-callbacks': 'Mark price caches deliver updates to registered callbacks.',
  'client-oracle-callbacks': 'Oracle price caches deliver updates to registered callbacks.',
  'client-book-callbacks': 'Order book caches deliver updates to registered callbacks.',
  'client-book-grouping': 'An order book subscription can change its grouping multiplier.',
  'client-book-unsubscribe': 'An order book subscription can be unsubscribed.',

  // "Events", 3 and 4.
  'event-candle-update':
    'Client-side candle event `candle-update`: delivers a new or updated Candle.',
  'client-event-oracle': 'Client-side callbacks: oracle price update (lookup of oracle prices).',
  'event-mark': 'Client-side callbacks: mark price update (lookup of mark prices).',
  'event-book':
    'Client-side callbacks: order book update (updated bids, asks, bestBidPrice, bestAskPrice).',
} as const;
