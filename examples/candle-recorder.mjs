/**
 * Records the candles of a minute as CSV: the last hour first, then each candle as it ends, and the
 * candle of the present minute when it stops.
 *
 *     node examples/candle-recorder.mjs [URL] [MARKET] [FILE] [MINUTES]
 */
import { createWriteStream } from 'node:fs';
import { CandleClient } from '@slotbook/client';
import { WebSocket } from 'ws';

const [url = 'http://127.0.0.1:8080', market = 'SOL-PERP', file = '-', minutes = '60'] =
  process.argv.slice(2);
const output = file === '-' ? process.stdout : createWriteStream(file, { flags: 'a' });
const candles = new CandleClient({ url, WebSocket });
const series = { marketId: market, resolution: '1' };
const nowSeconds = Math.floor(Date.now() / 1_000);
const endSeconds = nowSeconds + 60 * Number(minutes);

output.write('ts,open,high,low,close,volume\n');
let current;
const lastHour = { ...series, fromTs: nowSeconds - 3_600, toTs: nowSeconds };
for (const candle of await candles.fetch(lastHour)) recordCandle(candle);
for await (const candle of candles.follow(series)) {
  recordCandle(candle);
  if (candle.ts >= endSeconds - 60) break;
}
writeRow(current);
candles.close();

/** A candle changes until the one after it begins; then it is written. */
function recordCandle(candle) {
  if (current !== undefined && candle.ts < current.ts) return;
  if (current !== undefined && candle.ts > current.ts) writeRow(current);
  current = candle;
}

function writeRow({ ts, fillOpen, fillHigh, fillLow, fillClose, baseVolume }) {
  output.write(`${[ts, fillOpen, fillHigh, fillLow, fillClose, baseVolume].join(',')}\n`);
}
