/** `npm start` as a person uses it: what it starts ends with it, and leaves nothing behind. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { UNTIL_RUNNER_ENDS, until } from '../support/until.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** A busy machine is no reason to call a book late. */
const PATIENT = ['--lagging-after-ms', '60000', '--stale-after-ms', '120000'] as const;

let temporary: string;
let npm: ChildProcess | undefined;
let output: string;
let started: readonly number[];

beforeEach(async () => {
  temporary = await mkdtemp(path.join(tmpdir(), 'slotbook-npm-start-'));
  output = '';
  started = [];
});

afterEach(async () => {
  for (const pid of [npm?.pid ?? 0, ...started]) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  await rm(temporary, { recursive: true, force: true });
});

/** Runs `npm start` with an own folder for temporary files. */
function startByNpm(flags: readonly string[]): ChildProcess {
  const args = ['start', '--', '--makers', '20', ...PATIENT, ...flags];
  npm = spawn('npm', args, { cwd: root, env: { ...process.env, TMPDIR: temporary } });
  for (const stream of [npm.stdout, npm.stderr]) {
    stream?.on('data', (chunk) => {
      output += chunk;
    });
  }
  return npm;
}

function isAlive(pid: number): boolean {
  return pid > 0 && existsSync(`/proc/${pid}`);
}

/** The processes below one, of whatever depth. */
function descendantsOf(pid: number): readonly number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const [, parent = '0'] =
        /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${name}/status`, 'utf8')) ?? [];
      parents.set(Number(name), Number(parent));
    } catch {
      // It has ended meanwhile.
    }
  }
  const isBelow = (one: number): boolean => {
    const parent = parents.get(one);
    return parent !== undefined && (parent === pid || (parent > 1 && isBelow(parent)));
  };
  return [...parents.keys()].filter(isBelow);
}

const leftFolders = (): readonly string[] =>
  readdirSync(temporary).filter((name) => name.startsWith('slotbook-'));

/** The files of the journal that the demo keeps. */
function journalFiles(): readonly string[] {
  const journal = path.join(temporary, leftFolders()[0] ?? '', 'journal');
  return existsSync(journal)
    ? readdirSync(journal).filter((name) => name.endsWith('.journal'))
    : [];
}

/** Both end it alike; the other one is the long form. */
const SIGNALS = process.env['LONG'] === undefined ? ['SIGTERM'] : ['SIGTERM', 'SIGINT'];

test.runIf(process.platform === 'linux').each(SIGNALS as NodeJS.Signals[])(
  '%s to the pid of npm ends the service and its chain, and removes the history and the journal',
  async (signal) => {
    const { pid = 0 } = startByNpm(['--port', '0']);
    await until(() => /^ready http/m.test(output) || npm?.exitCode !== null, UNTIL_RUNNER_ENDS);
    expect(output).toMatch(/^ready http/m);
    started = descendantsOf(pid);
    expect(started.length).toBeGreaterThanOrEqual(2);
    expect(leftFolders()).toHaveLength(1);
    await until(() => journalFiles().length > 0);
    process.kill(pid, signal);
    await until(() => ![pid, ...started].some(isAlive));
    expect(leftFolders()).toEqual([]);
  },
);

test('a demo that cannot listen removes the folder of its history', async () => {
  startByNpm(['--host', '203.0.113.1']);
  await until(() => npm?.exitCode !== null, UNTIL_RUNNER_ENDS);
  expect(output).toContain('slotbook: ');
  expect(npm?.exitCode).not.toBe(0);
  expect(leftFolders()).toEqual([]);
});
