import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { acceptsOn, freePort } from '../../src/app/loopback-ports.js';
import { endChild } from './child-end.js';
import { until } from './until.js';

/** Debian has servers where the path of an ordinary user does not lead. */
const env = { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin` };
/** `NATS_SERVER` names another one than that of the path, as of another version. */
const program = process.env['NATS_SERVER'] ?? 'nats-server';

/** Why tests of the log cannot run here; undefined where they can. */
export const natsMissing =
  spawnSync(program, ['--version'], { stdio: 'ignore', env }).error === undefined
    ? undefined
    : 'skipped: needs nats-server';

/** A real NATS server with JetStream, on a free loopback port and with a folder of its own. */
export class NatsServer {
  #child: ChildProcess | undefined;

  private constructor(
    readonly port: number,
    private readonly folder: string,
  ) {}

  /**
   * Starts a server with the user `slotbook` and the password `secret`; the user may do anything
   * except subscribe to the denied subjects.
   */
  static async start(denied: readonly string[] = []): Promise<NatsServer> {
    const server = new NatsServer(
      await freePort(),
      mkdtempSync(path.join(tmpdir(), 'slotbook-nats-')),
    );
    server.#writeConfig(denied);
    await server.startAgain();
    return server;
  }

  /** Starts a server with the logins by role of `ops/nats.conf`, whose passwords are `core` and `edge`. */
  static async startWithRoles(): Promise<NatsServer> {
    const folder = mkdtempSync(path.join(tmpdir(), 'slotbook-nats-'));
    const server = new NatsServer(await freePort(), folder);
    const roles = readFileSync(new URL('../../ops/nats.conf', import.meta.url), 'utf8')
      .replace('$SLOTBOOK_NATS_CORE_PASSWORD', 'core')
      .replace('$SLOTBOOK_NATS_EDGE_PASSWORD', 'edge');
    const store = `jetstream { store_dir: "${folder}/store" }`;
    writeFileSync(server.#config, `listen: "127.0.0.1:${server.port}"\n${store}\n${roles}`);
    await server.startAgain();
    return server;
  }

  /** Starts three of them that keep copies of each other's streams, named by their places from 0; returns them before they have a leader. */
  static async startCluster(): Promise<readonly NatsServer[]> {
    const places = [0, 1, 2];
    const ports = await Promise.all(places.map(freePort));
    const routePorts = await Promise.all(places.map(freePort));
    const folder = mkdtempSync(path.join(tmpdir(), 'slotbook-nats-'));
    const routes = routePorts.map((port) => `"nats-route://127.0.0.1:${port}"`).join();
    const servers = ports.map((port, at) => {
      const own = path.join(folder, String(at));
      mkdirSync(own);
      const server = new NatsServer(port, own);
      const listen = `"127.0.0.1:${routePorts[at]}"`;
      server.#writeConfig(
        [],
        `server_name: "${at}"`,
        `cluster { name: slotbook, listen: ${listen}, routes: [${routes}] }`,
      );
      return server;
    });
    await Promise.all(servers.map((server) => server.startAgain()));
    return servers;
  }

  #writeConfig(denied: readonly string[], ...more: readonly string[]): void {
    const permissions = `permissions: { subscribe: { deny: ${JSON.stringify(denied)} } }`;
    const user = `user: slotbook, password: secret${denied.length > 0 ? `, ${permissions}` : ''}`;
    const lines = [
      `listen: "127.0.0.1:${this.port}"`,
      `jetstream { store_dir: "${this.folder}/store" }`,
      `authorization { users: [{ ${user} }] }`,
      ...more,
    ];
    writeFileSync(this.#config, `${lines.join('\n')}\n`);
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
    const child = spawn(program, ['-c', this.#config], { env, stdio: 'ignore' });
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

  resume(): void {
    this.#child?.kill('SIGCONT');
  }

  async stop(): Promise<void> {
    this.resume();
    await endChild(this.#child, 'SIGTERM');
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Whether a thread is stopped, according to the letter after the name in brackets. */
function isStopped(statFile: string): boolean {
  return readFileSync(statFile, 'utf8').split(') ').at(-1)?.startsWith('T') === true;
}
