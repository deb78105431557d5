/**
 * Row `binary`: binary frames against equal JSON frames, in one run: the costs of delivery, of
 * writing and of reading.
 */
import { isDeepStrictEqual } from 'node:util';
import { FrameDecoder } from '../../src/client/dist/binary/index.js';
import { workloadFile } from '../workload/files.mjs';
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
import { buildCore, runSuite, startCore } from './setup.mjs';

/** Turns of a round are about half a second of CPU time. */
const FAN_OUTS = [
  { topics: 8, bar: 0.85, turns: 120 },
  { topics: 1, bar: 0.9, turns: 300 },
];
/** Deltas that the core writes: an account a turn. Each is written so often that the clock is nothing. */
const ENCODED = {
  workload: 'powerlaw-10k',
  topics: ['book 20', 'book 100', 'bbo 1', 'l3 100'],
  turns: 2_000,
  repeats: 50,
  checked: 200,
};

/** The rows of frames as bytes. */
export async function binaryFrames(bench) {
  const results = [];
  for (const fanOut of FAN_OUTS) results.push(await fanOutAgainstJson(bench, fanOut));
  return [...results, ...(await encoding(bench)), ...(await decoding(bench))];
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

async function encoding(bench) {
  buildCore();
  const core = startCore();
  try {
    await core.ask(`load ${ENCODED.workload} ${workloadFile(ENCODED.workload)}`);
    const results = [];
    for (const topic of ENCODED.topics) results.push(await encodingOf(bench, core, topic));
    return results;
  } finally {
    await core.stop();
  }
}

async function encodingOf(bench, core, topic) {
  const { workload, turns, repeats, checked } = ENCODED;
  const framesOf = async (encoding) => {
    const { frames } = await core.ask(`frames ${workload} ${topic} ${encoding} ${checked}`);
    const [first, ...deltas] = frames.map((hex) => Buffer.from(hex, 'hex'));
    return { snapshots: [first], deltas };
  };
  requireSameFrames(await framesOf('binary'), await framesOf('json'));
  const lengths = {};
  const encode = (encoding) => async () => {
    const { bytes, ...timed } = await core.ask(
      `encode ${workload} ${topic} ${encoding} ${turns} ${repeats}`,
    );
    lengths[encoding] = bytes;
    return timed;
  };
  const [ours, peer] = [encode('binary'), encode('json')];
  const sides = { ours, peer, warmUp: [ours, peer], rounds: bench.rounds, judge: 'cpu' };
  const times = await timeInTurns(sides);
  return {
    row: 'binary',
    work: `write a delta of ${topic}, ${lengths.binary} bytes`,
    workload,
    against: `the same in JSON, ${lengths.json} bytes`,
    checked,
    ...times,
    ...{ bar: 5, wish: 20, better: 'higher' },
  };
}

async function decoding(bench) {
  const results = await runSuite('bench/client/binary-suite.mjs', bench.rounds);
  return results.map((result) => {
    // Most bytes of a trade are keys and a signature, whose base58 takes as long as the JSON.
    const hasBar = result.data.endsWith('/frames.jsonl');
    const bars = { bar: hasBar ? 3 : null, wish: hasBar ? 5 : null, better: 'higher' };
    return { row: 'binary', ...result, ...bars };
  });
}

/** The frames of both sides are equal but for the name of the topic, the epoch and the time. */
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
