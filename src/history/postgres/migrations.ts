/**
 * The versions of the tables in Postgres, oldest first, like those of the file in
 * `store/migrations.ts`: tables and columns have the same names. Integers of any size are numeric.
 * Records are partitioned by day, so their time is part of their keys.
 */
import { type Kysely, type Migration, sql } from 'kysely';
import { CANDLE_COLUMNS } from '../store/candle-rows.js';
import { FUNDING_COLUMNS, TRADE_COLUMNS } from '../store/record-rows.js';

const migrations: Readonly<Record<string, Migration>> = {
  '0001-records': { up: createTables },
};

/** The names of all versions of this program. */
export const POSTGRES_MIGRATION_NAMES: readonly string[] = Object.keys(migrations);

/** The versions up to a named one. */
export function postgresMigrations(upTo: string | null): Readonly<Record<string, Migration>> {
  const known = Object.entries(migrations).filter(([name]) => upTo === null || name <= upTo);
  return Object.fromEntries(known);
}

/** Columns of 64 bits; all other columns of records and candles can hold integers of any size. */
const smallColumns = new Set<string>([
  'market',
  'slot',
  'place',
  'tx',
  'idx',
  'ts',
  'explanation',
  'filler',
  'referrer_reward',
  'taker',
  'taker_order_id',
  'taker_direction',
  'maker',
  'maker_order_id',
  'maker_direction',
  'bit_flags',
  'minutes',
  'start',
  'first_ts',
  'last_ts',
  'fills',
  'sum',
]);

const recordKey = ['market', 'slot', 'place', 'tx', 'idx', 'ts'];
const candleKey = ['market', 'minutes', 'start'];

async function createTables(db: Kysely<unknown>): Promise<void> {
  const run = async (text: string): Promise<void> => void (await sql.raw(text).execute(db));
  await createRecords(run, 'trades', TRADE_COLUMNS);
  await createRecords(run, 'funding_rates', FUNDING_COLUMNS);
  for (const role of ['taker', 'maker']) {
    await run(`create index trades_by_${role} on trades (${role}, slot, place, idx)
      where ${role} is not null`);
  }
  await createTransactions(run);
  await run(`create table candles (${columnTexts(CANDLE_COLUMNS, candleKey)},
    primary key (${candleKey.join()}))`);
  await run(`create table fill_runs (market bigint, first_id numeric, last_id numeric not null,
    primary key (market, first_id))`);
  await run(
    'create table uncharted (market bigint, tx bigint, idx bigint, primary key (market, tx, idx))',
  );
  for (const name of ['progress', 'meta']) {
    await run(`create table ${name} (name text primary key, value text not null, sum bigint)`);
  }
  await run(`create table changes (market bigint primary key, number bigint not null,
    removed bigint not null)`);
  await createTriggers(run);
}

type Run = (text: string) => Promise<void>;

/**
 * Creates a record table; its default partition accepts every time outside of the daily partitions.
 */
async function createRecords(run: Run, name: string, columns: readonly string[]): Promise<void> {
  await run(`create table ${name} (${columnTexts(columns, recordKey)},
    primary key (market, slot, place, idx, tx, ts)) partition by range (ts)`);
  await run(`create index ${name}_by_event on ${name} (tx, idx)`);
  await run(`create index ${name}_by_time on ${name} (market, ts)`);
  await run(`create table ${name}_other partition of ${name} default`);
}

function columnTexts(columns: readonly string[], key: readonly string[]): string {
  return columns
    .map((column) => {
      const type = smallColumns.has(column) ? 'bigint' : 'numeric';
      return `${column} ${type}${key.includes(column) ? ' not null' : ''}`;
    })
    .join(', ');
}

async function createTransactions(run: Run): Promise<void> {
  await run(`create table transactions (id bigint primary key, signature bytea not null unique,
    slot bigint not null, place bigint not null, is_truncated bigint not null,
    is_final bigint not null, has_records bigint not null, sum bigint)`);
  const few = [
    ['transactions_unsettled', 'is_final = 0'],
    ['transactions_truncated', 'is_truncated = 1'],
    ['transactions_empty', 'has_records = 0'],
  ];
  for (const [name, condition] of few) {
    await run(`create index ${name} on transactions (slot) where ${condition}`);
  }
  await run('create table accounts (id bigint primary key, key bytea not null unique, sum bigint)');
  await run(
    `create table explanations (id bigint primary key, name text not null unique, sum bigint)`,
  );
}

/** Creates the triggers that delete a fill's pending row together with the fill. */
async function createTriggers(run: Run): Promise<void> {
  await run(`create function uncharted_gone() returns trigger language plpgsql as $$ begin
    delete from uncharted where market = old.market and tx = old.tx and idx = old.idx;
    return null;
  end $$`);
  await run(`create trigger uncharted_gone after delete on trades
    for each row execute function uncharted_gone()`);
}
