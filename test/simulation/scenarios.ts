/**
 * Lies and mishaps by name, each alone and in full. A scenario states what must hold; each was run
 * against the service as it was before the repair that it is about, and failed.
 */
import { type FaultKind, LIES, type PlannedFault } from './faults.js';
import type { RunOptions } from './simulation.js';

/** One run that is not random. */
export interface Scenario extends Omit<RunOptions, 'seed'> {
  readonly name: string;
  /** The defect is known and its repair is under way: the scenario is not held yet. */
  readonly awaitsRepair?: boolean;
}

/** The book is live, and a cold start is over. */
const AT_MS = 60_000;

function only(kind: FaultKind, lastsMs = kind.lastsMsMax, atMs = AT_MS) {
  const fault: PlannedFault = { kind, atMs, lastsMs, episode: 0, victim: 'inUse' };
  return () => [fault];
}

/** All scenarios. */
export const SCENARIOS: readonly Scenario[] = [
  { name: 'nothing goes wrong', faults: () => [] },
  {
    name: 'one slot notification is 1,000,000 slots ahead',
    faults: only(LIES.slotFarAhead, 300),
    awaitsRepair: true,
  },
  {
    name: 'readings are 1,000 slots ahead for six seconds',
    faults: only(LIES.readingsFarAhead),
    awaitsRepair: true,
  },
  {
    name: 'the user subscription is silent for a minute',
    faults: only(LIES.silentUsers),
  },
  {
    name: 'the first scan gives a tenth of the users',
    faults: only(LIES.smallScan, 20_000, 0),
  },
  {
    name: 'the whole connection is silent for four seconds, and then goes on',
    faults: only(LIES.silentConnection, 3_500),
  },
  {
    name: 'the node in use names another genesis for some seconds',
    faults: only(LIES.otherGenesis, 8_000, 77_500),
    awaitsRepair: true,
  },
];
