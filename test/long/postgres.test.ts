/** What is only of Postgres: one writer, partitions, lost servers, wrong settings, and files that are copied. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { candleRules } from '../../src/history/candles/rules.js';
import { COPY_BYTES_MAX } from '../../src/history/model/limits.js';
import { copyFile } from '../../src/history/postgres/copy-file.js';
import { openPostgresStore } from '../../src/history/postgres/open-postgres.js';
import { PostgresConnection } from '../../src/history/postgres/postgres-connection.js';
import { StoreError } from '../../src/history/store/error.js';
import type { HistoryStore } from '../../src/history/store/store.js';
import {
  cleanUp,
  fundingRate,
  GENESIS,
  MIDNIGHT,
  newFolder,
  newStore,
  oneFill,
  readFundingRates,
  readTrades,
  transaction,
} from '../../src/history/store/testing.js';
import { ANY_CHAIN } from '../../src/history/store/types.js';
import { loggedFailure, shownFailure } from '../../src/rpc/error.js';
import { PostgresServer, postgresMissing } from '../support/postgres-server.js';

const DAY = 86_400;

let server: PostgresServer;
let url: string;
const stores: HistoryStore[] = [];

beforeAll(async () => {
  if (postgresMissing === undefined) server = await PostgresServer.start();
});

beforeEach(async ({ skip }) => {
  skip(postgresMissing !== undefined, postgresMissing);
  url = await server.newDatabase();
  return () => {
    for (const store of stores.splice(0)) store.close();
    cleanUp();
  };
});

afterAll(() => server?.stop());

function open(role: 'write' | 'read' = 'write', place = url, genesisHash = GENESIS): HistoryStore {
  const options = { genesisHash, rules: candleRules, decimalsOf: () => 6 };
  const store = openPostgresStore({ ...options, place: { url: place, role } });
  stores.push(store);
  return store;
}

/** What a call throws, as it is shown. */
function failureOf(call: () => unknown, textOf = shownFailure): string {
  try {
    call();
  } catch (error) {
    return textOf(error);
  }
  return 'nothing was thrown';
}

describe('a database', () => {
  test('has one writer, and another one when the first is gone', () => {
    const first = open();
    expect(failureOf(open)).toMatch(/^another service writes into the database: postgres:/);
    first.close();
    open().writeBatch({ transactions: [oneFill(1)] });
  });

  test('is not made by a reader, and not written by it', () => {
    expect(failureOf(() => open('read'))).toContain('it has no history yet');
    open().writeBatch({ transactions: [oneFill(1)] });
    const reader = open('read');
    expect(readTrades(reader, { market: 'perp_0', limit: 9 })).toHaveLength(1);
    expect(failureOf(() => reader.writeBatch({ transactions: [oneFill(2)] }))).toMatch(
      /^the server may not be written: it is a replica: .* \(25006\)$/,
    );
  });

  test('of another chain or of a later version is refused', async () => {
    open().close();
    const other = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';
    for (const role of ['write', 'read'] as const) {
      expect(failureOf(() => open(role, url, other))).toContain(`of the chain ${GENESIS}`);
    }
    open('read', url, ANY_CHAIN).close();
    const text = "insert into kysely_migration values ('0999-later', '')";
    await server.run(new URL(url).pathname.slice(1), text);
    expect(failureOf(open)).toContain('a later version of the program (0999-later)');
    const renamed = "update kysely_migration set name = 'zz_cats' where name = '0999-later'";
    await server.run(new URL(url).pathname.slice(1), renamed);
    expect(failureOf(open)).toContain('it is of another program');
  });

  test.each([
    ['a table of the same name', 'create table records (cats text)', /tables of another program/],
    [
      'its own versions of tables',
      "create table kysely_migration (name text, timestamp text); insert into kysely_migration values ('cats', '')",
      /cannot be used/,
    ],
    [
      'other columns in these',
      'create table kysely_migration (cats text)',
      /not that of a history/,
    ],
  ])('of another program with %s is refused, and left as it is', async (_, made, message) => {
    const name = new URL(url).pathname.slice(1);
    const tables = () =>
      server.run(
        name,
        "select table_name from information_schema.tables where table_schema = 'public'",
      );
    await server.run(name, made);
    const before = await tables();
    expect(before).toHaveLength(1);
    expect(failureOf(open)).toMatch(message);
    expect(await tables()).toEqual(before);
  });

  test('of another program with other tables has them beside those of the history', async () => {
    const name = new URL(url).pathname.slice(1);
    await server.run(name, "create table cats (name text); insert into cats values ('Tom')");
    open().writeBatch({ transactions: [oneFill(1)] });
    expect(await server.run(name, 'select name from cats')).toEqual([{ name: 'Tom' }]);
  });

  test('that cannot be reached is told in one line without a word of the server', () => {
    const wrong = [
      'postgres://slotbook:secret@127.0.0.1:1/history?password=secret',
      `postgres://slotbook:secret@127.0.0.1:${server.port}/absent`,
      `postgres://stranger:secret@127.0.0.1:${server.port}/postgres`,
      `postgres://slotbook:secret@127.0.0.1:${server.port}/postgres?sslmode=require`,
    ];
    for (const place of wrong) {
      const message = failureOf(() => open('write', place));
      expect(message).toMatch(/^the server .*: postgres:\/\/127\.0\.0\.1:\d+\/\w+( \(\w+\))?$/);
      expect(message).not.toContain('secret');
    }
  });

  test('that is lost in a write has nothing of it, and is opened again', async () => {
    const store = open();
    store.writeBatch({ transactions: [oneFill(1)] });
    await server.kill();
    const write = () => store.writeBatch({ transactions: [oneFill(2)] });
    expect(write).toThrow(expect.objectContaining({ reason: 'lost', canRecover: false }));
    await server.startAgain();
    expect(write).toThrow(expect.objectContaining({ reason: 'lost' }));
    const again = open();
    expect(readTrades(again, { market: 'perp_0', limit: 9 })).toHaveLength(1);
    expect(again.writeBatch({ transactions: [oneFill(1), oneFill(2)] })).toMatchObject({
      known: 1,
      records: [{ slot: 2 }],
    });
  });
});

test('statements are kept that are used over and over, and not those of a list of any length', () => {
  open().close();
  const connection = new PostgresConnection({ url, role: 'write' });
  for (const places of ['?', '?,?', '?,?,?', '?']) {
    const names = places.split(',').map((_, at) => `name ${at}`);
    connection.readRows(`select value from progress where name in (${places})`, names);
  }
  const kept = connection.readRows(
    "select statement from pg_prepared_statements where name ~ '^s'",
  );
  connection.close();
  expect(kept).toEqual([['select value from progress where name in ($1)']]);
});

describe('rows on their way', () => {
  const shape = { table: 'progress', columns: ['name', 'value'] };

  test('that the server refuses fail their transaction as a whole, and the next one goes on', () => {
    open().close();
    const connection = new PostgresConnection({ url, role: 'write' });
    const names = (): unknown => connection.readRows('select name from progress').flat();
    connection.runTransaction(() => connection.addRow(shape, ['one', '']));
    const refused = () =>
      connection.runTransaction(() => {
        connection.addRow(shape, ['two', '']);
        connection.addRow(shape, ['one', '']);
      });
    expect(refused).toThrow(/^the store failed: .* \(23505\)$/);
    expect(failureOf(refused, loggedFailure)).toContain('duplicate key');
    const late = () =>
      connection.runTransaction(() => {
        connection.addRow(shape, ['one', '']);
        // Rows of other columns go out as a COPY of their own, behind the one that fails.
        connection.addRow({ table: 'progress', columns: ['value', 'name'] }, ['', 'three']);
        throw new Error('for another reason');
      });
    expect(late).toThrow('for another reason');
    expect(names()).toEqual(['one']);
    connection.runTransaction(() => connection.addRow(shape, ['four', '']));
    expect(names()).toEqual(['one', 'four']);
    connection.close();
  });

  test('are not waited for when the connection has ended meanwhile', () => {
    open().close();
    const connection = new PostgresConnection({ url, role: 'write' });
    connection.addRow(shape, ['long', 'x'.repeat(COPY_BYTES_MAX)]);
    const reason = new StoreError('lost', 'deliberate');
    connection.abandon(reason);
    expect(() => connection.readRows('select 1')).toThrow(reason);
  });
});

describe('records that are old', () => {
  test('are deleted with their transactions, of which something else is kept others stay', () => {
    const store = open();
    const rows = [0, 1, 2, 3].map((day) => oneFill(day + 1, { ts: MIDNIGHT + day * DAY }));
    store.writeBatch({ transactions: rows });
    const policy = { recordsBefore: { trade: MIDNIGHT + 2 * DAY } };
    expect(store.retireRows(policy)).toMatchObject({ records: 2, hasMore: false });
    expect(store.readTotals()).toEqual({ trades: 2, fundingRates: 0, transactions: 2 });
  });
});

describe('a file', () => {
  test('is in the database as it was, and not copied twice', async () => {
    const folder = newFolder();
    const file = await newStore(folder, (market) => (market === 'spot_5' ? null : 6));
    const fills = Array.from({ length: 40 }, (_, at) =>
      oneFill(at + 1, { ts: MIDNIGHT + at * 4_000 }),
    );
    const pending = oneFill(90, { marketType: 'spot', marketIndex: 5, oraclePrice: 2n ** 62n });
    const rates = transaction({ slot: 91, fundingRates: [fundingRate()] });
    file.writeBatch({ transactions: [...fills, pending, rates], progress: { newest: 'a\nb\\c' } });
    const read = (store: HistoryStore): unknown => ({
      trades: readTrades(store, { market: 'perp_0', limit: 99 }),
      spot: readTrades(store, { market: 'spot_5', limit: 99 }),
      rates: readFundingRates(store, { market: 'perp_0', limit: 99 }),
      candles: candleRules.minutes.map((minutes) =>
        store.readCandles({ market: 'perp_0', minutes, limit: 99 }),
      ),
      rest: [store.findGaps(), store.readTotals(), store.readProgress()],
    });
    const before = read(file);
    const source = { file: file.file, url };
    file.close();
    expect((await copyFile(source)).records).toBe(42);
    const store = open();
    expect(read(store)).toEqual(before);
    expect(store.addPendingFills()?.candles).not.toHaveLength(0);
    store.close();
    await expect(copyFile(source)).rejects.toThrow('has a history already');
  });
});
