import { readSlot } from '../../rpc/methods.js';
import type { NodeRpc } from '../../rpc/node-pool.js';
import { withTimeLimit } from '../../rpc/timers.js';
import {
  OTHER_CLOCK_MS_MAX,
  PACE_APART_SLOTS_MAX,
  PACE_INTERVAL_MS,
  PACE_SLOTS_MAX,
  SLOT_CHECK_INTERVAL_MS,
  SLOT_MS,
} from '../model/limits.js';
import type { FeedParts } from './parts.js';

/** How far the node in use had announced, and where the others were then; null where one did not tell. */
interface Positions {
  readonly atMs: number;
  readonly announced: number;
  readonly others: readonly (number | null)[];
}

/**
 * Compares the pace of a connection with that of the other nodes: a node whose slots, Clock and readings run ahead
 * together contradicts itself nowhere. The others are asked once a minute, and again when slots come faster than
 * their nominal time. Does nothing with one node: a local chain may be as fast.
 */
export class PaceCheck {
  readonly #parts: FeedParts;
  #from: Positions | null = null;
  #askedAtMs = Number.NEGATIVE_INFINITY;
  #isRunning = false;

  constructor(parts: FeedParts) {
    this.#parts = parts;
  }

  /**
   * Asks the other nodes when it is due. Returns where the furthest of them is when all that can be compared refute
   * the slot that was announced; null otherwise.
   */
  async findTrueSlot(announced: number, signal: AbortSignal): Promise<number | null> {
    const atMs = this.#parts.timers.nowMs();
    const isFast = this.#from !== null && isTooFast(this.#from, { announced, atMs });
    if (this.#isRunning || announced === 0 || !this.#isDue(atMs, isFast)) return null;
    this.#isRunning = true;
    this.#askedAtMs = atMs;
    const read = (other: NodeRpc): Promise<number | null> => this.#readOther(other, signal);
    const others = await Promise.all(this.#parts.otherRpcs.map(read));
    this.#isRunning = false;
    return this.#judge({ atMs, announced, others }, isFast);
  }

  #isDue(nowMs: number, isFast: boolean): boolean {
    if (this.#parts.otherRpcs.length === 0) return false;
    return nowMs >= this.#askedAtMs + (isFast ? SLOT_CHECK_INTERVAL_MS : PACE_INTERVAL_MS);
  }

  #judge(now: Positions, isFast: boolean): number | null {
    const from = this.#from;
    const compared = from === null || !isFast ? [] : comparedOthers(from, now);
    if (
      from !== null &&
      compared.length > 0 &&
      compared.every((other) => refutes(from, now, other))
    )
      return Math.max(...compared.map(({ slot }) => slot));
    // Where none can be compared the next answers may tell, if there is something to compare them with.
    const isUseless = from === null || from.others.every((slot) => slot === null);
    if (!isFast || compared.length > 0 || isUseless) this.#from = now;
    return null;
  }

  #readOther(rpc: NodeRpc, signal: AbortSignal): Promise<number | null> {
    const limit = { timers: this.#parts.timers, limitMs: OTHER_CLOCK_MS_MAX, signal };
    const read = (limited: AbortSignal) => readSlot(rpc, { signal: limited, isBackground: true });
    return withTimeLimit(limit, read).catch(() => null);
  }
}

/** Another node: where it is, and by how many slots it has moved on. */
interface ComparedOther {
  readonly slot: number;
  readonly moved: number;
}

/** The other nodes whose slot is known both times, and that have not stood still meanwhile. */
function comparedOthers(from: Positions, now: Positions): readonly ComparedOther[] {
  return now.others.flatMap((slot, index) => {
    const before = from.others[index] ?? null;
    if (slot === null || before === null) return [];
    const moved = slot - before;
    return moved >= nominalSlots(from, now) / 2 ? [{ slot, moved }] : [];
  });
}

/** Whether the node in use has gained on the other one, and is ahead of it: one that catches up is not. */
function refutes(from: Positions, now: Positions, other: ComparedOther): boolean {
  const gained = now.announced - from.announced - other.moved;
  return Math.min(gained, now.announced - other.slot) > PACE_APART_SLOTS_MAX;
}

function isTooFast(from: Positions, now: Omit<Positions, 'others'>): boolean {
  return now.announced - from.announced > nominalSlots(from, now) + PACE_SLOTS_MAX;
}

function nominalSlots(from: Positions, now: Pick<Positions, 'atMs'>): number {
  return (now.atMs - from.atMs) / SLOT_MS;
}
