/**
 * Child processes for the scripts of this folder: one way to run a command and one to look for it.
 * The scripts run before node_modules exists, so they use nothing but Node itself.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of package.json. */
export const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** The path of a command that a dev dependency brings. */
export function localCommand(name) {
  return path.join(root, 'node_modules', '.bin', name);
}

/** Whether `command` can be started at all. */
export function commandExists(command) {
  return spawnSync(command, ['--version'], { stdio: 'ignore' }).error === undefined;
}

/** The platform of this machine as Rust names it; below it cargo keeps what it compiles for a named target. */
export function hostTriple() {
  const facts = execFileSync('rustc', ['-vV'], { cwd: root, encoding: 'utf8' });
  return /^host: (.+)$/m.exec(facts)[1];
}

/**
 * Runs a command in the root folder and resolves with its exit code and its standard output.
 *
 * Output is passed on as it comes: to standard error by default, so that a script's own standard
 * output stays clean, to standard output with `echo: 'stdout'`, or not at all with `'nowhere'`.
 */
export function run(command, args, { env = {}, echo = 'stderr' } = {}) {
  const target = { stdout: process.stdout, stderr: process.stderr }[echo];
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const chunks = [];
    child.stdout.on('data', (chunk) => {
      chunks.push(chunk);
      target?.write(chunk);
    });
    child.on('error', reject);
    child.on('close', (code) => {
      resolve({ code: code ?? 1, stdout: Buffer.concat(chunks).toString('utf8') });
    });
  });
}

/** Runs a command as `run` does and throws when it fails. */
export async function runOrThrow(command, args, options) {
  const { code } = await run(command, args, options);
  if (code === 0) return;
  const name = [path.basename(command), ...args].join(' ');
  throw new Error(`\`${name}\` ended with code ${code}`);
}
