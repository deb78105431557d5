/** All families that are run in TypeScript. */
import { candleFamily } from './candles.js';
import type { Family } from './family.js';
import { signedOrderFamily } from './signed-orders.js';

export const families: readonly Family[] = [candleFamily, signedOrderFamily];
