/** The decoder in Go reads the vectors of frames as bytes, and refuses what is cut of them. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/** A compiler on a busy machine has much of it. */
const TIMEOUT = { timeout: 900_000 };
/** Where Go's own packages put it, which need not be on the path. */
const GO = ['go', '/usr/local/go/bin/go'].find(
  (command) => spawnSync(command, ['version'], { stdio: 'ignore' }).status === 0,
);

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));

test('Go reads the vectors, and refuses what is cut of them', TIMEOUT, async (context) => {
  if (GO === undefined) context.skip('needs go');
  const folder = mkdtempSync(path.join(tmpdir(), 'go-decoder-'));
  context.onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const client = path.join(folder, 'clients-go');
  const env = { ...process.env, GOFLAGS: '-buildvcs=false' };
  const cwd = path.join(root, 'test/clients-go');
  await run(GO ?? '', ['build', '-o', client, '.'], { cwd, env });
  for (const name of ['frames', 'exact']) {
    const { stdout } = await run(client, [path.join(root, `test/vectors/binary/${name}.jsonl`)]);
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({ different: [], cutTaken: 0 });
    expect(report.frames).toBeGreaterThan(2);
    expect(report.spoiltRefused).toBeGreaterThan(report.spoilt / 5);
  }
  const { stdout } = await run(client, [path.join(root, 'test/vectors/binary/hostile.jsonl')]);
  const { frames, different } = JSON.parse(stdout);
  expect(different).toEqual([]);
  expect(frames).toBeGreaterThan(40);
});
