import type { LiquiditySources } from '../contract/book-requests.js';

/** The bits by which the core knows the sources. */
const VAMM = 1;
const INDICATIVE = 2;

/** The sources as the core takes them. */
export function sourceBits({ vamm, indicative }: LiquiditySources): number {
  return (vamm === true ? VAMM : 0) | (indicative === true ? INDICATIVE : 0);
}
