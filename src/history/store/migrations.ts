import { type Kysely, type Migration, type MigrationProvider, sql } from 'kysely';

/**
 * The versions of the file, oldest first. A released version never changes: later changes are new
 * migrations, and each is tested from the first version on.
 *
 * Tables are strict, so that a value of a wrong type fails on writing. Records are stored in
 * reading order (`without rowid`): reading a page is one walk along the key.
 */
const migrations: Readonly<Record<string, Migration>> = {
  '0001-records': { up: createRecords },
  '0002-uncharted': { up: createUncharted },
  '0003-sums': { up: addSums },
  '0004-accounts': { up: indexAccounts },
};

/** The names of all versions of this program. */
export const MIGRATION_NAMES: readonly string[] = Object.keys(migrations);

/** Provides Kysely's Migrator with all versions, or with those up to `upTo`. */
export function migrationProvider(upTo?: string): MigrationProvider {
  const known = Object.entries(migrations).filter(([name]) => upTo === undefined || name <= upTo);
  return { getMigrations: async () => Object.fromEntries(known) };
}

const strict = sql`strict`;
const strictByKey = sql`strict, without rowid`;
/** Integers of any size, see `columns.ts`. */
const any = sql`any`;

async function createRecords(db: Kysely<unknown>): Promise<void> {
  await createTransactions(db);
  await createTrades(db);
  await createFundingRates(db);
  await createCandles(db);
  const texts = ['progress', 'meta'];
  for (const name of texts) {
    await db.schema
      .createTable(name)
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('value', 'text', (column) => column.notNull())
      .modifyEnd(strictByKey)
      .execute();
  }
}

async function createTransactions(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('transactions')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('signature', 'blob', (column) => column.notNull().unique())
    .addColumn('slot', 'integer', (column) => column.notNull())
    .addColumn('place', 'integer', (column) => column.notNull())
    .addColumn('is_truncated', 'integer', (column) => column.notNull())
    .addColumn('is_final', 'integer', (column) => column.notNull())
    .addColumn('has_records', 'integer', (column) => column.notNull())
    .modifyEnd(strict)
    .execute();
  // The indexes are partial, because of ten million transactions some hundred are not final.
  const few = [
    ['transactions_unsettled', 'is_final = 0'],
    ['transactions_truncated', 'is_truncated = 1'],
    ['transactions_empty', 'has_records = 0'],
  ] as const;
  for (const [name, condition] of few) {
    await sql`create index ${sql.ref(name)} on transactions (slot) where ${sql.raw(condition)}`.execute(
      db,
    );
  }
  await db.schema
    .createTable('accounts')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('key', 'blob', (column) => column.notNull().unique())
    .modifyEnd(strict)
    .execute();
  await db.schema
    .createTable('explanations')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull().unique())
    .modifyEnd(strict)
    .execute();
}

/** Creates a record table: its key, its columns, and the two indexes of both record tables. */
async function createRecordTable(
  db: Kysely<unknown>,
  name: string,
  columns: string,
): Promise<void> {
  await sql`create table ${sql.table(name)} (
    market integer not null, slot integer not null, place integer not null,
    tx integer not null, idx integer not null, ts integer not null,
    ${sql.raw(columns)},
    primary key (market, slot, place, idx, tx)
  ) strict, without rowid`.execute(db);
  // The index stores each event once, whatever its source.
  await sql`create unique index ${sql.ref(`${name}_by_event`)} on ${sql.table(name)} (tx, idx)`.execute(
    db,
  );
  await sql`create index ${sql.ref(`${name}_by_time`)} on ${sql.table(name)} (market, ts)`.execute(
    db,
  );
}

function createTrades(db: Kysely<unknown>): Promise<void> {
  return createRecordTable(
    db,
    'trades',
    `fill_record_id any, explanation integer not null,
    filler integer, filler_reward any, base_filled any, quote_filled any, taker_fee any, maker_fee any,
    referrer_reward integer, quote_surplus any, spot_fee any,
    taker integer, taker_order_id integer, taker_direction integer,
    taker_base any, taker_base_filled any, taker_quote_filled any,
    maker integer, maker_order_id integer, maker_direction integer,
    maker_base any, maker_base_filled any, maker_quote_filled any,
    oracle_price any not null, bit_flags integer not null,
    taker_quote_entry any, taker_base_before any, maker_quote_entry any, maker_base_before any`,
  );
}

function createFundingRates(db: Kysely<unknown>): Promise<void> {
  return createRecordTable(
    db,
    'funding_rates',
    `record_id any not null, rate any not null, rate_long any not null, rate_short any not null,
    cumulative_long any not null, cumulative_short any not null,
    oracle_twap any not null, mark_twap any not null, period_revenue any not null,
    base_with_amm any not null, base_with_unsettled_lp any not null`,
  );
}

async function createCandles(db: Kysely<unknown>): Promise<void> {
  await sql`create table candles (
    market integer not null, minutes integer not null, start integer not null,
    first_id any not null, first_ts integer not null, first_price any not null,
    first_oracle any not null,
    last_id any not null, last_ts integer not null, last_price any not null, last_oracle any not null,
    high any not null, low any not null, oracle_high any not null, oracle_low any not null,
    base any not null, quote any not null, fills integer not null,
    primary key (market, minutes, start)
  ) strict, without rowid`.execute(db);
  await db.schema
    .createTable('fill_runs')
    .addColumn('market', 'integer', (column) => column.notNull())
    .addColumn('first_id', any, (column) => column.notNull())
    .addColumn('last_id', any, (column) => column.notNull())
    .addPrimaryKeyConstraint('fill_runs_key', ['market', 'first_id'] as never)
    .modifyEnd(strictByKey)
    .execute();
}

/**
 * Creates the table of fills that are in no candle yet, because the decimals of their market are
 * unknown.
 */
async function createUncharted(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('uncharted')
    .addColumn('market', 'integer', (column) => column.notNull())
    .addColumn('tx', 'integer', (column) => column.notNull())
    .addColumn('idx', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('uncharted_key', ['market', 'tx', 'idx'] as never)
    .modifyEnd(strictByKey)
    .execute();
  // The trigger deletes a fill's pending row together with the fill.
  await sql`create trigger uncharted_gone after delete on trades begin
    delete from uncharted where market = old.market and tx = old.tx and idx = old.idx;
  end`.execute(db);
  // The first version marked whole markets as pending; markets with a candle had most of their
  // fills in candles.
  await sql`insert into uncharted select market, tx, idx from trades
    where 'uncharted:' || market in (select name from meta)
    and market not in (select market from candles)`.execute(db);
  await sql`delete from meta where name like 'uncharted:%'`.execute(db);
}

/**
 * Adds a checksum to every row, see `row-sum.ts`; existing rows get their checksum when they are
 * first checked.
 */
async function addSums(db: Kysely<unknown>): Promise<void> {
  const records = ['trades', 'funding_rates', 'candles'];
  const names = ['transactions', 'accounts', 'explanations', 'progress', 'meta'];
  for (const table of [...records, ...names]) {
    await db.schema.alterTable(table).addColumn('sum', 'integer').execute();
  }
}

/**
 * Creates an index for each role, so that reading the trades of an account is one walk for each
 * role.
 */
async function indexAccounts(db: Kysely<unknown>): Promise<void> {
  for (const role of ['taker', 'maker']) {
    const column = sql.ref(role);
    await sql`create index ${sql.ref(`trades_by_${role}`)} on trades (${column}, slot, place, idx)
      where ${column} is not null`.execute(db);
  }
}
