/** Copies the file of a history into an empty database, with identical rows and ids. */
import path from 'node:path';
import { CANDLE_COLUMNS } from '../store/candle-rows.js';
import type { Bound, Connection, Row, RowShape } from '../store/connection.js';
import { StoreError } from '../store/error.js';
import { openFile } from '../store/open.js';
import { claimStore, storedProgram } from '../store/owner.js';
import { marketsIn } from '../store/queries.js';
import { PARTY_COLUMNS, PARTY_KEY, RECORD_COLUMNS, RECORD_KEY } from '../store/record-rows.js';
import { PostgresConnection } from './postgres-connection.js';

/** Number of rows per read of the file: several megabytes of trades. */
const ROWS_AT_ONCE = 5_000;

/** A table, and the key by which it is read. */
interface CopiedTable extends RowShape {
  readonly key: readonly string[];
}

const transactionState = ['slot', 'place', 'is_truncated', 'is_final', 'has_records'];
const tables: readonly CopiedTable[] = [
  { table: 'transactions', columns: ['id', 'signature', 'sum', ...transactionState], key: ['id'] },
  { table: 'records', columns: RECORD_COLUMNS, key: RECORD_KEY },
  { table: 'parties', columns: PARTY_COLUMNS, key: PARTY_KEY },
  { table: 'candles', columns: CANDLE_COLUMNS, key: ['market', 'minutes', 'start'] },
  {
    table: 'fill_runs',
    columns: ['market', 'first_id', 'last_id'],
    key: ['market', 'first_id'],
  },
  {
    table: 'uncharted',
    columns: ['market', 'tx', 'idx'],
    key: ['market', 'tx', 'idx'],
  },
  { table: 'progress', columns: ['name', 'value', 'sum'], key: ['name'] },
  { table: 'meta', columns: ['name', 'value', 'sum'], key: ['name'] },
];

/** The copied rows of all tables, and those of records among them. */
interface CopiedHistory {
  readonly rows: number;
  readonly records: number;
}

/** A file to copy, and the database that gets its rows. */
interface CopySettings {
  /** Its name is the genesis hash of the chain, and `.db`. */
  readonly file: string;
  readonly url: string;
  /** Called after each batch with the copied rows, and those of the file. */
  readonly onRows?: (copied: number, all: number) => void;
}

/**
 * Copies everything in one transaction. Throws a StoreError, also when the database already
 * contains records.
 */
export async function copyFile({ file, url, onRows }: CopySettings): Promise<CopiedHistory> {
  const genesisHash = path.basename(file, '.db');
  const from = await openFile({ folder: path.dirname(file), genesisHash });
  try {
    const to = new PostgresConnection({ url, role: 'write' });
    try {
      claimStore(to, { genesisHash, ...storedProgram(from) });
      refuseRecords(to);
      return to.runTransaction(() => copyTables(from, to, onRows));
    } finally {
      to.close();
    }
  } finally {
    from.close();
  }
}

function refuseRecords(to: Connection): void {
  if (to.readRow('select 1 from transactions limit 1') === null) return;
  throw new StoreError('foreign', `the database has a history already: ${to.file}`);
}

function copyTables(
  from: Connection,
  to: Connection,
  onRows: (copied: number, all: number) => void = () => undefined,
): CopiedHistory {
  to.changeRows('delete from progress');
  to.changeRows('delete from meta');
  const all = tables.reduce((sum, { table }) => sum + countRows(from, table), 0);
  let copied = 0;
  const addCopied = (count: number): void => {
    copied += count;
    onRows(copied, all);
  };
  for (const table of tables) copyTable(table, from, to, addCopied);
  const markets = marketsIn(from, 'candles');
  to.recordChange({ markets, isNewAlone: false });
  return { rows: copied, records: countRows(from, 'records') };
}

function countRows(from: Connection, table: string): number {
  return Number(from.readRow(`select count(*) from ${table}`)?.[0] ?? 0);
}

function copyTable(
  copied: CopiedTable,
  from: Connection,
  to: Connection,
  onRows: (count: number) => void,
): void {
  const { table, columns, key } = copied;
  const shape = { table, columns };
  let after: readonly Bound[] | null = null;
  for (;;) {
    const rows: readonly Row[] = readBehind(copied, from, after);
    for (const row of rows) to.addRow(shape, row as readonly Bound[]);
    onRows(rows.length);
    const last = rows.at(-1);
    if (last === undefined) return;
    after = key.map((column) => last[columns.indexOf(column)] as Bound);
  }
}

function readBehind(
  { table, columns, key }: CopiedTable,
  from: Connection,
  after: readonly Bound[] | null,
): readonly Row[] {
  const keys = key.join();
  const places = key.map(() => '?').join();
  const where = after === null ? '' : `where (${keys}) > (${places})`;
  const text = `select ${columns.join()} from ${table} ${where} order by ${keys} limit ${ROWS_AT_ONCE}`;
  return from.readRows(text, after ?? []);
}
