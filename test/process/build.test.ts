/** What cargo, callgrind and the set-up make of the repository: it is what is committed, and not slower. */
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { copyForSetup, damageNative, LOADED } from '../support/setup-copy.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const hasValgrind = spawnSync('valgrind', ['--version'], { stdio: 'ignore' }).error === undefined;

test('no hot operation has grown by more than its limit', async ({ skip }) => {
  skip(!hasValgrind, 'needs valgrind');
  const counting = promisify(execFile)('node', ['bench/count.mjs'], { cwd: root });
  const { stdout } = await counting.catch(({ stdout, stderr }) => {
    throw new Error(`${stdout}${stderr}`);
  });
  expect(stdout.match(/^ *\d+ +\S+ %? +.*$/gm)?.length).toBeGreaterThanOrEqual(20);
});

/** They are committed, so that the types are there before anything is built. */
test('index.js and index.d.ts of the addon are what the source gives', ({ onTestFinished }) => {
  const folder = path.join(root, 'crates/node');
  const out = mkdtempSync(path.join(tmpdir(), 'slotbook-addon-'));
  onTestFinished(() => rmSync(out, { recursive: true, force: true }));
  const napi = path.join(root, 'node_modules/.bin/napi');
  // The profile of the set-up, which has built it: the same build costs seconds.
  const options = ['--platform', '--profile', 'setup', '--cwd', folder, '--output-dir', out];
  const built = spawnSync(napi, ['build', ...options], { encoding: 'utf8', cwd: root });
  expect(built.status, built.stderr).toBe(0);
  for (const file of ['index.js', 'index.d.ts']) {
    const generated = readFileSync(path.join(out, file), 'utf8');
    expect(readFileSync(path.join(folder, file), 'utf8'), file).toBe(generated);
  }
}, 600_000);

test('docs/licences.md is what the lock files install', () => {
  const file = path.join(root, 'docs', 'licences.md');
  const script = ['scripts/licences.mjs'];
  const written = execFileSync(process.execPath, script, { cwd: root, encoding: 'utf8' });
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(file, written);
  expect(readFileSync(file, 'utf8')).toBe(written);
});

test('the set-up ends with 1 where a native file is another one', ({ onTestFinished }) => {
  const copy = copyForSetup();
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }));
  const setUp = () =>
    spawnSync(process.execPath, ['scripts/setup.mjs', 'packages-build'], {
      cwd: copy,
      encoding: 'utf8',
    });
  expect(setUp()).toMatchObject({ status: 0, stderr: '' });
  damageNative(copy, LOADED);
  expect(setUp()).toMatchObject({ status: 1, stderr: expect.stringContaining(`${LOADED} with`) });
});
