/** `slotbook check`: whether a node is good enough for a service, and what it costs. */
import type { ServiceConfig } from '../config/config.js';
import type { Timers } from '../contract/timers.js';
import { readGenesisHash, readSlot } from '../rpc/methods.js';
import { createNodes, type NodeRpc } from '../rpc/node-pool.js';
import { type Day, type Measured, reckonDay } from './cost.js';
import { MARKET_COUNTS } from './limits.js';
import {
  listPast,
  type NodeReadings,
  readAccountBytes,
  readChainSeconds,
  readOracleKey,
  scanAccounts,
  timeCall,
} from './readings.js';
import * as rows from './rows.js';
import {
  openSocket,
  type StreamName,
  streamRequests,
  type WatchedStream,
  watchStreams,
} from './watch.js';

/** The node, the program and the settings of the service that would use it. */
export interface CheckOptions {
  readonly config: ServiceConfig;
  readonly watchSeconds: number;
  readonly timers: Timers;
}

/** The result of a check. */
export interface NodeReport {
  /** Host and port. */
  readonly node: string;
  readonly isGood: boolean;
  readonly rows: readonly rows.CheckRow[];
  /** Empty when too little could be measured. */
  readonly days: readonly Day[];
}

/** Checks a node; a node that does not reply is a result as well. */
export async function checkNode(options: CheckOptions): Promise<NodeReport> {
  const { config, timers } = options;
  const [node] = createNodes([config.nodes[0]], timers);
  const done = (found: readonly rows.CheckRow[], days: readonly Day[]): NodeReport => {
    return {
      node: node.name,
      isGood: found.every(({ state }) => state === 'ok'),
      rows: found,
      days,
    };
  };
  const genesis = await timeCall(timers, () => readGenesisHash(node.rpc));
  const slot = await timeCall(timers, () => readSlot(node.rpc));
  const first = [rows.genesisRow(genesis), rows.slotRow(slot)];
  if ('failure' in genesis && 'failure' in slot) return done(first, []);
  const clock = await timeCall(timers, () => readChainSeconds(node.rpc));
  const read = await readAll(node.rpc, options);
  try {
    const closed = await openSocket(node.socket, timers);
    const requests = streamRequests(config, read.oracle);
    const watching = { timers, watchMs: options.watchSeconds * 1_000 };
    const streams = closed === null ? await watchStreams(node.socket, requests, watching) : null;
    const found = [
      ...first,
      rows.clockRow(clock, { ...config, unixMs: timers.unixMs() }),
      ...rows.scanRows(read),
      ...rows.streamRows(streams, closed, { ...config, ...options }),
      rows.pastRow(read.past, config),
    ];
    return done(found, streams === null ? [] : daysOf(read, streams, options));
  } finally {
    node.socket.stop();
  }
}

async function readAll(rpc: NodeRpc, { config, timers }: CheckOptions): Promise<NodeReadings> {
  const users = await timeCall(timers, () => scanAccounts(rpc, config, 'user'));
  const spots: string[] = [];
  const markets = await timeCall(timers, async () => {
    const state = await scanAccounts(rpc, config, 'state');
    const perp = await scanAccounts(rpc, config, 'perpMarket');
    const spot = await scanAccounts(rpc, config, 'spotMarket');
    spots.push(...spot.keys);
    const bytes = state.bytes + perp.bytes + spot.bytes;
    return { count: perp.count + spot.count, bytes, keys: perp.keys };
  });
  const keys = 'value' in users ? users.value.keys : [];
  const account = await timeCall(timers, () => readAccountBytes(rpc, keys));
  const oracle = await timeCall(timers, () => readOracleKey(rpc, config, spots));
  const past = await timeCall(timers, () => listPast(rpc, config.programId));
  return {
    users,
    markets,
    accountBytes: 'value' in account ? account.value : 0,
    oracle: 'value' in oracle ? oracle.value : null,
    past,
  };
}

function daysOf(
  { users, markets, accountBytes, past }: NodeReadings,
  streams: ReadonlyMap<StreamName, WatchedStream>,
  { config, watchSeconds }: CheckOptions,
): readonly Day[] {
  if ('failure' in users || 'failure' in markets) return [];
  const rateOf = (name: StreamName) => (streams.get(name)?.bytes ?? 0) / watchSeconds;
  const measured: Measured = {
    markets: markets.value.count,
    userScanBytes: users.value.bytes,
    marketScanBytes: markets.value.bytes,
    accountBytes,
    signatureBytes: 'value' in past ? past.value.rowBytes : 0,
    transactionsPerSecond: 'value' in past ? rows.transactionRate(past.value) : 0,
    streams: {
      ...{ users: rateOf('users'), clock: rateOf('clock'), slots: rateOf('slots') },
      markets: rateOf('perps') + rateOf('spots'),
      oracle: rateOf('oracle'),
      logs: rateOf('logs'),
    },
  };
  const intervals = { ...config, hasHistory: config.history !== undefined };
  return MARKET_COUNTS.map((count) => reckonDay(measured, count, intervals));
}
