/** One chain's history from a node's logs and from a gRPC stream: both give the same result. */

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
import { silentLog } from '../../rpc/log.js';
import { Random } from '../../sim/random.js';
import { createLogsSocket } from '../ingest/logs-socket.js';
import { cleanUp, newFolder } from '../store/testing.js';
import { PERP, RunningService } from './testing.js';

const SEED = Number(process.env['SEED'] ?? 20_261_123);
const STEPS = 60;

let ledger: Ledger;
let node: LedgerNode;
let server: ScriptedGrpc;
let running: RunningService[];

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

/** A history by these streams, or by the logs of the node. */
function start(...servers: readonly { readonly url: string }[]): RunningService {
  const logs = { servers, programId: PROGRAM, timers: fastTimers, log: silentLog };
  const one = new RunningService({
    ...{ ledger, node, dataDir: newFolder(), timers: fastTimers },
    withLogs: (given) => ({ ...given, socket: createLogsSocket(given.socket, logs) }),
  });
  running.push(one.setMarkets(PERP));
  return one;
}

/** Trades and candles of a service. */
function toldBy(one: RunningService) {
  const of = { market: 'perp_0', form: 'spec', limit: 1_000 } as const;
  const trades = one.query({ kind: 'trades', ...of });
  const now = timeOfSlot(ledger.slot);
  const candles = one.query({ kind: 'candles', ...of, resolution: '1', now });
  const rows = JSON.parse(trades) as readonly { readonly fillRecordId: string }[];
  return { ids: rows.map(({ fillRecordId }) => Number(fillRecordId)), bodies: [trades, candles] };
}

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

/** The fills of the chain, newest first: by slot, then by number. */
function idsOfChain(): readonly number[] {
  const rows = ledger.listed.filter(({ failed }) => !failed);
  const keyed = rows.map(({ signature, slot }) => ({ slot, id: ids.get(signature) ?? 0 }));
  return keyed.sort((a, b) => b.slot - a.slot || b.id - a.id).map(({ id }) => id);
}

/** A random event on the chain, including reverts by a fork, that both sources send. */
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
  const byLogs = start();
  const byStream = start({ url: server.url });
  await Promise.all([byLogs.live(), byStream.live()]);
  // A stream that is cut before it has stabilised has a gap.
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
    // The stream sends this one after it recovers.
    tellBoth(trade());
    await until('the stream stands again', () => server.tokens.length > opened);
    await until('all that the chain has', () => [byLogs, byStream].every(hasAll));
  }
  tick(60);
  await until('what is final', () => {
    return isEqual(byLogs, byStream) && toldBy(byLogs).ids.join() === idsOfChain().join();
  });
  expect(toldBy(byStream)).toEqual(toldBy(byLogs));
  expect(toldBy(byStream).ids.length).toBeGreaterThan(STEPS / 3);
  await until('the logs of one history', () => node.rpc.subscriptions.length === 1);
  expect(server.fromSlots.length).toBeGreaterThan(0);
}, 120_000);

function hasAll(one: RunningService): boolean {
  const told = toldBy(one).ids;
  return idsOfChain().every((id) => told.includes(id));
}

function isEqual(one: RunningService, other: RunningService): boolean {
  return JSON.stringify(toldBy(one)) === JSON.stringify(toldBy(other));
}

test('logs come from the node while no stream stands, and from the stream once it does', async () => {
  server.stop();
  const history = start({ url: server.url });
  await history.live();
  const transaction = trade();
  expect(node.tell(transaction)).toBe(1);
  await until(() => toldBy(history).ids.length === 1);
  await server.restartServer();
  await until(
    'the stream is in use',
    () => server.readerCount === 1 && node.tell(transaction) === 0,
  );
  await history.live();
  tick(1);
  server.tellTransaction(trade());
  await until(() => toldBy(history).ids.length === 2);
  // An unreadable message may have been a transaction: confirmed ones are listed.
  tick(1);
  trade();
  server.notifyBytes(Buffer.from([0xff]));
  await until(() => toldBy(history).ids.length === 3);
}, 120_000);

test('a stream that opens and ends before the history is live leaves it to the logs of the node', async () => {
  server.takeFaults({ pongs: 'last' });
  const history = start({ url: server.url });
  await history.live();
  const transaction = trade();
  await until('the logs of the node', () => node.tell(transaction) === 1);
  await until(() => toldBy(history).ids.length === 1);
  // It is used once it stays open.
  server.takeFaults({});
  await until('the stream is in use', () => {
    return server.readerCount === 1 && node.tell(transaction) === 0;
  });
  await history.live();
}, 120_000);
