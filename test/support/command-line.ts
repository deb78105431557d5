/** The compiled command line, which the set-up of `npm test` has just made, as processes that end with their test. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { UNTIL_RUNNER_ENDS, until } from './until.js';

const cli = fileURLToPath(new URL('../../dist/src/app/cli.js', import.meta.url));

/** A busy machine is no reason to call a book late. */
export const PATIENT = ['--lagging-after-ms', '60000', '--stale-after-ms', '120000'] as const;

export interface Running {
  readonly child: ChildProcess;
  /** Resolves when it has ended and all that it printed has come. */
  readonly closed: Promise<unknown>;
  stdout: string;
  stderr: string;
}

/** Starts `slotbook` with these arguments. */
export function start(args: readonly string[]): Running {
  return startProgram(process.execPath, [cli, ...args]);
}

export function startProgram(program: string, args: readonly string[]): Running {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const running = { child, closed: once(child, 'close'), stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => {
    running.stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    running.stderr += chunk;
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exitCode(running);
  });
  return running;
}

export async function exitCode({ child, closed }: Running): Promise<number | null> {
  await closed;
  return child.exitCode;
}

/** Runs `slotbook` with wrong arguments, which end it with 2, and returns its standard error. */
export async function wrongUsage(args: readonly string[]): Promise<string> {
  const wrong = start(args);
  expect(await exitCode(wrong)).toBe(2);
  return wrong.stderr;
}

/** Wrong usage of which the flag is named, and its value is not. */
export async function expectUnknownOption(args: readonly string[], flag: string): Promise<void> {
  const printed = await wrongUsage(args);
  expect(printed).toContain(`error: unknown option '${flag}'`);
  expect(printed).not.toMatch(/secret|70000/);
}

/** The URL of the `ready` line. Fails when the process ends before it. */
export function readyUrl(service: Running): Promise<string> {
  return until(() => {
    if (service.child.exitCode !== null) throw new Error(`ended early: ${service.stderr}`);
    return /^ready (http:\S+)$/m.exec(service.stdout)?.[1];
  }, UNTIL_RUNNER_ENDS);
}
