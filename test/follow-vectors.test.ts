/** The recorded streams: what the service sends today is what is kept, and a reader finds what is said. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { FollowedBook, type FrameChecks } from '../src/client/stream/followed-book.js';
import { strictChecks } from '../src/client/stream/strict-checks.js';
import type { Topic } from '../src/client/stream/topic.js';
import { ProtocolViolation, STREAM_RULES } from '../src/client/stream/violation.js';
import { recordCases } from './support/stream-cases.js';
import {
  type Expectation,
  sentRows,
  textOf,
  type Vector,
  vectorOf,
} from './support/stream-vectors.js';

const folder = new URL('./vectors/stream/', import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, folder), 'utf8');
const names = (): string[] => readdirSync(folder).filter((name) => name.endsWith('.jsonl'));

/** Reads a stream as a client does that asks for a snapshot after each breach. */
function found({ topic, frames }: Vector, checks?: FrameChecks): Expectation {
  const book = new FollowedBook(topic as Topic, checks);
  const breaches: { frame: number; rule: string }[] = [];
  let isWaiting = false;
  for (const [index, text] of frames.entries()) {
    const message = JSON.parse(text);
    if (isWaiting && message.type !== 'snapshot') continue;
    isWaiting = false;
    try {
      book.applyFrame(message);
    } catch (error) {
      if (!(error instanceof ProtocolViolation)) throw error;
      breaches.push({ frame: index, rule: error.rule });
      book.invalidate();
      isWaiting = true;
    }
  }
  const view = book.viewOf(true);
  if (book.resumePoint === undefined || view === undefined) return { breaches, book: null };
  const { epoch, seq, slot, state } = view;
  const [bids, asks] = [sentRows(view.bids), sentRows(view.asks)];
  return { breaches, book: { epoch, seq, slot, state, bids, asks } };
}

test('the service sends today what is kept', async () => {
  const vectors = await recordCases();
  if (process.env['UPDATE_GOLDEN'] === '1') {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    for (const one of vectors) writeFileSync(new URL(`${one.name}.jsonl`, folder), textOf(one));
  }
  expect(vectors.length).toBeGreaterThan(20);
  expect(vectors.map(({ name }) => `${name}.jsonl`).sort()).toEqual(names().sort());
  for (const vector of vectors) {
    expect(textOf(vector), vector.name).toBe(read(`${vector.name}.jsonl`));
  }
});

test.each(names())('%s, as the library reads it, strictly and not', (name) => {
  const vector = vectorOf(read(name));
  expect(found(vector, strictChecks)).toEqual(vector.expect);
  expect(found(vector)).toEqual(vector.expect);
});

test('the cases are of every channel, and of every rule that a stream can break', () => {
  const vectors = names().map((name) => vectorOf(read(name)));
  expect(new Set(vectors.map(({ topic }) => topic.channel))).toEqual(
    new Set(['book', 'bbo', 'l3']),
  );
  const broken = new Set(
    vectors.flatMap((vector) => vector.expect.breaches.map(({ rule }) => rule)),
  );
  // Silence is of the clock; the others are of frames that no service makes by accident.
  const elsewhere = ['silence', 'malformed', 'queue', 'seq'];
  expect(STREAM_RULES.filter((rule) => !broken.has(rule)).sort()).toEqual([...elsewhere].sort());
});
