import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { freePort } from '../../src/app/loopback-ports.js';
import { endChild } from './child-end.js';
import { until } from './until.js';

/** Where Debian has the programs of Postgres 15. */
const programs = '/usr/lib/postgresql/15/bin';

/** Defaults of a server that change how values are written as text. */
const ODD_TEXTS = ['bytea_output=escape', 'extra_float_digits=-15', 'datestyle=German'];

/** Why tests of Postgres cannot run here; undefined where they can. */
export const postgresMissing = existsSync(path.join(programs, 'initdb'))
  ? undefined
  : 'skipped: needs postgres';

/**
 * A real Postgres server on a free loopback port, with its own folder. It runs as the user nobody
 * when tests run as root.
 */
export class PostgresServer {
  #child: ChildProcess | undefined;
  #databases = 0;

  private constructor(
    readonly port: number,
    private readonly folder: string,
  ) {}

  static async start(): Promise<PostgresServer> {
    const folder = mkdtempSync(path.join(tmpdir(), 'slotbook-postgres-'));
    const server = new PostgresServer(await freePort(), folder);
    const { uid, gid } = server.#as;
    if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
    const flags = ['-D', server.#data, '-U', 'slotbook', '-A', 'trust', '-E', 'UTF8', '--no-sync'];
    execFileSync(path.join(programs, 'initdb'), flags, { ...server.#as, stdio: 'ignore' });
    await server.startAgain();
    return server;
  }

  get #data(): string {
    return path.join(this.folder, 'data');
  }

  get #as(): { cwd: string; env: NodeJS.ProcessEnv; uid?: number; gid?: number } {
    const env = { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8' };
    const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    return { ...nobody, cwd: this.folder, env };
  }

  /** Starts it on its port and its folder, after a kill. */
  async startAgain(): Promise<void> {
    const settings = ['listen_addresses=127.0.0.1', 'fsync=off', 'max_locks_per_transaction=512'];
    settings.push(...ODD_TEXTS);
    const flags = ['-D', this.#data, '-p', String(this.port), '-k', this.folder];
    const args = [...flags, ...settings.flatMap((one) => ['-c', one])];
    const child = spawn(path.join(programs, 'postgres'), args, { ...this.#as, stdio: 'ignore' });
    this.#child = child;
    await until(async () => child.exitCode !== null || (await this.#accepts()));
    if (child.exitCode !== null) throw new Error(`postgres ended with ${child.exitCode}`);
  }

  async #accepts(): Promise<boolean> {
    return this.run('postgres', 'select 1').then(
      () => true,
      () => false,
    );
  }

  /** The address of a database. */
  urlOf(database: string): string {
    return `postgres://slotbook:secret@127.0.0.1:${this.port}/${database}`;
  }

  /** Creates a database, empty or as a copy of a database without connections, and returns its address. */
  async newDatabase(copied?: string): Promise<string> {
    this.#databases += 1;
    const name = `history_${this.#databases}`;
    const template = copied === undefined ? '' : `template ${new URL(copied).pathname.slice(1)}`;
    await this.run('postgres', `create database ${name} ${template}`);
    return this.urlOf(name);
  }

  /** Runs a statement, and returns its rows. */
  async run(database: string, text: string): Promise<readonly Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: this.urlOf(database) });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(text)).rows;
    } finally {
      await client.end();
    }
  }

  /** Ends it as a power cut ends it, connections and all. */
  async kill(): Promise<void> {
    await endChild(this.#child, 'SIGQUIT');
  }

  async stop(): Promise<void> {
    await endChild(this.#child, 'SIGINT');
    rmSync(this.folder, { recursive: true, force: true });
  }
}
