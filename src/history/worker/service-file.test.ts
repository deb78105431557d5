/** The service while its file is damaged, deleted, replaced, or in the hands of another. */
import { cpSync, existsSync, renameSync, rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Ledger, LedgerNode, timeOfSlot } from '../../../test/scripted-ledger.js';
import { fillLog } from '../../../test/support/fill-log.js';
import { PROGRAM } from '../../../test/support/ingest-rig.js';
import { fastTimers } from '../../../test/support/steady-timers.js';
import { until } from '../../../test/support/until.js';
import type { HistoryStats } from '../../contract/history-source.js';
import { createNodes } from '../../rpc/node-pool.js';
import { systemTimers } from '../../rpc/timers.js';
import { candleRules } from '../candles/rules.js';
import type { FromWorker } from '../model/messages.js';
import { withoutPaths } from '../model/without-paths.js';
import { FileConnection } from '../store/file-connection.js';
import { storeFile } from '../store/open.js';
import { openStore } from '../store/store.js';
import { cleanUp, newFolder } from '../store/testing.js';
import { HistoryService } from './service.js';

const PERP = { symbol: 'SOL-PERP', marketType: 'perp', marketIndex: 0, decimals: 9 } as const;

let ledger: Ledger;
let node: LedgerNode;
let dataDir: string;
let running: Running[];
let count: number;

beforeEach(async () => {
  ledger = new Ledger();
  node = await LedgerNode.start(ledger);
  dataDir = newFolder();
  running = [];
  count = 0;
});

afterEach(async () => {
  await Promise.all(running.map(({ service }) => service.stop()));
  await node.stop();
  cleanUp();
});

/** A service, and what it has posted. */
class Running {
  readonly posted: FromWorker[] = [];
  readonly service: HistoryService;
  #asked = 0;

  constructor() {
    this.service = new HistoryService({
      setup: {
        ...{ nodes: [node.urls], programId: PROGRAM, dataDir, requestsPerSecond: 100_000 },
        ...{ retentionDays: 0, candleRetentionDays: 0 },
        ...{ backfillHours: 1, backfillTransactionsMax: 1_000 },
      },
      nodes: createNodes([node.urls], systemTimers),
      timers: { ...fastTimers, unixMs: () => timeOfSlot(ledger.slot) * 1_000 },
      random: () => 0.5,
      post: (message) => this.posted.push(message),
    });
    running.push(this);
    this.service.start();
    this.service.receiveMessage({
      kind: 'book',
      book: { markets: [{ ...PERP, key: 'perp_0' }], genesisHash: null },
    });
  }

  get stats(): HistoryStats | undefined {
    const last = this.posted.findLast((message) => message.kind === 'stats');
    return last?.kind === 'stats' ? last.stats : undefined;
  }

  live(): Promise<unknown> {
    return until(() => this.stats?.state === 'live');
  }

  failing(reason: string): Promise<unknown> {
    return until(() => {
      return this.stats?.state === 'failing' && this.stats.reason?.includes(reason) === true;
    });
  }

  /** The newest trades, as the service tells them, or why it does not. */
  trades(): readonly number[] | string {
    this.#asked += 1;
    const id = this.#asked;
    const query = { kind: 'trades', market: 'perp_0', limit: 100, form: 'spec' } as const;
    this.service.receiveMessage({ kind: 'query', id, query });
    const reply = this.posted.findLast((message) => 'id' in message && message.id === id);
    if (reply?.kind === 'refused') return reply.error.code;
    if (reply?.kind !== 'reply') throw new Error('there is no reply');
    const rows = JSON.parse(Buffer.from(reply.reply.body).toString()) as {
      fillRecordId: number;
    }[];
    return rows.map(({ fillRecordId }) => Number(fillRecordId));
  }
}

/** So many trades, of which the node tells; they become final. */
function trade(trades: number): void {
  for (let left = trades; left > 0; left -= 1) {
    count += 1;
    ledger.tick();
    node.tell(ledger.add(fillLog(count, timeOfSlot(ledger.slot))));
  }
  ledger.tick(40);
}

const newestFirst = (from: number): readonly number[] =>
  Array.from({ length: from }, (_, at) => from - at);
const file = (): string => storeFile(dataDir, ledger.genesisHash);
const stored = (one: Running, trades: number): Promise<unknown> =>
  until(() => one.stats?.stored.trades === trades);

describe('a file that is damaged', () => {
  test('is found so by the check, which tells; what is sound is read, and trades are stored on', async () => {
    trade(5);
    const first = new Running();
    await stored(first, 5);
    await first.service.stop();
    running = [];
    const connection = new FileConnection(file());
    connection.runStatements('update trades set quote_filled = 7 where fill_record_id = 3');
    connection.close();
    const service = new Running();
    await service.failing('the file is damaged');
    await until(() => service.stats?.counts['rowsDamaged'] === 1);
    expect(service.trades()).toBe('NOT_READY');
    trade(1);
    await stored(service, 6);
    expect(service.stats?.state).toBe('failing');
  });

  test('is not live while a query cannot be read', async () => {
    trade(5);
    const service = new Running();
    await service.live();
    await until(() => (service.stats?.counts['fileChecks'] ?? 0) > 0);
    const { genesisHash } = ledger;
    // Under way, past what the service has in memory, as a disk does it.
    await service.service.stop();
    running = [];
    const damaged = new FileConnection(file());
    damaged.runStatements(
      "update transactions set signature = cast(x'00' || substr(signature, 2) as blob)",
    );
    damaged.close();
    const store = await openStore({
      ...{ folder: dataDir, genesisHash, rules: candleRules },
      decimalsOf: () => 9,
    });
    store.close();
    const again = new Running();
    await until(() => again.stats !== undefined && again.stats.state !== 'starting');
    expect(again.trades()).toBe('NOT_READY');
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
    const service = new Running();
    await stored(service, 3);
    lose();
    await service.failing('moved or deleted');
    trade(1);
    expect(service.trades()).toBe('NOT_READY');
    // The file is still there then, and is opened again.
    if (what === 'the log is deleted') return;
    for (let seconds = 0; seconds < 20; seconds += 1) {
      const before = service.posted.length;
      await until(() => service.posted.length > before);
    }
    expect(existsSync(file())).toBe(false);
    expect(service.stats?.state).toBe('failing');
  });

  test('is read from where it ends when it comes back, as a backup does', async () => {
    trade(3);
    const service = new Running();
    await stored(service, 3);
    await service.service.stop();
    running = [];
    const backup = newFolder();
    cpSync(dataDir, backup, { recursive: true });
    const next = new Running();
    trade(2);
    await stored(next, 5);
    renameSync(dataDir, `${backup}/gone`);
    await next.failing('moved or deleted');
    cpSync(backup, dataDir, { recursive: true, filter: (name) => !name.includes('gone') });
    await until(() => next.stats?.state === 'live' && next.stats.stored.trades === 5);
    expect(next.trades()).toEqual(newestFirst(5));
  });

  test('and has been replaced by that of a second service is left to it', async () => {
    trade(3);
    const first = new Running();
    await stored(first, 3);
    rmSync(dataDir, { recursive: true });
    const second = new Running();
    await stored(second, 3);
    await first.failing('moved or deleted');
    trade(2);
    await stored(second, 5);
    expect(second.trades()).toEqual(newestFirst(5));
    await second.live();
  });
});

test('a second service on the same folder is refused, and says what to do', async () => {
  trade(3);
  const first = new Running();
  await stored(first, 3);
  const second = new Running();
  await second.failing('another process has the file open');
  const reason = withoutPaths(second.stats?.reason ?? '', dataDir);
  expect(reason).toContain('--data-dir');
  expect(reason).not.toContain(dataDir);
  trade(1);
  await stored(first, 4);
  await first.service.stop();
  await stored(second, 4);
});
