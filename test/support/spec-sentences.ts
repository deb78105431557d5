import { CLIENT_SENTENCES } from './spec-client-sentences.js';
import { FEED_SENTENCES } from './spec-feed-sentences.js';
import { MARKET_SENTENCES } from './spec-market-sentences.js';

/**
 * The sentences of the specification's order book interface in its own words, rows of tables written out,
 * each under a short id.
 */
const BOOK_SENTENCES = {
  // The order book, in "What the service does".
  'does-2':
    'L2 (aggregated price levels) and L3 (individual orders) over HTTP, and live updates over WebSocket.',
  'does-3-sorts':
    'Sorts them into bids (descending by price) and asks (ascending by price), grouped by price level, with depth aggregation.',
  'does-4':
    'The order book excludes expired orders, filters by market type, honors order flags (post-only, reduce-only) and shows only valid, fillable orders.',
  'does-7-price':
    'Oracle-offset orders appear in the book at their effective price (oracle price plus offset).',
  'does-7-moves':
    'The book price of such an order changes with the oracle without any on-chain transaction.',

  // Precision and shapes.
  'precision-price': 'PRICE_PRECISION 1e6: prices in the order book interface.',
  'precision-base': 'BASE_PRECISION 1e9: base sizes in the order book interface.',
  'precision-raw': 'Amounts in the order book are raw integers.',
  'shape-l2': 'Object with two arrays, `bids` and `asks`, each of L2Level.',
  'shape-price': 'price: string, integer in raw price precision (1e6).',
  'shape-size': 'size: string, integer in raw base precision (1e9); total across sources.',
  'shape-sources':
    'sources: map from source name (string) to size (string, raw base precision). It is an object, never a flat string.',
  'shape-source-dlob': 'Source keys: `dlob` (resting limit orders, firm).',
  'shape-source-vamm':
    'Source keys: `vamm` (AMM indicative liquidity, a projection from the AMM curve).',
  'shape-order': 'Ordering: bids descending by price, asks ascending by price.',
  'shape-l3': 'Individual orders including maker addresses.',

  // "Order book interface": the table of paths.
  'l2-market':
    'GET /l2 marketName: perp symbol such as `<BASE>-PERP`, or a spot market name such as `<BASE>`.',
  'l2-depth': 'GET /l2 depth: integer, price levels per side, default 10.',
  'l2-vamm': 'GET /l2 includeVamm: boolean `true`.',
  'l2-indicative': 'GET /l2 includeIndicative: boolean `true`.',
  'l2-answer': 'GET /l2 response: L2 order book object.',
  'l3-market': 'GET /l3 marketName (string).',
  'l3-answer': 'GET /l3 response: individual orders with maker addresses.',

  // "Rules for /l2".
  'rule-1':
    'When includeVamm is not `true`, the response contains only resting order book liquidity.',
  'rule-2':
    'When includeVamm is `true`, AMM indicative liquidity is added under sources key `vamm`.',
  'rule-3':
    'Offchain indicative market maker quotes are included only when includeIndicative is `true`.',
  'rule-4': 'Each side holds at most `depth` price levels.',

  // The WebSocket paragraph.
  'ws-path': 'WebSocket at {dlob_ws_url}/ws.',
  'ws-text': 'The client sends a JSON text message.',
  'ws-type': 'type: string, `subscribe`.',
  'ws-channel': 'channel: string, `orderbook`.',
  'ws-market-type': 'marketType: string, `perp` is a value.',
  'ws-market': 'market: string, market symbol.',
  'ws-grouping': 'grouping: number, price grouping multiplier.',
  'ws-updates': 'The server sends JSON text messages with orderbook updates.',
  'ws-cadence': 'At sub-second cadence.',

  // "Order in the order book".
  'order-placed': 'User places limit order: user account is updated on chain.',
  'order-detected':
    'Order book server detects it via chain subscription: order inserted at its price level.',
  'order-changed': 'Insertion or change: updated depth is broadcast to WebSocket clients.',
  'order-filled':
    'Order fills: user account marked filled; order removed; reduced depth broadcast.',
  'order-canceled': 'Cancellation removes the order from the book.',
  'order-expired': 'Expiry removes the order from the book; expired orders are excluded.',
  'order-all': 'Orders placed, canceled and filled all update the book.',
  'order-fifo': 'Best price wins. Ties at a price: earliest order first (FIFO).',
  'order-rests':
    'A limit order that does not cross the spread bypasses the auction and rests in the book as a maker order.',

  // "Matching sequence of a taker order": the rows of its table, part by part, and its rules.
  'match-jit':
    'Priority 1: JIT auction. Lasts about 10 slots (about 5 seconds). Makers compete to fill at the best price.',
  'match-jit-price':
    'The auction price moves from the start price toward the end price over the auction duration (Dutch auction).',
  'match-book': 'Priority 2: order book (resting limit orders). Applies to the unfilled remainder.',
  'match-book-price':
    'Best price wins (lowest ask fills buys first; highest bid fills sells first).',
  'match-book-fifo': 'Ties at a price: earliest order first (FIFO).',
  'match-book-walk': 'Walks price levels until filled or exhausted.',
  'match-book-firm': 'Resting orders cannot be pulled during matching.',
  'match-amm': 'Priority 3: AMM. Fills any remainder.',
  'match-amm-price':
    'Constant product curve adjusted by oracle price; worse prices (higher fees and price impact).',
  'match-external':
    'Priority 4: external fulfillment. Spot markets only: external exchanges and an aggregator are used when they offer a better price than on-chain sources.',
  'match-rule-1':
    'A limit order that does not cross the spread bypasses the auction and rests in the book as a maker order; when filled it earns a maker rebate.',
  'match-rule-2': 'A taker market order is blended across sources; the result is a blended price.',
  'match-rule-3':
    'A buy of size S against levels of size s1 at p1 and s2 at p2 (p1 < p2) fills s1 at p1, then the rest at p2, and any residual goes to the AMM.',
  'match-committed':
    'Committed liquidity is the resting on-chain orders. Indicative liquidity is the AMM projection; it is not firm, and AMM price and depth shift with oracle updates.',

  // Events.
  'event-placed': 'A refreshed depth is pushed when an order is placed.',
  'event-canceled': 'A refreshed depth is pushed when an order is canceled.',
  'event-filled': 'A refreshed depth is pushed when an order is filled.',
  'event-oracle':
    'A refreshed depth is pushed when the effective price of an oracle-offset order changes.',

  // "Limits".
  'limit-orders': 'Orders per user account: 32.',
  'limit-depth': '`depth`: default 10 levels per side.',
  'limit-auction': 'JIT auction duration: about 10 slots (about 5 seconds).',
  'limit-latency':
    'Order book latency: typically 1-2 seconds from on-chain change to book update; may be higher under load.',
} as const;

/** Where sentences are written down. An id is in one of them only: of two the last would hide the first. */
export const SENTENCE_SETS = [
  BOOK_SENTENCES,
  MARKET_SENTENCES,
  CLIENT_SENTENCES,
  FEED_SENTENCES,
] as const;

/**
 * All sentences. A test that names the id proves it, in its name or in a comment before it;
 * `spec-coverage.test.ts` holds both sets together. What belongs to parts that do not exist yet is in {@link LATER}, with the part that
 * brings it.
 */
export const SENTENCES = {
  ...BOOK_SENTENCES,
  ...MARKET_SENTENCES,
  ...CLIENT_SENTENCES,
  ...FEED_SENTENCES,
} as const;

/** Sentences whose subject this version does not have, and what brings it. */
export const LATER: Readonly<Record<string, string>> = {};
