/** What the set-up finds in `node_modules` before anything of it runs: in a copy of the repository's own files. */
import { createHash } from 'node:crypto';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  copyForSetup,
  damageNative,
  INSTALLED,
  LOADED,
  OTHER,
  TRANSPORT,
} from './support/setup-copy.js';

let copy: string;

beforeEach(() => {
  copy = copyForSetup();
});

afterEach(() => rmSync(copy, { recursive: true, force: true }));

/** What the set-up does with the native files of the copy; returns why it refuses them, in words. */
async function refusal(): Promise<string> {
  const script = pathToFileURL(path.join(copy, 'scripts/uwebsockets.mjs')).href;
  const { checkInstalledNatives } = await import(script);
  try {
    checkInstalledNatives();
    return '';
  } catch (error) {
    return String(error);
  }
}

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Damages a native file; returns the hashes of before and after. */
function damage(name: string): readonly string[] {
  return damageNative(copy, name).map(hashOf);
}

describe('set-up: the native files of uWebSockets.js', () => {
  test('those whose hashes are written down are taken, without a word', async () => {
    expect(await refusal()).toBe('');
  });

  test('after an install one with a changed bit is refused, of whatever platform', async () => {
    const hashes = damage(OTHER);
    const said = await refusal();
    for (const part of [path.join(TRANSPORT, OTHER), ...hashes]) expect(said).toContain(part);
    expect(await refusal()).not.toBe('');
  });

  test('the one that is loaded is looked at before each start', async () => {
    expect(await refusal()).toBe('');
    const hashes = damage(LOADED);
    const said = await refusal();
    for (const part of [path.join(TRANSPORT, LOADED), ...hashes]) expect(said).toContain(part);
  });

  test('one that is not written down is refused', async () => {
    const name = 'uws_linux_x64_999.node';
    cpSync(path.join(copy, TRANSPORT, OTHER), path.join(copy, TRANSPORT, name));
    const said = await refusal();
    expect(said).toMatch(new RegExp(`${name} with sha256 [0-9a-f]{64} .* has no such file`));
  });

  test.each([
    ['package.json', /"version": "[^"]+"/, '"version": "3.0.99"', 'version 3.0.99'],
    ['source_commit', /^\w+/, 'f'.repeat(40), `commit ${'f'.repeat(40)}`],
  ])('a package whose %s claims another origin is refused', async (name, from, to, told) => {
    const file = path.join(copy, TRANSPORT, name);
    writeFileSync(file, readFileSync(file, 'utf8').replace(from, to));
    const said = await refusal();
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
