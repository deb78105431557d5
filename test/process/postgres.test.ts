/** The tests of the store that are about what it does, and not about a file, on Postgres: the slow ones with LONG alone. */
import { afterAll, beforeAll, describe, test } from 'vitest';
import { candleRules } from '../../src/history/candles/rules.js';
import { openPostgresStore } from '../../src/history/postgres/open-postgres.js';
import { GENESIS, openStoresBy } from '../../src/history/store/testing.js';
import { PostgresServer, postgresMissing } from '../support/postgres-server.js';

let server: PostgresServer;
/** A database for each folder. */
const urls = new Map<string, string>();

beforeAll(async () => {
  if (postgresMissing !== undefined) return;
  server = await PostgresServer.start();
  const template = await server.newDatabase();
  const place = { url: template, role: 'write' } as const;
  const options = { genesisHash: GENESIS, rules: candleRules, decimalsOf: () => null };
  openPostgresStore({ ...options, place }).close();
  openStoresBy(async ({ folder, ...options }) => {
    const url = urls.get(folder) ?? (await server.newDatabase(template));
    urls.set(folder, url);
    return openPostgresStore({ ...options, place: { url, role: 'write' } });
  });
});

afterAll(() => server?.stop());

if (postgresMissing !== undefined) {
  test('the store on Postgres', ({ skip }) => skip(postgresMissing));
} else {
  describe('records on Postgres', async () =>
    void (await import('../../src/history/store/store.test.js')));
  describe('forks on Postgres', async () =>
    void (await import('../../src/history/store/fork.test.js')));
  describe('bodies on Postgres', async () =>
    void (await import('../../src/history/bodies/store-bodies.test.js')));
  describe('orders on Postgres', async () =>
    void (await import('../../src/history/bodies/placed-orders.test.js')));
}

if (postgresMissing === undefined && process.env['LONG'] !== undefined) {
  process.env['STORE_RUNS'] ??= '5';
  describe('random writes on Postgres', async () =>
    void (await import('../../src/history/store/model.test.js')));
  describe('pending fills on Postgres', async () =>
    void (await import('../../src/history/store/candle-builder.test.js')));
  describe('retention on Postgres', async () =>
    void (await import('../../src/history/store/retention.test.js')));
  describe('accounts on Postgres', async () =>
    void (await import('../../src/history/bodies/account-body.test.js')));
  describe('archives on Postgres', async () =>
    void (await import('../../src/history/bodies/archive-body.test.js')));
  describe('means on Postgres', async () =>
    void (await import('../../src/history/bodies/funding-means-body.test.js')));
  describe('volumes on Postgres', async () =>
    void (await import('../../src/history/bodies/volumes-body.test.js')));
}
