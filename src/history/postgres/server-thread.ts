/** The thread that connects to Postgres: one connection and one request at a time. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { workerData } from 'node:worker_threads';
import { Kysely, Migrator, PostgresDialect } from 'kysely';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import {
  POSTGRES_CONNECT_MS_MAX,
  POSTGRES_LOCK_MS_MAX,
  POSTGRES_STATEMENT_MS_MAX,
} from '../model/limits.js';
import { storedInteger } from '../store/columns.js';
import type { Row } from '../store/connection.js';
import {
  EARLIER_HINT,
  isEarlier,
  MIGRATION_NAMES,
  migrationProvider,
} from '../store/migrations.js';
import {
  EARLIER_VERSION,
  LATER_VERSION,
  NOT_MADE,
  OTHER_WRITER,
  type ServerFailure,
  type ServerReply,
  type ServerRequest,
  type ThreadSetup,
} from './thread-messages.js';

/**
 * The advisory lock of the writing service: `slbk` in ASCII. The server releases the lock when the
 * connection ends.
 */
const WRITER_LOCK = 0x736c626b;

const { port, replied } = workerData as ThreadSetup;
const flag = new Int32Array(replied);
let client: pg.Client | null = null;

port.on('message', (request: ServerRequest) => {
  void runRequest(request)
    .catch((error: unknown): ServerReply => ({ failure: failureOf(error) }))
    .then((reply) => {
      port.postMessage(reply);
      Atomics.store(flag, 0, 1);
      Atomics.notify(flag, 0);
    });
});

async function runRequest(request: ServerRequest): Promise<ServerReply> {
  switch (request.kind) {
    case 'open':
      return openServer(request);
    case 'query':
      return runQuery(request);
    case 'copy':
      await pipeline(
        Readable.from([Buffer.from(request.rows)]),
        opened().query(copyFrom(request.text)),
      );
      return { rows: [], changes: 0 };
    case 'close':
      await client?.end();
      client = null;
      return { rows: [], changes: 0 };
  }
}

function opened(): pg.Client {
  if (client === null) throw failure('ECONNRESET', 'not connected');
  return client;
}

async function runQuery({
  text,
  values,
  name,
}: Extract<ServerRequest, { kind: 'query' }>): Promise<ServerReply> {
  const query = { text, values: [...values], rowMode: 'array' as const };
  const result = await opened().query(name === null ? query : { ...query, name });
  return { rows: result.rows as readonly Row[], changes: result.rowCount ?? 0 };
}

async function openServer({
  url,
  role,
}: Extract<ServerRequest, { kind: 'open' }>): Promise<ServerReply> {
  const connecting = newClient(url);
  try {
    await connecting.connect();
    await connecting.query(TEXT_FORMS);
    if (role === 'write') await takeOver(connecting);
    else await connecting.query('set default_transaction_read_only = on');
    await checkVersions(connecting);
  } catch (error) {
    await connecting.end().catch(() => undefined);
    throw error;
  }
  client = connecting;
  return { rows: [], changes: 0 };
}

/** How values are written as text, which the defaults of a server or a database may change. */
const TEXT_FORMS = 'set bytea_output = hex; set extra_float_digits = 1';

function newClient(url: string): pg.Client {
  const made = new pg.Client({
    connectionString: url,
    application_name: 'slotbook',
    connectionTimeoutMillis: POSTGRES_CONNECT_MS_MAX,
    statement_timeout: POSTGRES_STATEMENT_MS_MAX,
    lock_timeout: POSTGRES_LOCK_MS_MAX,
    keepAlive: true,
    types: { getTypeParser: readerOf },
  });
  // The running query reports the same error.
  made.on('error', () => undefined);
  return made;
}

async function takeOver(writer: pg.Client): Promise<void> {
  const text = `select pg_try_advisory_lock(${WRITER_LOCK}) as is_mine`;
  const { rows } = await writer.query<{ is_mine: unknown }>(text);
  if (rows[0]?.is_mine !== 1n) throw failure(OTHER_WRITER, 'another service writes the database');
  // Kysely requires a pool, so this pool wraps the connection that holds the lock.
  const query = (text: string, values: unknown[]): unknown => writer.query(text, values);
  const pool = { connect: async () => ({ query, release: () => undefined }), end: async () => {} };
  const db = new Kysely({ dialect: new PostgresDialect({ pool: pool as never }) });
  const provider = migrationProvider('postgres');
  await refuseOther(writer);
  // Of one transaction, so that no table of Kysely stays in another program's database.
  await writer.query('begin');
  const migrator = new Migrator({ db, provider, disableTransactions: true });
  const { error } = await migrator.migrateToLatest();
  await writer.query(error === undefined ? 'commit' : 'rollback');
  if (error !== undefined) throw error;
}

async function refuseOther(reader: pg.Client): Promise<void> {
  const versions = await storedVersions(reader);
  const other = versions.find((name) => !MIGRATION_NAMES.includes(name));
  if (other === undefined) return;
  if (isEarlier(other)) {
    const text = `it is of an earlier version of the program (${other}). ${EARLIER_HINT}`;
    throw failure(EARLIER_VERSION, text);
  }
  // Other texts are not names of versions of this program, so they are not shown.
  if (!/^\d{4}-[\w-]{1,60}$/.test(other)) throw failure(LATER_VERSION, 'it is of another program');
  throw failure(LATER_VERSION, `it is of a later version of the program (${other})`);
}

async function checkVersions(reader: pg.Client): Promise<void> {
  await refuseOther(reader);
  const versions = await storedVersions(reader);
  if (versions.length > 0) return;
  throw failure(NOT_MADE, 'it has no history yet: the service that writes it makes one');
}

async function storedVersions(reader: pg.Client): Promise<readonly string[]> {
  const found = await reader.query(
    "select to_regclass('kysely_migration') is not null as is_there",
  );
  if ((found.rows[0] as { is_there: unknown }).is_there !== 1n) return [];
  const { rows } = await reader.query<{ name: string }>('select name from kysely_migration');
  return rows.map(({ name }) => name);
}

/** Returns the parser for the text of a type, which gives the same values as the file's engine. */
function readerOf(oid: number): (text: string | Buffer) => unknown {
  const { builtins } = pg.types;
  const types: Readonly<Record<number, (text: string) => unknown>> = {
    [builtins.INT8]: BigInt,
    [builtins.INT4]: BigInt,
    [builtins.INT2]: BigInt,
    [builtins.BOOL]: (text) => (text === 't' ? 1n : 0n),
    [builtins.NUMERIC]: (text) => (/^-?\d+$/.test(text) ? storedInteger(BigInt(text)) : text),
    [builtins.FLOAT8]: Number,
    [builtins.BYTEA]: (text) => new Uint8Array(Buffer.from(text.slice(2), 'hex')),
  };
  const read = types[oid];
  return read === undefined ? (text) => String(text) : (text) => read(String(text));
}

function failure(code: string, message: string): ServerFailure {
  return { code, message };
}

function failureOf(error: unknown): ServerFailure {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return { code: typeof code === 'string' ? code : '', message: String(message ?? error) };
}
