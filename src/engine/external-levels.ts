import type { Core } from '@slotbook/core';
import { EngineError } from './errors.js';

/** The levels of external venues in one market. */
export interface ExternalLevels {
  readonly bids: readonly ExternalLevel[];
  readonly asks: readonly ExternalLevel[];
}

/** One level of a venue. */
export interface ExternalLevel {
  /** At 1e6. */
  readonly price: bigint;
  /** Base at 1e9. */
  readonly size: bigint;
}

/**
 * Hands levels to the core, in any order of prices; it keeps the best 64 a side. Throws
 * MARKET_NOT_FOUND for what is no spot market.
 */
export function setExternalLevels(
  core: Pick<Core, 'setExternalLevels'>,
  market: number,
  { bids, asks }: ExternalLevels,
): void {
  if (core.setExternalLevels(market, packLevels(bids), packLevels(asks))) return;
  const message = `there is no spot market with the id ${market}`;
  throw new EngineError('MARKET_NOT_FOUND', message, { market });
}

/** Levels as the core reads them: prices and sizes alternate, as 64-bit integers. */
function packLevels(levels: readonly ExternalLevel[]): Uint8Array {
  const numbers = BigUint64Array.from(levels.flatMap(({ price, size }) => [price, size]));
  return Buffer.from(numbers.buffer);
}
