import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { Kysely, Migrator, SqliteDialect } from 'kysely';

import { StoreError } from './error.js';
import { FileConnection } from './file-connection.js';
import { EARLIER_HINT, isEarlier, MIGRATION_NAMES, migrationProvider } from './migrations.js';
import { claimStore, type StoreOwner } from './owner.js';

/** The application id in the header of the files: `slbk`. */
const applicationId = 0x736c626b;

/** The file to open. */
export interface OpenFile extends StoreOwner {
  readonly folder: string;
}

/** The path of a chain's store. */
export function storeFile(folder: string, genesisHash: string): string {
  if (!/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(genesisHash)) {
    throw new StoreError('folder', `genesis hash was ${genesisHash}, must be 32 bytes in base58`);
  }
  return path.join(folder, `${genesisHash}.db`);
}

/** Opens or creates the file of a chain, and makes the tables of a new one. */
export async function openFile(options: OpenFile): Promise<FileConnection> {
  const file = storeFile(options.folder, options.genesisHash);
  makeFolder(options.folder);
  const connection = new FileConnection(file);
  try {
    refuseUnreadable(connection, 'sqlite_schema', ['type', 'name', 'tbl_name', 'sql']);
    refuseForeign(connection);
    const versions = storedVersions(connection);
    refuseOther(connection, versions);
    connection.enableLog();
    await migrateFile(connection, options);
    connection.watchPlace();
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new StoreError('folder', `the data folder cannot be made: ${message}`, error);
  }
}

/**
 * Throws for unreadable names of versions: Kysely's migrator reads these texts directly, and the
 * driver ends the process on invalid UTF-8.
 */
function refuseUnreadable(
  connection: FileConnection,
  table: string,
  columns: readonly string[],
): void {
  const rows = connection.readRows(`select ${columns.join()} from ${table}`);
  const isUnreadable = rows.some((row) => row.some((value) => value instanceof Uint8Array));
  if (isUnreadable) throw new StoreError('corrupt', `the file is damaged: ${connection.file}`);
}

function refuseForeign(connection: FileConnection): void {
  const tables = Number(connection.readRow('select count(*) from sqlite_schema')?.[0] ?? 0n);
  const id = Number(connection.readRow('pragma application_id')?.[0] ?? 0n);
  if (id === applicationId || (id === 0 && tables === 0)) return;
  throw new StoreError(
    'foreign',
    `the file is a database of another program: ${connection.file}. Move it away, or name another data folder`,
  );
}

/** Returns the applied versions of a file; none for a new file. */
function storedVersions(connection: FileConnection): readonly string[] {
  const table = connection.readRow("select 1 from sqlite_schema where name = 'kysely_migration'");
  if (table === null) return [];
  refuseUnreadable(connection, 'kysely_migration', ['name', 'timestamp']);
  const names = connection.readRows('select name from kysely_migration order by name');
  return names.map(([name]) => String(name));
}

function refuseOther(connection: FileConnection, versions: readonly string[]): void {
  const unknown = versions.filter((name) => !MIGRATION_NAMES.includes(name));
  if (unknown.length === 0) return;
  const names = unknown.join(', ');
  if (unknown.every((name) => isEarlier(name))) {
    const text = `the file is of an earlier version of the program (${names}): ${connection.file}. ${EARLIER_HINT}`;
    throw new StoreError('older', text);
  }
  const text = `the file is of a later version of the program (${names}): ${connection.file}`;
  throw new StoreError('newer', text);
}

/**
 * Migrates in one transaction, because Kysely alone would leave a half-migrated file after a
 * failure.
 */
async function migrateFile(connection: FileConnection, options: OpenFile): Promise<void> {
  const db = new Kysely({
    dialect: new SqliteDialect({ database: connection.database }),
  });
  const migrator = new Migrator({ db, provider: migrationProvider('file') });
  connection.runStatements('begin immediate');
  try {
    connection.runStatements(`pragma application_id = ${applicationId}`);
    const { error } = await migrator.migrateToLatest();
    if (error !== undefined) throw connection.toStoreError(error);
    claimStore(connection, options);
    connection.runStatements('commit');
  } catch (error) {
    connection.rollBack();
    throw error;
  }
}
