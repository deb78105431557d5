/**
 * Row 5: the cost of delivering one change to one reader, compared with the dlob-server, which
 * renders the complete book for each subscriber over `ws`. Once as deltas of the streaming channel,
 * and once as frames of the compatible channel, which are the peer's frames byte for byte.
 */
import { rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { workloadFile } from '../workload/files.mjs';
import { cpuSplitOf } from './cpu.mjs';
import { timeInTurns } from './rounds.mjs';
import { capturedBytes, sendAll, startReaders, startServer, subscription } from './servers.mjs';
import { StreamBooks } from './stream-book.mjs';

export const WORKLOAD = 'powerlaw-8-markets';
export const READERS = 500;
/**
 * Different turns that the peer sends over and over; ours makes each one again. They are more bytes
 * than a compressor looks back. Both kinds of change are where they began after so many.
 */
const TURNS_KEPT = 12;
/** The users of each market of whom an account changes: each has two states. */
const USERS = TURNS_KEPT / 2;

/** Turns of a round: about half a second of CPU time, and more where a turn is long. */
const SIZES = [
  { topics: 8, deflate: 'plain', bar: 25, wish: null, turns: { ours: 60, peer: 10 } },
  { topics: 1, deflate: 'plain', bar: 4, wish: null, turns: { ours: 300, peer: 60 } },
  { topics: 8, deflate: 'deflate', bar: null, wish: 100, turns: { ours: 60, peer: 5 } },
  { topics: 1, deflate: 'deflate', bar: null, wish: null, turns: { ours: 300, peer: 20 } },
];
/** A tick of the oracle moves all orders that float: nearly every level of a delta. */
const ROWS = [
  ...SIZES.map((size) => ({ channel: 'book', change: 'account', ...size })),
  { channel: 'book', change: 'tick', ...SIZES[0], bar: null },
  ...SIZES.map((size) => ({ channel: 'orderbook', change: 'tick', ...size })),
];

/** Row 5 of both channels. */
export async function fanOut(bench) {
  const results = [];
  for (const row of ROWS) results.push(await against(bench, row));
  return results;
}

async function against(bench, { channel, change, topics, deflate, bar, wish, turns }) {
  const server = await openServer(topics, change);
  const witness = await joinOurs(server, { channel: 'orderbook', count: 1 });
  const frames = textsOf(await captureTurns(witness));
  await witness.readers.stop();
  const ours = await joinOurs(server, { channel, count: READERS });
  const sent = textsOf(await captureTurns(ours));
  if (channel === 'book') requireSameBooks(ours.first.map(String), sent, frames);
  const peer = await openPeer({ frames, deflate });
  if (deflate === 'plain') await requireSameBytes(peer, frames);
  const times = await timeInTurns({
    ours: () => measured(ours, turns.ours),
    peer: () => measured(peer, turns.peer),
    warmUp: [() => measured(ours, turns.ours), () => measured(peer, turns.peer)],
    rounds: bench.rounds,
    judge: 'cpu',
  });
  await stopSides([ours, peer]);
  const how = deflate === 'deflate' ? ' with permessage-deflate' : '';
  return {
    row: 5,
    work: `${nameOf(channel)} of ${meanBytes(sent)} bytes to one of ${READERS} readers, ${topics} a turn, of ${change}s`,
    workload: WORKLOAD,
    against: `${meanBytes(frames)} bytes of text for each subscriber over ws${how}`,
    checked: frames.flat().length,
    ...times,
    bar,
    wish,
    better: 'higher',
  };
}

function nameOf(channel) {
  return channel === 'book' ? 'streaming channel, a delta' : 'compatible channel, a frame';
}

/** The mean length of the frames of some turns. */
export function meanBytes(turns) {
  const frames = turns.flat();
  return Math.round(frames.reduce((sum, { length }) => sum + length, 0) / frames.length);
}

function textsOf(turns) {
  return turns.map((frames) => frames.map(String));
}

/** A server with the workload's first so many markets, which a change of each of is a turn. */
export async function openServer(topics, change) {
  const server = startServer('book-server');
  const { markets } = await server.ask(`load ${workloadFile(WORKLOAD)}`);
  if (change === 'account') await server.ask(`changes ${topics} ${USERS}`);
  const { port } = await server.ask('listen');
  return { server, port, markets: markets.slice(0, topics), turn: `turn ${topics} ${change}` };
}

/**
 * Readers of all topics of a channel; `first` is the first reader's initial frame. `more` has
 * members of the subscription.
 */
export async function joinOurs({ server, port, markets, turn }, { channel, count, more }) {
  const readers = startReaders();
  await readers.ask(`connect ${port} ${count} plain`);
  await readers.ask('capture');
  for (const market of markets) await sendAll(readers, subscription(channel, market, more));
  const deliveries = count * markets.length;
  await readers.ask(`expect ${deliveries}`);
  return { server, readers, deliveries, turn, first: await capturedBytes(readers) };
}

/** One reader's frames of some turns: a list of frames a turn. */
export async function captureTurns({ server, readers, deliveries, turn }) {
  const turns = [];
  for (let at = 0; at < TURNS_KEPT; at += 1) {
    await readers.ask('capture');
    await server.ask(turn);
    await readers.ask(`expect ${deliveries}`);
    turns.push(await capturedBytes(readers));
  }
  return turns;
}

/** After each turn a reader of deltas has the books that the peer's readers are sent whole. */
function requireSameBooks(snapshots, deltas, frames) {
  const books = new StreamBooks();
  for (const snapshot of snapshots) books.apply(JSON.parse(snapshot));
  deltas.forEach((turn, at) => {
    for (const delta of turn) books.apply(JSON.parse(delta));
    for (const frame of frames[at]) books.requireSame(JSON.parse(frame));
  });
}

async function openPeer({ frames, deflate }) {
  const server = startServer('ws-fan-out');
  const turns = frames.map((turn) => turn.map((frame) => JSON.parse(frame)));
  const file = path.join(os.tmpdir(), `slotbook-bench-${process.pid}.json`);
  writeFileSync(
    file,
    JSON.stringify(turns.map((turn) => turn.map(({ channel, data }) => [channel, data]))),
  );
  await server.ask(`load ${file}`);
  rmSync(file);
  const { port } = await server.ask(`listen ${deflate}`);
  const readers = startReaders();
  await readers.ask(`connect ${port} ${READERS} ${deflate}`);
  for (const { channel } of turns[0]) await sendAll(readers, { channel });
  await server.ask(`subscribed ${READERS * turns[0].length}`);
  return { server, readers, deliveries: READERS * turns[0].length, turn: 'turn' };
}

/** The peer sends the same frames as our compatible channel, in the same sequence. */
async function requireSameBytes(peer, frames) {
  const sent = textsOf(await captureTurns(peer));
  if (JSON.stringify(sent) === JSON.stringify(frames)) return;
  throw new Error('the readers of the two sides get different bytes');
}

/** Turns one after the other, each until every reader has every frame of it. */
export async function measured({ server, readers, deliveries, turn }, turns) {
  const [cpu, wall] = [cpuSplitOf(server.pid), process.hrtime.bigint()];
  for (let at = 0; at < turns; at += 1) {
    await server.ask(turn);
    await readers.ask(`expect ${deliveries}`);
  }
  const wallNs = Number(process.hrtime.bigint() - wall);
  const after = cpuSplitOf(server.pid);
  const kernelNs = after.kernelNs - cpu.kernelNs;
  const cpuNs = after.userNs - cpu.userNs + kernelNs;
  const operations = turns * deliveries;
  return { operations, wallNs, cpuNs, kernelNs: kernelNs / operations };
}

/** Ends the servers and readers of both sides. */
export async function stopSides(sides) {
  for (const { server, readers } of sides) await Promise.all([server.stop(), readers.stop()]);
}
