/** `npm run local-cluster` with its real parts. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { natsMissing } from '../support/nats-server.js';
import { postgresMissing } from '../support/postgres-server.js';
import { until } from '../support/until.js';

const script = new URL('../../scripts/local-cluster.mjs', import.meta.url).pathname;
let child: ChildProcess | undefined;

afterEach(async () => {
  if (child === undefined || child.exitCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
});

function run(args: readonly string[]): { readonly output: () => string } {
  let text = '';
  child = spawn(process.execPath, [script, ...args]);
  const add = (chunk: unknown): void => {
    text += String(chunk);
  };
  child.stdout?.on('data', add);
  child.stderr?.on('data', add);
  return { output: () => text };
}

test('a cluster on one machine serves at both edges, replaces a core, and ends with its reader all that it started', async ({
  skip,
}) => {
  const missing = natsMissing ?? postgresMissing;
  skip(missing !== undefined, missing);
  const { output } = run([]);
  // A chain, three servers of NATS, Postgres, two cores and two edges, one after the other.
  await until(() => output().includes('ready ') || child?.exitCode !== null, 180_000);
  const urls = [...output().matchAll(/^edge-\d (\S+)\/$/gm)].map(([, url = '']) => url);
  const pids = [...output().matchAll(/(?:nats-\d|postgres|core-\d|edge-\d) (\d+)/g)];
  expect([urls.length, pids.length]).toEqual([2, 8]);
  for (const url of urls) {
    expect((await fetch(`${url}/l2?marketName=SOL-PERP&depth=5`)).status).toBe(200);
    await until(async () =>
      (await (await fetch(`${url}/trades?symbol=SOL-PERP`)).text()).includes('txSig'),
    );
  }
  const core = Number(/core-1 (\d+)/.exec(output())?.[1]);
  process.kill(core, 'SIGKILL');
  await until(() => /^again {2}core-1 \d+$/m.test(output()));
  // Its output has no reader any more: a line that it writes finds that out.
  child?.stdout?.destroy();
  await until(() => child?.exitCode !== null, 30_000);
  await until(() => pids.every(([, pid]) => !existsSync(`/proc/${pid}`)));
});

test('a program that is not there is named in one line', async () => {
  const { output } = run(['--nats-server', '/absent/nats-server']);
  await until(() => child?.exitCode !== null);
  expect(child?.exitCode).toBe(2);
  expect(output()).toBe(
    'local-cluster needs nats-server, and /absent/nats-server cannot be started: apt-get install nats-server\n',
  );
});
