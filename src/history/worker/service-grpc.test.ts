/** The history of one chain told by the logs of a node, and by a gRPC stream: both come to the same. */

import { afterEach, beforeEach, expect, test } from 'vitest';
import { ScriptedGrpc } from '../../../test/scripted-grpc.js';
import {
  Ledger,
  LedgerNode,
  type LedgerTransaction,
  timeOfSlot,
} from '../../../test/scripted-ledger.js';
import { fillLog } from '../../../test/support/fill-log.js';
import { PROGRAM } from '../../../test/support/ingest-rig.js';
import { fastTimers } from '../../../test/support/steady-timers.js';
import { until } from '../../../test/support/until.js';
import type { HistoryStats } from '../../contract/history-source.js';
import { silentLog } from '../../rpc/log.js';
import { createNodes } from '../../rpc/node-pool.js';
import { systemTimers } from '../../rpc/timers.js';
import { Random } from '../../sim/random.js';
import { createLogsSocket } from '../ingest/logs-socket.js';
import type { FromWorker } from '../model/messages.js';
import type { HistoryMarket } from '../model/records.js';
import { cleanUp, newFolder } from '../store/testing.js';
import { HistoryService } from './service.js';

const PERP: HistoryMarket = {
  ...{ key: 'perp_0', symbol: 'SOL-PERP', marketType: 'perp', marketIndex: 0, decimals: 9 },
};
const SEED = Number(process.env['SEED'] ?? 20_261_123);
const STEPS = 60;

let ledger: Ledger;
let node: LedgerNode;
let server: ScriptedGrpc;
let running: Running[];

beforeEach(async () => {
  ledger = new Ledger();
  node = await LedgerNode.start(ledger);
  server = await ScriptedGrpc.start(null);
  running = [];
  ids.clear();
});

afterEach(async () => {
  await Promise.all(running.map(({ service }) => service.stop()));
  server.stop();
  await node.stop();
  cleanUp();
});

/** A history by these streams, or by the logs of the node, and what it has posted. */
class Running {
  readonly posted: FromWorker[] = [];
  readonly service: HistoryService;
  #asked = 0;

  constructor(servers: readonly { readonly url: string }[]) {
    const setup = {
      ...{ nodes: [node.urls], programId: PROGRAM, requestsPerSecond: 100_000 },
      ...{ retentionDays: 0, candleRetentionDays: 0, dataDir: newFolder() },
      ...{ backfillHours: 1, backfillTransactionsMax: 1_000 },
    };
    const logs = { servers, programId: PROGRAM, timers: fastTimers, log: silentLog };
    this.service = new HistoryService({
      setup,
      nodes: createNodes(setup.nodes as [(typeof setup.nodes)[0]], systemTimers).map((one) => {
        return { ...one, socket: createLogsSocket(one.socket, logs) };
      }),
      timers: { ...fastTimers, unixMs: () => timeOfSlot(ledger.slot) * 1_000 },
      random: () => 0.5,
      post: (message) => this.posted.push(message),
    });
    running.push(this);
    this.service.start();
    this.service.receiveMessage({ kind: 'book', book: { markets: [PERP], genesisHash: null } });
  }

  get stats(): HistoryStats | undefined {
    const last = this.posted.findLast((message) => message.kind === 'stats');
    return last?.kind === 'stats' ? last.stats : undefined;
  }

  live(): Promise<unknown> {
    return until(() => this.stats?.state === 'live');
  }

  /** Trades, candles and rows of a day, as the service tells them. */
  get told(): { readonly ids: readonly number[]; readonly bodies: readonly string[] } {
    const of = { market: 'perp_0', form: 'spec' } as const;
    const now = timeOfSlot(ledger.slot);
    const trades = this.#query({ kind: 'trades', ...of, limit: 1_000 });
    const candles = this.#query({ kind: 'candles', ...of, resolution: '1', limit: 1_000, now });
    const rows = JSON.parse(trades) as { readonly fillRecordId: string }[];
    const ids = rows.map(({ fillRecordId }) => Number(fillRecordId));
    return { ids, bodies: [trades, candles] };
  }

  #query(
    query: Extract<Parameters<HistoryService['receiveMessage']>[0], { kind: 'query' }>['query'],
  ) {
    this.#asked += 1;
    const id = this.#asked;
    this.service.receiveMessage({ kind: 'query', id, query });
    const reply = this.posted.findLast((message) => 'id' in message && message.id === id);
    return reply?.kind === 'reply' ? Buffer.from(reply.reply.body).toString() : '[]';
  }
}

/** A transaction of which both tell. */
function tellBoth(transaction: LedgerTransaction): void {
  node.tell(transaction);
  server.tellTransaction(transaction);
}

/** Numbers of fills by signature. */
const ids = new Map<string, number>();

function trade(): LedgerTransaction {
  const id = ids.size + 1;
  const made = ledger.add(fillLog(id, timeOfSlot(ledger.slot)));
  ids.set(made.signature, id);
  return made;
}

function tick(slots: number): void {
  for (let left = slots; left > 0; left -= 1) {
    ledger.tick();
    server.tellSlot(ledger.slot, 'confirmed');
  }
}

/** What the chain has, newest first: by slot, then by number. */
function idsOfChain(): readonly number[] {
  const rows = ledger.listed.filter(({ failed }) => !failed);
  const keyed = rows.map(({ signature, slot }) => ({ slot, id: ids.get(signature) ?? 0 }));
  return keyed.sort((a, b) => b.slot - a.slot || b.id - a.id).map(({ id }) => id);
}

/** A step in the life of the chain, of which both tell alike, also what a fork takes back. */
function step(random: Random): void {
  tick(random.nextBelow(3));
  const open = ledger.listed.filter(
    ({ slot }) => slot > ledger.finalisedSlot && slot < ledger.slot,
  );
  const victim = open[random.nextBelow(Math.max(1, open.length))];
  const kind = random.nextBelow(10);
  if (victim === undefined || kind < 8) {
    tellBoth(trade());
    return;
  }
  server.forgetTransaction(victim);
  if (kind < 9) ledger.takeBack(victim);
  else tellBoth(ledger.moveToNewest(victim, { failed: random.nextBelow(3) === 0 }));
}

test(`a gRPC stream that is cut and tells twice, and the logs of a node, make one history, SEED=${SEED}`, async () => {
  const byLogs = new Running([]);
  const byStream = new Running([{ url: server.url }]);
  await Promise.all([byLogs.live(), byStream.live()]);
  // A stream that is younger when it is cut has a gap.
  tick(20);
  tellBoth(trade());
  await until('the first trade', () => [byLogs, byStream].every(hasAll));
  const random = new Random(SEED);
  for (let count = 1; count <= STEPS; count += 1) {
    step(random);
    if (count % 10 !== 0) continue;
    server.takeFaults({ doubled: count % 20 === 0 });
    const opened = server.tokens.length;
    server.cutStreams();
    // Of this one it notifies when the stream stands again.
    tellBoth(trade());
    await until('the stream stands again', () => server.tokens.length > opened);
    await until('all that the chain has', () => [byLogs, byStream].every(hasAll));
  }
  tick(60);
  await until('what is final', () => {
    return isEqual(byLogs, byStream) && byLogs.told.ids.join() === idsOfChain().join();
  });
  expect(byStream.told).toEqual(byLogs.told);
  expect(byStream.told.ids.length).toBeGreaterThan(STEPS / 3);
  await until('the logs of one history', () => node.rpc.subscriptions.length === 1);
  expect(server.fromSlots.length).toBeGreaterThan(0);
}, 120_000);

function hasAll({ told }: Running): boolean {
  return idsOfChain().every((id) => told.ids.includes(id));
}

function isEqual(one: Running, other: Running): boolean {
  return JSON.stringify(one.told) === JSON.stringify(other.told);
}

test('logs come from the node while no stream stands, and from the stream once it does', async () => {
  server.stop();
  const history = new Running([{ url: server.url }]);
  await history.live();
  const transaction = trade();
  expect(node.tell(transaction)).toBe(1);
  await until(() => history.told.ids.length === 1);
  await server.restartServer();
  await until(
    'the stream is in use',
    () => server.readerCount === 1 && node.tell(transaction) === 0,
  );
  await history.live();
  tick(1);
  server.tellTransaction(trade());
  await until(() => history.told.ids.length === 2);
  // A message that cannot be read may have been a transaction: what is confirmed is listed.
  tick(1);
  trade();
  server.notifyBytes(Buffer.from([0xff]));
  await until(() => history.told.ids.length === 3);
}, 120_000);

test('a stream that opens and ends before the history is live leaves it to the logs of the node', async () => {
  server.takeFaults({ pongs: 'last' });
  const history = new Running([{ url: server.url }]);
  await history.live();
  const transaction = trade();
  await until('the logs of the node', () => node.tell(transaction) === 1);
  await until(() => history.told.ids.length === 1);
  // It is used once it stays.
  server.takeFaults({});
  await until('the stream is in use', () => {
    return server.readerCount === 1 && node.tell(transaction) === 0;
  });
  await history.live();
}, 120_000);
