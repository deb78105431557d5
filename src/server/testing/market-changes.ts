import type { MarketChanges } from '../../contract/feed-engine.js';

/** A turn that changed these markets alone. */
export function changes(changed: Partial<MarketChanges>): MarketChanges {
  return { dirty: [], requoted: [], indicated: [], ...changed };
}
