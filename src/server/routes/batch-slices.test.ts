/** A batch that takes longer than its share of a turn of the event loop. */
import { expect, test } from 'vitest';
import { until } from '../../../test/support/until.js';
import { LIMITS } from '../../config/limits.js';
import type { L2Request } from '../../contract/book-requests.js';
import type { MarketVersion } from '../../contract/book-source.js';
import { FakeBook, startServer } from '../testing/running-server.js';

const PARTS = 30;

/** Each body takes as long as a turn may, and says the version of its market. */
class SlowBook extends FakeBook {
  versions: MarketVersion[] = [];
  onMade: (count: number) => void = () => {};
  made = 0;

  override version(market = 0): MarketVersion {
    return this.versions[market] ?? this.current;
  }

  override l2({ market }: L2Request): Uint8Array {
    const endMs = performance.now() + LIMITS.largeBodySliceMs;
    while (performance.now() < endMs);
    const body = Buffer.from(JSON.stringify(this.version(market)));
    this.made += 1;
    this.onMade(this.made);
    return body;
  }
}

const book = new SlowBook();

const server = await startServer(book);

const names = Array.from({ length: PARTS }, (_, index) => (index % 2 === 0 ? 'SOL-PERP' : 'SOL'));

async function ask(headers: Record<string, string> = {}) {
  book.made = 0;
  const response = await fetch(`${server.url}/batchL2?marketName=${names}`, { headers });
  const text = await response.text();
  const versions: readonly MarketVersion[] = text === '' ? [] : JSON.parse(text).l2s;
  const etag = response.headers.get('etag') ?? '';
  return { status: response.status, versions, etag, slot: response.headers.get('x-slot') };
}

const old: MarketVersion = { seq: 0, slot: 9, state: 'live', auctions: 0 };
const first: MarketVersion = { seq: 1, slot: 10, state: 'live', auctions: 0 };
const next: MarketVersion = { seq: 2, slot: 11, state: 'live', auctions: 0 };

test('shows each part as it was when it was made, under a tag of its own', async () => {
  book.versions = [old, old];
  const before = await ask();
  expect(before.versions).toEqual(names.map(() => old));
  book.versions = [first, first];
  book.onMade = (count) => {
    if (count === PARTS / 2) book.versions = [next, next];
  };
  const mixed = await ask();
  book.onMade = () => {};
  expect(mixed.versions).toEqual(names.map((_, index) => (index < PARTS / 2 ? first : next)));
  expect(mixed.slot).toBe('10');
  const after = await ask();
  expect(new Set([before.etag, mixed.etag, after.etag]).size).toBe(3);
  expect((await ask({ 'If-None-Match': mixed.etag })).status).toBe(200);
  expect((await ask({ 'If-None-Match': after.etag })).status).toBe(304);
});

test('equal batches of one version are made once', async () => {
  const { versions } = await ask();
  expect(versions).toHaveLength(PARTS);
  book.made = 0;
  const answers = await Promise.all([ask(), ask()]);
  expect(book.made).toBe(0);
  for (const answer of answers) expect(answer.versions).toEqual(versions);
});

test('a small book does not wait behind batches', async () => {
  let small = -1;
  book.versions = [{ seq: 200, slot: 11, state: 'live', auctions: 0 }, next];
  book.onMade = (count) => {
    book.versions = [{ seq: count + 200, slot: 11, state: 'live', auctions: 0 }, next];
  };
  book.made = 0;
  const batches = Promise.all(Array.from({ length: 5 }, () => ask()));
  await until(() => book.made > 0);
  await fetch(`${server.url}/l2?marketName=SOL`).then(() => {
    small = book.made;
  });
  await batches;
  book.onMade = () => {};
  expect(small).toBeGreaterThan(0);
  expect(small).toBeLessThan(5 * PARTS);
});

test('others are answered meanwhile, and two batches one after the other', async () => {
  const seen: number[] = [];
  // Both are new, as the books change under each.
  book.versions = [first, next];
  book.onMade = (count) => {
    book.versions = [{ seq: count + 2, slot: 11, state: 'live', auctions: 0 }, next];
  };
  const both = [ask(), ask()];
  for (const path of ['/health', '/markets']) {
    expect((await fetch(server.url + path)).status).toBe(200);
    seen.push(book.made);
  }
  const answers = await Promise.all(both);
  book.onMade = () => {};
  expect(book.made).toBe(2 * PARTS);
  expect(Math.max(...seen)).toBeLessThan(2 * PARTS);
  for (const { versions } of answers) expect(versions).toHaveLength(PARTS);
});
