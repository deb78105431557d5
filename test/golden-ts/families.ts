/** All families that are run in TypeScript. */
import { accountFamily } from './account-decode.js';
import { candleFamily } from './candles.js';
import { captureFamily } from './captures.js';
import type { Family } from './family.js';
import { orderLabelFamily } from './order-labels.js';
import { readModelFamily } from './read-models.js';
import { signedOrderFamily } from './signed-orders.js';

export const families: readonly Family[] = [
  candleFamily,
  captureFamily,
  signedOrderFamily,
  accountFamily,
  readModelFamily,
  orderLabelFamily,
];
