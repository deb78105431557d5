/** The bundled library in a browser. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundle } from '../support/client-bundle.js';
import { writeLife } from '../support/life-journal.js';
import { BrowserPage, chromiumMissing } from '../support/peers.js';
import { ServiceChild } from '../support/service-child.js';
import { until } from '../support/until.js';

/** Hundreds are usual; a busy machine puts many changes into one. */
const UPDATES_MIN = 10;
/** The book stays live when its recording is over. */
const FLAGS = ['--lagging-after-ms', '600000', '--stale-after-ms', '900000'];

let folder: string;
let service: ServiceChild | undefined;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'slotbook-bundle-'));
  const journal = path.join(folder, 'life');
  writeLife(journal, { seed: 8, changes: 1_500, changesPerSecond: 500, leadMs: 10_000 });
});

afterAll(async () => {
  await service?.stop();
  await rm(folder, { recursive: true, force: true });
});

test('the bundle follows a book, and has the book of /l2', async (context) => {
  const missing = chromiumMissing();
  if (missing !== undefined) context.skip(missing);
  const code = await bundle(['HttpClient', 'StreamClient', 'OrderBookCache']);
  const browser = await BrowserPage.open();
  try {
    // A browser takes its time, and the journal does not wait for it.
    const child = await ServiceChild.replay(path.join(folder, 'life'), FLAGS);
    service = child;
    await browser.page.evaluate(`(${FOLLOW})(${JSON.stringify({ code, url: child.url })})`);
    const isOver = () => child.stderr.includes('replay ended');
    await until(isOver);
    const seen = await browser.page.evaluate(`compare()`);
    expect(seen).toMatchObject({ isEqual: true, healed: [] });
    expect((seen as { updates: number }).updates).toBeGreaterThan(UPDATES_MIN);
  } finally {
    await browser.close();
  }
});

/** What the page does: it shows the library's book, and compares it with the answer of /l2. */
const FOLLOW = `async ({ code, url }) => {
  const file = URL.createObjectURL(new Blob([code], { type: 'text/javascript' }));
  const { HttpClient, StreamClient, OrderBookCache } = await import(file);
  const healed = [];
  const http = new HttpClient({ url });
  const stream = new StreamClient({ url, silenceMsMax: 60_000, onRepair: ({ rule }) => healed.push(rule) });
  const book = new OrderBookCache(stream);
  let updates = 0;
  const first = new Promise((resolve) => book.onUpdate(() => resolve(updates += 1)));
  book.updateSubscription({ market: 'SOL-PERP', depth: 20, grouping: 10 });
  await first;
  const asText = (value) => JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? String(one) : one));
  globalThis.compare = async () => {
    for (let attempt = 0; attempt < 1_200; attempt += 1) {
      const query = { marketName: 'SOL-PERP', depth: 20, grouping: 10, includeVamm: true };
      const { bids, asks, bestBidPrice, bestAskPrice } = await http.l2(query);
      const { store } = book;
      const shown = [store.bids, store.asks, store.bestBidPrice, store.bestAskPrice];
      if (asText(shown) === asText([bids, asks, bestBidPrice, bestAskPrice])) {
        return { isEqual: true, updates, healed };
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return { isEqual: false, updates, healed, store: asText(book.store) };
  };
}`;
