/**
 * Accounts as they are watched and asked for: what 10,000 watched of 100,000 accounts cost a second
 * in which all prices move, and how soon an account of 32 orders is there over HTTP.
 */
import { workloadFile } from '../workload/files.mjs';
import { rawGet } from './raw-get.mjs';
import { median } from './rounds.mjs';
import { startServer } from './servers.mjs';

const WATCHED = 10_000;
const LOADED = 'powerlaw-100k-users';
const OF_32_ORDERS = 'powerlaw-open-32';
const REQUESTS = 500;

/** The row `users`. */
export async function watchedUsers({ rounds }) {
  return [await watchedSecond(rounds), await accountOverHttp()];
}

async function watchedSecond(rounds) {
  const server = startServer('watched-accounts');
  const { watched } = await server.ask(`load ${workloadFile(LOADED)} ${WATCHED}`);
  if (watched !== WATCHED) throw new Error(`${watched} accounts are watched`);
  const seconds = [];
  for (let round = 0; round <= rounds; round += 1) {
    const turn = await server.ask('turn');
    const frames = await server.ask('frames');
    if (frames.bytes < WATCHED) throw new Error('accounts had no frames');
    // The first second warms up.
    if (round > 0) seconds.push({ turn, frames });
  }
  const { body } = await server.ask('body 0');
  if (JSON.parse(body).margin === null) throw new Error('the accounts have no margin');
  await server.stop();
  const of = (pick) => median(seconds.map(pick));
  const cpuMs = of(({ frames }) => frames.cpuNs / 1e6);
  const turnMs = of(({ turn }) => turn.cpuNs / 1e6);
  const bytes = of(({ frames }) => frames.bytes / WATCHED);
  return {
    row: 'users',
    work: `frames of ${WATCHED} watched accounts in a second in which all prices move: CPU, of a core`,
    workload: LOADED,
    value: cpuMs / 10,
    shown:
      `${(cpuMs / 10).toFixed(1)} % (${((cpuMs * 1_000) / WATCHED).toFixed(1)} us and ` +
      `${bytes.toFixed(0)} bytes a frame; the turns of that second ${turnMs.toFixed(2)} ms)`,
    bar: 10,
    wish: null,
    better: 'lower',
    unit: '%',
  };
}

async function accountOverHttp() {
  const server = startServer('book-server');
  await server.ask(`load ${workloadFile(OF_32_ORDERS)}`);
  const { port } = await server.ask('listen');
  const { body } = await rawGet(port, '/l3?marketType=perp&marketIndex=0');
  const { bids } = JSON.parse(body);
  const path = `/accounts/${bids[0].maker}`;
  const times = [];
  for (let sent = 0; sent < REQUESTS; sent += 1) {
    const begin = process.hrtime.bigint();
    const told = await rawGet(port, path);
    times.push(Number(process.hrtime.bigint() - begin) / 1e6);
    const { orders } = JSON.parse(told.body);
    if (orders.length !== 32) throw new Error(`the account had ${orders.length} orders`);
  }
  await server.stop();
  return {
    row: 'users',
    work: 'GET /accounts/{account} of 32 orders, each on a connection of its own: median',
    workload: OF_32_ORDERS,
    value: median(times),
    shown: `${median(times).toFixed(2)} ms`,
    bar: 1,
    wish: null,
    better: 'lower',
    unit: 'ms',
  };
}
