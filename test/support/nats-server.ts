import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { acceptsOn, freePort } from '../../src/app/loopback-ports.js';
import { endChild } from './child-end.js';
import { until } from './until.js';

/** Debian has servers where the path of an ordinary user does not lead. */
const env = { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin` };

/** Why tests of the log cannot run here; undefined where they can. */
export const natsMissing =
  spawnSync('nats-server', ['--version'], { stdio: 'ignore', env }).error === undefined
    ? undefined
    : 'skipped: needs nats-server';

/** A real NATS server with JetStream, on a free loopback port and with a folder of its own. */
export class NatsServer {
  #child: ChildProcess | undefined;

  private constructor(
    readonly port: number,
    private readonly folder: string,
  ) {}

  /** Starts a server that asks for the user `slotbook` and the password `secret`. */
  static async start(): Promise<NatsServer> {
    const server = new NatsServer(
      await freePort(),
      mkdtempSync(path.join(tmpdir(), 'slotbook-nats-')),
    );
    const lines = [
      `listen: "127.0.0.1:${server.port}"`,
      `jetstream { store_dir: "${server.folder}/store" }`,
      'authorization { user: slotbook, password: secret }',
    ];
    writeFileSync(server.#config, `${lines.join('\n')}\n`);
    await server.startAgain();
    return server;
  }

  get #config(): string {
    return path.join(this.folder, 'nats.conf');
  }

  /** The address with user and password. */
  get url(): string {
    return this.urlOf('slotbook', 'secret');
  }

  urlOf(user: string, password: string): string {
    return `nats://${user}:${password}@127.0.0.1:${this.port}`;
  }

  /** Starts it on its port and its folder, after a kill. */
  async startAgain(): Promise<void> {
    const child = spawn('nats-server', ['-c', this.#config], { env, stdio: 'ignore' });
    this.#child = child;
    await until(async () => child.exitCode !== null || (await acceptsOn(this.port)));
    if (child.exitCode !== null) throw new Error(`nats-server ended with ${child.exitCode}`);
  }

  /** Ends it as a power cut ends it. */
  async kill(): Promise<void> {
    await endChild(this.#child, 'SIGKILL');
  }

  /** Stops it where it is: connections stay, and nothing is answered. Resolves when all its threads stand still. */
  async pause(): Promise<void> {
    const tasks = `/proc/${this.#child?.pid}/task`;
    this.#child?.kill('SIGSTOP');
    await until('a server that stands still', () =>
      readdirSync(tasks).every((task) => isStopped(`${tasks}/${task}/stat`)),
    );
  }

  goOn(): void {
    this.#child?.kill('SIGCONT');
  }

  async stop(): Promise<void> {
    this.goOn();
    await endChild(this.#child, 'SIGTERM');
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Whether a thread is stopped: the letter behind the name in brackets says it. */
function isStopped(statFile: string): boolean {
  return readFileSync(statFile, 'utf8').split(') ').at(-1)?.startsWith('T') === true;
}
