/** What the set-up finds in `node_modules` before anything of it runs: in a copy of the repository's own files. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const execute = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));
const { workspaces } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
const INSTALLED = 'node_modules/.package-lock.json';
const TRANSPORT = 'node_modules/uWebSockets.js';
const loaded = `uws_${process.platform}_${process.arch}_${process.versions.modules}.node`;
const other = 'uws_win32_x64_83.node';

let copy: string;

beforeEach(() => {
  copy = mkdtempSync(path.join(tmpdir(), 'slotbook-setup-'));
  const manifests = ['', ...workspaces].map((name) => path.join(name, 'package.json'));
  const parts = ['package.json', 'source_commit', loaded, other].map((name) =>
    path.join(TRANSPORT, name),
  );
  for (const name of [...manifests, 'scripts', 'package-lock.json', INSTALLED, ...parts])
    cpSync(path.join(root, name), path.join(copy, name), { recursive: true });
});

afterEach(() => rmSync(copy, { recursive: true, force: true }));

/** Runs the set-up of the copy; returns its code and what it said. */
async function setUp(): Promise<{ readonly code: number; readonly said: string }> {
  const script = path.join(copy, 'scripts/setup.mjs');
  const ended = execute(process.execPath, [script, 'packages-build'], { cwd: copy });
  return ended.then(
    ({ stderr }) => ({ code: 0, said: stderr }),
    ({ code, stderr }) => ({ code, said: stderr }),
  );
}

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Turns the last bit of a file; returns the hashes of before and after. */
function damage(name: string): { readonly before: string; readonly after: string } {
  const file = path.join(copy, TRANSPORT, name);
  const bytes = readFileSync(file);
  const before = hashOf(bytes);
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
  writeFileSync(file, bytes);
  return { before, after: hashOf(bytes) };
}

describe('set-up: the native files of uWebSockets.js', () => {
  test('those whose hashes are written down are taken, without a word', async () => {
    expect(await setUp()).toEqual({ code: 0, said: '' });
  });

  test('after an install one with a changed bit is refused, of whatever platform', async () => {
    const { before, after } = damage(other);
    const { code, said } = await setUp();
    expect(code).toBe(1);
    for (const part of [path.join(TRANSPORT, other), before, after]) expect(said).toContain(part);
    expect((await setUp()).code).toBe(1);
  });

  test('the one that is loaded is looked at before each start', async () => {
    expect((await setUp()).code).toBe(0);
    const { before, after } = damage(loaded);
    const { code, said } = await setUp();
    expect(code).toBe(1);
    for (const part of [path.join(TRANSPORT, loaded), before, after]) expect(said).toContain(part);
  });

  test('one that is not written down is refused', async () => {
    const name = 'uws_linux_x64_999.node';
    cpSync(path.join(copy, TRANSPORT, other), path.join(copy, TRANSPORT, name));
    const { code, said } = await setUp();
    expect(code).toBe(1);
    expect(said).toMatch(new RegExp(`${name} with sha256 [0-9a-f]{64} .* has no such file`));
  });

  test.each([
    ['package.json', /"version": "[^"]+"/, '"version": "3.0.99"', 'version 3.0.99'],
    ['source_commit', /^\w+/, 'f'.repeat(40), `commit ${'f'.repeat(40)}`],
  ])('a package whose %s claims another origin is refused', async (name, from, to, told) => {
    const file = path.join(copy, TRANSPORT, name);
    writeFileSync(file, readFileSync(file, 'utf8').replace(from, to));
    const { code, said } = await setUp();
    expect(code).toBe(1);
    expect(said).toContain(`refused ${told} of uWebSockets.js`);
  });
});

test('set-up: an install without one of the workspaces is stale', async () => {
  const { installIsStale } = await import(pathToFileURL(`${copy}/scripts/stale.mjs`).href);
  expect(installIsStale()).toBe(false);
  const file = path.join(copy, INSTALLED);
  const installed = JSON.parse(readFileSync(file, 'utf8'));
  delete installed.packages['node_modules/@slotbook/core'];
  writeFileSync(file, JSON.stringify(installed));
  expect(installIsStale()).toBe(true);
});
