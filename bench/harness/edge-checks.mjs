/** That services show the same, and how late their frames are. */
import { setTimeout as sleep } from 'node:timers/promises';
import { captured, sendAll, startReaders, subscription } from './servers.mjs';

/** Moments at which two books must be equal, and readings in which each of them must be found. */
const MOMENTS = 10;
const READINGS_MAX = 200;
const APART_MS = 50;
/** Frames of two edges that are compared. */
const FRAMES_COMPARED = 200;

/** Both show the same orders at several moments of one life; returns how many orders were compared. */
export async function sameBooks(one, other, market) {
  let checked = 0;
  for (let moment = 0; moment < MOMENTS; moment += 1) {
    checked += await sameBook(one, other, market);
    await sleep(APART_MS);
  }
  return checked;
}

/** They move on between two readings and a little apart, so that it is tried again. */
async function sameBook(one, other, market) {
  const path = `/l3?marketName=${market}`;
  for (let reading = 0; reading < READINGS_MAX; reading += 1) {
    const [ours, theirs] = await Promise.all([one, other].map((book) => book.readJson(path)));
    const [text, otherText] = [ours, theirs].map(({ bids, asks }) => JSON.stringify([bids, asks]));
    if (text === otherText) return ours.bids.length + ours.asks.length;
    await sleep(1);
  }
  throw new Error(`${one.url} and ${other.url} never showed the same book`);
}

/** Two edges send the same frames but for their links; returns how many were compared. */
export async function sameFrames(edges, market) {
  const sides = await Promise.all(edges.map((edge) => framesOf(edge, market, 2 * FRAMES_COMPARED)));
  const [one, other] = sides.map(
    ({ payloads }) => new Map(payloads.map((text) => [JSON.parse(text).seq, unlinked(text)])),
  );
  const shared = [...one.keys()].filter((seq) => other.has(seq));
  if (shared.length < FRAMES_COMPARED) throw new Error(`two edges shared ${shared.length} frames`);
  for (const seq of shared) {
    if (one.get(seq) !== other.get(seq))
      throw new Error(`frames of ${seq} differ: ${one.get(seq)}`);
  }
  return shared.length;
}

function unlinked(text) {
  const { prev, ...frame } = JSON.parse(text);
  return JSON.stringify(frame);
}

/** Milliseconds from the time that each delta names to its last byte at one reader. */
export async function latencies(service, market, count) {
  const { payloads, times } = await framesOf(service, market, count);
  const offsetMs = wallLessMonotonicMs();
  return payloads.map((text, at) => times[at] / 1e6 + offsetMs - JSON.parse(text).ts);
}

/** Deltas of one reader, and when each was there: nanoseconds of the monotonic clock. */
async function framesOf({ port }, market, count) {
  const reader = startReaders();
  await reader.ask(`connect ${port} 1 plain`);
  await sendAll(reader, subscription('book', market));
  await reader.ask('expect 1');
  await reader.ask('watch');
  await reader.ask('capture');
  await reader.ask(`expect ${count}`);
  const [payloads, { times }] = [await captured(reader), await reader.ask('times')];
  await reader.stop();
  return { payloads: payloads.slice(0, count), times: times.slice(0, count) };
}

/**
 * The wall clock's lead over the monotonic clock, measured when the wall clock ticks, because it
 * has whole milliseconds.
 */
function wallLessMonotonicMs() {
  const before = Date.now();
  let wallMs = before;
  while (wallMs === before) wallMs = Date.now();
  return wallMs - Number(process.hrtime.bigint()) / 1e6;
}
