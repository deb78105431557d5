/** The programs of a local cluster: starts them, waits until they accept, and ends them. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { ConfigError } from '../config/config-error.js';
import { sleep, systemTimers } from '../rpc/timers.js';
import { acceptsOn, freePort } from './loopback-ports.js';

/** Polling interval until a program accepts connections. */
const LOOK_MS = 50;
/** Time limit for a program to accept connections: a NATS cluster first elects a leader. */
const START_MS_MAX = 60_000;
/** Time for an orderly exit before a kill. */
const END_MS_MAX = 2_000;
/** Delay in milliseconds before a part that ended is started again. */
const RESTART_MS = 1_000;
/** Shown characters of a failed program's output. */
const ERROR_CHARS_MAX = 2_000;
/**
 * The user id that runs Postgres when this process is root, which Postgres refuses: Debian's
 * nobody.
 */
const NOBODY = 65_534;

/** The started programs. All are ended together, also when this process ends early. */
export class ClusterParts {
  readonly #children = new Map<string, ChildProcess>();
  #onEnd: (error: Error) => void = () => undefined;
  #isStopping = false;
  /** Resolves when the first program exits unexpectedly. */
  readonly failed = new Promise<Error>((resolve) => {
    this.#onEnd = resolve;
  });

  constructor() {
    process.once('exit', () => {
      for (const child of this.#children.values()) child.kill('SIGKILL');
    });
  }

  /** Starts a program, and restarts it when it ends, if requested; returns its last output. */
  startPart(
    name: string,
    command: string,
    args: readonly string[],
    options: PartOptions = {},
  ): { readonly output: () => string } {
    const { isReplaced = false, ...process } = options;
    const child = spawn(command, args, { ...process, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#children.set(name, child);
    let output = '';
    let errors = '';
    child.stdout.on('data', (chunk) => {
      output = `${output}${chunk}`.slice(-ERROR_CHARS_MAX);
    });
    child.stderr.on('data', (chunk) => {
      errors = `${errors}${chunk}`.slice(-ERROR_CHARS_MAX);
    });
    child.on('error', (error) => this.#noteEnd(name, error.message));
    child.on('exit', (code, signal) => {
      const reason = `${code ?? signal} ${errors.trim().split('\n').at(-1)}`.trim();
      if (!isReplaced || this.#isStopping) this.#noteEnd(name, reason);
      else this.#replacePart(name, reason, () => this.startPart(name, command, args, options));
    });
    return { output: () => output };
  }

  /** Ends all of them. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all([...this.#children.values()].map(endChild));
  }

  get processes(): readonly { readonly name: string; readonly pid: number | undefined }[] {
    return [...this.#children].map(([name, { pid }]) => ({ name, pid }));
  }

  /** Waits until a condition holds, or a program has exited. */
  async waitFor(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
    const untilMs = systemTimers.nowMs() + START_MS_MAX;
    const failed = this.failed.then((error) => Promise.reject(error));
    failed.catch(() => undefined);
    while (!(await Promise.race([isSo(), failed]))) {
      if (systemTimers.nowMs() > untilMs)
        throw new Error(`${what} took more than ${START_MS_MAX} ms`);
      await sleep(systemTimers, LOOK_MS);
    }
  }

  // Reports a program that ended, for example because the user killed it; the other programs
  // continue.
  #noteEnd(name: string, reason: string): void {
    if (this.#isStopping) return;
    process.stdout.write(`ended  ${name} (${reason})\n`);
    this.#onEnd(new Error(`${name} ended: ${reason}`));
  }

  #replacePart(name: string, reason: string, start: () => void): void {
    process.stdout.write(`ended  ${name} (${reason})\n`);
    systemTimers.after(RESTART_MS, () => {
      if (this.#isStopping) return;
      start();
      process.stdout.write(`again  ${name} ${this.#children.get(name)?.pid}\n`);
    });
  }
}

/** The way to run a program, and whether to replace it when it ends. */
interface PartOptions {
  readonly cwd?: string;
  readonly uid?: number;
  readonly gid?: number;
  readonly isReplaced?: boolean;
}

async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const ended = once(child, 'exit');
  child.kill('SIGINT');
  const timer = systemTimers.after(END_MS_MAX, () => child.kill('SIGKILL'));
  await ended;
  timer.cancel();
}

/**
 * Finds a program by its path, or at Debian's default path. Throws a ConfigError when it is
 * missing.
 */
export function findProgram(name: string, given: string | undefined): string {
  const places = given === undefined ? [name, `/usr/sbin/${name}`] : [given];
  const found = places.find((one) => spawnSync(one, ['--version']).error === undefined);
  if (found !== undefined) return found;
  const text = `local-cluster needs ${name}, and ${places.join(' and ')} cannot be started`;
  throw new ConfigError('INVALID_SETTING', `${text}: apt-get install ${name}`, `--${name}`);
}

/** Starts three NATS servers with three replicas; returns their addresses. */
export async function startNats(
  parts: ClusterParts,
  { program, folder }: { readonly program: string; readonly folder: string },
): Promise<string> {
  const nodes = [1, 2, 3];
  const ports = await Promise.all(nodes.map(freePort));
  const routePorts = await Promise.all(nodes.map(freePort));
  const monitors = await Promise.all(nodes.map(freePort));
  const routes = routePorts.map((port) => `nats://127.0.0.1:${port}`);
  for (const [at, port] of ports.entries()) {
    const name = `nats-${at + 1}`;
    const own = ['--name', name, '-a', '127.0.0.1', '-p', `${port}`, '-m', `${monitors[at]}`];
    const store = ['-js', '-sd', path.join(folder, name)];
    const cluster = ['--cluster_name', 'slotbook', '--cluster', routes[at] ?? ''];
    const args = [...own, ...store, ...cluster, '--routes', routes.join()];
    parts.startPart(name, program, args);
  }
  await parts.waitFor('the election of NATS', async () => {
    const states = await Promise.all(monitors.map(leaderBy));
    return states.every((leader) => leader !== null);
  });
  return ports.map((port) => `nats://127.0.0.1:${port}`).join();
}

async function leaderBy(monitor: number): Promise<string | null> {
  try {
    const reply = await fetch(`http://127.0.0.1:${monitor}/jsz`);
    const state = (await reply.json()) as { readonly meta_cluster?: { readonly leader?: string } };
    return state.meta_cluster?.leader ?? null;
  } catch {
    return null;
  }
}

/** Starts Postgres with an empty database; returns its address, or null when it is not installed. */
export async function startPostgres(
  parts: ClusterParts,
  { programs, folder }: { readonly programs: string; readonly folder: string },
): Promise<string | null> {
  const postgres = path.join(programs, 'postgres');
  if (!existsSync(postgres)) return null;
  const cwd = path.join(folder, 'postgres');
  mkdirSync(cwd);
  const isRoot = process.getuid?.() === 0;
  if (isRoot) {
    for (const one of [folder, cwd]) chownSync(one, NOBODY, NOBODY);
  }
  const as = { cwd, ...(isRoot && { uid: NOBODY, gid: NOBODY }) };
  const data = path.join(cwd, 'data');
  const flags = ['-D', data, '-U', 'slotbook', '-A', 'trust', '-E', 'UTF8', '--locale=C'];
  execFileSync(path.join(programs, 'initdb'), [...flags, '--no-sync'], { ...as, stdio: 'ignore' });
  const port = await freePort();
  const listen = ['-c', 'listen_addresses=127.0.0.1', '-c', 'max_locks_per_transaction=1024'];
  parts.startPart('postgres', postgres, ['-D', data, '-p', `${port}`, '-k', cwd, ...listen], as);
  await parts.waitFor('the start of Postgres', () => acceptsOn(port));
  return `postgres://slotbook@127.0.0.1:${port}/postgres`;
}
