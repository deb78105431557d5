/**
 * The rows of the benchmark. The numbers are those of the targets in ARCHITECTURE.md; `streams`,
 * `vamm`, `walk`, `match`, `sources`, `accounts`, `deltas`, `binary`, `history`, `ingest`,
 * `journal`, `proof`, `as-of`, `replay`, `edges`, `copy`, `books`, `grpc`, `latency`, `live`, `merge`,
 * `render`, `loop` and `users` have no such target. Every row first checks that both sides show the
 * same, then measures.
 */
import { workloadFile } from '../workload/files.mjs';
import { clientAccounts, clientDeltas } from './account-rows.mjs';
import { asOfMoments, replaySpeed } from './as-of-rows.mjs';
import { binaryFrames } from './binary-rows.mjs';
import { peerBooks } from './books-row.mjs';
import { copySpeed } from './copy-row.mjs';
import { edgeCosts } from './edges-row.mjs';
import { assertSameTops } from './equality.mjs';
import { fanOut } from './fan-out-rows.mjs';
import { accountToFrame } from './frame-rows.mjs';
import { historyStore } from './history-rows.mjs';
import { l2UnderChurn, l2WithSources, matchUnderChurn } from './http-rows.mjs';
import { ingestBesideReaders } from './ingest-row.mjs';
import { journalCosts } from './journal-row.mjs';
import { latencySeen } from './latency-row.mjs';
import { liveBook } from './live-row.mjs';
import { loopBlocks } from './loop-row.mjs';
import { proofCosts } from './proof-row.mjs';
import { median, timeInTurns } from './rounds.mjs';
import { countAllocations } from './setup.mjs';
import { grpcCosts, mergeCosts } from './source-rows.mjs';
import { streamCosts } from './stream-rows.mjs';
import { watchedUsers } from './users-row.mjs';
import { vammLevels } from './vamm-rows.mjs';
import { matchingWalk } from './walk-rows.mjs';

/** Depth of the bodies that are compared and rendered. */
const DEPTH = 10;
/** Events and single oracle ticks of which the resulting books are compared. */
const CHECK = { events: 2_000, ticks: 20 };
/** Oracle ticks of one pass; the passes make a round of about 0.1 s for ours. */
const TICKS = 100;
/** Accounts that the feed hands to the core at a time. */
const BATCH_ACCOUNTS = 200;

const SHAPES = ['powerlaw', 'uniform'];

/** All rows by id, in the order of the table; each returns a list of results. */
export const ROWS = {
  1: (bench) => forShapes((shape) => tickToBody(bench, shape)),
  2: (bench) => forShapes((shape) => tickByOrderCount(bench, shape)),
  3: (bench) => applyAccount(bench),
  4: (bench) => l2UnderChurn(bench),
  5: (bench) => fanOut(bench),
  6: (bench) => coldStart(bench),
  7: (bench) => accountToFrame(bench),
  8: (bench) => memory(bench),
  9: () => loopBlocks(),
  streams: (bench) => streamCosts(bench),
  vamm: (bench) => vammLevels(bench),
  walk: (bench) => matchingWalk(bench),
  match: (bench) => matchUnderChurn(bench),
  sources: (bench) => l2WithSources(bench),
  accounts: (bench) => clientAccounts(bench),
  deltas: (bench) => clientDeltas(bench),
  binary: (bench) => binaryFrames(bench),
  render: (bench) => coldRender(bench),
  history: (bench) => historyStore(bench),
  ingest: (bench) => ingestBesideReaders(bench),
  journal: (bench) => journalCosts(bench),
  proof: (bench) => proofCosts(bench),
  'as-of': () => asOfMoments(),
  replay: () => replaySpeed(),
  edges: (bench) => edgeCosts(bench),
  copy: (bench) => copySpeed(bench),
  books: (bench) => peerBooks(bench),
  grpc: (bench) => grpcCosts(bench),
  merge: (bench) => mergeCosts(bench),
  latency: () => latencySeen(),
  live: (bench) => liveBook(bench),
  loop: (bench) => longestCalls(bench),
  users: (bench) => watchedUsers(bench),
};

/** Rows that need neither the engines nor the peers: nothing is built for them. */
export const ROWS_ALONE = [
  'binary',
  'copy',
  'edges',
  'grpc',
  'history',
  'latency',
  'live',
  'merge',
  'proof',
  'users',
];

async function forShapes(row) {
  const results = [];
  for (const shape of SHAPES) results.push(await row(shape));
  return results;
}

async function tickToBody(bench, shape) {
  const name = `${shape}-10k`;
  await bench.load(name, ['core', 'sdk']);
  const checked = await sameTops(bench, name, ['core tops', 'sdk tops'], CHECK);
  const peerRepeats = shape === 'uniform' ? 10 : 1;
  const times = await inTurns(bench, {
    ours: ['core', `tick ${name} ${DEPTH} ${TICKS} 500`],
    peer: ['sdk', `tick ${name} ${DEPTH} ${TICKS} ${peerRepeats}`],
  });
  await bench.drop(name, ['core', 'sdk']);
  const bars = { bar: shape === 'uniform' ? 50 : 500, wish: 2_000, better: 'higher' };
  const work = 'oracle tick to finished depth-10 body, 10k orders';
  return { row: 1, work, workload: name, against: 'SDK', checked, ...times, ...bars };
}

async function tickByOrderCount(bench, shape) {
  const [many, few] = [`${shape}-floating-10k`, `${shape}-floating-100`];
  let checked = 0;
  for (const name of [many, few]) {
    await bench.load(name, ['core', 'sdk']);
    checked += await sameTops(bench, name, ['core tops', 'sdk tops'], { events: 500, ticks: 20 });
  }
  const times = await inTurns(bench, {
    ours: ['core', `tick ${few} ${DEPTH} ${TICKS} 1000`],
    peer: ['core', `tick ${many} ${DEPTH} ${TICKS} 1000`],
  });
  for (const name of [many, few]) await bench.drop(name, ['core', 'sdk']);
  const bars = { bar: 3, wish: 1.3, better: 'lower' };
  const swapped = { ours: times.peer, peer: times.ours };
  const work = 'the same at 10k against 100 oracle-offset orders';
  const against = 'itself, 100 orders';
  return { row: 2, work, workload: many, against, checked, ...times, ...swapped, ...bars };
}

async function applyAccount(bench) {
  const results = [];
  for (const open of [8, 32]) {
    for (const shape of SHAPES) results.push(...(await applyAccounts(bench, shape, open)));
  }
  return results;
}

async function applyAccounts(bench, shape, open) {
  const name = `${shape}-open-${open}`;
  await bench.load(name, ['core']);
  const span = { events: 15_000, ticks: 20 };
  const checked = await sameTops(bench, name, ['core tops', 'core treetops'], span);
  const times = await inTurns(bench, {
    ours: ['core', `apply ${name}`],
    peer: ['core', `treeapply ${name}`],
  });
  await bench.drop(name, ['core']);
  const bars = open === 8 ? { bar: 2, wish: 4 } : { bar: 6, wish: 15 };
  const work = `apply an account, ${open} open orders`;
  const against = 'remove and reinsert in BTreeMaps';
  const timed = { row: 3, work, workload: name, against, checked, ...times, ...bars };
  const steady = countAllocations('steady', workloadFile(name));
  const calls = {
    row: 3,
    work: `allocations in ${steady.updates} such updates, then in 100 depth-100 bodies`,
    workload: name,
    value: steady.updateCalls + steady.bodyCalls,
    shown: `${steady.updateCalls}, ${steady.bodyCalls}`,
    bar: 0,
    wish: 0,
    better: 'lower',
  };
  return [{ ...timed, better: 'higher' }, calls];
}

async function coldStart(bench) {
  const name = 'powerlaw-cold';
  await bench.load(name, ['core', 'sdk']);
  const none = { events: 0, ticks: 0 };
  const checked = await sameTops(bench, name, ['core tops', 'sdk tops'], none);
  const times = await inTurns(bench, {
    ours: ['core', `cold ${name} ${DEPTH}`],
    peer: ['sdk', `cold ${name} ${DEPTH}`],
    // The comparison before has run the SDK's code on all accounts already.
    warmPeer: false,
  });
  await bench.drop(name, ['core', 'sdk']);
  const workload = name;
  const work = 'cold start, 10k accounts to the first body';
  const bars = { bar: 50, wish: 100, better: 'higher' };
  const cpuMs = times.ours.cpuNs / 1e6;
  return [
    { row: 6, work, workload, against: 'SDK', checked, ...times, ...bars },
    {
      row: 6,
      work: 'CPU of the core in that cold start',
      workload,
      value: cpuMs,
      shown: `${cpuMs.toFixed(1)} ms`,
      bar: 100,
      wish: null,
      better: 'lower',
      unit: 'ms',
    },
  ];
}

async function memory() {
  const workload = 'powerlaw-cold';
  const { bytes, orders, users } = countAllocations('memory', workloadFile(workload));
  const value = bytes / orders;
  const shown = `${value.toFixed(1)} B (${(bytes / 1e6).toFixed(1)} MB)`;
  const work = `memory of the core an order, ${users} users, ${orders} orders`;
  return [
    { row: 8, work, workload, value, shown, bar: 400, wish: 250, better: 'lower', unit: 'B' },
  ];
}

async function coldRender(bench) {
  const workload = 'powerlaw-10k';
  await bench.load(workload, ['core']);
  const results = [];
  for (const depth of [10, 100]) {
    const { body } = await bench.engines.core.ask(`body ${workload} ${depth}`);
    const { equal } = await bench.engines.sdk.ask(`model depth-${depth} ${body}`);
    if (!equal) throw new Error(`the depth-${depth} body is not what JSON.stringify writes`);
    const repeats = 200_000 / depth;
    const times = await inTurns(bench, {
      ours: ['core', `render ${workload} ${depth} ${repeats}`],
      peer: ['sdk', `render depth-${depth} ${repeats}`],
    });
    const work = `book to a depth-${depth} body of ${body.length} bytes, texts of levels cached`;
    const against = 'JSON.stringify of the ready model';
    const none = { bar: null, wish: null, better: 'higher' };
    results.push({ row: 'render', work, workload, against, checked: 1, ...times, ...none });
  }
  await bench.drop(workload, ['core']);
  return results;
}

async function longestCalls(bench) {
  const name = 'powerlaw-cold';
  await bench.load(name, ['core']);
  const runs = [];
  for (let round = 0; round < bench.rounds; round++) {
    runs.push((await bench.engines.core.ask(`blocks ${name} ${BATCH_ACCOUNTS}`)).calls);
  }
  await bench.drop(name, ['core']);
  return Object.keys(runs[0]).map((call) => longestCall(name, call, runs));
}

function longestCall(workload, call, runs) {
  const each = (field) => runs.map((calls) => calls[call][field] / 1e6);
  const value = median(each('wallNs'));
  const [cpu, worst] = [median(each('cpuNs')), Math.max(...each('wallNs'))];
  const shown = `${value.toFixed(3)} ms (${cpu.toFixed(3)}), worst ${worst.toFixed(3)}`;
  const work = `longest single call: ${call} (batches of ${BATCH_ACCOUNTS} accounts)`;
  const bars = { bar: 5, wish: 1, better: 'lower', unit: 'ms' };
  return { row: 9, work, workload, value, shown, rounds: runs.map((run) => run[call]), ...bars };
}

/** Compares the output of two commands of the form `ENGINE VERB`; returns the number of levels compared. */
async function sameTops(bench, name, commands, { events, ticks }) {
  const [a, b] = await Promise.all(
    commands.map(async (command) => {
      const [engine, verb] = command.split(' ');
      const ask = `${verb} ${name} ${events} ${ticks} ${DEPTH}`;
      return { name: command, ...(await bench.engines[engine].ask(ask)) };
    }),
  );
  return assertSameTops(a, b);
}

function inTurns(bench, { ours, peer, warmPeer = true }) {
  const run = ([engine, command]) => bench.engines[engine].ask(command);
  const [runOurs, runPeer] = [() => run(ours), () => run(peer)];
  const warmUp = warmPeer ? [runOurs, runPeer] : [runOurs];
  return timeInTurns({ ours: runOurs, peer: runPeer, rounds: bench.rounds, warmUp });
}
