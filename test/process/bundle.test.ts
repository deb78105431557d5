/** The bundled library: how large it is, and that nothing of Node.js is in it. */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { bundle, bundleOf } from '../support/client-bundle.js';

const sources = fileURLToPath(new URL('../../src/client/', import.meta.url));
/** What a page that shows a book and a chart may be asked to load. */
const BOOK_AND_CANDLES_BYTES_MAX = 12_400;
/** What a page that loads a whole entry loads. */
const ENTRY_BYTES_MAX = 32 * 1_024;
/** What reads bytes, which a page loads with its first connection, unless it asks for JSON. */
const BINARY_BYTES_MAX = 6_000;

/** What proves books, which a page loads with the first key. */
const PROOF_BYTES_MAX = 3_500;

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

const gzippedBytes = (...texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + gzipSync(text, { level: 9 }).length, 0);

describe('what is not used is not loaded', () => {
  test('book and candle clients together are below 12.4 kB', async () => {
    const { first, later } = await split(['StreamClient', 'OrderBookCache', 'CandleClient']);
    const [bytes, laterBytes] = [gzippedBytes(...first), gzippedBytes(...later)];
    process.stdout.write(`book and candle clients: ${bytes} B gzipped, later ${laterBytes} B\n`);
    expect(bytes).toBeLessThan(BOOK_AND_CANDLES_BYTES_MAX);
    // What reads bytes, what proves books, and what the two share.
    expect(later.length).toBeLessThanOrEqual(3);
    expect(laterBytes).toBeLessThan(BINARY_BYTES_MAX + PROOF_BYTES_MAX);
  });

  test.each([
    [['StreamClient'], 7_100],
    [['CandleClient'], 8_000],
    [['HttpClient'], 5_850],
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

test.each(['', '/accounts', '/chain', '/replay', '/binary'])(
  '@slotbook/client%s as a whole is not larger than it has to be',
  async (entry) => {
    const bytes = gzippedBytes(await bundleOf(`export * from '@slotbook/client${entry}';`));
    process.stdout.write(`@slotbook/client${entry}: ${bytes} bytes gzipped\n`);
    expect(bytes).toBeGreaterThan(1_000);
    expect(bytes).toBeLessThan(ENTRY_BYTES_MAX);
  },
);

function accountBundle(names: readonly string[]): Promise<string> {
  return bundleOf(`export { ${names.join(', ')} } from './accounts/index.js';`);
}

describe('what is loaded of the accounts', () => {
  test.each([
    [['decodeUser'], 3_500],
    [['decodePerpMarket'], 3_500],
    [['orderLabel', 'isSignedMsgOrder'], 700],
    [['AccountCache', 'decodeUser', 'decodePerpMarket', 'decodeSpotMarket'], 14_000],
  ])('%j is not larger than it has to be', async (names, bytesMax) => {
    expect(gzippedBytes(await accountBundle(names))).toBeLessThan(bytesMax);
  });

  test('who decodes users does not load what is shown of them, nor markets', async () => {
    const text = await accountBundle(['decodeUser']);
    expect(text).toContain('lastActiveSlot');
    expect(text).not.toMatch(/marginInfo|pegMultiplier|insuranceFund/);
  });
});
