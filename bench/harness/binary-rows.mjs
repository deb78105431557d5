/**
 * Row `binary`: frames as bytes against the JSON frames that say the same, in one run: what a delivery costs
 * the service, and what reading them costs the client library.
 */
import { isDeepStrictEqual } from 'node:util';
import { FrameDecoder } from '../../src/client/dist/binary/index.js';
import {
  captureTurns,
  joinOurs,
  meanBytes,
  measured,
  openServer,
  READERS,
  stopSides,
  WORKLOAD,
} from './fan-out-rows.mjs';
import { timeInTurns } from './rounds.mjs';
import { runSuite } from './setup.mjs';

/** Turns of a round are about half a second of CPU time. */
const FAN_OUTS = [
  { topics: 8, bar: 0.85, turns: 120 },
  { topics: 1, bar: 0.9, turns: 300 },
];

/** The rows of frames as bytes. */
export async function binaryFrames(bench) {
  const results = [];
  for (const fanOut of FAN_OUTS) results.push(await fanOutAgainstJson(bench, fanOut));
  return [...results, ...(await decoding(bench))];
}

async function decoding(bench) {
  const results = await runSuite('bench/client/binary-suite.mjs', bench.rounds);
  const bars = { bar: 3, wish: 5, better: 'higher' };
  return results.map((result) => ({ row: 'binary', ...result, ...bars }));
}

/** Each side has a server and readers of its own: a turn is published to the readers of one encoding alone. */
async function fanOutAgainstJson(bench, { topics, bar, turns }) {
  const [ours, peer] = [await join(topics, 'binary'), await join(topics, 'json')];
  const sent = { ours: await captureTurns(ours), peer: await captureTurns(peer) };
  requireSameFrames(
    { snapshots: ours.first, deltas: sent.ours.flat() },
    { snapshots: peer.first, deltas: sent.peer.flat() },
  );
  const sides = { ours: () => measured(ours, turns), peer: () => measured(peer, turns) };
  const times = await timeInTurns({
    ...{ ...sides, warmUp: Object.values(sides), rounds: bench.rounds },
    ...{ judge: 'cpu', better: 'lower' },
  });
  await stopSides([ours, peer]);
  return {
    row: 'binary',
    work: `a delta of ${meanBytes(sent.ours)} bytes to one of ${READERS} readers, ${topics} a turn`,
    workload: WORKLOAD,
    against: `the same in JSON, ${meanBytes(sent.peer)} bytes`,
    checked: sent.ours.flat().length,
    ...times,
    ...{ bar, wish: null, better: 'lower' },
  };
}

async function join(topics, encoding) {
  const server = await openServer(topics, 'account');
  return joinOurs(server, { channel: 'book', count: READERS, more: { encoding } });
}

/** The frames of both servers are equal but for the name of the topic, the epoch and the time. */
function requireSameFrames(ours, peer) {
  const decoder = new FrameDecoder();
  const kinds = ['snapshots', 'deltas'];
  const [bytes, texts] = [ours, peer].map((side) => kinds.flatMap((kind) => side[kind]));
  const decoded = bytes.map((frame) => comparable(decoder.decodeFrame(frame)));
  const parsed = texts.map((text) => comparable(JSON.parse(text)));
  if (decoded.length > 0 && isDeepStrictEqual(decoded, parsed)) return;
  throw new Error('the readers of the two encodings get different frames');
}

function comparable({ topic: _topic, epoch: _epoch, ts: _ts, ...same }) {
  return same;
}
