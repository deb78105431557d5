/** A decoder of frames as bytes that was written from docs/binary.md alone, in another language, reads the vectors. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { FrameDecoder } from '../src/client/binary/index.js';

const PYTHON = '/usr/bin/python3';
const DECODER = fileURLToPath(new URL('python/binary.py', import.meta.url));
const vectorsOf = (name: string): string =>
  fileURLToPath(new URL(`vectors/binary/${name}.jsonl`, import.meta.url));

test.each(['frames', 'exact'])('the vectors of %s, and nothing of a frame that is cut', (name) => {
  const lines = readFileSync(vectorsOf(name), 'utf8').trimEnd().split('\n');
  const decoder = new FrameDecoder();
  for (const line of lines) {
    const { hex, frame } = JSON.parse(line);
    expect(decoder.decodeFrame(Buffer.from(hex, 'hex'))).toEqual(frame);
  }
  const report = execFileSync(PYTHON, ['-B', DECODER, vectorsOf(name)], { encoding: 'utf8' });
  expect(JSON.parse(report)).toMatchObject({ frames: lines.length, different: [], cutTaken: 0 });
});
