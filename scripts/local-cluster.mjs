/**
 * `npm run local-cluster`: a distributed system on one machine, for experiments such as killing
 * some of its processes: a chain, NATS, Postgres, two cores and two edges. Prints their addresses
 * and ids, and ends all of them when it ends.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { acceptsOn, freePort } from '../dist/src/app/loopback-ports.js';
import { startDemo } from '../dist/src/sim/demo/demo.js';
import { root } from './process.mjs';

/** Polling interval until a program accepts connections. */
const LOOK_MS = 50;
/** Time limit for a program to accept connections: a NATS cluster first elects a leader. */
const START_MS_MAX = 60_000;
/** Time for an orderly exit before a kill. */
const END_MS_MAX = 2_000;
/** Delay in milliseconds before a part that ended is started again. */
const RESTART_MS = 1_000;
/** Milliseconds between two lines that are written to a pipe. */
const BEAT_MS = 10_000;
/** Shown characters of a failed program's output. */
const ERROR_CHARS_MAX = 2_000;
/** The user id that runs Postgres when this process is root, which Postgres refuses: Debian's nobody. */
const NOBODY = 65_534;

const { values: flags } = parseArgs({
  options: {
    /** The NATS server's executable; by default on the path, or where Debian has it. */
    'nats-server': { type: 'string' },
    /** The folder of `initdb` and `postgres`: by default Debian 12's. Without it there is no history. */
    postgres: { type: 'string', default: '/usr/lib/postgresql/15/bin' },
  },
});

const children = new Map();
let isStopping = false;
/** Resolves when a program exits unexpectedly, or a signal ends this one. */
let end;
const ended = new Promise((resolve) => {
  end = resolve;
});

/** Reports a program that ended, for example because the user killed it; the others continue. */
function noteEnd(name, reason) {
  if (isStopping) return;
  process.stdout.write(`ended  ${name} (${reason})\n`);
  end(new Error(`${name} ended: ${reason}`));
}

/** Starts a program, and restarts it when it ends, if requested; returns its last output. */
function startPart(name, command, args, { isReplaced = false, ...options } = {}) {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  children.set(name, child);
  let output = '';
  let errors = '';
  child.stdout.on('data', (chunk) => {
    output = `${output}${chunk}`.slice(-ERROR_CHARS_MAX);
  });
  child.stderr.on('data', (chunk) => {
    errors = `${errors}${chunk}`.slice(-ERROR_CHARS_MAX);
  });
  child.on('error', (error) => noteEnd(name, error.message));
  child.on('exit', async (code, signal) => {
    const reason = `${code ?? signal} ${errors.trim().split('\n').at(-1)}`.trim();
    if (!isReplaced || isStopping) return noteEnd(name, reason);
    process.stdout.write(`ended  ${name} (${reason})\n`);
    await sleep(RESTART_MS);
    if (isStopping) return;
    startPart(name, command, args, { isReplaced, ...options });
    process.stdout.write(`again  ${name} ${children.get(name).pid}\n`);
  });
  return () => output;
}

/** Waits until a condition holds. Throws when a program has ended, or after a time. */
async function waitFor(what, isSo) {
  const untilMs = performance.now() + START_MS_MAX;
  const failed = ended.then((failure) => Promise.reject(failure));
  failed.catch(() => undefined);
  while (!(await Promise.race([isSo(), failed]))) {
    if (performance.now() > untilMs) throw new Error(`${what} took more than ${START_MS_MAX} ms`);
    await sleep(LOOK_MS);
  }
}

/** Finds the NATS server. Exits when it is missing. */
function findNats() {
  const given = flags['nats-server'];
  const places = given === undefined ? ['nats-server', '/usr/sbin/nats-server'] : [given];
  const found = places.find((one) => spawnSync(one, ['--version']).error === undefined);
  if (found !== undefined) return found;
  const text = `local-cluster needs nats-server, and ${places.join(' and ')} cannot be started`;
  process.stderr.write(`${text}: apt-get install nats-server\n`);
  return process.exit(2);
}

/** Starts three NATS servers with three replicas; returns their addresses. */
async function startNats(program, folder) {
  const nodes = [1, 2, 3];
  const ports = await Promise.all(nodes.map(freePort));
  const routePorts = await Promise.all(nodes.map(freePort));
  const monitors = await Promise.all(nodes.map(freePort));
  const routes = routePorts.map((port) => `nats://127.0.0.1:${port}`);
  for (const [at, port] of ports.entries()) {
    const name = `nats-${at + 1}`;
    const own = ['--name', name, '-a', '127.0.0.1', '-p', `${port}`, '-m', `${monitors[at]}`];
    const store = ['-js', '-sd', path.join(folder, name)];
    const cluster = ['--cluster_name', 'slotbook', '--cluster', routes[at]];
    startPart(name, program, [...own, ...store, ...cluster, '--routes', routes.join()]);
  }
  await waitFor('the election of NATS', async () => {
    const leaders = await Promise.all(monitors.map(leaderBy));
    return leaders.every((leader) => leader !== undefined);
  });
  return ports.map((port) => `nats://127.0.0.1:${port}`).join();
}

async function leaderBy(monitor) {
  try {
    const reply = await fetch(`http://127.0.0.1:${monitor}/jsz`);
    return (await reply.json()).meta_cluster?.leader;
  } catch {
    return undefined;
  }
}

/** Starts Postgres with an empty database; returns its address, or undefined when it is not installed. */
async function startPostgres(programs, folder) {
  const postgres = path.join(programs, 'postgres');
  if (!existsSync(postgres)) return undefined;
  const cwd = path.join(folder, 'postgres');
  mkdirSync(cwd);
  const isRoot = process.getuid?.() === 0;
  if (isRoot) {
    for (const one of [folder, cwd]) chownSync(one, NOBODY, NOBODY);
  }
  const as = { cwd, ...(isRoot && { uid: NOBODY, gid: NOBODY }) };
  const data = path.join(cwd, 'data');
  const made = ['-D', data, '-U', 'slotbook', '-A', 'trust', '-E', 'UTF8', '--locale=C'];
  execFileSync(path.join(programs, 'initdb'), [...made, '--no-sync'], { ...as, stdio: 'ignore' });
  const port = await freePort();
  const listen = ['-c', 'listen_addresses=127.0.0.1', '-c', 'max_locks_per_transaction=1024'];
  startPart('postgres', postgres, ['-D', data, '-p', `${port}`, '-k', cwd, ...listen], as);
  await waitFor('the start of Postgres', () => acceptsOn(port));
  return `postgres://slotbook@127.0.0.1:${port}/postgres`;
}

/** Starts two cores, one of them active, and two edges; returns the address of the first edge. */
async function startServices({ rpcUrl, wsUrl, programId }, shared) {
  const cli = path.join(root, 'dist', 'src', 'app', 'cli.js');
  const always = [...shared, '--program-id', programId, '--log-level', 'warn'];
  const start = async (name, own) => {
    const port = await freePort();
    const args = [cli, ...own, ...always, '--port', `${port}`];
    const output = startPart(name, process.execPath, args, { isReplaced: true });
    const url = `http://127.0.0.1:${port}`;
    process.stdout.write(`${name} ${url}${own[0] === 'core' ? '/status' : '/'}\n`);
    return { url, isReady: () => output().includes('ready ') };
  };
  const core = ['core', '--rpc-url', rpcUrl, '--ws-url', wsUrl, '--nats-replicas', '3'];
  const first = await start('core-1', core);
  await waitFor('the first core', first.isReady);
  await start('core-2', core);
  const edges = [await start('edge-1', ['edge']), await start('edge-2', ['edge'])];
  for (const { isReady } of edges) await waitFor('an edge', isReady);
  return edges[0].url;
}

/** Writes a line every ten seconds to a pipe, which detects that it has no reader. */
function detectReader() {
  process.stdout.on('error', end);
  if (process.stdout.isTTY) return;
  setInterval(() => process.stdout.write('running\n'), BEAT_MS).unref();
}

async function endChild(child) {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const exited = once(child, 'exit');
  child.kill('SIGINT');
  const timer = setTimeout(() => child.kill('SIGKILL'), END_MS_MAX);
  await exited;
  clearTimeout(timer);
}

const program = findNats();
process.once('exit', () => {
  for (const child of children.values()) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => end());
const folder = mkdtempSync(path.join(tmpdir(), 'slotbook-cluster-'));
let demo;
try {
  demo = await startDemo();
  demo.done.catch(end);
  const nats = await startNats(program, folder);
  const database = await startPostgres(flags.postgres, folder);
  const shared = ['--nats', nats, ...(database === undefined ? [] : ['--history-url', database])];
  const url = await startServices(demo, shared);
  const processes = [...children].map(([name, { pid }]) => `${name} ${pid}`).join(', ');
  const history = database ?? 'none: Postgres 15 is not installed';
  process.stdout.write(`nats   ${nats}\ndata   ${history}\nkill   ${processes}\nready ${url}\n`);
  detectReader();
  const failure = await ended;
  if (failure !== undefined) throw failure;
} catch (failure) {
  // A signal during the start is no failure.
  if (failure !== undefined) {
    process.stderr.write(`local-cluster: ${failure.message}\n`);
    process.exitCode = 1;
  }
} finally {
  isStopping = true;
  await Promise.all([...children.values()].map(endChild));
  await demo?.stop();
  rmSync(folder, { recursive: true, force: true });
}
