import type { ReplayRefusal } from '../../contract/replay-source.js';

/** Why a replay cannot reach its target. */
export class ReplayFailure extends Error {
  override readonly name = 'ReplayFailure';

  constructor(readonly refusal: ReplayRefusal) {
    super(refusal.message);
  }
}

/** The market did not exist then, or had another name. */
export function marketNotThere(): ReplayFailure {
  const message = 'there was no such market at this moment';
  return new ReplayFailure({ kind: 'noMarket', message });
}
