import type { LiquiditySources } from '../contract/book-requests.js';

/** The core's bits of the sources. */
const VAMM = 1;
const INDICATIVE = 2;

/** Encodes the sources for the core. */
export function sourceBits({ vamm, indicative }: LiquiditySources): number {
  return (vamm === true ? VAMM : 0) | (indicative === true ? INDICATIVE : 0);
}
