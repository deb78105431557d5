/** The shape and the faults of a run: which, when, for how long, and whom they befall, all from the seed. */
import type { Random } from '../../src/sim/random.js';
import { REFUSED_ITEMS, REFUSED_PAGE } from './chain-faults.js';
import {
  type FaultKind,
  LIES,
  OF_MERGED,
  OF_ONE_NODE,
  OF_SEVERAL_NODES,
  WRONG_WALL_CLOCK,
} from './faults.js';

/** The node in use, the other one, or the one for scans. */
type Victim = 'inUse' | 'other' | 'scans';

/** One fault of a run. */
export interface PlannedFault {
  readonly kind: FaultKind;
  readonly atMs: number;
  readonly lastsMs: number;
  /** Faults of one episode befall one node, while the other one is sound. */
  readonly episode: number;
  /** Which node, as it is when the first of them begins. */
  readonly victim: Victim;
  /** The book is live and right so long after its beginning. */
  readonly backAfterMs?: number;
}

/** No fault before this: the book is live for the first time by then. */
const FIRST_FAULT_MS = 15_000;
/** All faults are over by then, and a minute is left. */
const LAST_FAULT_MS = 300_000;
/** While one node suffers the other is sound: between two sufferers there is this time. */
const EPISODE_MS_MAX = 60_000;
const EPISODE_PAUSE_MS = 12_000;
const FAULTS_PER_EPISODE_MAX = 4;

/** One episode in so many befalls a node that is not in use. */
const OTHER_ONE_IN = 4;

/** What differs between random runs beside their faults. */
export interface RunShape {
  readonly nodes: 1 | 2;
  /** Whether the scans of the users have a node of their own. */
  readonly hasScanNode: boolean;
  readonly hasHistory: boolean;
  /** The streams that are merged, of the first nodes and of gRPC servers; null where the nodes are followed in turn. */
  readonly merged: { readonly nodes: 0 | 1 | 2; readonly servers: 0 | 1 | 2 } | null;
}

/** The streams of one run in so many are merged. */
const MERGED_ONE_IN = 4;
const MERGED: readonly NonNullable<RunShape['merged']>[] = [
  { nodes: 2, servers: 0 },
  { nodes: 1, servers: 1 },
  { nodes: 0, servers: 2 },
  { nodes: 1, servers: 2 },
];

/** The shape of a random run; what is merged has a chance of its own. */
export function randomShape(random: Random, ofMerged: Random): RunShape {
  const shape = {
    nodes: random.oneIn(6) ? 1 : 2,
    hasScanNode: random.oneIn(4),
    hasHistory: random.oneIn(3),
  } as const;
  const isMerged = shape.nodes === 2 && ofMerged.oneIn(MERGED_ONE_IN);
  return { ...shape, merged: isMerged ? (ofMerged.pickOne(MERGED) ?? null) : null };
}

function randomVictim(random: Random, { hasScanNode }: RunShape): Victim {
  if (!random.oneIn(OTHER_ONE_IN)) return 'inUse';
  return hasScanNode && random.oneIn(2) ? 'scans' : 'other';
}

function kindsOf({ nodes, merged }: RunShape): readonly FaultKind[] {
  if (nodes === 1) return OF_ONE_NODE;
  if (merged === null) return OF_SEVERAL_NODES;
  return merged.servers > 0 ? OF_MERGED : OF_SEVERAL_NODES;
}

/** Every other history has a node that refuses items from the start or later, whatever else goes wrong. */
function refusedItems(random: Random, { hasHistory }: RunShape): readonly PlannedFault[] {
  const kind = random.pickOne([...REFUSED_ITEMS, REFUSED_PAGE, REFUSED_PAGE]);
  if (!hasHistory || kind === undefined || random.oneIn(2)) return [];
  const atMs = random.oneIn(2) ? 0 : random.nextBelow(LAST_FAULT_MS - kind.lastsMsMax);
  const lastsMs = random.nextBetween(20_000, kind.lastsMsMax);
  return [{ kind, atMs, lastsMs, episode: -1, victim: random.oneIn(2) ? 'inUse' : 'other' }];
}

/** A node does not give one account, and gives all others. */
const REFUSED_ACCOUNT: FaultKind = {
  name: 'a refused item: an account',
  lastsMsMax: 60_000,
  node: ({ chain, random }) => {
    const keys = [...chain.accounts.keys()].filter((key) => chain.canClose(key));
    return { spoilt: new Set([random.pickOne(keys) ?? '']) };
  },
};

/** In every third run one node refuses an account throughout one of its faults, while the other node is sound. */
function refusedAccount(
  random: Random,
  { nodes }: RunShape,
  planned: readonly PlannedFault[],
): readonly PlannedFault[] {
  const beside = random.pickOne(planned.filter(({ episode }) => episode >= 0));
  if (nodes === 1 || beside === undefined || !random.oneIn(3)) return [];
  return [{ ...beside, kind: REFUSED_ACCOUNT }];
}

/** Whether a node and a gRPC server are all that is merged: one of them is sound at any time. */
function isPair({ merged }: RunShape): boolean {
  return merged?.nodes === 1 && merged.servers === 1;
}

function isOfServer({ server, cutsServer }: FaultKind): boolean {
  return server !== undefined || cutsServer === true;
}

/** The faults of a random run: episodes, each of several faults of one node at once; refused items have a chance of their own. */
export function randomFaults(
  random: Random,
  shape: RunShape,
  ofItems: Random,
): readonly PlannedFault[] {
  const kinds = kindsOf(shape);
  const planned: PlannedFault[] = [...refusedItems(ofItems, shape)];
  let fromMs = FIRST_FAULT_MS;
  for (let episode = 0; fromMs < LAST_FAULT_MS; episode += 1) {
    const endMs = Math.min(fromMs + random.nextBetween(1_000, EPISODE_MS_MAX), LAST_FAULT_MS);
    const victim = randomVictim(random, shape);
    const count = random.nextBetween(1, FAULTS_PER_EPISODE_MAX);
    // Of two nodes that disagree, beside a clock that is wrong, nobody can tell which is right.
    const without = random.pickOne([LIES.wrongClock, WRONG_WALL_CLOCK]);
    let first: FaultKind | undefined;
    for (let index = 0; index < count; index += 1) {
      const kind = random.pickOne(kinds);
      if (kind === undefined || kind === without) continue;
      first ??= kind;
      if (isPair(shape) && isOfServer(kind) !== isOfServer(first)) continue;
      const atMs = random.nextBetween(fromMs, endMs - 1);
      const lastsMs = Math.min(random.nextBetween(1, kind.lastsMsMax), endMs - atMs);
      planned.push({ kind, atMs, lastsMs, episode, victim });
    }
    fromMs = endMs + EPISODE_PAUSE_MS + random.nextBelow(EPISODE_PAUSE_MS);
  }
  planned.push(...refusedAccount(ofItems, shape, planned));
  return planned.sort((a, b) => a.atMs - b.atMs);
}
