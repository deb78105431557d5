import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'libsql';
import { afterEach, describe, expect, test } from 'vitest';
import { PROGRAM_IDS } from '../../contract/program.js';
import { FileConnection } from './file-connection.js';
import { openFile, storeFile } from './open.js';
import {
  cleanUp,
  defectsOf,
  fill,
  GENESIS,
  newFolder,
  newStore,
  oneFill,
  readTrades,
  transaction,
} from './testing.js';

afterEach(cleanUp);

const otherChain = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';

async function filledFolder(): Promise<{ readonly folder: string; readonly file: string }> {
  const folder = newFolder();
  const store = await newStore(folder);
  store.writeBatch({ transactions: [oneFill(1)] });
  store.close();
  return { folder, file: store.file };
}

describe('opening', () => {
  test('makes the folder and one file a chain, named by its genesis hash', async () => {
    const folder = path.join(newFolder(), 'deep', 'er');
    const store = await newStore(folder);
    expect(store.file).toBe(path.join(folder, `${GENESIS}.db`));
    expect(() => storeFile(folder, '../etc/passwd')).toThrow(/genesis hash/);
  });

  test('refuses a file that is no database, and leaves it as it is', async () => {
    const folder = newFolder();
    const file = storeFile(folder, GENESIS);
    writeFileSync(file, 'a letter to a friend. '.repeat(500));
    const before = readFileSync(file);
    await expect(newStore(folder)).rejects.toMatchObject({
      reason: 'foreign',
      message: expect.stringContaining(file),
    });
    expect(readFileSync(file)).toEqual(before);
  });

  test('refuses a file whose version has a name that is no text', async () => {
    const { folder, file } = await filledFolder();
    const damaged = new Database(file);
    damaged.exec("update kysely_migration set name = cast(x'ff31' as text)");
    damaged.close();
    await expect(newStore(folder)).rejects.toMatchObject({ reason: 'corrupt' });
  });

  test("refuses another program's database, and leaves it as it is", async () => {
    const folder = newFolder();
    const file = storeFile(folder, GENESIS);
    const theirs = new Database(file);
    theirs.exec('create table cats (name text); insert into cats values (1)');
    const before = readFileSync(file);
    await expect(newStore(folder)).rejects.toMatchObject({ reason: 'foreign' });
    expect(readFileSync(file)).toEqual(before);
  });

  test("refuses another chain's file under this chain's name", async () => {
    const { folder, file } = await filledFolder();
    copyFileSync(file, storeFile(folder, otherChain));
    await expect(openFile({ folder, genesisHash: otherChain })).rejects.toMatchObject({
      reason: 'foreign',
      message: expect.stringContaining(`chain ${GENESIS}`),
    });
  });

  test('refuses a file of another program', async () => {
    const { drift, velocity } = PROGRAM_IDS;
    const own = '1'.repeat(32);
    const open = async (folder: string, programId?: string): Promise<void> =>
      (await openFile({ folder, genesisHash: GENESIS, programId })).close();
    const refused = (id: string) => ({ reason: 'foreign', message: expect.stringContaining(id) });
    for (const first of [own, velocity]) {
      const fresh = newFolder();
      await open(fresh, first);
      await open(fresh);
      await expect(open(fresh, drift)).rejects.toMatchObject(refused(first));
    }
  });

  test('refuses a file of a later version, and leaves it as it is', async () => {
    const { folder, file } = await filledFolder();
    const later = new FileConnection(file);
    later.changeRows('insert into kysely_migration (name, timestamp) values (?, ?)', [
      '9999-later',
      'now',
    ]);
    later.close();
    const before = readFileSync(file);
    await expect(newStore(folder)).rejects.toMatchObject({
      reason: 'newer',
      message: expect.stringContaining('9999-later'),
    });
    expect(readFileSync(file)).toEqual(before);
  });

  test('a damaged file is told from a healthy one, at the start or when it is read', async () => {
    const folder = newFolder();
    const store = await newStore(folder);
    const many = Array.from({ length: 2_000 }, (_, at) => oneFill(at + 1));
    store.writeBatch({ transactions: many });
    expect(defectsOf(store)).toEqual([]);
    store.close();
    const bytes = readFileSync(store.file);
    bytes.fill(0xa5, 8_192, bytes.length - 4_096);
    writeFileSync(store.file, bytes);
    const readAll = async () => {
      const damaged = await newStore(folder);
      const problems = defectsOf(damaged);
      readTrades(damaged, { market: 'perp_0', limit: 1_000 });
      return problems;
    };
    await expect(readAll()).rejects.toMatchObject({ name: 'StoreError', reason: 'corrupt' });
  });

  test('a folder that cannot be made or a file that cannot be opened is told', async () => {
    const folder = newFolder();
    writeFileSync(path.join(folder, 'taken'), '');
    await expect(newStore(path.join(folder, 'taken', 'x'))).rejects.toMatchObject({
      reason: 'folder',
    });
    mkdirSync(storeFile(folder, GENESIS));
    await expect(newStore(folder)).rejects.toMatchObject({ reason: 'folder' });
  });

  test('a second store of the file is refused, and the first goes on', async () => {
    const folder = newFolder();
    const store = await newStore(folder);
    store.writeBatch({ transactions: [oneFill(1)] });
    await expect(newStore(folder)).rejects.toMatchObject({ reason: 'locked' });
    store.writeBatch({ transactions: [oneFill(2)] });
    expect(readTrades(store, { market: 'perp_0', limit: 9 })).toHaveLength(2);
  });

  test('a closed store says that it is closed, and its file can be opened again at once', async () => {
    const folder = newFolder();
    const store = await newStore(folder);
    store.writeBatch({ transactions: [transaction({ fills: [fill()] })] });
    store.close();
    store.close();
    expect(() => readTrades(store, { market: 'perp_0', limit: 1 })).toThrow(
      expect.objectContaining({ reason: 'closed' }),
    );
    expect((await newStore(folder)).readTotals().trades).toBe(1);
  });
});

describe('versions', () => {
  test.each([
    ['0001-records'],
    ['0001-records', '0002-uncharted'],
    ['0001-records', '0002-uncharted', '0003-sums'],
    ['0001-records', '0002-uncharted', '0003-sums', '0004-accounts'],
  ])(
    'a file of the earlier version %s is refused with what to do, and left as it is',
    async (...names) => {
      const { folder, file } = await filledFolder();
      const earlier = new FileConnection(file);
      earlier.changeRows('delete from kysely_migration');
      for (const name of names) {
        earlier.changeRows('insert into kysely_migration (name, timestamp) values (?, ?)', [
          name,
          '',
        ]);
      }
      earlier.close();
      const before = readFileSync(file);
      await expect(newStore(folder)).rejects.toMatchObject({
        reason: 'older',
        message: expect.stringMatching(
          new RegExp(`${names.at(-1)}.*Move it away: .slotbook backfill`),
        ),
      });
      expect(readFileSync(file)).toEqual(before);
    },
  );
});
