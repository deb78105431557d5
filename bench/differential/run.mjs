/**
 * Two readings of one chain: `@drift-labs/sdk` with its DLOBSubscriber, and slotbook, both over the
 * same RPC. The chain is the demo's, and is paused while the two are compared.
 *
 * Usage: node bench/differential/run.mjs [--seed 1] [--seeds 3] [--moments 20] [--makers 150]
 * [--writes 60]
 *
 * Ends with 1 when something differs that no rule explains, or when a kind of order or book that
 * both must read alike was never met.
 */
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { EngineProcess } from '../harness/engine-process.mjs';
import { installPeers } from '../harness/setup.mjs';
import { compareMarket } from './compare.mjs';
import { SteppedChain } from './stepped-chain.mjs';
import { Tally } from './tally.mjs';

const bench = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const MARKETS = { perps: 3, spots: 2 };
const SLOT_TIME_MS = 200;
/** Both readers must have everything within this time of the last write. */
const SETTLE_MS = 10_000;
const SETTLE_POLL_MS = 250;

/** Order ids that the makers of seldom orders use up at each moment. */
const ODD_ORDER_IDS = 100;

/** The kinds that a run must contain, because both readings support them. */
const REQUIRED = [
  'perp limit',
  'spot limit',
  'perp limit after its auction',
  'oracle offset',
  'triggered triggerLimit',
  'partly filled',
  'ties within one list',
  'crossed or locked book',
];

function readOptions() {
  const number = (value) => ({ type: 'string', default: String(value) });
  const { values } = parseArgs({
    options: {
      seed: number(1),
      seeds: number(3),
      moments: number(20),
      makers: number(150),
      writes: number(60),
    },
  });
  return Object.fromEntries(Object.entries(values).map(([name, text]) => [name, Number(text)]));
}

async function main() {
  const options = readOptions();
  installPeers();
  const total = new Tally();
  for (let life = 0; life < options.seeds; life += 1) {
    total.add(await oneLife(options.seed + life, options));
  }
  const missing = REQUIRED.filter((kind) => total.kinds[kind] === undefined);
  const lines = [...total.lines(), ...missing.map((kind) => `never met: ${kind}`)];
  process.stdout.write(`${lines.join('\n')}\n`);
  process.exit(total.unexplained === 0 && missing.length === 0 ? 0 : 1);
}

async function oneLife(seed, { moments, makers, writes }) {
  const chain = await SteppedChain.start({ seed, makers, slotTimeMs: SLOT_TIME_MS });
  const sdk = startNode('peers/dlob-worker.mjs');
  const service = startNode('service/watched-service.mjs');
  const tally = new Tally();
  try {
    const { perps, spots } = MARKETS;
    const { rpcUrl, wsUrl } = chain;
    const oracles = chain.oracles.join(',');
    await sdk.ask(`subscribe ${rpcUrl} ${wsUrl} ${perps} ${spots} ${oracles}`);
    const { url } = await service.ask(`start ${rpcUrl} ${wsUrl} 0`);
    for (let moment = 0; moment < moments; moment += 1) {
      await chain.step(writes);
      await chain.writeOddMakers(1 + moment * ODD_ORDER_IDS);
      const settled = await settledComparison({ chain, sdk, url });
      const told = [`seed ${seed}, moment ${moment}: ${settled.unexplained}`, ...settled.told];
      process.stderr.write(`differential: ${told.join('\n  ')}\n`);
      tally.add(settled);
    }
    await service.ask('stop');
  } finally {
    await Promise.all([sdk.stop(), service.stop()]);
    await chain.stop();
  }
  return tally;
}

function startNode(script) {
  return new EngineProcess(process.execPath, [path.join(bench, script)]);
}

/**
 * The chain is paused, so pending updates arrive a moment later. A difference that ends only after
 * the SDK has read all users again is an update that the SDK had missed: it is reported and
 * counted. slotbook does not read again.
 */
async function settledComparison(parts) {
  const endMs = Date.now() + SETTLE_MS;
  let tally = await compareAll(parts);
  while (tally.unexplained > 0 && Date.now() < endMs) {
    await sleep(SETTLE_POLL_MS);
    tally = await compareAll(parts);
  }
  if (tally.unexplained === 0) return tally;
  await parts.sdk.ask('resync');
  const resynced = await compareAll(parts);
  if (resynced.unexplained > 0) return resynced;
  resynced.departed('an update that the SDK missed until it read again');
  resynced.told.push(...tally.told);
  return resynced;
}

async function compareAll({ chain, sdk, url }) {
  const ours = await readOurs(url);
  const { books, orders } = await sdk.ask(`books ${ours.slot}`);
  const tally = new Tally();
  const moment = { slot: ours.slot, unixSeconds: chain.unixSeconds };
  for (const book of books) {
    const own = ours.books.get(book.market);
    if (own === undefined) continue;
    compareMarket({ sdk: book, ours: own, orders, moment, tally });
  }
  if (tally.compared['oracle price'] === undefined) throw new Error('no market was compared');
  return tally;
}

/** All bodies of one slot; again when a slot passed meanwhile. */
async function readOurs(url) {
  const rows = await getJson(`${url}/markets`);
  for (;;) {
    const books = new Map();
    for (const { symbol, marketType, marketIndex, emptyReason } of rows) {
      if (emptyReason !== null) continue;
      const market = `marketName=${encodeURIComponent(symbol)}`;
      const l2 = await getJson(`${url}/l2?${market}&depth=1000`);
      const l3 = await getJson(`${url}/l3?${market}`);
      books.set(`${marketType}-${marketIndex}`, { l2, l3 });
    }
    const bodies = [...books.values()].flatMap(({ l2, l3 }) => [l2, l3]);
    const slots = new Set(bodies.map(({ slot }) => slot));
    if (slots.size === 1 && bodies.every(({ state }) => state === 'live')) {
      return { slot: bodies[0].slot, books };
    }
  }
}

async function getJson(url) {
  return (await fetch(url)).json();
}

await main();
