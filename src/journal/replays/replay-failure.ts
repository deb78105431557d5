import type { AsOfMoment } from '../../contract/as-of-source.js';
import type { ReplayRefusal } from '../../contract/replay-source.js';
import type { MomentFinder } from '../as-of/moment-finder.js';

/** Why a replay cannot reach its target. */
export class ReplayFailure extends Error {
  override readonly name = 'ReplayFailure';

  constructor(readonly refusal: ReplayRefusal) {
    super(refusal.message);
  }
}

/** Returns the failure for a moment that is not stored; `error` is the reason. */
export function momentNotKept(
  finder: MomentFinder,
  moment: AsOfMoment,
  error?: unknown,
): ReplayFailure {
  return new ReplayFailure({ kind: 'notKept', message: finder.describeNotKept(moment, error) });
}

/** Returns the failure for a market that did not exist at the moment, or had another name. */
export function marketNotThere(): ReplayFailure {
  const message = 'there was no such market at this moment';
  return new ReplayFailure({ kind: 'noMarket', message });
}
