/**
 * Row 7: from an account's bytes at the engine to the finished frame, a delta of the streaming channel
 * or a book of the compatible one, and on to a subscriber's socket.
 */
import { workloadFile } from '../workload/files.mjs';
import { median } from './rounds.mjs';
import { sendAll, startReaders, startServer, subscription } from './servers.mjs';

const WORKLOAD = 'powerlaw-10k';
/** Accounts of one round: about half a second. */
const ACCOUNTS = 50_000;
/** Accounts through the service, and bare publishes, of one round, and the time between two. */
const PAIRS = 400;
const EVERY_MS = 2;
/** Pairs before the measurement, after which the code is compiled as in a running service. */
const PAIRS_BEFORE = 4_000;
const EVERY_MS_BEFORE = 1;
/** Users whose accounts alternate as deltas, as many as for the compatible channel. */
const USERS = 32;
/** Frames of the row: deltas of the streaming channel, books of the compatible one. */
export const FRAMES = [
  { channel: 'book', depth: 20 },
  { channel: 'book', depth: 50 },
  { channel: 'orderbook', depth: 20 },
];

/** The results of row 7: both values of both channels. */
export async function accountToFrame(bench) {
  const server = startServer('book-server');
  await server.ask(`load ${workloadFile(WORKLOAD)}`);
  await server.ask(`changes 1 ${USERS}`);
  const results = [];
  for (const frame of FRAMES) results.push(await cpuOfFrame(bench, { server, ...frame }));
  const { port } = await server.ask('listen');
  for (const channel of ['book', 'orderbook']) {
    results.push(await latencyToSocket(bench, { server, port, channel }));
  }
  await server.stop();
  return results;
}

function nameOf(channel) {
  return channel === 'book' ? 'delta' : 'frame of the compatible channel';
}

async function cpuOfFrame(bench, { server, channel, depth }) {
  const round = () => server.ask(`frames ${ACCOUNTS} ${channel} ${depth}`);
  const { bytes } = await round();
  const rounds = [];
  for (let at = 0; at < bench.rounds; at += 1) rounds.push(await round());
  const each = rounds.map(({ cpuNs, operations }) => cpuNs / operations / 1_000);
  const value = median(each);
  const spread = `${Math.min(...each).toFixed(2)}..${Math.max(...each).toFixed(2)}`;
  return {
    row: 7,
    work: `a changed account of base64 to a finished ${nameOf(channel)}, depth ${depth}, ${Math.round(bytes)} bytes, CPU`,
    workload: WORKLOAD,
    value,
    shown: `${value.toFixed(2)} us (${spread} of ${each.length})`,
    rounds,
    bar: 5,
    wish: null,
    better: 'lower',
    unit: 'us',
  };
}

async function latencyToSocket(bench, { server, port, channel }) {
  const reader = startReaders();
  await reader.ask(`connect ${port} 1 plain`);
  await sendAll(reader, subscription(channel, 'BENCH0-PERP'));
  await reader.ask('expect 1');
  await server.ask(`latency ${PAIRS_BEFORE} ${EVERY_MS_BEFORE} ${channel}`);
  await reader.ask(`expect ${2 * PAIRS_BEFORE}`);
  const rounds = [];
  for (let at = 0; at < bench.rounds; at += 1) {
    rounds.push(await latencyRound({ server, reader, channel }));
  }
  await reader.stop();
  const ratios = rounds.map(({ ours, peer }) => ours.wallNs / peer.wallNs);
  const middle = (side) => median(rounds.map((round) => round[side].wallNs));
  return {
    row: 7,
    work: `p50 from an account at the engine to a subscriber's socket, as a ${nameOf(channel)}`,
    workload: WORKLOAD,
    against: 'a bare publish of the same bytes',
    checked: PAIRS,
    ours: { wallNs: middle('ours') },
    peer: { wallNs: middle('peer') },
    ratio: median(ratios),
    ratioMin: Math.min(...ratios),
    ratioMax: Math.max(...ratios),
    rounds,
    bar: 1.15,
    wish: 1.05,
    better: 'lower',
  };
}

/** Real and bare take turns within the round, on the same socket. */
async function latencyRound({ server, reader, channel }) {
  await reader.ask('watch');
  await reader.ask('capture');
  const { times } = await server.ask(`latency ${PAIRS} ${EVERY_MS} ${channel}`);
  await reader.ask(`expect ${2 * PAIRS}`);
  const { payloads } = await reader.ask('captured');
  const { times: got } = await reader.ask('times');
  for (let at = 0; at < payloads.length; at += 2) {
    if (payloads[at] !== payloads[at + 1]) throw new Error('the bare publish had other bytes');
  }
  const latencies = got.map((time, at) => time - times[at]);
  const p50 = (parity) => median(latencies.filter((_, at) => at % 2 === parity));
  return { ours: { wallNs: p50(0) }, peer: { wallNs: p50(1) } };
}
