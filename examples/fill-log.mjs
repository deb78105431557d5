/**
 * Prints what the orders of a wallet fill.
 *
 *     node examples/fill-log.mjs [URL] WALLET [FILLS]
 */
import { formatBase, formatQuote, watchAuthority } from '@slotbook/client';
import { WebSocket } from 'ws';

const [url = 'http://127.0.0.1:8080', wallet = '', fills = 'Infinity'] = process.argv.slice(2);
let left = Number(fills);
const watch = watchAuthority(wallet, { url, WebSocket });
watch.onError(({ message }) => {
  console.error(message);
  process.exitCode = 1;
});
watch.onUpdate((account) => {
  for (const { orderId, marketName, direction, base, quote } of account.fills.slice(0, left)) {
    const amounts = `${formatBase(base)} for ${formatQuote(quote)}`;
    console.log(`${account.name}: ${marketName} order ${orderId} ${direction} ${amounts}`);
    left -= 1;
  }
  if (left <= 0) watch.close();
});
