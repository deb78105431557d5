/** The real database on files of a temporary folder, which fails as a disk does where a run says so. */
import RealDatabase from 'libsql';
import { currentMachine } from '../globals.js';

/** How a disk fails. */
export type DiskFault = 'SQLITE_FULL' | 'SQLITE_READONLY' | 'SQLITE_IOERR';

interface OpenFile {
  readonly owner: number;
  readonly database: RealDatabase.Database;
}

const opened = new Set<OpenFile>();
let fault: DiskFault | null = null;

/** From now on the disk fails like this; null is a sound one. */
export function failDisk(next: DiskFault | null): void {
  fault = next;
}

/** Closes what killed processes had open; the files they wrote to are given up. */
export function closeFilesOf(isEnded: (owner: number) => boolean): void {
  for (const file of [...opened]) {
    if (!isEnded(file.owner)) continue;
    opened.delete(file);
    giveBack(file.database);
  }
}

/** The lock goes with the process; here the file is closed only when its statements are collected. */
function giveBack(database: RealDatabase.Database): void {
  const statements = ['pragma journal_mode = delete', 'pragma locking_mode = normal'];
  for (const sql of [...statements, 'select count(*) from sqlite_schema']) {
    try {
      RealDatabase.prototype.exec.call(database, sql);
    } catch {
      // A transaction under way ends with the handle.
    }
  }
  RealDatabase.prototype.close.call(database);
}

/** What changes a file. */
const WRITES = /^\s*(insert|update|delete|replace|create|drop|alter|begin immediate|commit)/i;

function failIfFaulty(sql: string): void {
  if (fault === null || (fault !== 'SQLITE_IOERR' && !WRITES.test(sql))) return;
  if (/^\s*rollback/i.test(sql)) return;
  throw Object.assign(new Error(`the disk of the run fails: ${fault}`), { code: fault });
}

type Statement = Record<'run' | 'all' | 'get', (...given: unknown[]) => unknown>;

/** An open file. */
class Database extends RealDatabase {
  readonly #file: OpenFile;

  constructor(path: string) {
    super(path);
    this.#file = {
      owner: currentMachine().time.owner,
      database: this as unknown as RealDatabase.Database,
    };
    opened.add(this.#file);
  }

  override exec(sql: string): this {
    failIfFaulty(sql);
    return super.exec(sql) as this;
  }

  override prepare(sql: string): never {
    failIfFaulty(sql);
    const statement = super.prepare(sql) as unknown as Statement;
    for (const name of ['run', 'all', 'get'] as const) {
      const real = statement[name].bind(statement);
      Object.assign(statement, {
        [name]: (...given: unknown[]) => {
          failIfFaulty(sql);
          return real(...given);
        },
      });
    }
    return statement as never;
  }

  override close(): this {
    opened.delete(this.#file);
    return super.close() as this;
  }
}

// biome-ignore lint/style/noDefaultExport: the package has one.
export default Database;
