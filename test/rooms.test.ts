import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

/**
 * The rooms of src/ import one way: a room is a folder of src. Within the large rooms the folders are
 * floors, and no floor imports what stands above it. Tests and their helpers may reach further and
 * are not judged.
 */
const sourceFolder = fileURLToPath(new URL('../src/', import.meta.url));

/** What each room may import besides itself. A room that is not listed here fails the test. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  amounts: [],
  app: [
    'check',
    'client',
    'config',
    'contract',
    'engine',
    'export',
    'feed',
    'follow',
    'history',
    'journal',
    'load',
    'match',
    'proof',
    'rpc',
    'server',
    'shadow',
    'sim',
    'sources',
    'venues',
    'verify',
  ],
  check: ['config', 'contract', 'feed', 'history', 'rpc'],
  client: [],
  config: ['contract'],
  contract: [],
  engine: ['amounts', 'contract'],
  export: ['amounts', 'contract'],
  feed: ['config', 'contract', 'rpc'],
  follow: ['client', 'contract'],
  history: ['amounts', 'config', 'contract', 'engine', 'rpc'],
  journal: ['contract', 'engine', 'rpc'],
  load: ['client', 'contract', 'follow'],
  match: ['client', 'contract'],
  // What it uses of the client library it imports by that package's name.
  page: [],
  proof: ['contract'],
  rpc: ['config', 'contract'],
  server: ['amounts', 'config', 'contract'],
  shadow: ['client', 'contract', 'follow', 'verify'],
  sim: ['config', 'contract'],
  sources: ['client', 'contract', 'follow'],
  venues: ['config', 'contract', 'rpc'],
  verify: ['client', 'contract', 'proof'],
};

/**
 * The floors of the rooms that have folders, from the ground up; `.` is the room's own files. A file
 * may import its own folder and those before it.
 */
const floors: Readonly<Record<string, readonly (readonly string[])[]>> = {
  server: [['transport'], ['metrics', 'admission', 'api'], ['sockets'], ['quotes', 'routes']],
  // model: what the parts of the feed share. connection: one connection to one node. The top: the
  // feed over its nodes, and quotes.
  feed: [['model'], ['grpc', 'sources'], ['connection'], ['.']],
  rpc: [['.'], ['grpc']],
  sim: [['.'], ['bytes'], ['chain', 'relay'], ['market'], ['demo']],
  journal: [['model'], ['store'], ['nats'], ['worker', 'as-of'], ['replays'], ['.']],
  history: [
    ['model'],
    ['store'],
    ['postgres'],
    ['candles'],
    ['bodies', 'streams', 'ingest'],
    ['worker'],
    ['.'],
  ],
};

/** Packages and globals that exactly one place may touch. */
const exclusive = [
  { what: 'the addon', pattern: /@slotbook\/core|crates\/node|\.node['"]/, only: /^engine\// },
  {
    what: 'uWebSockets.js',
    pattern: /from 'uWebSockets\.js'/,
    only: /^server\/transport\/uws\.ts$/,
  },
  {
    what: 'hyparquet-writer',
    pattern: /from 'hyparquet-writer'/,
    only: /^export\/parquet\.ts$/,
  },
  {
    what: 'NATS',
    pattern: /from '@nats-io\//,
    only: /^journal\/nats\//,
  },
  {
    what: 'the packages of Postgres',
    pattern: /from 'pg(-copy-streams)?'/,
    only: /^history\/postgres\/server-thread\.ts$/,
  },
  {
    what: 'the timers of the system',
    pattern: /\bsystemTimers\b/,
    only: /^rpc\/timers\.ts$|^app\/|^history\/worker\/worker\.ts$|^journal\/(worker|replays)\/thread\.ts$/,
  },
  {
    what: 'the environment',
    pattern: /process\.env\b/,
    only: /^config\/config\.ts$|^server\/transport\/native-transport\.ts$/,
  },
];

/** The crates from left to right: each may depend on those before it. */
const crates = ['protocol', 'book', 'matching', 'wire', 'journal', 'core', 'node'];

interface SourceFile {
  readonly name: string;
  readonly text: string;
}

const files = readSources();

function readSources(): readonly SourceFile[] {
  return readdirSync(sourceFolder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !/\.test\.ts$|(^|\/)testing(\/|\.ts$)/.test(name))
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

/** The files below src that a file imports, by their names below src. */
function importedFiles({ name, text }: SourceFile): readonly string[] {
  return importsOf(text)
    .filter((target) => target.startsWith('.'))
    .map((target) => path.posix.join(path.posix.dirname(name), target).replace(/\.js$/, '.ts'));
}

/** Breaches of the one-way rule between rooms in one file, as readable lines. */
function breachesIn(file: SourceFile): readonly string[] {
  const room = roomOf(file.name);
  const rules = allowed[room];
  if (rules === undefined) return [`${file.name}: the room ${room} has no rule in this test`];
  return importedFiles(file)
    .filter((target) => roomOf(target) !== room && !rules.includes(roomOf(target)))
    .map((target) => `${file.name} imports ${target}`);
}

/** The floor on which a file stands in its room, from 0; -1 for a folder that is on no floor. */
function floorOf(name: string): number {
  const parts = name.split('/');
  const folder = parts.length > 2 ? (parts[1] ?? '.') : '.';
  return (floors[roomOf(name)] ?? []).findIndex((floor) => floor.includes(folder));
}

/** The folder of a file; what is generated for a folder is of it. */
function folderOf(name: string): string {
  return path.posix.dirname(name).replace(/\/generated$/, '');
}

/** Imports of one file that run up a floor, or across to a folder beside its own, as readable lines. */
function upwardImportsIn(file: SourceFile): readonly string[] {
  const own = floorOf(file.name);
  if (own < 0) return [`${file.name}: its folder is on no floor in this test`];
  return importedFiles(file)
    .filter((target) => roomOf(target) === roomOf(file.name))
    .filter((target) => folderOf(target) !== folderOf(file.name))
    .filter((target) => floorOf(target) >= own)
    .map((target) => `${file.name} imports ${target}`);
}

/** The circles of files that import each other, largest first. */
function importCircles(sources: readonly SourceFile[]): readonly (readonly string[])[] {
  return circlesOf(new Map(sources.map((file) => [file.name, importedFiles(file)])));
}

/** The circles of a graph, by the names of their nodes, largest first. */
function circlesOf(
  imports: ReadonlyMap<string, readonly string[]>,
): readonly (readonly string[])[] {
  const reach = (start: string): ReadonlySet<string> => {
    const reached = new Set<string>();
    const queue = [...(imports.get(start) ?? [])];
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      if (reached.has(next)) continue;
      reached.add(next);
      queue.push(...(imports.get(next) ?? []));
    }
    return reached;
  };
  const reached = new Map([...imports.keys()].map((name) => [name, reach(name)]));
  const circles = new Set<string>();
  for (const [name, targets] of reached) {
    if (!targets.has(name)) continue;
    const circle = [...targets].filter((other) => reached.get(other)?.has(name) === true);
    circles.add([...circle].sort().join(' '));
  }
  return [...circles].map((circle) => circle.split(' ')).sort((a, b) => b.length - a.length);
}

/** The Rust packages whose files are checked for circles. */
const rustPackages = [
  ...crates.map((crate) => `crates/${crate}`),
  'bench/core',
  'test/golden',
  'test/naive',
];

/** The Rust sources of a package, by their module paths: `` for lib.rs, `view::queue`. */
function rustModules(folder: string): ReadonlyMap<string, string> {
  const root = new URL(`../${folder}/src/`, import.meta.url);
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' });
  const sources = names.filter((name) => name.endsWith('.rs') && name !== 'main.rs');
  return new Map(
    sources.map((name) => {
      const module = name.replace(/\.rs$/, '').replace(/(^|\/)(mod|lib)$/, '');
      return [module.replaceAll('/', '::'), readFileSync(new URL(name, root), 'utf8')];
    }),
  );
}

/** The paths that a tree of a `use` line names: `a::{b, c::{d, e}}` names three. */
function pathsOf(tree: string): readonly string[] {
  const open = tree.indexOf('{');
  if (open < 0) return [tree.replace(/\s+as\s.*$/, '').trim()];
  const branches: string[] = [];
  let [depth, start] = [0, open + 1];
  for (let at = open + 1; at < tree.length; at += 1) {
    if (tree[at] === '{') depth += 1;
    const ends = depth === 0 && (tree[at] === ',' || tree[at] === '}');
    if (ends) branches.push(tree.slice(start, at));
    if (ends) start = at + 1;
    if (tree[at] === '}') depth -= 1;
  }
  const stem = tree.slice(0, open).trim();
  return branches
    .filter((branch) => branch.trim() !== '')
    .flatMap((branch) => {
      return pathsOf(branch.trim()).map((path) => stem + path);
    });
}

/** A path as written in a module, from the root of its package; `undefined` for other packages. */
function absolutePath(module: string, written: string): string | undefined {
  const [first, ...rest] = written.split('::').map((part) => part.trim());
  const parents = module.split('::').filter((part) => part !== '');
  if (first === 'crate') return rest.join('::');
  if (first === 'self') return [...parents, ...rest].join('::');
  if (first === 'super')
    return absolutePath(parents.slice(0, -1).join('::'), ['self', ...rest].join('::'));
  return undefined;
}

interface RustUse {
  readonly path: string;
  readonly isPublic: boolean;
}

/** What a module uses of its own package: `use` lines and paths in the code, tests aside. */
function rustUses(
  module: string,
  text: string,
  modules: ReadonlyMap<string, string>,
): readonly RustUse[] {
  const code = text.replace(/\/\/.*/g, '').replace(/#\[cfg\(test\)\]\s*mod [\s\S]*/, '');
  const lines = [...code.matchAll(/\b(pub(?:\([^)]*\))?\s+)?use\s+([^;]+);/g)];
  const imported = lines.flatMap(([, isPublic, tree = '']) =>
    pathsOf(tree.replace(/\s+/g, ' ')).map((path) => ({ path, isPublic: isPublic !== undefined })),
  );
  const inCode = code.replace(/\buse\s[^;]+;/g, '').matchAll(/\b(?:crate|super)(?:::\w+)+/g);
  const written = [...inCode].map(([path]) => ({ path, isPublic: false }));
  return [...imported, ...written].flatMap(({ path, isPublic }) => {
    const child = [module, path.split('::')[0]].filter((part) => part !== '').join('::');
    const full = absolutePath(module, modules.has(child) ? `self::${path}` : path);
    return full === undefined ? [] : [{ path: full, isPublic }];
  });
}

/** The circles of a package's files. A name that a module re-exports counts as its own file's. */
function rustCircles(modules: ReadonlyMap<string, string>): readonly (readonly string[])[] {
  const uses = new Map([...modules].map(([name, text]) => [name, rustUses(name, text, modules)]));
  const reexports = new Map<string, string>();
  for (const [name, used] of uses) {
    for (const { path, isPublic } of used) {
      const item = path.split('::').at(-1) ?? '';
      if (isPublic) reexports.set(name === '' ? item : `${name}::${item}`, path);
    }
  }
  const fileOf = (path: string): string => {
    if (modules.has(path)) return path;
    const target = reexports.get(path);
    if (target !== undefined) return fileOf(target);
    return fileOf(path.split('::').slice(0, -1).join('::'));
  };
  const imports = [...uses].map(([name, used]): [string, readonly string[]] => {
    const targets = used.filter(({ isPublic }) => !isPublic).map(({ path }) => fileOf(path));
    return [name, targets.filter((target) => target !== name)];
  });
  return circlesOf(new Map(imports));
}

/** The entry points of the client by folder, and the folders that each may use besides its own. */
const entryPoints: Readonly<Record<string, readonly string[]>> = {
  '': [],
  accounts: [''],
  chain: ['', 'accounts'],
  replay: [''],
  binary: [''],
  proof: [''],
};

/** The folders of the entry point `.`, whose bundler takes of it what is used. */
const mainFolders = ['caches', 'candles', 'channels', 'generated', 'http', 'stream', 'trades'];

function entryPointOf(name: string): string {
  const parts = name.split('/');
  const folder = parts.length > 2 ? (parts[1] ?? '') : '';
  return mainFolders.includes(folder) ? '' : folder;
}

/** Imports by which one entry point of the client pulls in another. */
/** What reads bytes is loaded with the first connection, what proves books with the first key: a type and an import() of them are no part of what is loaded first. */
const LOADED_LATER = [
  'client/stream/service-socket.ts client/binary/binary-topics.js',
  'client/stream/client.ts client/proof/book-proof.js',
];

function isLoadedLater(text: string): boolean {
  return !/^import (?!type )[^;]*(binary-topics|book-proof)/m.test(text);
}

function breachesOfEntryPoints({ name, text }: SourceFile): readonly string[] {
  const own = entryPointOf(name);
  const rules = entryPoints[own];
  if (rules === undefined) return [`${name}: the folder ${own} is no entry point`];
  return importsOf(text)
    .map((target) => path.posix.join(path.posix.dirname(name), target))
    .filter((target) => ![own, ...rules].includes(entryPointOf(target)))
    .filter((target) => !LOADED_LATER.includes(`${name} ${target}`) || !isLoadedLater(text))
    .map((target) => `${name} imports ${target}`);
}

const client = files.filter(({ name }) => roomOf(name) === 'client');

describe('rooms', () => {
  test('every room imports only what is to its left', () => {
    expect(files.length).toBeGreaterThan(0);
    expect(files.flatMap(breachesIn)).toEqual([]);
  });

  test('no folder of a room imports what stands above it', () => {
    const inFloors = files.filter(({ name }) => floors[roomOf(name)] !== undefined);
    expect(inFloors.length).toBeGreaterThan(0);
    expect(inFloors.flatMap(upwardImportsIn)).toEqual([]);
  });

  test('no files import each other in a circle', () => {
    expect(importCircles(files)).toEqual([]);
    const circle = [
      { name: 'feed/a.ts', text: "import { b } from './b.js';" },
      { name: 'feed/b.ts', text: "import { a } from './a.js';" },
    ];
    expect(importCircles(circle)).toEqual([['feed/a.ts', 'feed/b.ts']]);
  });

  test.each(rustPackages)('no files of %s use each other in a circle', (folder) => {
    const modules = rustModules(folder);
    expect(modules.size).toBeGreaterThan(1);
    expect(rustCircles(modules)).toEqual([]);
  });

  test('a circle of Rust files would be seen, also through a re-export', () => {
    const circle = new Map([
      ['', 'mod a;\nmod b;\npub use a::One;'],
      ['a', 'use crate::b::{Two, three::{Four}};'],
      ['b', 'mod three;\nuse super::One;'],
      ['b::three', ''],
    ]);
    expect(rustCircles(circle)).toEqual([['a', 'b']]);
    expect(rustCircles(new Map([...circle, ['b', 'use slotbook_book::One;']]))).toEqual([]);
  });

  test.each([
    ['server/transport/uws.ts', "import { x } from '../routes/http.js';"],
    ['server/routes/http.ts', "import { x } from '../quotes/quotes-server.js';"],
    ['feed/model/parts.ts', "import type { x } from '../live-feed.js';"],
    ['feed/utils/text.ts', ''],
  ])('an import upwards in %s would be seen', (name, text) => {
    expect(upwardImportsIn({ name, text })).toHaveLength(1);
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

  test('the contract imports nothing but itself', () => {
    const contract = files.filter(({ name }) => roomOf(name) === 'contract');
    const outside = contract.flatMap(({ text }) => importsOf(text)).filter((to) => to[0] !== '.');
    expect(contract.length).toBeGreaterThan(0);
    expect(outside).toEqual([]);
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
    ['feed/live-feed.ts', "import { x } from '../server/routes/http.js';"],
    ['server/routes/http.ts', "import type { Engine } from '../../engine/engine.js';"],
    ['history/worker/worker.ts', "await import('../../feed/live-feed.js');"],
    ['client/book.ts', "export * from '../config/config.js';"],
    ['contract/markets.ts', "import type { x } from '../engine/engine.js';"],
    ['venues/venue.ts', "import type { Engine } from '../engine/engine.js';"],
    ['utils/text.ts', ''],
  ])('a breach in %s would be seen', (name, text) => {
    expect(breachesIn({ name, text })).toHaveLength(1);
  });
});
