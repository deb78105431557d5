/** The kinds of faults: what goes wrong with nodes, streams, clocks and disks, and with the chain itself. */
import type { Random } from '../../src/sim/random.js';
import { CHAIN } from './chain-faults.js';
import { beGreedy } from './greedy-client.js';
import type { ModelChain } from './model-chain.js';
import type { GrpcFaults } from './model-grpc.js';
import type { ModelNode } from './model-node.js';
import type { ModelReader } from './model-reader.js';
import type { NodeFaults, NotifiedKind } from './node-faults.js';
import type { DiskFault } from './stand-ins/libsql.js';

/** What faults befall. */
export interface FaultTarget {
  readonly chain: ModelChain;
  readonly node: ModelNode;
  readonly machine: FaultyMachine;
  readonly readers: readonly ModelReader[];
  readonly random: Random;
}

/** The machine of the service. */
interface FaultyMachine {
  /** Stops the process for a while, and lets it go on. */
  pauseService(pauseMs: number): void;
  /** Kills the process, and starts it again after a while. */
  restartService(downMs: number): void;
  /** Sets the wall clock off by so much. */
  setWallError(errorMs: number): void;
  /** The disk fails like this from now on; null is a sound one. */
  failDisk(fault: DiskFault | null): void;
  /** The thread of the history ends. */
  crashWorker(): void;
}

/** One kind of fault. */
export interface FaultKind {
  readonly name: string;
  /** Longest time that it lasts. */
  readonly lastsMsMax: number;
  /** What is wrong meanwhile; the node is sound again afterwards. */
  readonly node?: (target: FaultTarget) => Partial<NodeFaults>;
  /** The same of the first gRPC server. */
  readonly server?: (target: FaultTarget) => Partial<GrpcFaults>;
  /** Whether its connections are cut as it begins. */
  readonly cutsServer?: boolean;
  /** Happens once, when the fault begins. */
  readonly begin?: (target: FaultTarget, lastsMs: number) => void;
  /** Happens when it is over. */
  readonly end?: (target: FaultTarget) => void;
}

const HOUR_MS = 3_600_000;

const cut = ({ node }: FaultTarget): void => node.cutConnections();

const NOTIFIED: readonly NotifiedKind[] = [
  'slot',
  'user',
  'perpMarket',
  'spotMarket',
  'oracle',
  'clock',
];

/** Nobody can reach the node. */
export const HOST_DOWN: FaultKind = {
  name: 'the host is down',
  lastsMsMax: 20_000,
  begin: cut,
  node: () => ({ isDown: true }),
};

/** Nothing can be followed, and all else is sound. */
export const SUBSCRIBES_REFUSED: FaultKind = {
  name: 'subscribes are refused',
  lastsMsMax: 15_000,
  begin: cut,
  node: () => ({ subscribes: 'refused' }),
};

/** The connection is gone, and the next one stands. */
export const CUT: FaultKind = { name: 'the connection is cut', lastsMsMax: 1, begin: cut };

/** Nothing arrives, sockets stay open, and all of it comes afterwards. */
export const STALLED: FaultKind = {
  name: 'the network stalls',
  lastsMsMax: 30_000,
  begin: ({ node }, lastsMs) => node.stallFor(lastsMs),
};

/** The same where no slot passes meanwhile: the process of a test chain is stopped. */
export const CHAIN_STOPPED: FaultKind = {
  name: 'the chain and its node stand still',
  lastsMsMax: 30_000,
  begin: ({ node, chain }, lastsMs) => {
    chain.standStill(lastsMs);
    node.stallFor(lastsMs);
  },
};

/** Faults of a node that fails and does not lie. */
const OUTAGES: readonly FaultKind[] = [
  CUT,
  HOST_DOWN,
  { name: '503', lastsMsMax: 15_000, begin: cut, node: () => ({ status: 503 }) },
  {
    name: '429 with Retry-After',
    lastsMsMax: 15_000,
    begin: cut,
    node: ({ random }) => ({ status: 429, retryAfterSeconds: random.nextBetween(1, 5) }),
  },
  {
    name: 'requests hang',
    lastsMsMax: 15_000,
    begin: cut,
    node: () => ({ hanging: new Set(['*']) }),
  },
  { name: 'bodies stall', lastsMsMax: 15_000, begin: cut, node: () => ({ stallsBodies: true }) },
  { name: 'bodies break off', lastsMsMax: 15_000, begin: cut, node: () => ({ bodies: 'cut' }) },
  { name: 'half a body', lastsMsMax: 15_000, begin: cut, node: () => ({ bodies: 'half' }) },
  { name: 'garbled bodies', lastsMsMax: 15_000, begin: cut, node: () => ({ bodies: 'garbled' }) },
  { name: 'empty bodies', lastsMsMax: 15_000, begin: cut, node: () => ({ bodies: 'empty' }) },
  { name: 'null results', lastsMsMax: 15_000, begin: cut, node: () => ({ bodies: 'null' }) },
  { name: 'wrong zstd', lastsMsMax: 15_000, begin: cut, node: () => ({ bodies: 'wrongZstd' }) },
  {
    name: 'subscribes are not acknowledged',
    lastsMsMax: 15_000,
    begin: cut,
    node: () => ({ subscribes: 'silent' }),
  },
  SUBSCRIBES_REFUSED,
  { name: 'no pongs', lastsMsMax: 15_000, node: () => ({ answersPings: false }) },
  {
    name: 'a slow network',
    lastsMsMax: 20_000,
    node: ({ random }) => ({ extraDelayMs: random.nextBetween(50, 400) }),
  },
  {
    name: 'readings are some slots behind',
    lastsMsMax: 20_000,
    begin: cut,
    node: ({ random }) => ({ answersBehindSlots: random.nextBetween(1, 20) }),
  },
  {
    name: 'slots are silent',
    lastsMsMax: 20_000,
    node: () => ({ silent: new Set<NotifiedKind>(['slot']) }),
  },
  {
    name: 'the clock is silent',
    lastsMsMax: 20_000,
    node: () => ({ silent: new Set<NotifiedKind>(['clock']) }),
  },
  { name: 'notifications twice', lastsMsMax: 20_000, node: () => ({ doubled: 0.2 }) },
  { name: 'malformed notifications', lastsMsMax: 10_000, node: () => ({ malformed: 0.01 }) },
];

/** The wall clock is months ahead for a while. */
export const CLOCK_AHEAD: FaultKind = {
  name: 'the wall clock is 95 days ahead',
  lastsMsMax: 75_000,
  begin: ({ machine }) => machine.setWallError(95 * 24 * HOUR_MS),
  end: ({ machine }) => machine.setWallError(0),
};

/** The scan of all users hangs, and all else is sound. */
export const HANGING_SCANS: FaultKind = {
  name: 'scans of the users hang',
  lastsMsMax: 60_000,
  begin: cut,
  node: () => ({ hanging: new Set(['users']) }),
};

/** The same scan comes a byte at a time: it is never silent, and never ends. */
export const TRICKLING_SCANS: FaultKind = {
  name: 'scans of the users trickle',
  lastsMsMax: 60_000,
  begin: cut,
  node: () => ({ tricklesScans: true }),
};

/** This machine's clock is off. */
export const WRONG_WALL_CLOCK: FaultKind = {
  name: 'the wall clock is wrong',
  lastsMsMax: 60_000,
  begin: ({ machine, random }) => machine.setWallError(wallError(random)),
  end: ({ machine }) => machine.setWallError(0),
};

/** It is started again, and opens its file anew. */
export const HISTORY_ENDS: FaultKind = {
  name: 'the thread of the history ends',
  lastsMsMax: 1,
  begin: ({ machine }) => machine.crashWorker(),
};

/** Mishaps of the machine that the service runs on. */
const MISHAPS: readonly FaultKind[] = [
  WRONG_WALL_CLOCK,
  {
    name: 'the process is stopped and goes on',
    lastsMsMax: 8_000,
    begin: ({ machine }, lastsMs) => machine.pauseService(lastsMs),
  },
  {
    name: 'the process is killed and started again',
    lastsMsMax: 5_000,
    begin: ({ machine }, lastsMs) => machine.restartService(lastsMs),
  },
  {
    name: 'the disk fails',
    lastsMsMax: 20_000,
    begin: ({ machine, random }) => machine.failDisk(random.pickOne(DISK_FAULTS) ?? null),
    end: ({ machine }) => machine.failDisk(null),
  },
  HISTORY_ENDS,
];

const DISK_FAULTS: readonly DiskFault[] = ['SQLITE_FULL', 'SQLITE_READONLY', 'SQLITE_IOERR'];

/** Half a minute to some months, to either side. */
function wallError(random: Random): number {
  const hours = random.pickOne([0.01, 1, 26, 95 * 24]) ?? 1;
  return random.oneIn(2) ? hours * HOUR_MS : -hours * HOUR_MS;
}

/** What clients do. */
const CLIENTS: readonly FaultKind[] = [
  {
    name: 'a client reads nothing for a while',
    lastsMsMax: 40_000,
    begin: ({ readers, random }, lastsMs) => random.pickOne(readers)?.stopReading(lastsMs),
  },
  {
    name: 'a client closes and comes back',
    lastsMsMax: 1,
    begin: ({ readers, random }) => random.pickOne(readers)?.reconnect(),
  },
  {
    name: 'a client is gone without a word',
    lastsMsMax: 1,
    begin: ({ readers, random }) => random.pickOne(readers)?.vanish(),
  },
  {
    name: 'a greedy client floods the service and reads nothing',
    lastsMsMax: 20_000,
    begin: (_, lastsMs) => beGreedy(lastsMs),
  },
];

function silent(...kinds: readonly NotifiedKind[]): NonNullable<FaultKind['node']> {
  return () => ({ silent: new Set(kinds) });
}

/** Lies of a node that another source refutes. */
export const LIES = {
  slotFarAhead: {
    name: 'one slot far ahead',
    lastsMsMax: 1_000,
    node: ({ random }) => ({ slotsAhead: random.pickOne([1_000_000, 995_923, 50_000]) ?? 0 }),
  },
  slotsAhead: {
    name: 'slots some hundred ahead',
    lastsMsMax: 10_000,
    node: ({ random }) => ({ slotsAhead: random.nextBetween(50, 1_000) }),
  },
  climbingSlots: {
    name: 'slots, Clock and readings climb together at 20 a second',
    lastsMsMax: 20_000,
    node: ({ chain }) => ({ climbsFromSlot: chain.slot }),
  },
  readingsFarAhead: {
    name: 'readings 1,000 slots ahead',
    lastsMsMax: 6_000,
    begin: cut,
    node: () => ({ readingSlotsAhead: 1_000 }),
  },
  silentUsers: { name: 'the users are silent', lastsMsMax: 60_000, node: silent('user') },
  silentMarkets: {
    name: 'the markets are silent',
    lastsMsMax: 60_000,
    node: silent('perpMarket', 'spotMarket', 'state'),
  },
  silentOracles: { name: 'the oracles are silent', lastsMsMax: 60_000, node: silent('oracle') },
  silentConnection: {
    name: 'everything is silent, and what came meanwhile is lost',
    lastsMsMax: 20_000,
    node: silent(...NOTIFIED),
  },
  lostNotifications: {
    name: 'notifications are lost',
    lastsMsMax: 30_000,
    node: ({ random }) => ({ lost: random.nextBetween(1, 30) / 100 }),
  },
  lostUsers: {
    name: 'notifications of users are lost, and their logs come',
    lastsMsMax: 30_000,
    node: ({ random }) => ({ lostUsers: random.nextBetween(1, 30) / 100 }),
  },
  lostWithLogs: {
    name: 'notifications of users are lost with their logs',
    lastsMsMax: 30_000,
    node: ({ random }) => ({ lostWithLogs: random.nextBetween(1, 30) / 100 }),
  },
  silentWithLogs: {
    name: 'the users and the logs are silent',
    lastsMsMax: 10_000,
    node: silent('user', 'logs'),
  },
  cutLogs: {
    name: 'notifications of users are lost, and their logs are cut',
    lastsMsMax: 20_000,
    node: () => ({ lostUsers: 0.1, cutsLogs: true }),
  },
  swappedNotifications: {
    name: 'notifications come late, behind others',
    lastsMsMax: 20_000,
    node: () => ({ swapped: 0.05 }),
  },
  lowerSlots: {
    name: 'notifications carry slots that go down and up',
    lastsMsMax: 10_000,
    node: () => ({ lowerSlots: 5 }),
  },
  lateSocket: {
    name: 'the socket is behind its node',
    lastsMsMax: 20_000,
    node: ({ random }) => ({ socketBehindMs: random.nextBetween(200, 900) }),
  },
  smallScan: {
    name: 'scans with a part of the users',
    lastsMsMax: 20_000,
    begin: cut,
    node: ({ random }) => ({ scanShare: random.pickOne([0, 0.1, 0.5]) ?? 0 }),
  },
  noMarkets: {
    name: 'scans without markets',
    lastsMsMax: 10_000,
    begin: cut,
    node: () => ({ hidesMarkets: true }),
  },
  frozenReadings: {
    name: 'readings of the past that claim to be of now',
    lastsMsMax: 20_000,
    begin: cut,
    node: ({ chain, random }) => ({ frozenAtSlot: chain.slot - random.nextBetween(5, 50) }),
  },
  wrongClock: {
    name: 'the clock and block times are wrong',
    lastsMsMax: 20_000,
    node: ({ random }) => ({
      clockErrorSeconds: random.pickOne([-900, 3_600, 8_208_000]) ?? 0,
    }),
  },
  otherGenesis: {
    name: 'another genesis',
    lastsMsMax: 15_000,
    begin: cut,
    node: () => ({ hasOtherGenesis: true }),
  },
} as const satisfies Readonly<Record<string, FaultKind>>;

/**
 * No slot too many for a node that catches up, and the Clock of the same socket tells. Random runs do not draw it: beside a
 * Clock that is silent nothing tells it from a node whose readings are late.
 */
export const ANNOUNCED_AHEAD: FaultKind = {
  name: 'slot notifications 30 ahead',
  lastsMsMax: 60_000,
  node: () => ({ announcedAhead: 30 }),
};

/** Mishaps and lies of a gRPC server that another source refutes. */
export const SERVER_FAULTS = {
  cut: { name: 'the stream is cut', lastsMsMax: 1, cutsServer: true },
  down: {
    name: 'the gRPC server is down',
    lastsMsMax: 20_000,
    cutsServer: true,
    server: () => ({ isDown: true }),
  },
  halfOpen: {
    name: 'the stream is half open',
    lastsMsMax: 20_000,
    server: () => ({ isDeaf: true }),
  },
  replayRefused: {
    name: 'the stream is cut, and from_slot is refused',
    lastsMsMax: 10_000,
    cutsServer: true,
    server: () => ({ replay: 'refused' }),
  },
  replayIgnored: {
    name: 'the stream is cut, and from_slot is ignored',
    lastsMsMax: 10_000,
    cutsServer: true,
    server: () => ({ replay: 'ignored' }),
  },
  doubled: { name: 'writes come twice', lastsMsMax: 20_000, server: () => ({ doubled: 0.2 }) },
  late: {
    name: 'the stream is late',
    lastsMsMax: 20_000,
    server: ({ random }) => ({ extraDelayMs: random.nextBetween(100, 900) }),
  },
  malformed: {
    name: 'unreadable messages of a stream',
    lastsMsMax: 10_000,
    server: () => ({ malformed: 0.01 }),
  },
  lost: {
    name: 'writes of a stream are lost',
    lastsMsMax: 30_000,
    server: ({ random }) => ({ lost: random.nextBetween(1, 30) / 100 }),
  },
  lied: {
    name: 'a stream tells earlier states',
    lastsMsMax: 30_000,
    server: ({ random }) => ({ lied: random.nextBetween(1, 30) / 100 }),
  },
  slotsAhead: {
    name: 'the slots of a stream are far ahead',
    lastsMsMax: 10_000,
    server: ({ random }) => ({ slotsAhead: random.pickOne([1_000_000, 50_000, 700]) ?? 0 }),
  },
} as const satisfies Readonly<Record<string, FaultKind>>;

const HELD_LIES: readonly FaultKind[] = [
  HANGING_SCANS,
  TRICKLING_SCANS,
  ...Object.values<FaultKind>(LIES),
];

/** Everything that one node can do wrong while another one is honest. */
export const NODE_FAULTS: readonly FaultKind[] = [...OUTAGES, ...HELD_LIES, ANNOUNCED_AHEAD];

/** What random runs draw from; a lie of the only node is refuted by nobody. */
export const OF_ONE_NODE: readonly FaultKind[] = [...OUTAGES, ...MISHAPS, ...CLIENTS, ...CHAIN];
/** The same where another node refutes a lie. */
export const OF_SEVERAL_NODES: readonly FaultKind[] = [...OF_ONE_NODE, ...HELD_LIES];

/** The same where streams of gRPC servers are merged. */
export const OF_MERGED: readonly FaultKind[] = [
  ...OF_SEVERAL_NODES,
  ...Object.values<FaultKind>(SERVER_FAULTS),
];
