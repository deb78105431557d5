import { shownFailure } from '../../rpc/error.js';
import { COPY_BYTES_MAX, STATEMENTS_MAX } from '../model/limits.js';
import { readNumber } from '../store/columns.js';
import type { Bound, Connection, Row, RowShape, StoredChange } from '../store/connection.js';
import { StoreError } from '../store/error.js';
import { copyLine } from './copy-text.js';
import { serverError, shownAddress } from './errors.js';
import { ServerLink } from './server-link.js';
import type { ServerReply, ServerRequest, StoreRole } from './thread-messages.js';

type RowsReply = Extract<ServerReply, { readonly rows: readonly Row[] }>;

/**
 * Matches statements with a list of variable length: preparing them would evict statements that are
 * reused.
 */
const OF_ONE_USE = / in \(\?,/;

/** Buffered rows of a COPY. */
interface WaitingRows {
  readonly text: string;
  lines: string;
}

/** The database to open, and the role. */
export interface PostgresPlace {
  /** The address of the server with user and password, which must never be displayed. */
  readonly url: string;
  readonly role: StoreRole;
}

/**
 * A database of a Postgres server. New rows are buffered within their transaction, and sent as one
 * COPY per table before the next query. A lost connection stays closed; the store is then opened
 * again.
 */
export class PostgresConnection implements Connection {
  readonly engine = 'postgres';
  readonly file: string;
  readonly #link = new ServerLink();
  readonly #names = new Map<string, { readonly text: string; readonly name: string | null }>();
  readonly #waiting = new Map<string, WaitingRows>();
  /** The highest id in use, by table. */
  readonly #ids = new Map<string, number>();
  #changeNumber: number | null = null;
  /** Whether a COPY was sent whose reply is outstanding. */
  #isCopying = false;
  /** The error that closed the connection; null while it is open. */
  #ended: StoreError | null = null;

  constructor({ url, role }: PostgresPlace) {
    this.file = shownAddress(url);
    try {
      this.#ask({ kind: 'open', url, role });
    } catch (error) {
      this.#link.end();
      throw error;
    }
  }

  get identity(): string {
    return this.file;
  }

  readRows(sql: string, bound: readonly Bound[] = []): readonly Row[] {
    return this.#runText(sql, bound).rows;
  }

  readRow(sql: string, bound: readonly Bound[] = []): Row | null {
    return this.readRows(sql, bound)[0] ?? null;
  }

  changeRows(sql: string, bound: readonly Bound[] = []): number {
    return this.#runText(sql, bound).changes;
  }

  addRow({ table, columns }: RowShape, values: readonly Bound[]): void {
    const text = `copy ${table} (${columns.join(', ')}) from stdin`;
    if (this.#waiting.get(table)?.text !== text) this.#copyRows(table);
    const waiting = this.#waiting.get(table) ?? { text, lines: '' };
    this.#waiting.set(table, waiting);
    waiting.lines += copyLine(values);
    if (waiting.lines.length > COPY_BYTES_MAX) this.#copyRows(table);
  }

  addNumberedRow({ table, columns }: RowShape, values: readonly Bound[]): number {
    const id = this.#lastId(table) + 1;
    this.#ids.set(table, id);
    this.addRow({ table, columns: ['id', ...columns] }, [id, ...values]);
    return id;
  }

  runTransaction<T>(work: () => T): T {
    return this.#runFrom('begin', work);
  }

  runSnapshot<T>(read: () => T): T {
    return this.#runFrom('begin isolation level repeatable read read only', read);
  }

  #runFrom<T>(begin: string, work: () => T): T {
    this.changeRows(begin);
    try {
      const result = work();
      for (const table of [...this.#waiting.keys()]) this.#copyRows(table);
      this.changeRows('commit');
      return result;
    } catch (error) {
      this.#rollBack();
      throw error;
    }
  }

  recordChange({ markets, isNewAlone }: StoredChange): void {
    if (markets.length === 0) return;
    const read = (): number =>
      readNumber(this.readRow('select coalesce(max(number), 0) from changes')?.[0]);
    const number = (this.#changeNumber ?? read()) + 1;
    this.#changeNumber = number;
    const rows = markets.map((code) => `(${code}, ${number}, ${isNewAlone ? 0 : number})`);
    this.changeRows(`insert into changes (market, number, removed) values ${rows.join()}
      on conflict (market) do update set number = excluded.number,
        removed = greatest(changes.removed, excluded.removed)`);
  }

  toStoreError(error: unknown): StoreError {
    if (error instanceof StoreError) return error;
    const text = `the store failed: ${this.file} (${shownFailure(error)})`;
    return new StoreError('internal', text, error);
  }

  isInPlace(): boolean {
    return true;
  }

  close(): void {
    if (this.#ended !== null) return;
    try {
      this.#ask({ kind: 'close' });
    } catch {
      // The server closes the connection by itself.
    }
    this.abandon(new StoreError('closed', 'the store was closed'));
  }

  abandon(reason: StoreError): void {
    if (this.#ended?.reason === 'closed') return;
    this.#ended = reason;
    this.#link.end();
  }

  #rollBack(): void {
    this.#waiting.clear();
    this.#ids.clear();
    this.#changeNumber = null;
    if (this.#ended !== null) return;
    try {
      this.#finishCopy();
    } catch {
      // The transaction has failed before, so this error adds nothing.
    }
    try {
      this.changeRows('rollback');
    } catch {
      // The next `begin` fails with the cause; the current error is more specific.
    }
  }

  #lastId(table: string): number {
    const known = this.#ids.get(table);
    if (known !== undefined) return known;
    return readNumber(this.readRow(`select coalesce(max(id), 0) from ${table}`)?.[0]);
  }

  #runText(sql: string, bound: readonly Bound[]): RowsReply {
    for (const table of [...this.#waiting.keys()]) if (sql.includes(table)) this.#copyRows(table);
    const { text, name } = this.#namedText(sql);
    return this.#ask({ kind: 'query', text, values: bound, name });
  }

  #copyRows(table: string): void {
    const waiting = this.#waiting.get(table);
    this.#waiting.delete(table);
    if (waiting === undefined) return;
    if (this.#ended !== null) throw this.#ended;
    this.#finishCopy();
    // The server processes the COPY while the next rows are prepared; the next query reports a
    // failure.
    this.#link.send({ kind: 'copy', text: waiting.text, rows: waiting.lines });
    this.#isCopying = true;
  }

  /** Waits until the server has processed the COPY. Throws when the COPY failed. */
  #finishCopy(): void {
    if (!this.#isCopying) return;
    this.#isCopying = false;
    this.#takeReply(this.#link.waitForReply());
  }

  /**
   * Replaces the placeholders by those of Postgres, and names statements that the server should
   * prepare.
   */
  #namedText(sql: string): { readonly text: string; readonly name: string | null } {
    const known = this.#names.get(sql);
    if (known !== undefined) return known;
    const isKept = sql.includes('?') && !OF_ONE_USE.test(sql) && this.#names.size < STATEMENTS_MAX;
    const named = { text: dollarText(sql), name: isKept ? `s${this.#names.size}` : null };
    if (isKept) this.#names.set(sql, named);
    return named;
  }

  #ask(request: ServerRequest): RowsReply {
    if (this.#ended !== null) throw this.#ended;
    this.#finishCopy();
    return this.#takeReply(this.#link.ask(request), request.kind);
  }

  #takeReply(reply: ServerReply, kind?: ServerRequest['kind']): RowsReply {
    if ('rows' in reply) return reply;
    const error = serverError(this.file, reply.failure);
    if (error.reason === 'lost' && kind !== 'open') this.abandon(error);
    throw error;
  }
}

/** Replaces `?` and `?1` by `$1`. */
function dollarText(sql: string): string {
  let count = 0;
  return sql.replaceAll(/\?(\d*)/g, (_, number: string) => {
    count += 1;
    return `$${number === '' ? count : number}`;
  });
}
