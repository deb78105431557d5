/** All families that are run in TypeScript. */
import { candleFamily } from './candles.js';
import type { Family } from './family.js';

export const families: readonly Family[] = [candleFamily];
