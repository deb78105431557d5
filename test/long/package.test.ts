/** The package as its users get it: packed, installed, imported by plain Node.js, and type-checked. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commandsIn } from '../support/document-answers.js';

const execute = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));
const sources = path.join(root, 'src/client');
const typescript = path.join(root, 'node_modules/typescript/bin/tsc');
const entries = ['', '/accounts', '/chain', '/replay', '/binary'].map(
  (entry) => `@slotbook/client${entry}`,
);
const timeout = 120_000;

let folder: string;
let files: string[];

/** Packs and installs it by the commands of its README, without a registry. */
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'slotbook-package-'));
  const readme = await readFile(path.join(sources, 'README.md'), 'utf8');
  const [pack = '', install = ''] = commandsIn(readme)[0]?.commands ?? [];
  const [, ...packArgs] = `${pack} --json --offline --pack-destination ${folder}`.split(' ');
  const [tarball] = JSON.parse((await execute('npm', packArgs, { cwd: root })).stdout);
  files = tarball.files.map((file: { path: string }) => file.path);
  const [, project, shown] =
    /^cd \.\.\/([\w-]+) && npm install \.\.\/slotbook\/(\S+)$/.exec(install) ?? [];
  expect([project, shown]).toEqual(['your-project', tarball.filename]);
  await writeFile(path.join(folder, 'package.json'), '{"type":"module"}');
  const tarballPath = path.join(folder, tarball.filename);
  await execute('npm', ['install', '--offline', tarballPath], { cwd: folder });
}, timeout);

afterAll(() => rm(folder, { recursive: true, force: true }));

test('it holds what was built and its README, and no test or source', () => {
  expect(files).toEqual(expect.arrayContaining(['README.md', 'package.json', 'dist/index.js']));
  expect(files.filter((file) => !/^dist\/[\w/-]+\.(js|d\.ts)$/.test(file)).sort()).toEqual([
    'README.md',
    'package.json',
  ]);
  expect(files.filter((file) => /test/.test(file))).toEqual([]);
});

test(
  'its set-up asks for no compiler, that of the addon does',
  async () => {
    const bare = path.join(folder, 'no-tools');
    await mkdir(bare);
    const setUp = (need: string) =>
      execute(process.execPath, ['scripts/setup.mjs', need], { cwd: root, env: { PATH: bare } });
    await setUp('client');
    await expect(setUp('addon')).rejects.toThrow(/missing on this machine: cargo .*; cc /);
  },
  timeout,
);

test(
  'a strict project without types of Node.js checks against its declarations',
  async () => {
    const options = {
      ...{ target: 'es2022', module: 'nodenext', moduleResolution: 'nodenext', strict: true },
      ...{ lib: ['es2022', 'dom'], types: [], noEmit: true, exactOptionalPropertyTypes: true },
      skipLibCheck: false,
    };
    const project = { compilerOptions: options, files: ['consumer.ts'] };
    await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify(project));
    const code = `import { HttpClient, type LiveTrade, type Price, TradesClient } from '${entries[0]}';
import { decodeUser, type UserAccount } from '${entries[1]}';
import { ChainBook, type LocalBook } from '${entries[2]}';
import { PastBook } from '${entries[3]}';
const http = new HttpClient({ url: 'http://localhost' });
export const best: Promise<Price | null> = http.l2({ marketName: 'X' }).then((b) => b.bestAskPrice);
export const user: UserAccount = decodeUser(new Uint8Array());
export const past: Promise<bigint | null> = new PastBook({ url: 'http://localhost' }, { channel: 'bbo', market: 'X' })
  .at({ slot: 1 })
  .then(({ bestBidPrice }) => bestBidPrice);
export const book: LocalBook = new ChainBook({ rpcUrl: 'http://localhost' }).book;
export async function* trades(): AsyncGenerator<LiveTrade> {
  for await (const batch of new TradesClient({ url: 'http://localhost' }).subscribe('X')) yield* batch.trades;
}
// @ts-expect-error: a market has to be named.
http.l2({ depth: 3 });
`;
    await writeFile(path.join(folder, 'consumer.ts'), code);
    const checked = execute('node', [typescript, '--project', folder], { cwd: folder });
    const said = await checked.catch(({ stdout }) => ({ stdout }));
    expect(said.stdout).toBe('');
  },
  timeout,
);
