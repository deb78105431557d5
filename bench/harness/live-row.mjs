/**
 * Row `live`: an account at the socket of a bot to the best prices in its callback, by LiveBook and
 * by the SDK's OrderSubscriber with a DLOB of each change, both over the subscriptions of one node.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { SteppedChain } from '../differential/stepped-chain.mjs';
import { median, timeInTurns } from './rounds.mjs';
import { startPeer, startServer } from './servers.mjs';
import { installPeers } from './setup.mjs';

const LIFE = { seed: 1, makers: 200, slotTimeMs: 400 };
const MARKET = 'SOL-PERP';
/** Markets of the demo that the SDK reads. */
const MARKETS = [3, 2];
/** The SDK takes some milliseconds an account: it keeps up with so many. */
const STEPS = 100;
const STEP_MS = 50;
const SETTLED_MS = 1_500;

/** The row's result. */
export async function liveBook(bench) {
  installPeers();
  const chain = await SteppedChain.start(LIFE);
  try {
    const checked = await compareTops(chain);
    const times = await timeInTurns({
      ours: () => measure(chain, startOurs),
      peer: () => measure(chain, startSdk),
      warmUp: [],
      rounds: bench.rounds,
    });
    const work = 'an account at the socket to the best prices in a callback, p50';
    const data = `demo chain, ${LIFE.makers} makers, a step of the market every ${STEP_MS} ms`;
    const against = 'OrderSubscriber, a DLOB of each change';
    const bars = { bar: 10, wish: 50, better: 'higher' };
    return [{ row: 'live', work, data, against, checked, ...times, ...bars }];
  } finally {
    await chain.stop();
  }
}

async function startOurs({ rpcUrl, wsUrl }) {
  const bot = startServer('live-book');
  await bot.ask(`start ${rpcUrl} ${wsUrl} ${MARKET}`);
  return bot;
}

async function startSdk({ rpcUrl, wsUrl, oracles }) {
  const bot = startPeer('dlob-worker');
  await bot.ask(`subscribe ${rpcUrl} ${wsUrl} ${MARKETS.join(' ')} ${oracles.join()}`);
  await bot.ask('live');
  return bot;
}

/** The best levels of both after some changes; returns how many were compared. */
async function compareTops(chain) {
  const bots = [await startOurs(chain), await startSdk(chain)];
  await chain.step(STEPS);
  await sleep(SETTLED_MS);
  const [ours, theirs] = await Promise.all(bots.map((bot) => bot.ask('top')));
  await Promise.all(bots.map((bot) => bot.stop()));
  if (ours.top.length !== 2 || JSON.stringify(ours) !== JSON.stringify(theirs)) {
    throw new Error(`best levels differ: ${JSON.stringify({ ours, theirs })}`);
  }
  return ours.top.length;
}

async function measure(chain, start) {
  const bot = await start(chain);
  await chain.step(STEPS);
  await bot.ask('begin');
  for (let step = 0; step < STEPS; step += 1) {
    await chain.step(1);
    await sleep(STEP_MS);
  }
  const { latenciesMs, cpuMs } = await bot.ask('end');
  await bot.stop();
  const operations = latenciesMs.length;
  if (operations < STEPS / 4) throw new Error(`only ${operations} of ${STEPS} steps were seen`);
  const ns = (ms) => ms * 1e6;
  const sorted = latenciesMs.toSorted((one, other) => one - other);
  return {
    operations,
    wallNs: ns(median(latenciesMs) * operations),
    cpuNs: ns(cpuMs),
    p99Ns: ns(sorted[Math.floor(operations * 0.99)]),
  };
}
