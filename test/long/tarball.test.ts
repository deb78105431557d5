/** The packages that `npm run pack` makes, as a newcomer gets them: no Rust, no compiler, an empty folder. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isAlive } from '../support/child-end.js';
import { expectServes, pack } from '../support/packed-service.js';
import { until } from '../support/until.js';

const execute = promisify(execFile);
/** What a newcomer waits for the book, from the command. */
const READY_MS_MAX = 15_000;
/** Ticks a second of the times in /proc: the kernel gives them to programs in this unit on every machine. */
const TICK_MS = 10;
/** All that there is to run: npm starts the commands of packages with `sh`. */
const PROGRAMS = ['node', 'npm', 'npx', 'sh'];

let folder: string;
let project: string;
let env: NodeJS.ProcessEnv;
let demo: ChildProcess | undefined;
let output = '';

/** Where the shell would find a program. */
function placeOf(program: string): string {
  const places = (process.env['PATH'] ?? '').split(path.delimiter);
  const found = places.map((place) => path.join(place, program)).find((file) => existsSync(file));
  if (found === undefined) throw new Error(`this machine has no ${program}`);
  return found;
}

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'slotbook-tarball-'));
  const bin = path.join(folder, 'bin');
  const packed = path.join(folder, 'packed');
  project = path.join(folder, 'project');
  for (const name of [bin, project]) mkdirSync(name);
  for (const program of PROGRAMS) symlinkSync(placeOf(program), path.join(bin, program));
  env = { PATH: bin, HOME: process.env['HOME'], TMPDIR: folder };
  const files = (await pack(packed)).map((name) => path.join(packed, name));
  await execute('npm', ['install', '--prefer-offline', ...files], { cwd: project, env });
});

afterAll(async () => {
  await endDemo();
  rmSync(folder, { recursive: true, force: true });
});

/** Ends all that the command has started, as Ctrl-C in a terminal does, and waits for its end. */
async function endDemo(): Promise<void> {
  const group = -(demo?.pid ?? 0);
  if (group === 0 || !isAlive(group)) return;
  process.kill(group, 'SIGINT');
  await until(() => !isAlive(group));
}

/** CPU milliseconds of all processes of the demo so far: beside other work it has the cores for a part of the time. */
function workedMs(): number {
  const group = String(demo?.pid);
  const stats = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(statOf);
  const own = stats.filter(([, , processGroup]) => processGroup === group);
  const ticks = own.flatMap((fields) => fields.slice(11, 15).map(Number));
  return ticks.reduce((sum, each) => sum + each, 0) * TICK_MS;
}

/** The fields of a process behind its name: state, parent, group, and from the twelfth on its times and its children's. */
function statOf(pid: string): readonly string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}

const read = (name: string): string =>
  readFileSync(path.join(project, 'node_modules', name), 'utf8');

test('nothing that is installed reports to its maker', () => {
  expect(existsSync(path.join(project, 'node_modules/@scarf'))).toBe(false);
  const installed = JSON.parse(read('.package-lock.json')).packages;
  expect(Object.keys(installed).filter((name) => name.endsWith('/scarf'))).toEqual([]);
});

test('the demo is ready in 15 s, with a book and a page', async () => {
  const startMs = performance.now();
  const args = ['slotbook', 'demo', '--host', '127.0.0.1', '--port', '0'];
  demo = spawn('npx', args, { cwd: project, env, detached: true });
  for (const stream of [demo.stdout, demo.stderr]) {
    stream?.on('data', (chunk) => {
      output += chunk;
    });
  }
  const url = await until('the demo is ready', () => {
    if (demo?.exitCode !== null) throw new Error(`the demo has ended: ${output}`);
    return /^ready (http\S+)$/m.exec(output)?.[1];
  });
  const tookMs = Math.round(performance.now() - startMs);
  const cpuMs = workedMs();
  process.stdout.write(`ready ${tookMs} ms after the command, of which ${cpuMs} ms of CPU\n`);
  expect(cpuMs).toBeGreaterThan(0);
  expect(Math.min(tookMs, cpuMs)).toBeLessThan(READY_MS_MAX);

  await expectServes(url);
  await endDemo();
  expect(readdirSync(folder).filter((name) => name.startsWith('slotbook-'))).toEqual([]);
});
