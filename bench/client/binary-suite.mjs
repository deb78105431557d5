/**
 * The row `binary` in JavaScript: frames as bytes decoded by the library, against `JSON.parse` of the JSON frames that say
 * the same; the results are found equal first, and timed by tinybench in turns. Prints one JSON line a topic.
 * `node --expose-gc bench/client/binary-suite.mjs ROUNDS`, after `npm run build`.
 */
import { deepStrictEqual } from 'node:assert';
import { readFileSync } from 'node:fs';
import { FrameDecoder } from '../../src/client/dist/binary/index.js';
import { suiteInTurns } from '../harness/suite.mjs';

const VECTORS = new URL('../../test/vectors/binary/frames.jsonl', import.meta.url);
/** Frames of a round: so many that what the runtime does beside them is nothing. */
const FRAMES = 180_000;
const rounds = Number(process.argv[2] ?? 7);

const vectors = readFileSync(VECTORS, 'utf8').trimEnd().split('\n').map(JSON.parse);
const decoder = new FrameDecoder();
const frames = vectors.map(({ hex, frame }) => {
  const bytes = Uint8Array.from(Buffer.from(hex, 'hex'));
  deepStrictEqual(decoder.decodeFrame(bytes), frame);
  return { bytes, text: JSON.stringify(frame), topic: frame.topic, type: frame.type };
});

for (const topic of new Set(frames.map((frame) => frame.topic))) {
  const deltas = frames.filter((frame) => frame.topic === topic && frame.type === 'delta');
  if (deltas.length === 0) continue;
  const repeats = FRAMES / deltas.length;
  const repeat = (decode) => () => {
    for (let at = 0; at < repeats; at += 1) for (const frame of deltas) decode(frame);
  };
  const timed = await suiteInTurns({
    ours: { run: repeat(({ bytes }) => decoder.decodeFrame(bytes)), operations: FRAMES },
    peer: { run: repeat(({ text }) => JSON.parse(text)), operations: FRAMES },
    rounds,
  });
  const bytesOf = (name) => deltas.reduce((sum, one) => sum + one[name].length, 0) / deltas.length;
  const [bytes, jsonBytes] = [bytesOf('bytes'), bytesOf('text')].map(Math.round);
  const result = {
    work: `read a delta of ${topic}, ${bytes} bytes`,
    data: 'test/vectors/binary/frames.jsonl',
    against: `JSON.parse of ${jsonBytes} bytes`,
    checked: deltas.length,
    ...timed,
  };
  process.stdout.write(`${JSON.stringify(result)}\n`);
}
