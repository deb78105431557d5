import path from 'node:path';
import Database from 'libsql';
import { JournalError, textOfError } from '../model/error.js';
import { identityOf } from './file-identity.js';

/** The name of the lock file in the folder. Nothing is ever written to it. */
const LOCK_NAME = 'lock';

const heldText =
  'another process keeps its files there, such as a second service: stop it, or give each its own --data-dir';

/**
 * The exclusive right to write in a folder. It is the lock of an empty SQLite database, like the
 * lock of the history's file: the system releases it however the process ends.
 */
export class FolderLock {
  readonly #file: string;
  readonly #database: InstanceType<typeof Database>;
  readonly #identity: string;

  private constructor(file: string, database: InstanceType<typeof Database>) {
    this.#file = file;
    this.#database = database;
    this.#identity = identityOf(file) ?? '';
  }

  /**
   * Locks an existing folder.
   *
   * # Errors
   * Throws `JOURNAL_LOCKED` when another process has the lock, `JOURNAL_FOLDER_FAILED` when the
   * folder cannot be locked.
   */
  static take(folder: string): FolderLock {
    const file = path.join(folder, LOCK_NAME);
    let database: InstanceType<typeof Database> | null = null;
    try {
      database = new Database(file);
      database.exec('pragma busy_timeout = 0');
      database.exec('pragma journal_mode = memory');
      database.exec('begin exclusive');
      return new FolderLock(file, database);
    } catch (error) {
      database?.close();
      if (/^SQLITE_(BUSY|LOCKED)/.test(codeOf(error))) {
        throw new JournalError('JOURNAL_LOCKED', heldText, { cause: error });
      }
      const message = `the folder cannot be locked: ${textOfError(error)}`;
      throw new JournalError('JOURNAL_FOLDER_FAILED', message, { cause: error });
    }
  }

  /** Returns whether the folder still contains the locked file. */
  isKept(): boolean {
    return identityOf(this.#file) === this.#identity;
  }

  release(): void {
    try {
      this.#database.exec('rollback');
    } finally {
      this.#database.close();
    }
  }
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}
