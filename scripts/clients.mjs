/**
 * The programs that slotbook is compared and tried with, each installed in the folder that names it and never
 * at the root: packages of npm by the lock beside them, without their install scripts; packages of Python in a
 * `.venv` by `requirements.txt`.
 */
import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { root, runOrThrow } from './process.mjs';
import { hashInputs, isStale, markFresh } from './stale.mjs';

/** Installs what `package-lock.json` of a folder says, where that is not there yet. */
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

/** Makes the Python environment of a folder, where it is not there yet. */
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
