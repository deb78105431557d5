import type { PackedSnapshot } from '@slotbook/core/native';
import type { AccountProblem, AccountSnapshot } from '../contract/accounts.js';
import { EngineError } from './errors.js';
import { parseText } from './parse.js';

/** A decoded snapshot and its native memory. */
export class DecodedSnapshot implements AccountSnapshot {
  readonly slot: number;
  readonly count: number;
  readonly positions: number;
  readonly problemCount: number;
  readonly problems: readonly AccountProblem[];
  readonly packed: PackedSnapshot;

  constructor(packed: PackedSnapshot) {
    this.packed = packed;
    this.slot = packed.slot;
    this.count = packed.count;
    this.positions = packed.positions;
    this.problemCount = packed.problemCount;
    this.problems = packed.problemCount === 0 ? [] : parseText(packed.problems());
  }
}

/**
 * Returns the snapshot as a {@link DecodedSnapshot}. Throws MALFORMED_SNAPSHOT when the engine did
 * not decode it.
 */
export function decodedSnapshot(snapshot: AccountSnapshot): DecodedSnapshot {
  if (snapshot instanceof DecodedSnapshot) return snapshot;
  throw new EngineError('MALFORMED_SNAPSHOT', 'snapshot must come from decodeSnapshot');
}
