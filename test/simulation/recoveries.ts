/** Faults one after the other: soon after each the book is live and right again. */
import { FORK } from './chain-faults.js';
import type { PlannedFault } from './fault-plan.js';
import { CHAIN_STOPPED, CUT, type FaultKind, LIES, STALLED } from './faults.js';
import type { NodeFaults } from './node-faults.js';

/** From the end of a fault until the book is live and right. */
const BACK_MS = 2_000;
/** From there until the next fault: what a fault left behind is over. */
const QUIET_MS = 2_000;
/** The book is live, and a cold start is over. */
const FIRST_MS = 30_000;
/** The last slots that a chain can have. */
const SLOTS_AHEAD_MAX = Number.MAX_SAFE_INTEGER - 1_000_000;

/** A fault, how long it lasts, and how long after it the book is back. */
type Recovery = readonly [kind: FaultKind, lastsMs: number, backMs?: number];

const notifies = (name: string, faults: Partial<NodeFaults>): FaultKind => {
  return { name, lastsMsMax: 20_000, node: () => faults };
};

/** The same over a cut, so that everything is read meanwhile. */
const reads = (name: string, faults: Partial<NodeFaults>): FaultKind => {
  return { ...CUT, ...notifies(name, faults) };
};

const HALF_OPEN = notifies('a half-open connection', {
  answersPings: false,
  silent: new Set(['slot', 'user', 'perpMarket', 'spotMarket', 'state', 'oracle', 'clock']),
});

/** Of the only node. */
export const OUTAGE_RECOVERIES: readonly Recovery[] = [
  ...[70, 250, 10, 400, 130].map((lastsMs): Recovery => [CUT, lastsMs]),
  [reads('the node is down', { isDown: true }), 1_000],
  // The wait between two tries has grown by then.
  [reads('the node is down', { isDown: true }), 2_000, BACK_MS + 1_000],
  [reads('503', { status: 503 }), 2_000],
  // The last reply asks for another second.
  [reads('429', { status: 429, retryAfterSeconds: 1 }), 4_000, BACK_MS + 1_000],
  [reads('bodies break off', { bodies: 'cut' }), 2_000],
  [reads('no subscribe is acknowledged', { subscribes: 'silent' }), 3_000],
  [reads('readings are four slots behind', { answersBehindSlots: 4 }), 4_000],
  [HALF_OPEN, 6_000],
  ...[3_000, 5_000, 10_000, 30_000].map((lastsMs): Recovery => [STALLED, lastsMs]),
  ...[3_000, 10_000, 30_000].map((lastsMs): Recovery => [CHAIN_STOPPED, lastsMs]),
  ...[400, 400, 400, 400].map(
    (lastsMs): Recovery => [notifies('a slow network', { extraDelayMs: 300 }), lastsMs],
  ),
];

/** Of the only node, whose notifications and readings are damaged. */
export const DAMAGE_RECOVERIES: readonly Recovery[] = [
  [notifies('notifications twice', { doubled: 0.5 }), 3_000],
  [notifies('unreadable notifications', { malformed: 0.3 }), 3_000],
  [notifies('accounts of wrong zstd', { wrongZstd: 0.3 }), 3_000],
  ...[500, 500, 500, 500].map((lastsMs): Recovery => [FORK, lastsMs]),
  [LIES.lowerSlots, 2_000],
  [notifies('a slot a million ahead', { announcedAhead: 1_000_000 }), 400],
  [notifies('a slot at the end of all slots', { announcedAhead: SLOTS_AHEAD_MAX }), 400],
  [reads('a scan without users, once', { scanShare: 0 }), 500],
  [reads('scans without users', { scanShare: 0 }), 3_000],
  [reads('scans with a tenth of the users', { scanShare: 0.1 }), 3_000],
  [reads('scans with half of the users', { scanShare: 0.5 }), 3_000],
  [reads('a scan without markets, once', { hidesMarkets: true }), 500],
  // And the slot that proves that nothing older is under way.
  [reads('the socket is behind', { socketBehindMs: 700 }), 1_500, BACK_MS + 1_000],
];

/** Of the node in use, where there is another one: it takes over. */
export const TAKEOVER_RECOVERIES: readonly Recovery[] = [
  [notifies('slots and readings are 1,000 ahead', { slotsAhead: 1_000 }), 6_000],
  // It is counted from their beginning: the node itself comes back later.
  [reads('the node dies', { isDown: true }), 7_000, BACK_MS - 7_000],
  [reads('subscribes are refused', { subscribes: 'refused' }), 7_000, BACK_MS - 7_000],
];

/** One fault after the other. */
export function oneByOne(recoveries: readonly Recovery[]): readonly PlannedFault[] {
  let nextMs = FIRST_MS;
  return recoveries.map(([kind, lastsMs, backMs = BACK_MS], episode) => {
    const atMs = nextMs;
    const backAfterMs = lastsMs + backMs;
    nextMs = atMs + Math.max(lastsMs, backAfterMs) + QUIET_MS;
    return { kind, atMs, lastsMs, episode, victim: 'inUse', backAfterMs };
  });
}
