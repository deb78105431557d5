/**
 * The row `binary` in JavaScript: frames as bytes decoded by the library, against `JSON.parse` of the JSON frames that say
 * the same; the results are found equal first, and timed by tinybench in turns. Prints one JSON line a topic.
 * `node --expose-gc bench/client/binary-suite.mjs ROUNDS`, after `npm run build`.
 */
import { deepStrictEqual } from 'node:assert';
import { readFileSync } from 'node:fs';
import { FrameDecoder } from '../../src/client/dist/binary/index.js';
import { suiteInTurns } from '../harness/suite.mjs';

const VECTORS = new URL('../../test/vectors/binary/', import.meta.url);
/** Frames of a round: enough to make the runtime's background work negligible. */
const FRAMES = 180_000;
const rounds = Number(process.argv[2] ?? 7);
const decoder = new FrameDecoder();

/** A file's frames grouped by work; frames without a work in `workOf` are omitted. */
function readFrames(name, workOf) {
  const lines = readFileSync(new URL(name, VECTORS), 'utf8').trimEnd().split('\n');
  const frames = lines.map((line) => {
    const { hex, frame } = JSON.parse(line);
    const bytes = Uint8Array.from(Buffer.from(hex, 'hex'));
    deepStrictEqual(decoder.decodeFrame(bytes), frame);
    return { bytes, text: JSON.stringify(frame), work: workOf(frame) };
  });
  const works = new Set(frames.map(({ work }) => work));
  works.delete(undefined);
  return [...works].map((work) => [work, frames.filter((frame) => frame.work === work)]);
}

async function timeFrames(name, work, frames) {
  const repeats = FRAMES / frames.length;
  const repeat = (decode) => () => {
    for (let at = 0; at < repeats; at += 1) for (const frame of frames) decode(frame);
  };
  const timed = await suiteInTurns({
    ours: { run: repeat(({ bytes }) => decoder.decodeFrame(bytes)), operations: FRAMES },
    peer: { run: repeat(({ text }) => JSON.parse(text)), operations: FRAMES },
    rounds,
  });
  const bytesOf = (side) => frames.reduce((sum, one) => sum + one[side].length, 0) / frames.length;
  const [bytes, jsonBytes] = [bytesOf('bytes'), bytesOf('text')].map(Math.round);
  const result = {
    work: `read ${work}, ${bytes} bytes`,
    data: `test/vectors/binary/${name}`,
    against: `JSON.parse of ${jsonBytes} bytes`,
    checked: frames.length,
    ...timed,
  };
  process.stdout.write(`${JSON.stringify(result)}\n`);
}

const FILES = [
  ['frames.jsonl', ({ type, topic }) => (type === 'delta' ? `a delta of ${topic}` : undefined)],
];
for (const [name, workOf] of FILES) {
  for (const [work, frames] of readFrames(name, workOf)) await timeFrames(name, work, frames);
}
