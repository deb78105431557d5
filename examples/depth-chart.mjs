/**
 * A depth chart in the terminal: cumulative size of both sides, redrawn as the book changes.
 *
 *     node examples/depth-chart.mjs [URL] [MARKET] [FRAMES]
 */
import { setTimeout as delay } from 'node:timers/promises';
import { formatBase, formatPrice, StreamClient } from '@slotbook/client';
import { WebSocket } from 'ws';

const [url = 'http://127.0.0.1:8080', market = 'SOL-PERP', frames = 'Infinity'] =
  process.argv.slice(2);
const ROWS = 12;
const BAR_CHARS = 48;
/** Between two drawings: what changes meanwhile is left out, because a loop gets the newest book. */
const FRAME_MS = 100;

const client = new StreamClient({ url, WebSocket });
let drawn = 0;

for await (const book of client.subscribe({ channel: 'book', market, depth: 20 })) {
  if (process.stdout.isTTY) process.stdout.write('\x1b[H\x1b[2J');
  console.log(chartText(book));
  drawn += 1;
  if (drawn >= Number(frames)) break;
  await delay(FRAME_MS);
}
client.close();

function chartText({ bids, asks, state, slot }) {
  const [bidRows, askRows] = [cumulative(bids), cumulative(asks)];
  const all = [...bidRows, ...askRows];
  const largest = all.reduce((most, { total }) => (total > most ? total : most), 1n);
  const line = ({ price, total }, mark) => {
    const bar = mark.repeat(Number((total * BigInt(BAR_CHARS)) / largest));
    return `${formatPrice(price).padStart(16)} ${bar.padEnd(BAR_CHARS)} ${formatBase(total)}`;
  };
  return [
    `${market} ${state} at slot ${slot}`,
    ...askRows.reverse().map((row) => line(row, '░')),
    '-'.repeat(16),
    ...bidRows.map((row) => line(row, '█')),
  ].join('\n');
}

/** The rows nearest to the middle, each with the size of all rows up to it. */
function cumulative(levels) {
  let total = 0n;
  return levels.slice(0, ROWS).map(({ price, size }) => {
    total += size;
    return { price, total };
  });
}
