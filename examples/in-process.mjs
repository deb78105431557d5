/**
 * A book in the bot's own process: follows a chain without a service and prints the best prices of
 * a market, and what 50 units of it would cost, whenever they change. It runs where the package
 * @slotbook/core is installed; a clone makes it with `npm run pack`.
 *
 *     node examples/in-process.mjs [RPC_URL] [MARKET] [CHANGES]
 */
import { LiveBook } from '@slotbook/core';

const [rpcUrl = 'http://127.0.0.1:8899', market = 'SOL-PERP', changes = '20'] =
  process.argv.slice(2);

const book = await LiveBook.open({ rpcUrl });
let last = '';
let left = Number(changes);
const stop = book.onTurn(({ markets }) => {
  if (book.status.state !== 'live' || !markets.some(({ symbol }) => symbol === market)) return;
  const { bids, asks } = book.levels(market, { depth: 1, vamm: true });
  const { averagePrice } = book.match(market, { side: 'buy', size: 50_000_000_000n });
  const text = `bid ${bids[0]?.price} ask ${asks[0]?.price} 50 cost ${averagePrice} each`;
  if (text === last) return;
  last = text;
  console.log(text);
  left -= 1;
  if (left > 0) return;
  stop();
  book.close();
});
