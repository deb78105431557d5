/** The tests of the store that are about what it does, and not about a file, on Postgres. */
import { afterAll, beforeAll, describe, test } from 'vitest';
import { PostgresServer, postgresMissing } from '../../../test/support/postgres-server.js';
import { candleRules } from '../candles/rules.js';
import { GENESIS, openStoresBy } from '../store/testing.js';
import { openPostgresStore } from './open-postgres.js';

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
  process.env['STORE_RUNS'] ??= '5';
  describe('records on Postgres', async () => void (await import('../store/store.test.js')));
  describe('forks on Postgres', async () => void (await import('../store/fork.test.js')));
  describe('random writes on Postgres', async () => void (await import('../store/model.test.js')));
  describe('pending fills on Postgres', async () =>
    void (await import('../store/candle-builder.test.js')));
  describe('retention on Postgres', async () => void (await import('../store/retention.test.js')));
  describe('archives on Postgres', async () =>
    void (await import('../bodies/archive-body.test.js')));
  describe('means on Postgres', async () =>
    void (await import('../bodies/funding-means-body.test.js')));
  describe('volumes on Postgres', async () =>
    void (await import('../bodies/volumes-body.test.js')));
  describe('bodies on Postgres', async () => void (await import('../bodies/store-bodies.test.js')));
  describe('accounts on Postgres', async () =>
    void (await import('../bodies/account-body.test.js')));
}
