/**
 * Prints what the orders of a wallet fill: node examples/fill-log.mjs WALLET [URL]
 */
import { formatBase, formatQuote, watchAuthority } from '@slotbook/client';
import { WebSocket } from 'ws';

const [authority, url = 'http://127.0.0.1:8080'] = process.argv.slice(2);
const watch = watchAuthority(authority, { url, WebSocket });
watch.onError(({ message }) => console.error(message));
watch.onUpdate(({ name, fills }) => {
  for (const { orderId, marketName, direction, base, quote } of fills)
    console.log(
      name,
      marketName,
      `order ${orderId}`,
      direction,
      formatBase(base),
      formatQuote(quote),
    );
});
