/**
 * Row 5: what it costs to bring one frame to one reader of the compatible channel, against the
 * incumbent's way of making text for each subscriber over `ws`. The same frames, byte for byte.
 */
import { rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { workloadFile } from '../workload/files.mjs';
import { cpuNsOf } from './cpu.mjs';
import { timeInTurns } from './rounds.mjs';
import { sendAll, startLoad, startServer } from './servers.mjs';

const WORKLOAD = 'powerlaw-8-markets';
const READERS = 500;
/**
 * Different turns that the peer sends over and over; ours makes each one anew. They are more bytes
 * than a compressor looks back.
 */
const TURNS_KEPT = 12;

/** Turns of a round: about half a second of CPU time, and more where a turn is long. */
const ROWS = [
  { topics: 8, deflate: 'plain', bar: 25, wish: null, turns: { ours: 60, peer: 10 } },
  { topics: 1, deflate: 'plain', bar: 4, wish: null, turns: { ours: 300, peer: 60 } },
  { topics: 8, deflate: 'deflate', bar: null, wish: 100, turns: { ours: 60, peer: 5 } },
  { topics: 1, deflate: 'deflate', bar: null, wish: null, turns: { ours: 300, peer: 20 } },
];

/** Row 5 of the compatible channel. */
export async function channelFanOut(bench) {
  const results = [];
  for (const row of ROWS) results.push(await against(bench, row));
  return results;
}

async function against(bench, { topics, deflate, bar, wish, turns }) {
  const ours = await openOurs(topics);
  const frames = await captureTurns(ours);
  const peer = await openPeer({ frames, deflate });
  if (deflate === 'plain') await requireSameBytes(peer, frames);
  const times = await timeInTurns({
    ours: () => measured(ours, turns.ours),
    peer: () => measured(peer, turns.peer),
    warmUp: [() => measured(ours, turns.ours), () => measured(peer, turns.peer)],
    rounds: bench.rounds,
    judge: 'cpu',
  });
  for (const side of [ours, peer]) await Promise.all([side.server.stop(), side.readers.stop()]);
  const bytes = Math.round(
    frames.flat().reduce((sum, { length }) => sum + length, 0) / frames.flat().length,
  );
  const how = deflate === 'deflate' ? ' with permessage-deflate' : '';
  return {
    row: 5,
    work: `a frame of ${bytes} bytes to one of ${READERS} readers, ${topics} topics a turn`,
    workload: WORKLOAD,
    against: `text for each subscriber over ws${how}`,
    checked: frames.flat().length,
    ...times,
    bar,
    wish,
    better: 'higher',
  };
}

async function openOurs(topics) {
  const server = startServer('book-server');
  const { markets } = await server.ask(`load ${workloadFile(WORKLOAD)}`);
  const { port } = await server.ask('listen');
  const readers = startLoad('readers');
  await readers.ask(`connect ${port} ${READERS} plain`);
  for (const market of markets.slice(0, topics)) {
    await sendAll(readers, { type: 'subscribe', channel: 'orderbook', marketType: 'perp', market });
  }
  await readers.ask(`expect ${READERS * topics}`);
  return { server, readers, topics, turn: `turn ${topics}` };
}

/** What one reader gets in some turns: a list of frames a turn. */
async function captureTurns({ server, readers, topics, turn }) {
  const turns = [];
  for (let at = 0; at < TURNS_KEPT; at += 1) {
    await readers.ask('capture');
    await server.ask(turn);
    await readers.ask(`expect ${READERS * topics}`);
    const { payloads } = await readers.ask('captured');
    turns.push(payloads.map((payload) => Buffer.from(payload, 'base64').toString()));
  }
  return turns;
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
  const readers = startLoad('readers');
  await readers.ask(`connect ${port} ${READERS} ${deflate}`);
  for (const { channel } of turns[0]) await sendAll(readers, { channel });
  await server.ask(`subscribed ${READERS * turns[0].length}`);
  return { server, readers, topics: turns[0].length, turn: 'turn' };
}

/** The peer sends what ours sent, in the same sequence. */
async function requireSameBytes(peer, frames) {
  const sent = await captureTurns(peer);
  if (JSON.stringify(sent) === JSON.stringify(frames)) return;
  throw new Error('the readers of the two sides get different bytes');
}

/** Turns one after the other, each until every reader has every frame of it. */
async function measured({ server, readers, topics, turn }, turns) {
  const [cpu, wall] = [cpuNsOf(server.pid), process.hrtime.bigint()];
  for (let at = 0; at < turns; at += 1) {
    await server.ask(turn);
    await readers.ask(`expect ${READERS * topics}`);
  }
  const wallNs = Number(process.hrtime.bigint() - wall);
  return { operations: turns * READERS * topics, wallNs, cpuNs: cpuNsOf(server.pid) - cpu };
}
