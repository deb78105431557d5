/** The time between slots, in the unit in which programs count auctions and the age of prices. */

/** The lengths of slots in Velocity's state account; those of Drift v2 have 400 ms. */
export interface SlotSchedule {
  /** The first slots of 350, 300, 250 and 200 ms; 0 for a change that is unknown or was skipped. */
  readonly changes: readonly bigint[];
  /** Milliseconds of a slot while no change is known; 0 for 400. */
  readonly lengthMs: bigint;
  /** Milliseconds of a slot from `stagedFrom` on, while no change is known; 0 for none. */
  readonly stagedMs: bigint;
  readonly stagedFrom: bigint;
}

/** Milliseconds of the unit, and of a slot before slots get shorter. */
const UNIT_MS = 400n;
/** Milliseconds by which each change shortens slots. */
const SHORTER_MS = 50n;

/**
 * Returns the time from the start of a slot to the start of another in units of 400 ms, rounded up;
 * 0 from a later slot. Null means that all slots have 400 ms.
 *
 * Source: velocity-v1 programs/velocity/src/math/time.rs `SlotClock`.
 */
export function unitsBetween(from: bigint, to: bigint, slots: SlotSchedule | null): bigint {
  if (to <= from) return 0n;
  if (slots === null) return to - from;
  return (msBetween(from, to, slots) + UNIT_MS - 1n) / UNIT_MS;
}

function msBetween(from: bigint, to: bigint, slots: SlotSchedule): bigint {
  if (slots.changes.every((first) => first === 0n)) {
    const isStaged = slots.stagedMs !== 0n && to >= slots.stagedFrom;
    return (to - from) * ((isStaged ? slots.stagedMs : slots.lengthMs) || UNIT_MS);
  }
  let ms = (to - from) * UNIT_MS;
  let first: bigint | null = null;
  for (const change of [...slots.changes].reverse()) {
    // A change that was skipped takes effect with the next change.
    if (change !== 0n && (first === null || change < first)) first = change;
    if (first !== null && first < to) ms -= (to - (first > from ? first : from)) * SHORTER_MS;
  }
  return ms;
}
