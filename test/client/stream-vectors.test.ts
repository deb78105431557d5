/** The kept streams of test/vectors: the client's book finds what is said, and has the rows that are said. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { FollowedBook } from '../../src/client/stream/followed-book.js';
import type { Best, Topic } from '../../src/client/stream/topic.js';
import { ProtocolViolation } from '../../src/client/stream/violation.js';
import { type Vector, vectorOf } from '../support/stream-vectors.js';

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
    book: { epoch, seq, slot, state, bids: sent(view.bids), asks: sent(view.asks) },
  };
}

/** Rows as frames have them. */
function sent(rows: readonly Best[]): unknown[] {
  const plain = JSON.parse(
    JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? String(value) : value)),
  );
  return plain.map((row: Record<string, unknown>) => {
    const { price, size, sources } = row;
    if ('orderId' in row) return row;
    return sources === undefined ? [price, size] : [price, size, sources];
  });
}

test('there are streams', () => {
  expect(names.length).toBeGreaterThan(20);
});

test.each(names)('%s', (name) => {
  const vector = read(name);
  expect(found(vector)).toEqual(vector.expect);
});
