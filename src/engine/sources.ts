import type { L2Request, L3Request, LiquiditySources } from '../contract/book-requests.js';

/** The core's bits of the sources and of a body's other options. */
const VAMM = 1;
const INDICATIVE = 2;
const UNCROSS = 4;
const BINARY = 8;

/** Encodes the sources for the core. */
export function sourceBits({ vamm, indicative }: LiquiditySources): number {
  return (vamm === true ? VAMM : 0) | (indicative === true ? INDICATIVE : 0);
}

/** Encodes the options of a body for the core. */
export function optionBits(request: L2Request | L3Request): number {
  const { uncross, binary } = request;
  return sourceBits(request) | (uncross === true ? UNCROSS : 0) | (binary === true ? BINARY : 0);
}
