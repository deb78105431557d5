/** What is only of Postgres: one writer, partitions, lost servers, wrong settings, and files that are copied. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { candleRules } from '../../src/history/candles/rules.js';
import { COPY_BYTES_MAX } from '../../src/history/model/limits.js';
import { copyFile } from '../../src/history/postgres/copy-file.js';
import { DayPartitions } from '../../src/history/postgres/day-partitions.js';
import { openPostgresStore } from '../../src/history/postgres/open-postgres.js';
import { PostgresConnection } from '../../src/history/postgres/postgres-connection.js';
import { StoreError } from '../../src/history/store/error.js';
import type { HistoryStore } from '../../src/history/store/store.js';
import {
  cleanUp,
  fill,
  fundingRate,
  GENESIS,
  MIDNIGHT,
  newFolder,
  newStore,
  oneFill,
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

async function partitions(): Promise<readonly unknown[]> {
  const text = `select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'trades'::regclass order by 1`;
  return (await server.run(new URL(url).pathname.slice(1), text)).map(({ relname }) => relname);
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
    expect(reader.readTrades({ market: 'perp_0', limit: 9 })).toHaveLength(1);
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
    expect(again.readTrades({ market: 'perp_0', limit: 9 })).toHaveLength(1);
    expect(again.writeBatch({ transactions: [oneFill(1), oneFill(2)] })).toMatchObject({
      known: 1,
      trades: [{ slot: 2 }],
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

  test('name accounts that are new, and each of them once', () => {
    const store = open();
    const [first, second] = ['11111111111111111111111111111111', GENESIS];
    const fills = [first, second, first, second].map((taker, at) => oneFill(at + 1, { taker }));
    store.writeBatch({ transactions: fills });
    store.close();
    const again = open();
    again.writeBatch({ transactions: [oneFill(9, { taker: second, maker: first })] });
    const takers = again.readTrades({ market: 'perp_0', limit: 9 }).map(({ taker }) => taker);
    expect(takers).toEqual([second, second, first, second, first]);
  });
});

describe('partitions', () => {
  test('are made two days ahead, and for a day that is outside of them', async () => {
    const store = open();
    store.writeBatch({ transactions: [oneFill(1)] });
    store.writeBatch({ transactions: [oneFill(2, { ts: MIDNIGHT - 9 * DAY })] });
    store.writeBatch({ transactions: [oneFill(3, { ts: -1 }), oneFill(4, { ts: 9e9 })] });
    const days = ['trades_d20231106', 'trades_d20231115', 'trades_d20231116', 'trades_d20231117'];
    expect(await partitions()).toEqual([...days, 'trades_other']);
    expect(store.readTrades({ market: 'perp_0', limit: 9 })).toHaveLength(4);
  });

  test('that are old are dropped with their transactions, one a step', async () => {
    const store = open();
    const rows = [0, 1, 2, 3].map((day) => oneFill(day + 1, { ts: MIDNIGHT + day * DAY }));
    store.writeBatch({ transactions: rows });
    const policy = { tradesBefore: MIDNIGHT + 2 * DAY };
    let trades = 0;
    for (let hasMore = true; hasMore; ) {
      const step = store.retireRows(policy);
      trades += step.trades;
      hasMore = step.hasMore;
    }
    expect(trades).toBe(2);
    expect(await partitions()).not.toContain('trades_d20231116');
    expect(await partitions()).toContain('trades_d20231117');
    expect(store.readTotals()).toEqual({ trades: 2, fundingRates: 0, transactions: 2 });
  });

  test('of many transactions are dropped in steps that the server has time for, also by another run', async () => {
    const name = new URL(url).pathname.slice(1);
    const store = open();
    const old = Array.from({ length: 25 }, (_, at) => oneFill(at + 1));
    const young = oneFill(90, { ts: MIDNIGHT + DAY });
    // It has a record of a day that stays.
    const both = transaction({
      slot: 91,
      fills: [fill()],
      fundingRates: [fundingRate({ ts: MIDNIGHT + DAY })],
    });
    store.writeBatch({ transactions: [...old, young, both] });
    store.close();
    await server.run(
      name,
      `create function slow() returns trigger language plpgsql as
      $$ begin perform pg_sleep(0.4); return old; end $$`,
    );
    await server.run(
      name,
      `create trigger slow before delete on transactions
      for each row execute function slow()`,
    );
    const connection = new PostgresConnection({
      url: `${url}?statement_timeout=8000`,
      role: 'write',
    });
    let days = new DayPartitions(connection, 5);
    const deleted: number[] = [];
    for (let hasMore = true; hasMore; ) {
      const step = connection.runTransaction(() => days.dropOldest('trades', MIDNIGHT + DAY));
      deleted.push(step.rows + step.transactions);
      hasMore = step.hasMore;
      if (deleted.length === 3) {
        expect(await partitions()).not.toContain('trades_d20231115');
        days = new DayPartitions(connection, 5);
      }
    }
    connection.close();
    // The second run looks at those of the first again.
    expect(deleted).toEqual([26, 5, 5, 0, 0, 5, 5, 5, 0, 0, 0]);
    const left = await server.run(name, 'select count(*)::int as n from transactions');
    expect(left).toEqual([{ n: 2 }]);
  });
});

describe('a file', () => {
  test('is in the database as it was, and not copied twice', async () => {
    const folder = newFolder();
    const file = await newStore(folder, (market) => (market === 'spot_5' ? null : 6));
    const fills = Array.from({ length: 40 }, (_, at) =>
      oneFill(at + 1, { ts: MIDNIGHT + at * 4_000 }),
    );
    const pending = oneFill(90, { marketType: 'spot', marketIndex: 5, oraclePrice: 2n ** 64n });
    const rates = transaction({ slot: 91, fundingRates: [fundingRate()] });
    file.writeBatch({ transactions: [...fills, pending, rates], progress: { newest: 'a\nb\\c' } });
    const read = (store: HistoryStore): unknown => ({
      trades: store.readTrades({ market: 'perp_0', limit: 99 }),
      spot: store.readTrades({ market: 'spot_5', limit: 99 }),
      rates: store.readFundingRates({ market: 'perp_0', limit: 99 }),
      candles: candleRules.minutes.map((minutes) =>
        store.readCandles({ market: 'perp_0', minutes, limit: 99 }),
      ),
      rest: [store.findGaps(), store.readTotals(), store.readProgress()],
    });
    const before = read(file);
    const source = { file: file.file, url };
    file.close();
    expect((await copyFile(source)).rows.get('trades')).toBe(41);
    const store = open();
    expect(read(store)).toEqual(before);
    expect(store.addPendingFills()?.candles).not.toHaveLength(0);
    store.close();
    await expect(copyFile(source)).rejects.toThrow('has a history already');
  });
});
