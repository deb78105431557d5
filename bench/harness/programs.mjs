/** Programs for several machines, as child processes: a NATS server, and the service in its roles. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { acceptsOn, freePort } from '../../dist/src/app/loopback-ports.js';
import { cpuNsOf, LOAD_CPU, pinned, SERVER_CPU } from './cpu.mjs';

const cli = fileURLToPath(new URL('../../dist/src/app/cli.js', import.meta.url));
/** Debian has servers where the path of an ordinary user does not lead. */
const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` };
/** A program that is not ready by then has failed. */
const START_MS_MAX = 120_000;
const LOOK_MS = 5;
const PAGE_BYTES = 4_096;

/** A process that is ended with the row. */
class Child {
  #child;
  output = '';
  errors = '';

  constructor(command, args) {
    this.#child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child.stdout.on('data', (chunk) => {
      this.output += chunk;
    });
    this.#child.stderr.on('data', (chunk) => {
      this.errors += chunk;
    });
  }

  get pid() {
    return this.#child.pid;
  }

  get isAlive() {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  cpuNs() {
    return cpuNsOf(this.pid);
  }

  /** Bytes of memory that are its own now. */
  residentBytes() {
    return Number(readFileSync(`/proc/${this.pid}/statm`, 'latin1').split(' ')[1]) * PAGE_BYTES;
  }

  /** Waits until something is so. */
  async untilReady(isReady) {
    const endMs = performance.now() + START_MS_MAX;
    while (!(await isReady())) {
      if (!this.isAlive || performance.now() > endMs) {
        throw new Error(`a program did not become ready: ${this.errors.slice(-2_000)}`);
      }
      await sleep(LOOK_MS);
    }
  }

  async stop() {
    if (!this.isAlive) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await ended;
  }
}

/** Whether a NATS server can be started here. */
export function hasNats() {
  return spawnSync('nats-server', ['--version'], { env, stdio: 'ignore' }).error === undefined;
}

/** One NATS server with JetStream, on the core of the load. */
export class NatsProcess extends Child {
  #folder;

  constructor(args, folder, url) {
    super(...args);
    this.#folder = folder;
    this.url = url;
  }

  static async start() {
    const [folder, port] = [
      mkdtempSync(path.join(tmpdir(), 'slotbook-bench-nats-')),
      await freePort(),
    ];
    const config = path.join(folder, 'nats.conf');
    writeFileSync(
      config,
      `listen: "127.0.0.1:${port}"\njetstream { store_dir: "${folder}/store" }\n`,
    );
    const { command, args } = pinned(LOAD_CPU, 'nats-server', ['-c', config]);
    const nats = new NatsProcess([command, args], folder, `nats://127.0.0.1:${port}`);
    await nats.untilReady(() => acceptsOn(port));
    return nats;
  }

  async stop() {
    await super.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** The service in one of its roles. */
export class Program extends Child {
  /** From its start until its book was live, milliseconds. */
  startMs = 0;

  /** Starts it on the core of the servers; resolves when its book is live. */
  static startServer(role, flags) {
    return Program.#start(SERVER_CPU, role, flags);
  }

  /** Starts the program next to the load. */
  static startLoad(role, flags) {
    return Program.#start(LOAD_CPU, role, flags);
  }

  static async #start(cpu, role, flags) {
    const own = [cli, role, '--port', '0', '--log-level', 'warn', ...flags];
    const { command, args } = pinned(cpu, process.execPath, own);
    const startedMs = performance.now();
    const program = new Program(command, args);
    await program.untilReady(() => /^ready http:/m.test(program.output));
    program.startMs = performance.now() - startedMs;
    return program;
  }

  get url() {
    return /(http:\S+)\/status/.exec(this.output)?.[1] ?? '';
  }

  get port() {
    return new URL(this.url).port;
  }

  /** A body, parsed. */
  async readJson(path) {
    return (await fetch(`${this.url}${path}`)).json();
  }
}
