/**
 * Installs the third-party programs that slotbook is tested with, each in its own folder and never
 * at the root: npm packages by the folder's lock file, without their install scripts; Python
 * packages in a `.venv` by `requirements.txt`.
 */
import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { root, runOrThrow } from './process.mjs';
import { hashInputs, isStale, markFresh } from './stale.mjs';

/** Installs the packages of a folder's `package-lock.json` unless they are installed. */
export async function installLocked(folder) {
  const lock = path.join(folder, 'package-lock.json');
  const hash = hashOf(lock);
  const step = `npm-${folder.replaceAll('/', '-')}`;
  if (!isStale(step, hash, existsSync(path.join(root, folder, 'node_modules')))) return;
  process.stderr.write(`set-up: installing the packages of ${folder}: npm ci\n`);
  const quiet = ['--no-progress', '--no-audit', '--no-fund', '--loglevel=error'];
  await runOrThrow('npm', ['ci', '--ignore-scripts', ...quiet, '--prefix', folder]);
  markFresh(step, hash);
}

/** Creates the Python environment of a folder unless it exists. */
export async function installPython(folder) {
  const requirements = path.join(folder, 'requirements.txt');
  const hash = hashOf(requirements);
  const step = `python-${folder.replaceAll('/', '-')}`;
  const environment = path.join(root, folder, '.venv');
  const python = path.join(environment, 'bin', 'python');
  if (!isStale(step, hash, existsSync(python))) return;
  process.stderr.write(`set-up: installing the Python packages of ${folder}: pip install\n`);
  rmSync(environment, { recursive: true, force: true });
  await runOrThrow('python3', ['-m', 'venv', environment]);
  const quiet = ['--quiet', '--no-input', '--disable-pip-version-check'];
  await runOrThrow(python, ['-m', 'pip', 'install', ...quiet, '--requirement', requirements]);
  markFresh(step, hash);
}

function hashOf(file) {
  return hashInputs({ inputs: [file], keep: () => true });
}
