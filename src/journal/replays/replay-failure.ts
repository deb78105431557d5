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

/** The moment is not kept, as `why` says. */
export function momentNotKept(
  finder: MomentFinder,
  moment: AsOfMoment,
  why?: Parameters<MomentFinder['describeNotKept']>[1],
): ReplayFailure {
  return new ReplayFailure({ kind: 'notKept', message: finder.describeNotKept(moment, why) });
}

/** The book had no such market then, or none of this name. */
export function marketNotThere(): ReplayFailure {
  const message = 'there was no such market at this moment';
  return new ReplayFailure({ kind: 'noMarket', message });
}
