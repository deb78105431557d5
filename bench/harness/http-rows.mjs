/**
 * The cost of a response while the book changes: of /l2 (row 4) and of /match compared with a
 * constant, and of /l2 with all sources compared with the same server without them.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { workloadFile } from '../workload/files.mjs';
import { cpuNsOf } from './cpu.mjs';
import { rawGet } from './raw-get.mjs';
import { timeInTurns } from './rounds.mjs';
import { startServer } from './servers.mjs';
import { load } from './wrk.mjs';

const WORKLOAD = 'powerlaw-10k';
const MARKET = 'marketName=BENCH0-PERP';
/** Accounts a second, as turns of ten: a busy hour of the whole exchange, all in one market. */
const CHURN = 1_000;
const LOAD = { seconds: 4, connections: 64 };
/** The churn alone is measured for so long in each round. */
const CHURN_ALONE_MS = 2_000;
/** Depths of the rows: the default, and a depth with a ten times longer body. */
const DEPTHS = [10, 100];
/** Takers in whole base: a usual one, and one that meets some 150 orders. */
const TAKERS = [5, 100];

/**
 * Bodies with and without the AMM and indicative quotes, of as many levels: books so dense that they
 * have as many of orders alone, and so thin that the others are among them.
 */
const WITH_SOURCES = [
  { workload: 'uniform-following-48', depth: 10 },
  { workload: 'uniform-following-400', depth: 100 },
];
/** Orders move, so one of two hundred moments has ten of them before the AMM; it is read that often. */
const MOMENTS = { count: 10, apartMs: 100 };
const SOURCES = ['dlob', 'vamm', 'indicative'];

/** Row 4 of all depths. */
export function l2UnderChurn(bench) {
  const bars = { row: 4, bar: 1.25, wish: 1.1 };
  const paths = DEPTHS.map((depth) => ({
    path: `/l2?${MARKET}&depth=${depth}`,
    body: `body 0 ${depth}`,
    work: `GET /l2 of depth ${depth}`,
  }));
  return eachUnderChurn(bench, paths, bars);
}

/** The same of /match: each response is a walk of its own where the book has changed. */
export function matchUnderChurn(bench) {
  const bars = { row: 'match', bar: null, wish: 1.25 };
  const paths = TAKERS.map((base) => ({
    path: `/match?${MARKET}&side=buy&size=${base * 1e9}`,
    body: `match 0 ${base * 1e9}`,
    work: `GET /match of ${base} base`,
  }));
  return eachUnderChurn(bench, paths, bars);
}

/** All sources against orders alone, asked of one server in turns. */
export async function l2WithSources(bench) {
  const results = [];
  for (const one of WITH_SOURCES) results.push(await againstOrders(bench, one));
  return results;
}

async function againstOrders(bench, { workload, depth }) {
  const server = startServer('book-server');
  await server.ask(`load ${workloadFile(workload)}`);
  const { port } = await server.ask('listen');
  await server.ask('quotes 0');
  const orders = `/l2?${MARKET}&depth=${depth}`;
  const all = `${orders}&includeVamm=true&includeIndicative=true`;
  const sizes = await assertSources(server, port, { orders, all, depth });
  const run = (path) => underChurn(server, `http://127.0.0.1:${port}${path}`);
  const times = await timeInTurns({
    ours: () => run(all),
    peer: () => run(orders),
    warmUp: [() => run(all), () => run(orders)],
    rounds: bench.rounds,
    judge: 'cpu',
    better: 'lower',
  });
  // The book has gone on meanwhile, and must not have lost a source.
  await assertSources(server, port, { orders, all, depth });
  await server.stop();
  const work = `GET /l2 of depth ${depth} with all sources (${sizes.all} bytes), ${CHURN} account updates a second`;
  const against = `itself without (${sizes.orders} bytes)`;
  const bars = { bar: 1.25, wish: null, better: 'lower' };
  return { row: 'sources', work, workload, against, checked: 1, ...times, ...bars };
}

/** Returns the bytes of both bodies, which have as many levels, on each side of every source. */
async function assertSources(server, port, paths) {
  for (let left = MOMENTS.count; ; left -= 1) {
    try {
      return await sizesWithSources(port, paths);
    } catch (error) {
      if (left === 0) throw error;
    }
    await server.ask(`churn ${CHURN}`);
    await sleep(MOMENTS.apartMs);
    await server.ask('churn 0');
  }
}

async function sizesWithSources(port, { orders, all, depth }) {
  const bodies = { orders: await rawGet(port, orders), all: await rawGet(port, all) };
  const expected = { orders: ['dlob'], all: SOURCES };
  for (const [name, { body }] of Object.entries(bodies)) {
    const { bids, asks } = JSON.parse(body);
    for (const side of [bids, asks]) {
      const shown = SOURCES.filter((source) => side.some(({ sources }) => sources[source]));
      if (side.length !== depth || String(shown) !== String(expected[name])) {
        throw new Error(`${name} of depth ${depth} had ${side.length} levels of ${shown}`);
      }
    }
  }
  return { orders: bodies.orders.body.length, all: bodies.all.body.length };
}

async function eachUnderChurn(bench, paths, bars) {
  const ours = startServer('book-server');
  await ours.ask(`load ${workloadFile(WORKLOAD)}`);
  const { port } = await ours.ask('listen');
  const results = [];
  for (const one of paths) {
    results.push({ ...bars, ...(await againstConstant(bench, { ours, port, ...one })) });
  }
  await ours.stop();
  return results;
}

async function againstConstant(bench, { ours, port, path, body: command, work }) {
  const answer = await rawGet(port, path);
  const { body } = await ours.ask(command);
  if (answer.body !== body) throw new Error(`${path} is not the body of the engine`);
  const peer = startServer('constant-server');
  const constant = await peer.ask(`listen ${asWord(answer)}`);
  const same = await rawGet(constant.port, path);
  if (same.text !== answer.text) {
    throw new Error(`answers differ:\n${same.text}\nand\n${answer.text}`);
  }
  const [url, constantUrl] = [port, constant.port].map((at) => `http://127.0.0.1:${at}${path}`);
  const times = await timeInTurns({
    ours: () => underChurn(ours, url),
    peer: () => loaded(peer, constantUrl),
    warmUp: [() => load(url, LOAD), () => load(constantUrl, LOAD)],
    rounds: bench.rounds,
    judge: 'cpu',
    better: 'lower',
  });
  await peer.stop();
  const shown = `${work} (${body.length} bytes), ${CHURN} account updates a second`;
  const against = 'uWebSockets.js answering a constant';
  return { work: shown, workload: WORKLOAD, against, checked: 1, ...times, better: 'lower' };
}

/** `{headers, body}` as one word, without the headers that the transport writes itself. */
function asWord({ headers, body }) {
  const own = headers.filter(([name]) => !/^(date|uwebsockets|content-length)$/i.test(name));
  return Buffer.from(JSON.stringify({ headers: own, body })).toString('base64');
}

/** The CPU of the run less that of the same churn without requests. */
async function underChurn(server, url) {
  await server.ask(`churn ${CHURN}`);
  const alone = await measured(server, () => sleep(CHURN_ALONE_MS));
  const both = await measured(server, () => load(url, LOAD));
  const { accounts } = await server.ask('churned');
  await server.ask('churn 0');
  const due = ((alone.wallNs + both.wallNs) / 1e9) * CHURN;
  if (accounts < 0.95 * due) throw new Error(`churn was ${accounts} accounts, must be ${due}`);
  const churnNs = (alone.cpuNs / alone.wallNs) * both.wallNs;
  return { operations: both.result, wallNs: both.wallNs, cpuNs: both.cpuNs - churnNs };
}

async function loaded(server, url) {
  const { result, wallNs, cpuNs } = await measured(server, () => load(url, LOAD));
  return { operations: result, wallNs, cpuNs };
}

async function measured(server, run) {
  const [cpu, wall] = [cpuNsOf(server.pid), process.hrtime.bigint()];
  const result = await run();
  const wallNs = Number(process.hrtime.bigint() - wall);
  return { result, wallNs, cpuNs: cpuNsOf(server.pid) - cpu };
}
