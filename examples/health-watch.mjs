/**
 * Warns when the health of an account falls below a limit.
 *
 *     node examples/health-watch.mjs [URL] ACCOUNT [BELOW] [WARNINGS]
 */
import { formatQuote, watchAccount } from '@slotbook/client';
import { WebSocket } from 'ws';

const [url = 'http://127.0.0.1:8080', key = '', below = '20', warnings = 'Infinity'] =
  process.argv.slice(2);
let left = Number(warnings);
const watch = watchAccount(key, { url, WebSocket });
watch.onError(({ message }) => {
  console.error(message);
  process.exitCode = 1;
});
watch.onUpdate(({ name, margin }) => {
  if (margin !== null && margin.health >= Number(below)) return;
  const free = margin === null ? 'a price is unknown' : formatQuote(margin.freeMaintenanceMargin);
  console.log(`${name}: health ${margin?.health ?? 'unknown'}, free ${free}`);
  left -= 1;
  if (left <= 0) watch.close();
});
