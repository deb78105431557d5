/**
 * The streaming channel's savings and costs: bytes of deltas compared with complete books for the
 * same changes, and the cost of a reconnected reader.
 */
import { workloadFile } from '../workload/files.mjs';
import { cpuNsOf } from './cpu.mjs';
import { timeInTurns } from './rounds.mjs';
import { captured, sendAll, startReaders, startServer, subscription } from './servers.mjs';

const WORKLOAD = 'powerlaw-10k';
const MARKET = 'BENCH0-PERP';

/** Accounts a second: a quiet market, a busy one, and a busy hour of the whole exchange in one market. */
const RATES = [10, 100, 1_000];
/** Between two frames: the default of the streaming channel, and that of the compatible one. */
const INTERVALS_MS = [10, 50];
const TRAFFIC_SECONDS = 20;

const READERS = 500;
const USERS = 6;
/** Deltas that a reader has missed in a second: one for each 10 ms, and of a quieter market. */
const MISSED = [100, 10];
/** Times that all readers come back in a round: for half a second of CPU time. */
const RETURNS = { 100: 4, 10: 25, snapshot: 60 };

/** Bytes a subscriber and a second, and the cost of a resume. */
export async function streamCosts(bench) {
  const server = startServer('book-server');
  await server.ask(`load ${workloadFile(WORKLOAD)}`);
  const results = [];
  for (const rate of RATES) {
    for (const intervalMs of INTERVALS_MS) results.push(await traffic(server, rate, intervalMs));
  }
  results.push(...(await resumes(bench, server)));
  await server.stop();
  return results;
}

async function traffic(server, rate, intervalMs) {
  const ask = `traffic ${rate} ${intervalMs} ${TRAFFIC_SECONDS}`;
  const { frames, deltas, snapshots, channel } = await server.ask(ask);
  const perSecond = (bytes) => `${(bytes / TRAFFIC_SECONDS / 1_000).toFixed(1)} kB`;
  const times = (bytes) => `${(bytes / deltas).toFixed(2)}x`;
  const shown =
    `${perSecond(deltas)} as deltas; ${perSecond(snapshots)} (${times(snapshots)}) as snapshots, ` +
    `${perSecond(channel)} (${times(channel)}) on the compatible channel`;
  const each = `${(frames / TRAFFIC_SECONDS).toFixed(1)} frames`;
  return {
    row: 'streams',
    work: `bytes a second of a subscriber at depth 20, ${rate} accounts a second, each ${intervalMs} ms: ${each}`,
    workload: WORKLOAD,
    value: channel / deltas,
    shown,
    ...{ bar: null, wish: null, better: 'higher' },
  };
}

async function resumes(bench, server) {
  await server.ask(`changes 1 ${USERS}`);
  const { port } = await server.ask('listen');
  const readers = startReaders();
  await readers.ask(`connect ${port} ${READERS} plain`);
  await sendAll(readers, subscription('book', MARKET));
  await readers.ask(`expect ${READERS}`);
  const results = [];
  for (const missed of MISSED) results.push(await resume(bench, { server, readers, missed }));
  await readers.stop();
  return results;
}

async function resume(bench, { server, readers, missed }) {
  const deltas = await sendDeltas({ server, readers, missed });
  const { epoch, prev: seq } = JSON.parse(deltas[0]);
  const back = subscription('book', MARKET, { resume: { epoch, seq } });
  const again = await returned(readers, back, missed);
  if (JSON.stringify(again) !== JSON.stringify(deltas)) {
    throw new Error('a resumed reader gets other deltas than those that were published');
  }
  const anew = subscription('book', MARKET);
  const [snapshot] = await returned(readers, anew, 1);
  if (JSON.parse(snapshot).crc !== JSON.parse(deltas.at(-1)).crc) {
    throw new Error('the snapshot is not the book after the deltas');
  }
  const ours = () => comeBack({ server, readers, message: back, missed, times: RETURNS[missed] });
  const whole = { message: anew, missed: 1, times: RETURNS.snapshot };
  const peer = () => comeBack({ server, readers, ...whole });
  const sides = { ours, peer, warmUp: [ours, peer], rounds: bench.rounds };
  const times = await timeInTurns({ ...sides, judge: 'cpu', better: 'lower' });
  const bytes = deltas.reduce((sum, { length }) => sum + length, 0);
  const each = (times.ours.cpuNs / missed / 1_000).toFixed(2);
  return {
    row: 'streams',
    work: `a resume of ${missed} missed deltas, ${bytes} bytes (${each} us of CPU a delta)`,
    workload: WORKLOAD,
    against: `a snapshot of ${snapshot.length} bytes`,
    checked: missed + 1,
    ...times,
    ...{ bar: null, wish: null, better: 'lower' },
  };
}

/** Publishes so many deltas; returns them. */
async function sendDeltas({ server, readers, missed }) {
  await readers.ask('capture');
  for (let at = 0; at < missed; at += 1) {
    await server.ask('turn 1 account');
    await readers.ask(`expect ${READERS}`);
  }
  return captured(readers);
}

/** The first reader's frames when all readers subscribe with a message. */
async function returned(readers, message, frames) {
  await readers.ask('capture');
  await sendAll(readers, message);
  await readers.ask(`expect ${READERS * frames}`);
  return captured(readers);
}

async function comeBack({ server, readers, message, missed, times }) {
  const [cpu, wall] = [cpuNsOf(server.pid), process.hrtime.bigint()];
  for (let at = 0; at < times; at += 1) {
    await sendAll(readers, message);
    await readers.ask(`expect ${READERS * missed}`);
  }
  const wallNs = Number(process.hrtime.bigint() - wall);
  return { operations: times * READERS, wallNs, cpuNs: cpuNsOf(server.pid) - cpu };
}
