import { type Kysely, type Migration, type MigrationProvider, sql } from 'kysely';
import { CANDLE_COLUMNS } from './candle-rows.js';
import { PARTY_KEY, RECORD_KEY } from './record-rows.js';

/**
 * The versions of the tables, oldest first, in a file and in Postgres. A released version never
 * changes: later changes are new migrations.
 */
const NAMES = ['0005-records'];

/** The names of all versions that this program can bring up to date. */
export const MIGRATION_NAMES: readonly string[] = NAMES;

/** What to do with a store of an earlier version. */
export const EARLIER_HINT =
  'Move it away: `slotbook backfill` reads what nodes still have into a new one, and the program that wrote it exports its trades';

/** Returns whether a name is of a version before these. */
export function isEarlier(name: string): boolean {
  return /^000[1-4]-[\w-]{1,60}$/.test(name);
}

/** Provides Kysely's Migrator with all versions. */
export function migrationProvider(engine: 'file' | 'postgres'): MigrationProvider {
  const up: Migration['up'] = async (db: Kysely<unknown>) => {
    for (const text of tableTexts(engine)) await sql.raw(text).execute(db);
  };
  return { getMigrations: async () => Object.fromEntries(NAMES.map((name) => [name, { up }])) };
}

/** The types of an engine: of small integers, of those of any size (`columns.ts`) and of bytes. */
const TYPES = {
  file: {
    small: 'integer',
    big: 'any',
    bytes: 'blob',
    end: 'strict',
    byKey: 'strict, without rowid',
  },
  postgres: { small: 'bigint', big: 'numeric', bytes: 'bytea', end: '', byKey: '' },
} as const;

const SMALL_OF_CANDLES: readonly string[] = [
  'market',
  'minutes',
  'start',
  'first_ts',
  'last_ts',
  'fills',
];

type Types = (typeof TYPES)['file' | 'postgres'];

/**
 * The statements that make the tables. In a file they are strict, so that a value of a wrong type
 * fails on writing, and in reading order (`without rowid`): reading a page is one walk along the
 * key.
 */
function tableTexts(engine: 'file' | 'postgres'): readonly string[] {
  const types = TYPES[engine];
  const more = engine === 'postgres' ? POSTGRES_TEXTS : [];
  return [...transactionTexts(types), ...recordTexts(types), ...candleTexts(types), ...more];
}

/** The indexes are partial, because of ten million transactions some hundred are not final. */
function transactionTexts({ small, bytes, end, byKey }: Types): readonly string[] {
  return [
    `create table transactions (id ${small} primary key, signature ${bytes} not null unique,
      slot ${small} not null, place ${small} not null, is_truncated ${small} not null,
      is_final ${small} not null, has_records ${small} not null, sum ${small}) ${end}`,
    'create index transactions_unsettled on transactions (slot) where is_final = 0',
    'create index transactions_truncated on transactions (slot) where is_truncated = 1',
    'create index transactions_empty on transactions (slot) where has_records = 0',
    `create table progress (name text primary key, value text not null, sum ${small}) ${byKey}`,
    `create table meta (name text primary key, value text not null, sum ${small}) ${byKey}`,
  ];
}

/** Each event is stored once, whatever its source. */
function recordTexts({ small, big, bytes, byKey }: Types): readonly string[] {
  return [
    `create table records (kind ${small} not null, market ${small} not null, slot ${small} not null,
      id ${big} not null, tx ${small} not null, idx ${small} not null, ts ${small} not null,
      fraction ${big}, bytes ${bytes} not null, sum ${small} not null,
      primary key (${RECORD_KEY.join()})) ${byKey}`,
    'create unique index records_by_event on records (tx, idx)',
    'create index records_by_time on records (kind, market, ts, slot, id)',
    `create table parties (account ${small} not null, kind ${small} not null, slot ${small} not null,
      market ${small} not null, id ${big} not null, tx ${small} not null, idx ${small} not null,
      order_id ${small}, primary key (${PARTY_KEY.join()})) ${byKey}`,
    'create index parties_by_event on parties (tx, idx)',
    'create index parties_by_order on parties (account, order_id) where order_id is not null',
  ];
}

function candleTexts({ small, big, byKey }: Types): readonly string[] {
  const candles = CANDLE_COLUMNS.filter((column) => column !== 'sum').map((column) => {
    return `${column} ${SMALL_OF_CANDLES.includes(column) ? small : big} not null`;
  });
  return [
    `create table candles (${candles.join()}, sum ${small}, primary key (market, minutes, start))
      ${byKey}`,
    `create table fill_runs (market ${small} not null, first_id ${big} not null,
      last_id ${big} not null, primary key (market, first_id)) ${byKey}`,
    `create table uncharted (market ${small} not null, tx ${small} not null, idx ${small} not null,
      primary key (market, tx, idx)) ${byKey}`,
    'create index uncharted_by_event on uncharted (tx, idx)',
  ];
}

/** What readers of the same database follow, and the function that a file's engine has. */
const POSTGRES_TEXTS = [
  `create table changes (market bigint primary key, number bigint not null,
    removed bigint not null)`,
  `create function instr(bytea, bytea) returns integer language sql immutable
    as 'select position($2 in $1)'`,
];
