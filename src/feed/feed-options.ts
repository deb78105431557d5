import { SETTINGS } from '../config/settings.js';
import type { FeedEngine } from '../contract/feed-engine.js';
import type { ChainProgram, ProgramName } from '../contract/program.js';
import type { EndedTurn, MarkPublisher, PublishMark } from '../contract/publish-mark.js';
import type { Timers } from '../contract/timers.js';
import { type Log, silentLog } from '../rpc/log.js';
import type { NodeRpc, RpcNode, RpcNodes } from '../rpc/node-pool.js';
import { type FeedParts, NO_SLOT } from './connection/parts.js';
import { ScanNode } from './connection/scan-node.js';
import { ChainClock } from './model/chain-clock.js';
import { ClockSkew } from './model/clock-skew.js';
import { TransientErrorLog } from './model/error-logs.js';
import type { FeedNode } from './model/feed-source.js';
import { type FeedTiming, newCounters } from './model/feed-stats.js';
import { FIRST_SLOT_WAIT_MS, PROBE_NEWEST_USERS, REPLAY_UPDATES_MAX } from './model/limits.js';
import { RecentKeys } from './model/recent-keys.js';
import { RpcUpdates } from './model/rpc-updates.js';
import { Turns } from './model/turns.js';
import type { MergedSources } from './sources/merged-sources.js';
import { ReadingNodes } from './sources/reading-nodes.js';

/** Takes the turns of a feed. */
export interface TurnJournal {
  endTurn(mark: PublishMark): void;
  /** Whether a leaf of the signed log is due after the last turn; called before `endTurn`. */
  readonly isLeafDue?: () => boolean;
}

/** The parts of a live feed; optional ones are for tests and settings. */
export interface LiveFeedOptions {
  /** The nodes: the first is used while it works; the others are fallbacks. */
  readonly nodes: RpcNodes;
  /** A separate node for the scan of all users; by default the node in use. */
  readonly snapshotRpc?: NodeRpc;
  /** The streams to merge; by default one node's subscriptions are followed. */
  readonly sources?: MergedSources;
  readonly engine: FeedEngine;
  readonly programId: string;
  /** Drift v2 by default. */
  readonly program?: ProgramName;
  readonly log?: Log;
  /** Takes each turn before it is published. */
  readonly journal?: TurnJournal | undefined;
  /** After each turn of the engine. */
  readonly onTurn?: (turn: EndedTurn) => void;
  /** Renders the frames of publish marks; input waits until they are rendered. */
  readonly publisher?: MarkPublisher;
  /** The service's interval between two frames of a topic, milliseconds. */
  readonly streamIntervalMs?: number;
  /** Called after each requested turn with the seconds from the first request to its end. */
  readonly onApplied?: (seconds: number) => void;
  /** Called once, when the book is live for the first time. */
  readonly onFirstLive?: () => void;
  /** The genesis hash that the chain must have; by default the first node's. */
  readonly genesisHash?: string;
  /** Called when the connection leads to another chain. */
  readonly onGenesisChanged?: (hash: string) => void;
  readonly timing?: FeedTiming;
  /** Interval of audits of the live book, milliseconds; 0 for none. */
  readonly auditIntervalMs?: number;
  /** Interval of probes of a live book, milliseconds; 0 for none. */
  readonly probeIntervalMs?: number;
  /** Maximum difference between this machine's clock and the chain's, milliseconds. */
  readonly clockSkewMaxMs?: number;
  readonly timers: Timers;
  readonly random?: () => number;
  readonly replayUpdatesMax?: number;
  readonly firstSlotWaitMs?: number;
}

/** Returns the nodes to follow, one at a time; with merged sources, the nodes to read from. */
export function feedNodesOf(options: LiveFeedOptions): RpcNodes<FeedNode> {
  const { nodes, sources, programId, program = 'drift' } = options;
  const [first, ...others] = nodes;
  const nodeOf = (node: RpcNode): FeedNode => feedNodeOf(node, { programId, program });
  if (sources === undefined) return [nodeOf(first), ...others.map(nodeOf)];
  const readFirst = ({ name, rpc: ownRpc }: RpcNode, index: number): FeedNode => {
    const rpc = new ReadingNodes(nodes, index);
    const openUpdates = () => {
      rpc.useFirst();
      return sources;
    };
    return { name, rpc, ownRpc, socket: sources.connection, openUpdates };
  };
  return [readFirst(first, 0), ...others.map((node, at) => readFirst(node, at + 1))];
}

function feedNodeOf({ name, rpc, socket }: RpcNode, program: ChainProgram): FeedNode {
  return { name, rpc, socket, openUpdates: () => new RpcUpdates(socket, program) };
}

/** Builds the shared dependencies of a feed. */
export function newParts(
  options: LiveFeedOptions,
  nodes: RpcNodes<FeedNode>,
  onTurn: (turn: EndedTurn) => void,
): FeedParts {
  const { engine, programId, program = 'drift', onApplied, publisher, timers } = options;
  const { streamIntervalMs = SETTINGS.streamIntervalMs.default } = options;
  const log = options.log ?? silentLog;
  const random = options.random ?? Math.random;
  const clock = new ChainClock(timers);
  const counters = newCounters();
  const transientErrors = new TransientErrorLog(log, timers);
  const rpc = options.snapshotRpc ?? null;
  const skewMsMax = options.clockSkewMaxMs ?? SETTINGS.clockSkewMaxMs.default;
  return {
    ...endpointsOf(nodes[0], nodes),
    scanNode: new ScanNode({ rpc, timers, random, transientErrors }),
    engine,
    programId,
    program,
    timers,
    random,
    clock,
    clockSkew: new ClockSkew({ clock, timers, log, skewMsMax }),
    turns: new Turns({
      engine,
      clock,
      timers,
      streamIntervalMs,
      isLeafDue: options.journal?.isLeafDue,
      publisher,
      onTurn,
      onApplied,
    }),
    log,
    transientErrors,
    counters,
    memory: {
      users: 0,
      markets: new Set(),
      state: null,
      texts: new Map(),
      recentUsers: new RecentKeys(PROBE_NEWEST_USERS),
      genesisHash: options.genesisHash ?? null,
      newest: NO_SLOT,
      lastAudit: null,
      fewPositions: { refusals: 0, users: 0 },
    },
    replayUpdatesMax: options.replayUpdatesMax ?? REPLAY_UPDATES_MAX,
    firstSlotWaitMs: options.firstSlotWaitMs ?? FIRST_SLOT_WAIT_MS,
    auditIntervalMs: options.auditIntervalMs ?? SETTINGS.auditIntervalMs.default,
    probeIntervalMs: options.probeIntervalMs ?? SETTINGS.probeIntervalMs.default,
  };
}

/** Returns the stream of updates and the client of a node; both always belong to the same node. */
export function endpointsOf(
  node: FeedNode,
  nodes: RpcNodes<FeedNode>,
): Pick<FeedParts, 'node' | 'rpc' | 'updates' | 'otherRpcs'> {
  const { name, rpc } = node;
  const updates = node.openUpdates();
  const others = nodes.filter((other) => other !== node);
  return {
    node: name,
    rpc,
    updates,
    otherRpcs: others.map(({ rpc: all, ownRpc }) => ownRpc ?? all),
  };
}
