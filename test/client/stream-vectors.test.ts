/** The kept streams of test/vectors: the client's book finds what is said, and has the rows that are said. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { FollowedBook } from '../../src/client/stream/followed-book.js';
import type { Topic } from '../../src/client/stream/topic.js';
import { ProtocolViolation } from '../../src/client/stream/violation.js';
import { sentRows, type Vector, vectorOf } from '../support/stream-vectors.js';

const folder = new URL('../vectors/stream/', import.meta.url);
const names = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
const read = (name: string): Vector => vectorOf(readFileSync(new URL(name, folder), 'utf8'));

/** Reads a stream as a client does that asks for a snapshot after each breach. */
function found({ topic, frames }: Vector) {
  const book = new FollowedBook(topic as Topic);
  const breaches: { frame: number; rule: string }[] = [];
  let isWaiting = false;
  for (const [frame, text] of frames.entries()) {
    const message = JSON.parse(text);
    if (isWaiting && message.type !== 'snapshot') continue;
    isWaiting = false;
    try {
      book.applyFrame(message);
    } catch (error) {
      if (!(error instanceof ProtocolViolation)) throw error;
      breaches.push({ frame, rule: error.rule });
      book.invalidate();
      isWaiting = true;
    }
  }
  const view = book.viewOf(true);
  if (book.resumePoint === undefined || view === undefined) return { breaches, book: null };
  const { epoch, seq, slot, state } = view;
  return {
    breaches,
    book: { epoch, seq, slot, state, bids: sentRows(view.bids), asks: sentRows(view.asks) },
  };
}

test('there are streams', () => {
  expect(names.length).toBeGreaterThan(20);
});

test.each(names)('%s', (name) => {
  const vector = read(name);
  expect(found(vector)).toEqual(vector.expect);
});
