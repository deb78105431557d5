/**
 * Warns when the health of an account falls: node examples/health-watch.mjs ACCOUNT [URL] [BELOW]
 */
import { formatQuote, watchAccount } from '@slotbook/client';
import { WebSocket } from 'ws';

const [account, url = 'http://127.0.0.1:8080', below = '20'] = process.argv.slice(2);
const watch = watchAccount(account, { url, WebSocket });
watch.onError(({ message }) => console.error(message));
watch.onUpdate(({ margin, state }) => {
  if (margin === null) console.log(`${state}: a price is unknown`);
  else if (margin.health <= Number(below))
    console.log(`health ${margin.health}, free ${formatQuote(margin.freeMaintenanceMargin)}`);
});
