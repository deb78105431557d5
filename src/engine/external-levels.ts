import type { Core } from '@slotbook/core/native';
import { EngineError } from './errors.js';

/** The levels of external venues in one market. */
export interface ExternalLevels {
  readonly bids: readonly ExternalLevel[];
  readonly asks: readonly ExternalLevel[];
}

/** One level of a venue. */
interface ExternalLevel {
  /** Scaled by 1e6. */
  readonly price: bigint;
  /** Base scaled by 1e9. */
  readonly size: bigint;
}

/**
 * Passes levels to the core, in any price order; the core keeps the best 64 of each side. Throws
 * MARKET_NOT_FOUND when the market is not a spot market.
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

/** Encodes levels as the core reads them: alternating prices and sizes, as 64-bit integers. */
function packLevels(levels: readonly ExternalLevel[]): Uint8Array {
  const numbers = BigUint64Array.from(levels.flatMap(({ price, size }) => [price, size]));
  return Buffer.from(numbers.buffer);
}
