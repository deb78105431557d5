/**
 * The quoting loop of a market maker that only reads: it follows the book, keeps a fair price, and
 * prints the two quotes that it would send whenever they change.
 *
 *     node examples/quoting-loop.mjs [URL] [MARKET] [QUOTES]
 */
import { formatPrice, StreamClient } from '@slotbook/client';
import { WebSocket } from 'ws';

const [url = 'http://127.0.0.1:8080', market = 'SOL-PERP', quotes = '20'] = process.argv.slice(2);

/** Half of the spread that is quoted, in millionths of the price. */
const HALF_SPREAD_PPM = 500n;
/** How far an imbalance of the book moves the fair price at most, in millionths. */
const SKEW_PPM_MAX = 200n;

const client = new StreamClient({ url, WebSocket });
let last = '';
let left = Number(quotes);

for await (const book of client.subscribe({ channel: 'book', market, depth: 10 })) {
  const text = quoteText(book);
  if (text === last) continue;
  last = text;
  console.log(text);
  left -= 1;
  if (left === 0) break;
}
client.close();

/** The quotes for a book; none while it is not live or has an empty side. */
function quoteText({ bids, asks, state, isFollowing }) {
  const [bid, ask] = [bids[0], asks[0]];
  if (state !== 'live' || !isFollowing) return `no quotes: the book is ${state}`;
  if (bid === undefined || ask === undefined) return 'no quotes: a side is empty';
  const mid = (bid.price + ask.price) / 2n;
  const fair = mid + (mid * skewPpm(bids, asks)) / 1_000_000n;
  const half = (fair * HALF_SPREAD_PPM) / 1_000_000n;
  return `${market} bid ${formatPrice(fair - half)} ask ${formatPrice(fair + half)}`;
}

/** More size on the bid moves the fair price up. */
function skewPpm(bids, asks) {
  const sum = (levels) => levels.reduce((total, { size }) => total + size, 0n);
  const [bidSize, askSize] = [sum(bids), sum(asks)];
  return ((bidSize - askSize) * SKEW_PPM_MAX) / (bidSize + askSize);
}
