/**
 * Child processes for scripts: runs commands, and finds them. This file imports Node's own modules
 * only, because the set-up uses it before node_modules exists.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of package.json. */
export const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** The path of a command from a dev dependency. */
export function localCommand(name) {
  return path.join(root, 'node_modules', '.bin', name);
}

/** Whether `command` can be started. */
export function commandExists(command) {
  return spawnSync(command, ['--version'], { stdio: 'ignore' }).error === undefined;
}

/** Rust's name of this machine's platform; cargo puts builds for a named target into a folder of this name. */
export function hostTriple() {
  const facts = execFileSync('rustc', ['-vV'], { cwd: root, encoding: 'utf8' });
  return /^host: (.+)$/m.exec(facts)[1];
}

/**
 * Runs a command in the root folder and resolves with its exit code and its standard output.
 *
 * Output is forwarded immediately: to standard error by default, which keeps the script's own
 * standard output clean; to standard output with `echo: 'stdout'`; nowhere with `'nowhere'`.
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

/** Runs a command like `run` and throws when it fails. */
export async function runOrThrow(command, args, options) {
  const { code } = await run(command, args, options);
  if (code === 0) return;
  const name = [path.basename(command), ...args].join(' ');
  throw new Error(`\`${name}\` ended with code ${code}`);
}
