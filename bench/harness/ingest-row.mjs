/**
 * Row `ingest`: the effect of a history under full load on the book's readers: the CPU of /l2, the
 * longest block of the event loop, and the frames of the streaming channel.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { timeInTurns } from './rounds.mjs';
import { startLoad, startServer } from './servers.mjs';
import { load } from './wrk.mjs';

const MAKERS = 200;
const RATE = 200;
const SEED = 1;
const DEPTH = 20;
const MARKET = 'SOL-PERP';
const QUERY = `/l2?marketName=${MARKET}`;
const LOAD = { seconds: 4, connections: 16 };
/** The service without requests is measured for so long in each round. */
const ALONE_MS = 2_000;
/** The history is at its speed after this time, and at rest again. */
const SETTLE_MS = 1_000;
/** No audit falls into the row. */
const AUDIT_INTERVAL_MS = 0;
/** Pending transactions are stored within this time. */
const DRAIN_MS_MAX = 120_000;
/** A market's own fills would have other numbers than those of the node. */
const FILLS = 0;

/** The row's three results. */
export async function ingestBesideReaders(bench) {
  const folder = mkdtempSync(path.join(tmpdir(), 'slotbook-bench-ingest-'));
  const chain = startLoad('chain');
  const node = startLoad('ingest-node');
  const follower = startLoad('follower');
  const service = startServer('watched-service');
  try {
    const urls = await chain.ask(`start ${MAKERS} ${RATE} ${SEED} ${FILLS}`);
    const { rpcUrl, wsUrl } = await node.ask(`start ${urls.rpcUrl} ${urls.wsUrl}`);
    const start = `start ${rpcUrl} ${wsUrl} ${AUDIT_INTERVAL_MS} ${folder}`;
    const { url } = await service.ask(start);
    await follower.ask(`start ${url} ${MARKET} ${DEPTH}`);
    const results = await measure(bench, { node, service, follower, url });
    await follower.ask('stop');
    await service.ask('stop');
    await chain.ask('stop');
    return results;
  } finally {
    await Promise.all([service, follower, node, chain].map((process) => process.stop()));
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(bench, { node, service, follower, url }) {
  const blocks = { with: [], without: [] };
  const rates = [];
  const round = async (feed) => {
    await node.ask(`feed ${feed}`);
    await sleep(SETTLE_MS);
    const before = await node.ask('told');
    await service.ask('begin');
    const startMs = performance.now();
    const times = await costOf(service.pid, url);
    const seconds = (performance.now() - startMs) / 1_000;
    blocks[feed === 'on' ? 'with' : 'without'].push(await service.ask('end'));
    const after = await node.ask('told');
    if (feed === 'on') rates.push((after.transactions - before.transactions) / seconds);
    await node.ask('feed off');
    await untilStored(url, (await node.ask('told')).transactions);
    return times;
  };
  const warmUp = async (feed) => {
    await round(feed);
    for (const seen of [blocks.with, blocks.without, rates]) seen.length = 0;
  };
  const times = await timeInTurns({
    ours: () => round('on'),
    peer: () => round('off'),
    warmUp: [() => warmUp('on'), () => warmUp('off')],
    rounds: bench.rounds,
    judge: 'cpu',
    better: 'lower',
  });
  const { transactions } = await node.ask('told');
  const rate = Math.round(rates.reduce((sum, one) => sum + one, 0) / rates.length);
  const tally = await follower.ask('tally');
  return resultsOf({ times, blocks, rate, transactions, tally });
}

function resultsOf({ times, blocks, rate, transactions, tally }) {
  const data = `demo chain, ${MAKERS} makers, ${RATE} writes a second; ${rate} fills a second, ${transactions} stored`;
  const ownMs = (phases) => Math.max(...phases.map(({ cpuMs }) => cpuMs.max));
  const [own, without] = [ownMs(blocks.with), ownMs(blocks.without)];
  const wrong = tally.broken + tally.resets + tally.reconnects;
  const [row, wish] = ['ingest', null];
  return [
    {
      ...{ row, data, wish, bar: 1.15, better: 'lower', checked: 1, ...times },
      work: 'GET /l2 while the history stores at full speed: CPU of the main thread a request',
      against: 'itself without',
    },
    {
      ...{ row, data, wish, bar: 5, better: 'lower', unit: 'ms', value: own, blocks },
      work: 'longest block of the event loop by its own work meanwhile',
      shown: `${own.toFixed(2)} ms own (without ${without.toFixed(2)})`,
    },
    {
      ...{ row, data, wish, bar: 0, better: 'lower', unit: 'frames', value: wrong, tally },
      work: 'frames of the streaming channel missed or wrong',
      shown: `${wrong} of ${tally.deltas}`,
    },
  ];
}

/** The main thread's CPU time for requests, minus its CPU time in the same period without requests. */
async function costOf(pid, url) {
  const alone = await measured(pid, () => sleep(ALONE_MS));
  const both = await measured(pid, () => load(url + QUERY, LOAD));
  const restNs = (alone.cpuNs / alone.wallNs) * both.wallNs;
  return { operations: both.result, wallNs: both.wallNs, cpuNs: both.cpuNs - restNs };
}

async function measured(pid, run) {
  const [cpu, wall] = [mainThreadNs(pid), process.hrtime.bigint()];
  const result = await run();
  const wallNs = Number(process.hrtime.bigint() - wall);
  return { result, wallNs, cpuNs: mainThreadNs(pid) - cpu };
}

/** Nanoseconds on a core of the thread that has the number of its process. */
function mainThreadNs(pid) {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'latin1').split(' ')[0]);
}

/** Every notified transaction is stored, once. */
async function untilStored(url, transactions) {
  const endMs = performance.now() + DRAIN_MS_MAX;
  while (performance.now() < endMs) {
    const rows = await (await fetch(`${url}/trades?symbol=${MARKET}&limit=1`)).json();
    if ((rows[0]?.fillRecordId ?? 0) === transactions) return;
    await sleep(100);
  }
  throw new Error(`the last of ${transactions} fills was not stored`);
}
