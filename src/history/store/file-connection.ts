import Database from 'libsql';
import {
  PAGE_CACHE_KIB,
  STATEMENTS_MAX,
  WAL_BYTES_KEPT,
  WAL_CHECKPOINT_PAGES,
} from '../model/limits.js';
import type { Bound, Connection, Row, RowShape } from './connection.js';
import { StoreError, type StoreReason } from './error.js';
import { FilePlace } from './file-place.js';
import { insertText } from './insert-text.js';
import { WaitingRows } from './waiting-rows.js';

type Statement = ReturnType<InstanceType<typeof Database>['prepare']>;

/**
 * One open file. Every database failure becomes a StoreError. Numbers are bound as REAL, which an
 * INTEGER column converts to an integer, but an ANY column does not.
 */
export class FileConnection implements Connection {
  readonly engine = 'file';
  readonly file: string;
  readonly #database: InstanceType<typeof Database>;
  readonly #statements = new Map<string, Statement>();
  readonly #inserts = new Map<RowShape, string>();
  /** New rows of the current transaction, which are inserted together; null outside of one. */
  #waiting: WaitingRows | null = null;
  #place: FilePlace | null = null;
  /** The error that closed the file; null while it is open. */
  #ended: StoreError | null = null;
  #isLogged = false;

  constructor(file: string) {
    this.file = file;
    this.#database = guardDatabase(file, () => new Database(file));
    try {
      this.#applySettings();
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /**
   * Holds the lock while the file is open: a second process then fails immediately, and no shared
   * memory is used, which could fail on a full disk in the middle of a read. These settings do not
   * change the file, which may belong to another program.
   */
  #applySettings(): void {
    this.runStatements('pragma busy_timeout = 0');
    this.runStatements('pragma locking_mode = exclusive');
    this.runStatements('pragma foreign_keys = off');
    this.runStatements(`pragma cache_size = -${PAGE_CACHE_KIB}`);
    this.runStatements('select count(*) from sqlite_schema');
  }

  /**
   * Enables the write-ahead log. A commit is in the log when it returns, so it survives the end of
   * the process. After a power loss the newest commits may be missing together with their progress
   * marks; their records are then read again.
   */
  enableLog(): void {
    this.#isLogged = true;
    this.runStatements('pragma journal_mode = wal');
    this.runStatements('pragma synchronous = normal');
    this.runStatements(`pragma wal_autocheckpoint = ${WAL_CHECKPOINT_PAGES}`);
    this.runStatements(`pragma journal_size_limit = ${WAL_BYTES_KEPT}`);
  }

  /** Starts to detect a replacement of the file. */
  watchPlace(): void {
    this.#place = new FilePlace(this.file);
  }

  /** The handle for Kysely's migrator. */
  get database(): InstanceType<typeof Database> {
    return this.#database;
  }

  /** Executes statements without results. */
  runStatements(sql: string): void {
    this.#runGuarded(() => this.#database.exec(sql));
  }

  readRows(sql: string, bound: readonly Bound[] = []): readonly Row[] {
    this.#waiting?.insertBefore(sql);
    return this.#runGuarded(() => this.#prepareStatement(sql).all(bound)) as readonly Row[];
  }

  /** Returns the first row of a query, or null. */
  readRow(sql: string, bound: readonly Bound[] = []): Row | null {
    this.#waiting?.insertBefore(sql);
    return (
      (this.#runGuarded(() => this.#prepareStatement(sql).get(bound)) as Row | undefined) ?? null
    );
  }

  changeRows(sql: string, bound: readonly Bound[] = []): number {
    this.#waiting?.insertBefore(sql);
    return this.#runWrite(sql, bound);
  }

  addRow(shape: RowShape, values: readonly Bound[]): void {
    if (this.#waiting === null) this.changeRows(this.#insertOf(shape), values);
    else this.#waiting.addRow(shape, values);
  }

  addNumberedRow(shape: RowShape, values: readonly Bound[]): number {
    const statement = (): Statement => this.#prepareStatement(this.#insertOf(shape));
    return Number(this.#runGuarded(() => statement().run(values)).lastInsertRowid);
  }

  /** Records nothing, because the file has no other readers. */
  recordChange(): void {}

  /** Reads without a transaction, because the file has no other writers. */
  runSnapshot<T>(read: () => T): T {
    return read();
  }

  get identity(): string | null {
    return this.#place?.identity ?? null;
  }

  isInPlace(): boolean {
    return this.#place?.isKept() ?? true;
  }

  /** Runs `work` in a transaction. */
  runTransaction<T>(work: () => T): T {
    this.runStatements('begin immediate');
    this.#waiting = new WaitingRows((sql, bound) => this.#runWrite(sql, bound));
    try {
      const result = work();
      this.#waiting.insertAll();
      this.runStatements('commit');
      return result;
    } catch (error) {
      this.rollBack();
      throw error;
    } finally {
      this.#waiting = null;
    }
  }

  /** Rolls back the current transaction; a full disk may have rolled it back already. */
  rollBack(): void {
    if (this.#ended !== null || !this.#database.inTransaction) return;
    try {
      this.#database.exec('rollback');
    } catch {
      // The next `begin` fails with the cause; the current error is more specific.
    }
  }

  /** Converts an error of other code that uses the handle to a StoreError. */
  toStoreError(error: unknown): StoreError {
    return storeErrorOf(this.file, error);
  }

  close(): void {
    if (this.#ended !== null) return;
    this.#ended = new StoreError('closed', 'the store was closed');
    this.#statements.clear();
    this.#releaseLock();
    guardDatabase(this.file, () => this.#database.close());
  }

  /**
   * Abandons a file that is no longer at its path, without touching the file that is there now,
   * such as the log of another process. Later calls fail with `reason`.
   */
  abandon(reason: StoreError): void {
    if (this.#ended !== null) return;
    this.#ended = reason;
    this.#statements.clear();
    guardDatabase(this.file, () => this.#database.close());
  }

  /**
   * Releases the lock explicitly: the driver closes the file only when its last statement is
   * garbage-collected. Releasing requires leaving WAL mode, which the next opening enters again.
   */
  #releaseLock(): void {
    try {
      if (this.#isLogged) this.#database.exec('pragma journal_mode = delete');
      this.#database.exec('pragma locking_mode = normal');
      this.#database.exec('select count(*) from sqlite_schema');
    } catch {
      // On a broken disk the lock is kept until the process ends; commits are in the log.
    }
  }

  #runWrite(sql: string, bound: readonly Bound[]): number {
    return this.#runGuarded(() => this.#prepareStatement(sql).run(bound)).changes;
  }

  #insertOf(shape: RowShape): string {
    const known = this.#inserts.get(shape);
    if (known !== undefined) return known;
    const text = insertText(shape.table, shape.columns);
    this.#inserts.set(shape, text);
    return text;
  }

  #prepareStatement(sql: string): Statement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    if (this.#statements.size >= STATEMENTS_MAX) this.#statements.clear();
    const statement = this.#prepareReader(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  /**
   * Prepares a query for reading. The driver ends the whole process on a text that is not UTF-8,
   * which a damaged byte can cause in any column. Therefore a text with characters other than
   * printable ASCII and line breaks, which the store never writes, is read as a blob.
   */
  #prepareReader(sql: string): Statement {
    const statement = this.#database.prepare(sql);
    if (!statement.reader) return statement;
    if (!/^\s*select\b/i.test(sql)) return statement.raw(true).safeIntegers(true);
    const names = statement.columns().map((_, at) => `c${at}`);
    const guarded = names.map((name) => {
      return `iif(typeof(${name}) = 'text' and ${name} glob '*[^ -~\n]*', cast(${name} as blob), ${name})`;
    });
    const text = `with q(${names.join()}) as (${sql}) select ${guarded.join()} from q`;
    return this.#database.prepare(text).raw(true).safeIntegers(true);
  }

  #runGuarded<T>(work: () => T): T {
    if (this.#ended !== null) throw this.#ended;
    return guardDatabase(this.file, work);
  }
}

const lockedText =
  'another process has the file open, such as a second service: stop it, or give each its own --data-dir';

const reasons: readonly (readonly [prefix: string, reason: StoreReason, what: string])[] = [
  ['SQLITE_FULL', 'full', 'the disk is full'],
  ['SQLITE_READONLY', 'readonly', 'the disk or the file may not be written'],
  ['SQLITE_PERM', 'readonly', 'the file may not be used'],
  ['SQLITE_AUTH', 'readonly', 'the file may not be used'],
  ['SQLITE_IOERR', 'io', 'the disk failed'],
  ['SQLITE_NOMEM', 'io', 'memory ran out'],
  ['SQLITE_BUSY', 'locked', lockedText],
  ['SQLITE_LOCKED', 'locked', lockedText],
  ['SQLITE_PROTOCOL', 'locked', lockedText],
  ['SQLITE_NOTADB', 'foreign', 'the file is not a database'],
  ['SQLITE_CORRUPT', 'corrupt', 'the file is damaged'],
  ['SQLITE_CANTOPEN', 'folder', 'the file cannot be opened'],
];

/** Runs `work`, and converts database errors into StoreErrors. */
function guardDatabase<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw storeErrorOf(file, error);
  }
}

/** Converts a database error into a StoreError. */
function storeErrorOf(file: string, error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const message = error instanceof Error ? error.message : String(error);
  const code = errorCodeOf(error);
  const known = reasons.find(([prefix]) => code.startsWith(prefix));
  if (known !== undefined) {
    const [, reason, what] = known;
    return new StoreError(reason, `${what}: ${file} (${code}: ${message})`, error);
  }
  return new StoreError('internal', `the store failed: ${file} (${code} ${message})`, error);
}

/**
 * Returns the code of a database error; failures to open a file have a code only in the message.
 */
function errorCodeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code === 'string' && code !== '') return code;
  const text = error instanceof Error ? error.message : '';
  return text.startsWith('ConnectionFailed') ? 'SQLITE_CANTOPEN' : '';
}
