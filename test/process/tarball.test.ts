/** The packages that `npm run pack` makes; test/long/tarball.test.ts installs them as a newcomer does, by npm. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exitCode, readyUrl, startProgram } from '../support/command-line.js';
import { expectServes, pack } from '../support/packed-service.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const PACKAGES = ['@slotbook/core', '@slotbook/client', 'slotbook'];

let folder: string;
let files: readonly string[];

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'slotbook-tarball-'));
  files = await pack(folder);
  linkPackages();
  for (const [index, file] of files.entries()) {
    const place = placeOf(PACKAGES[index] ?? '');
    mkdirSync(place, { recursive: true });
    const args = ['-xzf', path.join(folder, file), '--strip-components=1', '-C', place];
    execFileSync('tar', args);
  }
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const placeOf = (name: string): string => path.join(folder, 'node_modules', name);

/** Links what the lock file installs of others, but for what is of builds and tests alone. */
function linkPackages(): void {
  const { packages } = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8'));
  const installed = Object.entries<{ dev?: boolean; link?: boolean }>(packages);
  for (const [place, { dev, link }] of installed) {
    const [, name] = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(place) ?? [];
    if (name === undefined || dev === true || link === true) continue;
    mkdirSync(path.dirname(placeOf(name)), { recursive: true });
    symlinkSync(path.join(root, place), placeOf(name));
  }
}

test('the packages have one version, and the service asks for just that of the core', () => {
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const names = PACKAGES.map((name) => name.replace(/^@(\w+)\//, '$1-'));
  expect(files).toEqual(names.map((name) => `./${name}-${version}.tgz`));
  const manifest = JSON.parse(readFileSync(path.join(placeOf('slotbook'), 'package.json'), 'utf8'));
  expect(manifest.dependencies['@slotbook/core']).toBe(version);
});

test('a demo of the packages serves a book and a page', async () => {
  const cli = path.join(placeOf('slotbook'), 'dist/src/app/cli.js');
  const demo = startProgram(process.execPath, [cli, 'demo', '--host', '127.0.0.1', '--port', '0']);
  await expectServes(await readyUrl(demo));
  demo.child.kill('SIGINT');
  expect(await exitCode(demo)).toBe(0);
});

test('every entry of the library is imported by its name, and nothing else', async () => {
  const entries = ['', '/accounts', '/chain', '/replay', '/binary'];
  const code = `
    const all = await Promise.all(${JSON.stringify(entries)}.map((one) => import('@slotbook/client' + one)));
    console.log(all.map((one) => Object.keys(one).length > 1).join());
    await import('@slotbook/client/dist/http/json.js').catch(({ code }) => console.log(code));`;
  const args = ['--input-type=module', '--eval', code];
  const printed = execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
  expect(printed).toBe('true,true,true,true,true\nERR_PACKAGE_PATH_NOT_EXPORTED\n');
});

test('the library of the core is imported by its name, with its types', async () => {
  const code = `
    const { LiveBook } = await import('@slotbook/core');
    await LiveBook.open({ rpcUrl: 'ftp://node' }).catch(({ code }) => console.log(code));`;
  const args = ['--input-type=module', '--eval', code];
  const printed = execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
  expect(printed).toBe('INVALID_SETTING\n');
  const place = placeOf('@slotbook/core');
  const manifest = JSON.parse(readFileSync(path.join(place, 'package.json'), 'utf8'));
  expect(readFileSync(path.join(place, manifest.exports['.'].types), 'utf8')).toContain('LiveBook');
});
