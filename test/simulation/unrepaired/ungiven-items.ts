/** Items that are not given as they were: each is tried again without an end, and its node counts as failed. */
import {
  UngivenItems as RealItems,
  type Verdict,
} from '../../../src/history/ingest/ungiven-items.js';

/** What no node gives blocks everything else. */
export class UngivenItems extends RealItems {
  override judge(): Verdict {
    return 'blocked';
  }
}
