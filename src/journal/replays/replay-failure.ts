import type { ReplayRefusal } from '../../contract/replay-source.js';

/** Why a replay cannot be where it was asked to be. */
export class ReplayFailure extends Error {
  override readonly name = 'ReplayFailure';

  constructor(readonly refusal: ReplayRefusal) {
    super(refusal.message);
  }
}

/** The book had no such market then, or none of this name. */
export function marketNotThere(): ReplayFailure {
  const message = 'there was no such market at this moment';
  return new ReplayFailure({ kind: 'noMarket', message });
}
