/** A Postgres server for a row, as it is started by default: every commit waits for the disk. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../../dist/src/app/loopback-ports.js';

/** Where Debian has the programs of Postgres 15. */
const programs = '/usr/lib/postgresql/15/bin';
/** Postgres refuses to run as root, so it runs as Debian's user nobody. */
const NOBODY = 65_534;
const START_MS_MAX = 60_000;

/** Whether a Postgres server can be started here. */
export function hasPostgres() {
  return existsSync(path.join(programs, 'initdb'));
}

/** A server on a free port, with a folder of its own. */
export class PostgresProcess {
  #child;
  #folder;
  #port;

  constructor(child, folder, port) {
    this.#child = child;
    this.#folder = folder;
    this.#port = port;
  }

  static async start() {
    const folder = mkdtempSync(path.join(tmpdir(), 'slotbook-bench-postgres-'));
    const port = await freePort();
    const isRoot = process.getuid?.() === 0;
    if (isRoot) chownSync(folder, NOBODY, NOBODY);
    const nobody = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
    const env = { PATH: process.env.PATH, LC_ALL: 'C.UTF-8' };
    const as = { ...nobody, cwd: folder, env, stdio: 'ignore' };
    const data = path.join(folder, 'data');
    execFileSync(
      path.join(programs, 'initdb'),
      ['-D', data, '-U', 'slotbook', '-A', 'trust', '-E', 'UTF8'],
      as,
    );
    const flags = [
      '-D',
      data,
      '-p',
      String(port),
      '-k',
      folder,
      '-c',
      'listen_addresses=127.0.0.1',
    ];
    const server = new PostgresProcess(
      spawn(path.join(programs, 'postgres'), flags, as),
      folder,
      port,
    );
    await server.#untilItAccepts();
    return server;
  }

  urlOf(database) {
    return `postgres://slotbook:secret@127.0.0.1:${this.#port}/${database}`;
  }

  /** The first row of each text. */
  async readRows(database, texts) {
    const client = new pg.Client({ connectionString: this.urlOf(database) });
    await client.connect();
    try {
      const rows = [];
      for (const text of texts) rows.push((await client.query({ text, rowMode: 'array' })).rows[0]);
      return rows;
    } finally {
      await client.end();
    }
  }

  async makeDatabase(name) {
    await this.readRows('postgres', [`create database ${name}`]);
    return this.urlOf(name);
  }

  async stop() {
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGINT');
    await ended;
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #untilItAccepts() {
    for (const endMs = performance.now() + START_MS_MAX; ; await sleep(50)) {
      try {
        await this.readRows('postgres', ['select 1']);
        return;
      } catch (error) {
        if (performance.now() > endMs || this.#child.exitCode !== null) throw error;
      }
    }
  }
}
