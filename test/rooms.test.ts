import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

/**
 * The rooms of src/ import one way. A file's room is its first folder below src; a file directly in
 * src is its own room. Tests and their helpers may reach further and are not judged.
 */
const sourceFolder = fileURLToPath(new URL('../src/', import.meta.url));

/** What each room may import besides itself. A room that is not listed here fails the test. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  'backfills.ts': ['config.ts', 'history'],
  'build-info.ts': [],
  'cli-options.ts': ['config.ts'],
  'cli.ts': ['backfills.ts', 'cli-options.ts', 'config.ts', 'follow', 'main.ts', 'match'],
  'config-error.ts': [],
  'config-history.ts': ['config-error.ts', 'limits.ts', 'setting-reader.ts'],
  'config-quotes.ts': ['config-error.ts', 'public-key.ts', 'setting-reader.ts'],
  'config-aggregator.ts': ['config-error.ts', 'limits.ts', 'setting-reader.ts'],
  'config.ts': [
    'config-aggregator.ts',
    'config-error.ts',
    'config-history.ts',
    'config-quotes.ts',
    'limits.ts',
    'public-key.ts',
    'setting-reader.ts',
  ],
  'external-venues.ts': ['config.ts', 'venues'],
  'feeds.ts': ['config.ts', 'engine', 'feed', 'limits.ts', 'rpc'],
  'histories.ts': ['config.ts', 'history', 'limits.ts', 'rpc'],
  'limits.ts': [],
  'main.ts': [
    'build-info.ts',
    'config.ts',
    'engine',
    'external-venues.ts',
    'feeds.ts',
    'histories.ts',
    'limits.ts',
    'rpc',
    'server',
    'sim',
    'verify',
  ],
  client: [],
  engine: [],
  feed: ['config.ts', 'engine', 'limits.ts', 'rpc'],
  follow: [],
  history: ['config.ts', 'engine', 'limits.ts', 'rpc'],
  match: [],
  'public-key.ts': ['limits.ts'],
  rpc: ['config.ts', 'limits.ts'],
  server: ['build-info.ts', 'config.ts', 'limits.ts', 'public-key.ts'],
  'setting-reader.ts': ['config-error.ts', 'limits.ts'],
  sim: ['config.ts', 'limits.ts'],
  venues: ['limits.ts', 'rpc'],
  verify: [],
};

/** Packages and globals that exactly one place may touch. */
const exclusive = [
  { what: 'the addon', pattern: /#addon|crates\/node|\.node['"]/, only: /^engine\// },
  { what: 'uWebSockets.js', pattern: /from 'uWebSockets\.js'/, only: /^server\/uws\.ts$/ },
  {
    what: 'the environment',
    pattern: /process\.env\b/,
    only: /^config\.ts$|^server\/transport-setting\.ts$/,
  },
];

/** The crates from left to right: each may depend on those before it. */
const crates = ['protocol', 'book', 'matching', 'wire', 'node'];

interface SourceFile {
  readonly name: string;
  readonly text: string;
}

const files = readSources();

function readSources(): readonly SourceFile[] {
  return readdirSync(sourceFolder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !/(\.test|(^|\/)testing)\.ts$/.test(name))
    .filter((name) => !name.startsWith('client/dist/'))
    .map((name) => ({ name, text: readFileSync(path.join(sourceFolder, name), 'utf8') }));
}

/** Everything a source text imports or re-exports, static and dynamic. */
function importsOf(text: string): readonly string[] {
  const pattern = /(?:\bfrom\s*|\bimport\s*\(?\s*)['"]([^'"]+)['"]/g;
  return [...text.matchAll(pattern)].map((match) => match[1] ?? '');
}

/** The crates of the project that a crate's manifest names for its own code, tests aside. */
function cratesUsedBy(crate: string): readonly string[] {
  const manifest = readFileSync(new URL(`../crates/${crate}/Cargo.toml`, import.meta.url), 'utf8');
  const dependencies = /^\[dependencies\]\n((?:(?!\[).*\n?)*)/m.exec(manifest)?.[1] ?? '';
  return [...dependencies.matchAll(/^slotbook-(\w+)/gm)].map((match) => match[1] ?? '');
}

function roomOf(name: string): string {
  return name.split('/')[0] ?? name;
}

/** Breaches of the one-way rule in one file, as readable lines. */
function breachesIn({ name, text }: SourceFile): readonly string[] {
  const room = roomOf(name);
  const rules = allowed[room];
  if (rules === undefined) return [`${name}: the room ${room} has no rule in this test`];
  return importsOf(text)
    .filter((target) => target.startsWith('.'))
    .map((target) => path.posix.join(path.posix.dirname(name), target).replace(/\.js$/, '.ts'))
    .filter((target) => roomOf(target) !== room && !rules.includes(roomOf(target)))
    .map((target) => `${name} imports ${target}`);
}

/** The entry points of the client by folder, and the folders that each may use besides its own. */
const entryPoints: Readonly<Record<string, readonly string[]>> = {
  '': [],
  accounts: [''],
  chain: ['', 'accounts'],
};

/** The folders of the entry point `.`, whose bundler takes of it what is used. */
const mainFolders = ['caches', 'candles', 'channels', 'http', 'stream', 'trades'];

function entryPointOf(name: string): string {
  const parts = name.split('/');
  const folder = parts.length > 2 ? (parts[1] ?? '') : '';
  return mainFolders.includes(folder) ? '' : folder;
}

/** Imports by which one entry point of the client pulls in another. */
function breachesOfEntryPoints({ name, text }: SourceFile): readonly string[] {
  const own = entryPointOf(name);
  const rules = entryPoints[own];
  if (rules === undefined) return [`${name}: the folder ${own} is no entry point`];
  return importsOf(text)
    .map((target) => path.posix.join(path.posix.dirname(name), target))
    .filter((target) => ![own, ...rules].includes(entryPointOf(target)))
    .map((target) => `${name} imports ${target}`);
}

const client = files.filter(({ name }) => roomOf(name) === 'client');

describe('rooms', () => {
  test('every room imports only what is to its left', () => {
    expect(files.length).toBeGreaterThan(0);
    expect(files.flatMap(breachesIn)).toEqual([]);
  });

  test('every crate uses only what is to its left', () => {
    const folders = readdirSync(new URL('../crates/', import.meta.url));
    expect([...folders].sort()).toEqual([...crates].sort());
    for (const [place, crate] of crates.entries()) {
      const left = crates.slice(0, place);
      expect(cratesUsedBy(crate).filter((used) => !left.includes(used))).toEqual([]);
      expect(cratesUsedBy(crate).length > 0).toBe(place > 0);
    }
  });

  test.each(exclusive)('$what is touched in one place only', ({ pattern, only }) => {
    const touching = files.filter(({ text }) => pattern.test(text)).map(({ name }) => name);
    expect(touching.filter((name) => !only.test(name))).toEqual([]);
  });

  test('the client imports nothing but itself', () => {
    const outside = client.flatMap(({ text }) => importsOf(text)).filter((to) => to[0] !== '.');
    expect(client.length).toBeGreaterThan(0);
    expect(outside).toEqual([]);
  });

  test('the client is compiled with the globals of the web and nothing of Node', () => {
    const config = readFileSync(new URL('client/tsconfig.json', `file://${sourceFolder}`), 'utf8');
    const { compilerOptions } = JSON.parse(config);
    expect(compilerOptions).toMatchObject({ types: [], lib: ['ES2022', 'DOM'] });
  });

  test('who imports one entry point of the client does not get the others', () => {
    expect(client.flatMap(breachesOfEntryPoints)).toEqual([]);
    const text = "import { decodeUser } from './accounts/user.js';";
    expect(breachesOfEntryPoints({ name: 'client/book.ts', text })).toHaveLength(1);
  });

  test.each([
    ['feed/live.ts', "import { x } from '../server/http.js';"],
    ['server/http.ts', "import type { Engine } from '../engine/engine.js';"],
    ['history/worker.ts', "await import('../feed/live.js');"],
    ['client/book.ts', "export * from '../config.js';"],
    ['venues/venue.ts', "import type { Engine } from '../engine/engine.js';"],
    ['utils/text.ts', ''],
  ])('a breach in %s would be seen', (name, text) => {
    expect(breachesIn({ name, text })).toHaveLength(1);
  });
});
