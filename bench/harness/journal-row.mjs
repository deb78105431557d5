/**
 * Row `journal`: bytes of an account update in a journal, and the cost of logging on the book's
 * thread: the same turns with and without the log, alternating.
 */
import { createRequire } from 'node:module';
import { RecordBatch } from '../../dist/src/engine/turn-records.js';
import { address, keyOf, PROGRAM_ID } from '../../dist/src/sim/bytes/keys.js';
import { MarketSimulator } from '../../dist/src/sim/market/market-simulator.js';
import { marketAccount } from '../service/workload-book.mjs';
import { workloadFile } from '../workload/files.mjs';
import { readWorkload } from '../workload/read.mjs';
import { timeInTurns } from './rounds.mjs';

const { Core, JournalReader, JournalWriter } = createRequire(import.meta.url)('../../crates/node');

const PROGRAM = PROGRAM_ID;
const WORKLOAD = 'powerlaw-10k';
/** Events of the workload, and accounts of one turn of it. */
const EVENTS = 60_000;
const TURN_ACCOUNTS = 4;
/** Steps of the demo's market, its makers and the steps of a slot. */
const STEPS = 20_000;
const MAKERS = 100;
const STEPS_PER_SLOT = 20;
/** Turns after which the log is taken, and the open block sealed: those of a second. */
const SECOND_TURNS = 50;
const START = { slot: 31, unixSeconds: 1_800_000_000 };

const report = Buffer.alloc(4 * 4_200);
const log = Buffer.alloc(64 << 20);
const batch = new RecordBatch();

/** The results of the row: bytes, CPU of the book's thread and of the writer's, memory, and CPU of reading. */
export async function journalCosts(bench) {
  const results = [];
  for (const life of [demoLife(), workloadLife()]) results.push(...(await costsOf(bench, life)));
  return results;
}

async function costsOf(bench, life) {
  const logs = [];
  passOf(life, { journal: true, keep: logs });
  const written = writeAll(logs);
  const reading = checkReplay(life, written);
  const { updates } = written;
  const common = { row: 'journal', workload: life.name, better: 'lower' };
  const times = await timeInTurns({
    ours: () => passOf(life, { journal: true }),
    peer: () => passOf(life, {}),
    warmUp: [],
    rounds: bench.rounds,
    judge: 'cpu',
    better: 'lower',
  });
  const value = (work, shown, number, bars) => ({ ...common, work, value: number, shown, ...bars });
  const bytes = written.recordBytes / updates;
  return [
    value('bytes of an account update in the journal', `${bytes.toFixed(1)} B`, bytes, {
      bar: 200,
      wish: 60,
      unit: 'B',
    }),
    {
      ...common,
      work: 'a turn with the journal on',
      against: 'the same turn with it off',
      ...times,
      bar: 1.05,
      wish: 1.01,
    },
    value(
      `an account update written by the journal's thread; ${written.kilobytes} kB of last bytes of ${written.accounts} accounts`,
      `${written.writeUs.toFixed(2)} us`,
      written.writeUs,
      { bar: null, wish: null, unit: 'us' },
    ),
    value('an account update read back into a core', `${reading.toFixed(2)} us`, reading, {
      bar: 5,
      wish: 1,
      unit: 'us',
    }),
  ];
}

/** Runs a scenario in a new core, with or without its journal; `keep` receives the log. */
function passOf({ load, turns }, { journal = false, keep }) {
  const core = new Core(PROGRAM, 'bench');
  if (journal) core.startJournal();
  core.setState(1);
  runTurn(core, load, 0);
  take(core, keep);
  globalThis.gc?.();
  const before = process.cpuUsage();
  const start = process.hrtime.bigint();
  turns.forEach((turn, index) => {
    runTurn(core, turn, index + 1);
    if (journal && index % SECOND_TURNS === 0) take(core, keep);
  });
  if (journal) take(core, keep);
  const wallNs = Number(process.hrtime.bigint() - start);
  const { user, system } = process.cpuUsage(before);
  return { operations: turns.length, wallNs, cpuNs: (user + system) * 1_000, core };
}

/** Runs a turn of a life. */
export function runTurn(core, { accounts, slot, unixSeconds }, index) {
  for (const account of accounts) {
    batch.addAccount(account);
    if (batch.isFull) applyBatch(core);
  }
  applyBatch(core);
  core.setClock(slot, unixSeconds);
  core.endTurn(batch.buffer, 0, START.unixSeconds * 1_000 + index * 20, report);
}

function applyBatch(core) {
  core.apply(batch.buffer, batch.length);
  batch.clear();
}

/** Takes the log into memory that is used again, as the service does. */
export function take(core, keep) {
  const length = core.takeJournal(log);
  if (length < 0) throw new Error(`the log needs ${-length} bytes`);
  keep?.push(Buffer.from(log.subarray(0, length)));
}

function writeAll(logs) {
  const writer = new JournalWriter(PROGRAM);
  const pieces = [];
  const drain = () => {
    writer.flush();
    for (let piece = writer.takePiece(); piece !== null; piece = writer.takePiece())
      pieces.push(piece.bytes);
    return pieces.reduce((sum, piece) => sum + piece.length, 0);
  };
  const [load, ...rest] = logs;
  writer.append(load, 0);
  const loaded = drain();
  const { updates: first } = writer.status();
  const before = process.cpuUsage();
  for (const one of rest) {
    writer.append(one, 0);
    drain();
  }
  const { user, system } = process.cpuUsage(before);
  const status = writer.status();
  const updates = status.updates - first;
  return {
    bytes: Buffer.concat(pieces),
    recordBytes: drain() - loaded,
    updates,
    allUpdates: status.updates,
    writeUs: (user + system) / updates,
    accounts: status.accounts,
    kilobytes: Math.round(status.accountBytes / 1_000),
  };
}

function readAll(bytes) {
  const core = new Core(PROGRAM, 'bench');
  const reader = new JournalReader(PROGRAM);
  const before = process.cpuUsage();
  reader.push(bytes);
  if (reader.readTo(core, {}) !== 2 || reader.readTo(core, {}) !== 0) {
    throw new Error(`the journal cannot be read: ${JSON.stringify(reader.problem())}`);
  }
  const { user, system } = process.cpuUsage(before);
  return { core, us: user + system };
}

/** Checks that the journal has the book of the life; returns the CPU of an update that is read, in us. */
function checkReplay(life, { bytes, allUpdates }) {
  const { core } = passOf(life, {});
  readAll(bytes);
  const read = readAll(bytes);
  if (read.core.stateHash() !== core.stateHash()) throw new Error('the journal has another book');
  return read.us / allUpdates;
}

function demoLife() {
  const life = new MarketSimulator({ seed: 1, makers: MAKERS });
  const load = { accounts: textsOf(life.createGenesis(START), START.slot), ...START };
  const turns = Array.from({ length: STEPS }, (_, step) => {
    const slot = START.slot + Math.floor(step / STEPS_PER_SLOT);
    const unixSeconds = START.unixSeconds + Math.floor((slot - START.slot) * 0.4);
    return { accounts: textsOf(life.nextWrites({ slot, unixSeconds }), slot), slot, unixSeconds };
  });
  return { name: `demo, ${MAKERS} makers, ${STEPS} steps`, load, turns };
}

/** The life of the workload of 10,000 orders. */
export function workloadLife() {
  const { config, load, events } = readWorkload(workloadFile(WORKLOAD));
  const clock = { slot: config.slot, unixSeconds: config.ts };
  const writeOf = ({ key, data }) => ({ pubkey: keyOf(key), owner: PROGRAM, data });
  const time = { slot: BigInt(config.slot), unixSeconds: BigInt(config.ts) };
  const market = {
    pubkey: address.perpMarket(0),
    owner: PROGRAM,
    data: marketAccount(config, 0, time),
  };
  const users = load.filter(({ kind }) => kind === 'account').map(writeOf);
  const accounts = [market, ...users];
  const turns = [];
  let waiting = [];
  for (const event of events.slice(0, EVENTS)) {
    if (event.kind === 'slot') clock.slot += 1;
    if (event.kind === 'account') waiting.push(writeOf(event));
    if (waiting.length < TURN_ACCOUNTS) continue;
    turns.push({ accounts: textsOf(waiting, clock.slot), ...clock });
    waiting = [];
  }
  return { name: WORKLOAD, load: { accounts: textsOf(accounts, clock.slot), ...clock }, turns };
}

/** Accounts as a feed passes them on: base64 texts. */
function textsOf(writes, slot) {
  const encoding = 'base64';
  return writes.map(({ pubkey, owner, data }) => ({
    pubkey,
    owner,
    slot,
    data: data.toString(encoding),
    encoding,
  }));
}
