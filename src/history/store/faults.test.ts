import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, onTestFinished, type TestContext, test } from 'vitest';
import { candleRules } from '../candles/rules.js';
import { StoreError } from './error.js';
import type { FileConnection } from './file-connection.js';
import { openFile } from './open.js';
import { HistoryStore } from './store.js';
import {
  accountKey,
  cleanUp,
  fill,
  GENESIS,
  MIDNIGHT,
  newFolder,
  newStore,
  oneFill,
  signature,
  spotDecimals,
  transaction,
} from './testing.js';

afterEach(cleanUp);

interface Faulty {
  readonly store: HistoryStore;
  readonly connection: FileConnection;
}

/** A store whose connection the test can hurt. */
async function faultyStore(): Promise<Faulty> {
  const connection = await openFile({ folder: newFolder(), genesisHash: GENESIS });
  onTestFinished(() => connection.close());
  return {
    connection,
    store: new HistoryStore(connection, { rules: candleRules, decimalsOf: spotDecimals }),
  };
}

/** Some transactions of a slot each, with accounts and an explanation that nothing had before. */
function batchFrom(slot: number, count = 200) {
  return Array.from({ length: count }, (_, at) =>
    transaction({
      slot: slot + at,
      fills: [
        fill({
          fillRecordId: BigInt(slot + at),
          ts: MIDNIGHT + slot + at,
          maker: accountKey(slot + at),
          actionExplanation: `explained ${slot}`,
        }),
      ],
    }),
  );
}

/** Everything a reader can see. */
function seen(store: HistoryStore) {
  return {
    trades: store.readTrades({ market: 'perp_0', limit: 1_000 }),
    candles: candleRules.minutes.map((minutes) =>
      store.readCandles({ market: 'perp_0', minutes, limit: 1_000 }),
    ),
    totals: store.readTotals(),
    gaps: store.findGaps(),
    progress: store.readProgress(),
  };
}

function failureOf(work: () => unknown): StoreError {
  try {
    work();
  } catch (error) {
    if (error instanceof StoreError) return error;
    throw error;
  }
  throw new Error('nothing failed');
}

/** Writes until the disk refuses, then heals it and writes the same again. */
function failAndHeal(
  store: HistoryStore,
  disk: { break(): void; heal(): void; reason: string },
): void {
  store.writeBatch({ transactions: batchFrom(1), progress: { newest: '1' } });
  disk.break();
  const before = seen(store);
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const lost = () =>
      store.writeBatch({ transactions: batchFrom(1_000, 800), progress: { newest: '2' } });
    const error = failureOf(lost);
    expect(error).toMatchObject({ reason: disk.reason, canRecover: true, code: 'STORE_FAILED' });
    expect(seen(store)).toEqual(before);
  }
  disk.heal();
  const change = store.writeBatch({
    transactions: batchFrom(1_000, 800),
    progress: { newest: '2' },
  });
  expect(change.trades).toHaveLength(800);
  expect(store.readTotals().trades).toBe(1_000);
  expect(store.readProgress().get('newest')).toBe('2');
  expect(store.findGaps()).toMatchObject({ holes: 1 });
  const rows = store.readTrades({ market: 'perp_0', limit: 1_000 });
  expect(rows.map(({ maker }) => maker)).toEqual(
    [...batchFrom(1), ...batchFrom(1_000, 800)].reverse().map(({ fills }) => fills[0]?.maker),
  );
  expect(rows[0]?.actionExplanation).toBe('explained 1000');
  expect(store.checkIntegrity()).toEqual([]);
}

describe('a disk that refuses', () => {
  test('a full one takes nothing of a write, and the same store goes on when it has room', async () => {
    const { store, connection } = await faultyStore();
    failAndHeal(store, {
      reason: 'full',
      break: () => connection.runStatements('pragma max_page_count = 1'),
      heal: () => connection.runStatements('pragma max_page_count = 1000000'),
    });
  });

  test('one that may only be read serves what is there, and takes writes again when it may', async () => {
    const { store, connection } = await faultyStore();
    failAndHeal(store, {
      reason: 'readonly',
      break: () => connection.runStatements('pragma query_only = on'),
      heal: () => connection.runStatements('pragma query_only = off'),
    });
  });

  test('a really full file system is told, and healed by room', async (context) => {
    await onFileSystem(context, '1m', async (folder, remount) => {
      const store = await newStore(folder);
      failAndHeal(store, {
        reason: 'full',
        break: () => fillUp(store),
        heal: () => remount('size=64m'),
      });
    });
  });

  test('a folder on a file system that may only be read is told', async (context) => {
    const elsewhere = await newStore();
    elsewhere.writeBatch({ transactions: [oneFill(1)] });
    elsewhere.close();
    await onFileSystem(context, '8m', async (folder, remount) => {
      remount('ro');
      await expect(newStore(folder)).rejects.toMatchObject({ reason: 'folder', canRecover: true });
      remount('rw');
      copyFileSync(elsewhere.file, path.join(folder, path.basename(elsewhere.file)));
      remount('ro');
      await expect(newStore(folder)).rejects.toMatchObject({
        reason: 'readonly',
        canRecover: true,
      });
      remount('rw');
      expect((await newStore(folder)).readTotals().trades).toBe(1);
    });
  });
});

/** Does `work` in a file system of its own, or skips the test where none may be mounted. */
async function onFileSystem(
  context: TestContext,
  size: string,
  work: (folder: string, remount: (options: string) => void) => Promise<void>,
): Promise<void> {
  const folder = path.join(newFolder(), 'disk');
  mkdirSync(folder);
  const mount = (...options: string[]) => spawnSync('mount', [...options, folder]).status === 0;
  if (!mount('-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs')) {
    context.skip('needs the right to mount a file system');
  }
  const remount = (options: string) => expect(mount('-o', `remount,${options}`)).toBe(true);
  try {
    await work(folder, remount);
  } finally {
    spawnSync('umount', ['--lazy', folder]);
  }
}

/** Writes until nothing fits any more. */
function fillUp(store: HistoryStore): void {
  for (let slot = 10_000; ; slot += 50) {
    try {
      store.writeBatch({ transactions: emptyFrom(slot) });
    } catch {
      return;
    }
  }
}

/** Transactions that left nothing: they fill a disk, and change nothing of what is seen. */
function emptyFrom(slot: number) {
  return Array.from({ length: 50 }, (_, at) =>
    transaction({ slot: slot + at, signature: signature(slot + at) }),
  );
}

describe('a write that cannot be', () => {
  test('an account or a signature that is none takes the whole batch back', async () => {
    const store = await newStore();
    store.writeBatch({ transactions: [oneFill(1)] });
    const before = seen(store);
    const bad = [
      oneFill(3, { maker: 'not base58 0OIl' }),
      oneFill(3, {}, { signature: 'short' }),
      oneFill(3, { marketIndex: Number.NaN }),
    ];
    for (const wrong of bad) {
      const batch = { transactions: [oneFill(2, { maker: accountKey(77) }), wrong] };
      expect(failureOf(() => store.writeBatch(batch))).toMatchObject({
        reason: 'internal',
        canRecover: false,
      });
      expect(seen(store)).toEqual(before);
    }
    store.writeBatch({ transactions: [oneFill(2, { maker: accountKey(77) })] });
    expect(store.readTrades({ market: 'perp_0', limit: 1 })[0]?.maker).toBe(accountKey(77));
  });
});
