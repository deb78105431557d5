/** The bundled library: how large it is, that nothing of Node.js is in it, and that a browser runs it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeLife } from '../support/life-journal.js';
import { BrowserPage, chromiumMissing } from '../support/peers.js';
import { ServiceChild } from '../support/service-child.js';
import { until } from '../support/until.js';

const sources = fileURLToPath(new URL('../../src/client/', import.meta.url));
/** What a page that shows a book and a chart may be asked to load. */
const BOOK_AND_CANDLES_BYTES_MAX = 12 * 1_024;
/** What reads bytes, which a page loads with its first connection, unless it asks for JSON. */
const BINARY_BYTES_MAX = 6_000;
/** Hundreds are usual; a busy machine puts many changes into one. */
const UPDATES_MIN = 10;
/** The book stays live when its recording is over. */
const FLAGS = ['--lagging-after-ms', '600000', '--stale-after-ms', '900000'];

interface Bundle {
  /** What is loaded first: the entry, and what it imports. */
  readonly first: readonly string[];
  /** What is loaded when it is needed. */
  readonly later: readonly string[];
}

/** The files that a bundler with splitting makes. */
async function split(names: readonly string[], from = './index.js'): Promise<Bundle> {
  const contents = `export { ${names.join(', ')} } from '${from}';`;
  const options = { bundle: true, minify: true, format: 'esm', write: false } as const;
  const stdin = { contents, resolveDir: sources, loader: 'ts' } as const;
  const chunks = { splitting: true, outdir: sources, metafile: true } as const;
  const target = { target: 'es2022', platform: 'browser' } as const;
  const result = await build({ stdin, ...options, ...chunks, ...target });
  expect(result.warnings).toEqual([]);
  const { outputs } = result.metafile;
  const first = new Set(Object.keys(outputs).filter((name) => name.endsWith('stdin.js')));
  for (const name of first) {
    const imports = outputs[name]?.imports ?? [];
    for (const { kind, path } of imports) if (kind === 'import-statement') first.add(path);
  }
  const [firstTexts, laterTexts]: [string[], string[]] = [[], []];
  for (const { path: file, text } of result.outputFiles) {
    const isFirst = [...first].some((name) => path.basename(name) === path.basename(file));
    (isFirst ? firstTexts : laterTexts).push(text);
  }
  return { first: firstTexts, later: laterTexts };
}

/** All in one file. */
async function bundle(names: readonly string[], from = './index.js'): Promise<string> {
  const contents = `export { ${names.join(', ')} } from '${from}';`;
  const options = { bundle: true, minify: true, format: 'esm', write: false } as const;
  const stdin = { contents, resolveDir: sources, loader: 'ts' } as const;
  const result = await build({ stdin, ...options, target: 'es2022', platform: 'browser' });
  expect(result.warnings).toEqual([]);
  return result.outputFiles[0]?.text ?? '';
}

const gzippedBytes = (...texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + gzipSync(text, { level: 9 }).length, 0);

describe('what is not used is not loaded', () => {
  test('book and candle clients together are below 12 kB', async () => {
    const { first, later } = await split(['StreamClient', 'OrderBookCache', 'CandleClient']);
    const [bytes, laterBytes] = [gzippedBytes(...first), gzippedBytes(...later)];
    process.stdout.write(`book and candle clients: ${bytes} B gzipped, later ${laterBytes} B\n`);
    expect(bytes).toBeLessThan(BOOK_AND_CANDLES_BYTES_MAX);
    expect(later).toHaveLength(1);
    expect(laterBytes).toBeLessThan(BINARY_BYTES_MAX);
  });

  test.each([
    [['StreamClient'], 7_000],
    [['CandleClient'], 8_000],
    [['HttpClient'], 5_750],
    [['MarkPriceCache', 'OraclePriceCache'], 1_500],
    [['parsePrice', 'formatPrice', 'ClientError'], 1_200],
  ])('%j', async (names, bytesMax) => {
    expect(gzippedBytes(...(await split(names)).first)).toBeLessThan(bytesMax);
  });

  test('books of the past', async () => {
    const { first } = await split(['PastBook'], './replay/index.js');
    expect(gzippedBytes(...first)).toBeLessThan(8_000);
  });

  test('nothing of the chain or of accounts is in the main entry', async () => {
    const all = await bundle(['HttpClient', 'StreamClient', 'CandleClient', 'PriceFeed']);
    expect(all).not.toMatch(/liquidation|getProgramAccounts/);
  });
});

describe('in a browser', () => {
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
