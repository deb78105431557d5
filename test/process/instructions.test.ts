/** No change makes a hot operation slower unseen: its instructions are those of the committed table. */
import { execFile, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const hasValgrind = spawnSync('valgrind', ['--version'], { stdio: 'ignore' }).error === undefined;

test('no hot operation has grown by more than its limit', async ({ skip }) => {
  skip(!hasValgrind, 'needs valgrind');
  const counting = promisify(execFile)('node', ['bench/count.mjs'], { cwd: root });
  const { stdout } = await counting.catch(({ stdout, stderr }) => {
    throw new Error(`${stdout}${stderr}`);
  });
  expect(stdout.match(/^ *\d+ +\S+ %? +.*$/gm)?.length).toBeGreaterThanOrEqual(20);
});
