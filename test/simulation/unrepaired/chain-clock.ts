/** The clock of the feed as it was: every state of the Clock account is believed, whatever time it tells. */
import { ChainClock as RealChainClock } from '../../../src/feed/model/chain-clock.js';

export * from '../../../src/feed/model/chain-clock.js';

/** A clock that any node sets. */
export class ChainClock extends RealChainClock {
  override admitsTime(_unixSeconds: number): boolean {
    return true;
  }
}
