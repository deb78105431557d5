/** The service while its file is damaged, deleted, replaced, or locked by another process. */
import { cpSync, existsSync, renameSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { until } from '../../../test/support/until.js';
import { withoutPaths } from '../../contract/without-paths.js';
import { SOL_PERP } from '../bodies/testing.js';
import { FileConnection } from '../store/file-connection.js';
import { storeFile } from '../store/open.js';
import { newFolder } from '../store/testing.js';
import { dataDir, ledger, openFile, RunningService, trade, useServices } from './testing.js';

useServices();

const start = (): RunningService => new RunningService().setMarkets(SOL_PERP);

/** The newest trades of the service, or its error. */
function tradesOf(one: RunningService): readonly number[] | string {
  const text = one.query({ kind: 'trades', market: 'perp_0', limit: 100, form: 'spec' });
  if (!text.startsWith('[')) return text;
  const rows = JSON.parse(text) as readonly { readonly fillRecordId: number }[];
  return rows.map(({ fillRecordId }) => Number(fillRecordId));
}

const newestFirst = (from: number): readonly number[] =>
  Array.from({ length: from }, (_, at) => from - at);
const file = (): string => storeFile(dataDir, ledger.genesisHash);

describe('a file that is damaged', () => {
  test('is found so by the check, which tells; what is sound is read, and trades are stored on', async () => {
    trade(5);
    const first = start();
    await first.stored(5);
    await first.service.stop();
    const connection = new FileConnection(file());
    connection.runStatements("update records set bytes = x'00' where kind = 1 and id = 3");
    connection.close();
    const service = start();
    await service.failing('the file is damaged');
    await until(() => service.stats?.counts['rowsDamaged'] === 1);
    expect(tradesOf(service)).toBe('NOT_READY');
    trade(1);
    await service.stored(6);
    expect(service.stats?.state).toBe('failing');
  });

  test('is not live while a query cannot be read', async () => {
    trade(5);
    const service = start();
    await service.live();
    await until(() => (service.stats?.counts['fileChecks'] ?? 0) > 0);
    // While running, without its in-memory state, like a disk fault.
    await service.service.stop();
    const damaged = new FileConnection(file());
    damaged.runStatements(
      "update transactions set signature = cast(x'00' || substr(signature, 2) as blob)",
    );
    damaged.close();
    (await openFile()).close();
    const again = start();
    await until(() => again.stats !== undefined && again.stats.state !== 'starting');
    expect(tradesOf(again)).toBe('NOT_READY');
    await again.failing('the file is damaged');
  });
});

describe('a file that is not where it was', () => {
  test.each([
    ['the folder is deleted', () => rmSync(dataDir, { recursive: true })],
    ['the file is deleted', () => rmSync(file())],
    ['the file is moved', () => renameSync(file(), `${file()}.old`)],
    ['the log is deleted', () => rmSync(`${file()}-wal`)],
  ])('is told when %s: nothing is stored, and no file is made in its place', async (what, lose) => {
    trade(3);
    const service = start();
    await service.stored(3);
    lose();
    await service.failing('moved or deleted');
    trade(1);
    expect(tradesOf(service)).toBe('NOT_READY');
    // The file still exists then, and is opened again.
    if (what === 'the log is deleted') return;
    await sleep(20_000);
    expect(existsSync(file())).toBe(false);
    expect(service.stats?.state).toBe('failing');
  });

  test('is read from where it ends when it comes back, as a backup does', async () => {
    trade(3);
    const service = start();
    await service.stored(3);
    await service.service.stop();
    const backup = newFolder();
    cpSync(dataDir, backup, { recursive: true });
    const next = start();
    trade(2);
    await next.stored(5);
    renameSync(dataDir, `${backup}/gone`);
    await next.failing('moved or deleted');
    cpSync(backup, dataDir, { recursive: true, filter: (name) => !name.includes('gone') });
    await next.live();
    await next.stored(5);
    expect(tradesOf(next)).toEqual(newestFirst(5));
  });

  test('and has been replaced by that of a second service is left to it', async () => {
    trade(3);
    const first = start();
    await first.stored(3);
    rmSync(dataDir, { recursive: true });
    const second = start();
    await second.stored(3);
    await first.failing('moved or deleted');
    trade(2);
    await second.stored(5);
    expect(tradesOf(second)).toEqual(newestFirst(5));
    await second.live();
  });
});

test('a second service on the same folder is refused, and says what to do', async () => {
  trade(3);
  const first = start();
  await first.stored(3);
  const second = start();
  await second.failing('another process has the file open');
  const reason = withoutPaths(second.stats?.reason ?? '', dataDir);
  expect(reason).toContain('--data-dir');
  expect(reason).not.toContain(dataDir);
  trade(1);
  await first.stored(4);
  await first.service.stop();
  await second.stored(4);
});
