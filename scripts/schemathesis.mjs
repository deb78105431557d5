/**
 * Runs schemathesis against the demo: it generates requests from /openapi.json and checks every
 * response. The first run installs it into `.cache`. SEED=n sets the seed, EXAMPLES=n the number of
 * requests for each path.
 */
import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root, runOrThrow } from './process.mjs';

const VERSION = '4.32.5';
const READY_MS_MAX = 300_000;

const folder = path.join(root, '.cache', `schemathesis-${VERSION}`);
const command = path.join(folder, 'bin', 'schemathesis');

if (!existsSync(command)) {
  await runOrThrow('python3', ['-m', 'venv', folder]);
  await runOrThrow(path.join(folder, 'bin', 'pip'), [
    'install',
    '--quiet',
    `schemathesis==${VERSION}`,
  ]);
}

const demo = spawn(
  process.execPath,
  [path.join(root, 'dist/src/app/cli.js'), 'demo', '--port', '0', '--log-level', 'warn'],
  { stdio: ['ignore', 'pipe', 'inherit'] },
);
try {
  const url = await readyUrl();
  const { SEED = '1', EXAMPLES = '200' } = process.env;
  const description = path.join(folder, 'openapi.json');
  writeFileSync(description, await lenientDescription(url));
  await runOrThrow(
    command,
    [
      ...['--config-file', path.join(root, 'test', 'schemathesis.toml')],
      ...['run', description, '--url', url, '--phases', 'examples,coverage,fuzzing'],
      ...['--max-examples', EXAMPLES, '--seed', SEED, '--continue-on-failure', '--no-color'],
    ],
    { echo: 'stdout' },
  );
} finally {
  demo.kill('SIGTERM');
}

/** The service accepts any text as a flag, which `boolean` in the description does not say. */
async function lenientDescription(url) {
  const api = await (await fetch(`${url}/openapi.json`)).json();
  const ofPaths = Object.values(api.paths).flatMap(({ get }) => get.parameters);
  for (const { schema } of ofPaths) if (schema.type === 'boolean') schema.type = 'string';
  return JSON.stringify(api);
}

/** The demo's address, once its book is live. */
function readyUrl() {
  return new Promise((resolve, reject) => {
    let text = '';
    const timer = setTimeout(() => reject(new Error('the demo was not ready')), READY_MS_MAX);
    demo.once('exit', (code) => reject(new Error(`the demo ended with code ${code}`)));
    demo.stdout.on('data', (chunk) => {
      text += chunk;
      const url = /^ready (\S+)$/m.exec(text)?.[1];
      if (url === undefined) return;
      clearTimeout(timer);
      resolve(url);
    });
  });
}
