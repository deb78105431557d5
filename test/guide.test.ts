/** The guide: every document is a page of it, short enough to read, that loads its own files alone. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { LIMITS } from '../src/config/limits.js';

interface Listed {
  readonly file: string;
  readonly page: string;
}

const root = fileURLToPath(new URL('../', import.meta.url));
const built = path.join(root, 'dist/page/page/guide');
const read = (name: string): string => readFileSync(path.join(root, name), 'utf8');
const { listedDocuments } = await import(
  pathToFileURL(path.join(root, 'scripts/guide-list.mjs')).href
);
const documents: readonly Listed[] = listedDocuments(read('docs/README.md'));
const pageText = (page: string): string => readFileSync(path.join(built, `${page}.html`), 'utf8');

/** Most words of a page: a quarter of an hour. Generated lists are not read from end to end. */
const WORDS_MAX = 1_500;
const NOT_READ = ['docs/licences.md'];
/** Documents of builders, which have a length of their own. */
const OF_BUILDERS = ['ARCHITECTURE.md', 'CONTRIBUTING.md', 'src/client/README.md'];

/** The words of a document's prose and tables. */
function wordsIn(text: string): number {
  const prose = text.replace(/<!--[\s\S]*?-->/g, '').replace(/```[\s\S]*?```/g, '');
  return prose.match(/\S*[A-Za-z0-9]\S*/g)?.length ?? 0;
}

test('lists every document of docs', () => {
  const kept = readdirSync(path.join(root, 'docs'))
    .filter((name) => name.endsWith('.md') && name !== 'README.md')
    .map((name) => `docs/${name}`);
  expect(documents.length).toBeGreaterThan(kept.length);
  expect(kept.filter((name) => !documents.some(({ file }) => file === name))).toEqual([]);
  expect(new Set(documents.map(({ page }) => page)).size).toBe(documents.length);
});

test.each(documents)('$file has at most 1,500 words', ({ file }) => {
  const words = wordsIn(read(file));
  expect(words).toBeGreaterThan(50);
  if (![...NOT_READ, ...OF_BUILDERS].includes(file)) expect(words).toBeLessThanOrEqual(WORDS_MAX);
});

test.each(documents)('$page loads its own files, and each link leads somewhere', ({ page }) => {
  const text = pageText(page);
  expect(text).not.toMatch(/<style|style=|<script(?! type="module" src="guide-)/);
  const links = [...text.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, link = '']) => link);
  const own = links.filter((link) => !/^(https?:|data:|\.\.\/)/.test(link));
  expect(own.length).toBeGreaterThan(documents.length);
  const dead = own.filter((link) => {
    const [target = '', heading] = link.split('#');
    if (target.includes('.')) return !existsSync(path.join(built, target));
    const file = path.join(built, `${target === '' ? page : target}.html`);
    if (!existsSync(file)) return true;
    return heading !== undefined && !readFileSync(file, 'utf8').includes(` id="${heading}"`);
  });
  expect(dead).toEqual([]);
});

test('has no heading twice on a page', () => {
  const twice = documents.filter(({ page }) => {
    const names = [...pageText(page).matchAll(/<h\d id="([^"]+)"/g)].map(([, name]) => name);
    return new Set(names).size < names.length;
  });
  expect(twice).toEqual([]);
});

test('the search finds a part by its words', async () => {
  const name = readdirSync(built).find((file) => /^search-.*\.js$/.test(file)) ?? '';
  const { search } = await import(pathToFileURL(path.join(built, name)).href);
  const found: readonly { page: string; heading: string }[] = search('checksum snapshot');
  expect(found.map(({ page }) => page)).toContain('streaming-client');
  expect(search('auctionParams')[0]).toMatchObject({ page: 'match', heading: 'get-auctionparams' });
  expect(search('qqqqqqqqqq')).toEqual([]);
});

test('fits the limits of the files of the page', () => {
  const files = readdirSync(path.join(root, 'dist/page'), { recursive: true, encoding: 'utf8' });
  expect(files.filter((name) => !name.endsWith('.gz')).length).toBeLessThan(LIMITS.pageFilesMax);
});
