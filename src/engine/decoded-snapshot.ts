import type { PackedSnapshot } from '@slotbook/core';
import type { AccountProblem, AccountSnapshot } from '../contract/accounts.js';
import { EngineError } from './errors.js';
import { parseProblems } from './parse.js';

/** A decoded snapshot and the native memory behind it. */
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
    this.problems = packed.problemCount === 0 ? [] : parseProblems(packed.problems());
  }
}

/** The snapshot as this room made it. Throws MALFORMED_SNAPSHOT for any other. */
export function decodedSnapshot(snapshot: AccountSnapshot): DecodedSnapshot {
  if (snapshot instanceof DecodedSnapshot) return snapshot;
  throw new EngineError('MALFORMED_SNAPSHOT', 'snapshot must come from decodeSnapshot');
}
