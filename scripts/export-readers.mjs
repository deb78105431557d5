/** Runs the test in which pandas and hftbacktest load an export. The first run installs them into `.cache`. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { localCommand, root, runOrThrow } from './process.mjs';

const PACKAGES = ['pandas==3.1.1', 'pyarrow==26.0.1', 'hftbacktest==2.4.4'];

const folder = path.join(root, '.cache', PACKAGES.join('-').replaceAll('=', ''));
const done = path.join(folder, 'bin', 'numba');
if (!existsSync(done)) {
  await runOrThrow('python3', ['-m', 'venv', folder]);
  await runOrThrow(path.join(folder, 'bin', 'pip'), ['install', '--quiet', ...PACKAGES]);
}
const env = { LONG: '1', EXPORT_PYTHON: path.join(folder, 'bin', 'python') };
await runOrThrow(localCommand('vitest'), ['run', 'test/long/export-python.test.ts'], {
  env,
  echo: 'stdout',
});
