import { SLOT_MS } from '../../contract/program.js';
import { readSlot } from '../../rpc/methods.js';
import type { NodeRpc } from '../../rpc/node-pool.js';
import {
  PACE_APART_SLOTS_MAX,
  PACE_INTERVAL_MS,
  PACE_SLOTS_MAX,
  SLOT_CHECK_INTERVAL_MS,
} from '../model/limits.js';
import { readOther } from './other-nodes.js';
import type { FeedParts } from './parts.js';

/** The slot that the node in use had announced at a time. */
interface AnnouncedSlot {
  readonly atMs: number;
  readonly announced: number;
}

/** The announced slot, and the slot of another node at the same time. */
interface OtherPosition extends AnnouncedSlot {
  readonly slot: number;
}

/**
 * Compares the pace of a connection with that of the other nodes, because a node whose slots, Clock
 * and readings all run ahead is consistent with itself. The other nodes are asked once a minute,
 * and again when slots come faster than nominal; a node that did not reply joins at its next reply.
 * Does nothing with one node, because a local chain may be as fast.
 */
export class PaceCheck {
  readonly #parts: FeedParts;
  #from: AnnouncedSlot | null = null;
  readonly #others = new Map<NodeRpc, OtherPosition>();
  #askedAtMs = Number.NEGATIVE_INFINITY;
  #isRunning = false;

  constructor(parts: FeedParts) {
    this.#parts = parts;
  }

  /**
   * Asks the other nodes when due. Resolves with the slot of the furthest node when all comparable
   * nodes refute the announced slot; null otherwise.
   */
  async findTrueSlot(announced: number, signal: AbortSignal): Promise<number | null> {
    const atMs = this.#parts.timers.nowMs();
    const isFast = this.#from !== null && isTooFast(this.#from, { announced, atMs });
    if (this.#isRunning || announced === 0 || !this.#isDue(atMs, isFast)) return null;
    this.#isRunning = true;
    this.#askedAtMs = atMs;
    const read = (other: NodeRpc) =>
      readOther(this.#parts.timers, signal, (limited) =>
        readSlot(other, { signal: limited, isBackground: true }),
      );
    const slots = await Promise.all(this.#parts.otherRpcs.map(read));
    this.#isRunning = false;
    return this.#judge({ atMs, announced }, slots, isFast);
  }

  #isDue(nowMs: number, isFast: boolean): boolean {
    if (this.#parts.otherRpcs.length === 0) return false;
    return nowMs >= this.#askedAtMs + (isFast ? SLOT_CHECK_INTERVAL_MS : PACE_INTERVAL_MS);
  }

  #judge(now: AnnouncedSlot, slots: readonly (number | null)[], isFast: boolean): number | null {
    const others = this.#parts.otherRpcs.flatMap((rpc, index): Other[] => {
      const slot = slots[index] ?? null;
      return slot === null ? [] : [{ rpc, from: this.#others.get(rpc) ?? null, slot }];
    });
    const compared = others.filter((other) => hasMovedOn(other, now));
    if (isFast && compared.length > 0 && compared.every((other) => refutes(other, now)))
      return Math.max(...compared.map(({ slot }) => slot));
    // Without comparable nodes the slots stay in doubt until the next replies.
    if (!isFast || compared.length > 0) this.#from = now;
    for (const { rpc, slot } of others) this.#others.set(rpc, { ...now, slot });
    return null;
  }
}

/**
 * The slot of another node, and the earlier position to compare with; null before its first reply.
 */
interface Other {
  readonly rpc: NodeRpc;
  readonly from: OtherPosition | null;
  readonly slot: number;
}

/**
 * Returns whether the other node is comparable: its slots advanced, and it did not come back from
 * an invalid slot.
 */
function hasMovedOn({ from, slot }: Other, now: AnnouncedSlot): boolean {
  return from !== null && slot - from.slot >= nominalSlots(from, now) / 2;
}

/**
 * Returns whether the node in use has gained on the other node and is ahead of it; a node that
 * catches up is not refuted.
 */
function refutes({ from, slot }: Other, now: AnnouncedSlot): boolean {
  if (from === null) return false;
  const gained = now.announced - from.announced - (slot - from.slot);
  return Math.min(gained, now.announced - slot) > PACE_APART_SLOTS_MAX;
}

function isTooFast(from: AnnouncedSlot, now: AnnouncedSlot): boolean {
  return now.announced - from.announced > nominalSlots(from, now) + PACE_SLOTS_MAX;
}

function nominalSlots(from: AnnouncedSlot, now: AnnouncedSlot): number {
  return (now.atMs - from.atMs) / SLOT_MS;
}
