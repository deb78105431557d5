/** What a service that reads a database tells its streams of what another one writes there. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { candleRules } from '../../src/history/candles/rules.js';
import { FOLLOW_MS } from '../../src/history/model/limits.js';
import type { TransactionRecords } from '../../src/history/model/records.js';
import { openPostgresStore } from '../../src/history/postgres/open-postgres.js';
import type { HistoryStore } from '../../src/history/store/store.js';
import { fill, GENESIS, oneFill, transaction } from '../../src/history/store/testing.js';
import { StoreFollower } from '../../src/history/worker/store-follower.js';
import { writeWriterMark } from '../../src/history/worker/writer-mark.js';
import { silentLog } from '../../src/rpc/log.js';
import { ManualTimers } from '../support/manual-timers.js';
import { PostgresServer, postgresMissing } from '../support/postgres-server.js';
import { until } from '../support/until.js';

let server: PostgresServer;
let url: string;
const ends: (() => unknown)[] = [];

beforeAll(async () => {
  if (postgresMissing === undefined) server = await PostgresServer.start();
});

beforeEach(async ({ skip }) => {
  skip(postgresMissing !== undefined, postgresMissing);
  url = await server.newDatabase();
  return () => {
    for (const end of ends.splice(0).reverse()) end();
  };
});

afterAll(() => server?.stop());

function open(role: 'write' | 'read'): HistoryStore {
  const options = { genesisHash: GENESIS, rules: candleRules, decimalsOf: () => 6 };
  const store = openPostgresStore({ ...options, place: { url, role } });
  ends.push(() => store.close());
  return store;
}

/** A writer, and a follower that has begun; `look` returns what it said meanwhile. */
async function followed(onReload: () => void = () => undefined) {
  const writer = open('write');
  writer.writeBatch({ transactions: [oneFill(1)] });
  const reader = open('read');
  const reload = reader.reloadState.bind(reader);
  reader.reloadState = () => {
    onReload();
    reload();
  };
  let store: HistoryStore | null = reader;
  const timers = new ManualTimers();
  const said: string[] = [];
  const follower = new StoreFollower({
    ...{ timers, log: silentLog, counters: { storeFailures: 0 }, rules: candleRules },
    openStore: async () => (store ??= open('read')),
    closeStore: () => undefined,
    onStoreFailure: (error) => {
      store = null;
      said.push(error.message);
    },
    onChange: ({ records }) =>
      said.push(records.map(({ slot, index }) => `${slot}.${index}`).join()),
    onReset: () => said.push('reset'),
    onBlockTime: () => undefined,
  });
  follower.start();
  ends.push(() => void follower.stop());
  const look = async (): Promise<readonly string[]> => {
    await until(() => timers.waitsMs.length > 0);
    timers.advance(Math.max(FOLLOW_MS, ...timers.waitsMs));
    await until(() => timers.waitsMs.length > 0);
    return said.splice(0);
  };
  await look();
  const write = (...transactions: readonly TransactionRecords[]): unknown =>
    writer.writeBatch({ transactions });
  return { writer, follower, look, write };
}

test('new trades are told, and those of a known transaction by beginning again', async () => {
  const { look, write } = await followed();
  expect(await look()).toEqual([]);
  write(oneFill(2));
  expect(await look()).toEqual(['2.0']);
  const late = fill({ index: 1, fillRecordId: 12n });
  write(transaction({ slot: 1, fills: [fill(), late] }), oneFill(3));
  expect(await look()).toEqual(['3.0', 'reset']);
});

test('a write in the middle of a look is told by the next one', async () => {
  let isWriting = false;
  const { look, write } = await followed(() => {
    if (isWriting) write(oneFill(3));
    isWriting = false;
  });
  write(oneFill(2));
  isWriting = true;
  expect(await look()).toEqual(['2.0']);
  expect(await look()).toEqual(['3.0']);
});

test.each(['', 'no JSON', 'null', '{"state":"odd"}', '{"state":"live","reason":7,"chainTs":null}'])(
  'a mark of the writer that cannot be read is a failure, and the trades go on: %s',
  async (text) => {
    const { writer, follower, look, write } = await followed();
    writer.writeBatch({ transactions: [], progress: { writer: text } });
    write(oneFill(2));
    expect(await look()).toEqual(['2.0']);
    const reason = 'the mark of the service that writes the history cannot be read';
    expect(follower.state).toEqual({ state: 'failing', reason });
    writeWriterMark(writer, { state: 'live', reason: null, chainTs: 5 }, 1);
    await look();
    expect(follower.state).toEqual({ state: 'live', reason: null });
  },
);

test('a server that is away is a failure, and the changes are told again once it is back', async () => {
  const { follower, look } = await followed();
  await server.kill();
  expect(await look()).toEqual([expect.stringMatching(/^the server /)]);
  expect(follower.state).toMatchObject({ state: 'failing' });
  await server.startAgain();
  const writer = open('write');
  writeWriterMark(writer, { state: 'live', reason: null, chainTs: 5 }, 1);
  expect(await look()).toEqual([]);
  expect(follower.state).toEqual({ state: 'live', reason: null });
  writer.writeBatch({ transactions: [oneFill(2)] });
  expect(await look()).toEqual(['2.0']);
});
