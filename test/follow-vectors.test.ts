/** The recorded streams: what the service sends today is what is kept, and a reader finds what is said. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Breach, RULES } from '../src/follow/breach.js';
import { FollowedBook } from '../src/follow/followed-book.js';
import { frameOf } from '../src/follow/frame.js';
import { Members } from '../src/follow/members.js';
import { recordCases } from './support/stream-cases.js';
import { type Expectation, textOf, type Vector, vectorOf } from './support/stream-vectors.js';

const folder = new URL('./vectors/stream/', import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, folder), 'utf8');
const names = (): string[] => readdirSync(folder).filter((name) => name.endsWith('.jsonl'));

if (process.env['UPDATE_GOLDEN'] === '1') {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const one of await recordCases()) {
    writeFileSync(new URL(`${one.name}.jsonl`, folder), textOf(one));
  }
}

/** Reads a stream as a client does that asks for a snapshot after each breach. */
function found({ topic, frames }: Vector): Expectation {
  const book = new FollowedBook(topic);
  const breaches: { frame: number; rule: string }[] = [];
  let isWaiting = false;
  for (const [index, text] of frames.entries()) {
    const message = Members.parse(text);
    if (isWaiting && message.get('type') !== 'snapshot') continue;
    isWaiting = false;
    try {
      book.apply(frameOf(message, topic.channel));
    } catch (error) {
      if (!(error instanceof Breach)) throw error;
      breaches.push({ frame: index, rule: error.rule });
      book.forget();
      isWaiting = true;
    }
  }
  const { point, slot, state } = book;
  if (!book.intact || point === undefined) return { breaches, book: null };
  const [bids, asks] = [book.bids, book.asks].map(({ rows }) => rows.map(({ sent }) => sent));
  return { breaches, book: { ...point, slot, state, bids: bids ?? [], asks: asks ?? [] } };
}

test('the service sends today what is kept', async () => {
  const vectors = await recordCases();
  expect(vectors.map(({ name }) => `${name}.jsonl`).sort()).toEqual(names().sort());
  for (const vector of vectors) {
    expect(textOf(vector), vector.name).toBe(read(`${vector.name}.jsonl`));
  }
});

test.each(names())('%s', (name) => {
  const vector = vectorOf(read(name));
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
  expect(RULES.filter((rule) => !broken.has(rule)).sort()).toEqual([...elsewhere].sort());
});
